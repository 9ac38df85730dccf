"""Tables of dtypes and of parts of larger tensors on a mapping's page: a cell for each API, with what runs showed."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable

import msgspec
import pytest
from entry_fixture import run_record, write_run
from small_site import Built, Site

from apidiff.database import Data
from apidiff.database.backends import load_backends
from apidiff.lookup.entry import Builder
from apidiff.model.verdict import Outcome
from apidiff.model.version import Version
from apidiff.model.views import ClaimEntry, ObservedEntry, ObservedSummary
from apidiff.sphinxext.versions import Releases
from apidiff.writers.exports.address import anchor

API = "torch.distributed.broadcast"
MINT = "mindspore.mint.distributed.broadcast"
VERSIONS = {"torch": ["2.13.0"], "mindspore": ["2.10.0", "2.7.1"]}


def outcome_of(claim: ClaimEntry, version: str) -> Outcome | None:
    """What is taken to be observed: MindSpore leaves slices as they are, and 2.7.1 has no bfloat16."""
    assert claim.swept is not None
    if claim.subject not in {API, MINT}:
        return None
    if claim.subject == MINT and claim.swept.value == "slice" and claim.kind == "result":
        return Outcome.REFUTED
    if claim.subject == MINT and claim.swept.value == "head" and claim.kind == "keeps_rest":
        return Outcome.REFUTED
    return Outcome.ERROR if version == "2.7.1" and claim.swept.value == "bfloat16" else Outcome.HOLDS


def observed(claim: ClaimEntry, run: str) -> ClaimEntry:
    if claim.swept is None:
        return claim
    rows, seen = [], []
    framework = claim.subject.partition(".")[0]
    for version in VERSIONS[framework]:
        outcome = outcome_of(claim, version)
        if outcome is not None:
            place = {"framework": framework, "framework_version": version, "backend": "b", "device": "cpu"}
            rows.append(ObservedSummary(outcome=outcome.value, world_sizes=[3], runs=[run], **place))
            seen.append(ObservedEntry(outcome=outcome, world_size=3, probe="sync", run=run, **place))
    return msgspec.structs.replace(claim, summary=rows, observed=seen)


def _newest_first(versions: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for framework, version in sorted(versions, key=lambda item: Version(item[1]), reverse=True):
        found.setdefault(framework, []).append(version)
    return found


@pytest.fixture
def built(database: Data, make_site: Callable[..., Site]) -> Built:
    site = make_site("site", "en")
    run, path = write_run(site.folder / "data", run_record())
    entry = Builder(dataclasses.replace(database, runs=[]), load_backends(), []).entry(database.mappings[API])
    entry = msgspec.structs.replace(entry, claims=[observed(claim, run) for claim in entry.claims])
    known = _newest_first((name, one.version) for name, found in database.frameworks.items() for one in found)
    site.content = msgspec.structs.replace(
        site.content,
        entries={API: entry},
        counterparts={},
        runs={run: path},
        calls={},
        newest={name: versions[0] for name, versions in known.items()},
        releases=Releases(known=known, signed=_newest_first(database.signatures)),
    )
    (site.src / "notes.md").write_text("# Notes\n")
    return site.build()


def cell(html: str, claim: str) -> str:
    """The words of the cell that holds the anchor of a claim."""
    start = html.index(f'id="{anchor(claim)}"')
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html[html.index(">", start) : html.index("</td>", start)])).strip(
        "> "
    )


CELLS = {
    f"{API}#all-hold-root-tensor-dtype-float16": "works",
    f"{MINT}#all-hold-root-tensor-slice-tensor": "wrong, silently",
    f"{MINT}#all-hold-root-tensor-head-tensor": "changes more than the view",
    f"{MINT}#rest-kept-head-tensor": "changes more than the view",
    f"{MINT}#all-hold-root-tensor-slice-copied-tensor": "works",
    f"{MINT}#all-hold-root-tensor-dtype-bfloat16": "works 2.10.0 refused 2.7.1",
}


def test_a_cell_says_what_runs_showed(built: Built) -> None:
    html = built.html(f"evidence/{API}")
    assert {claim: cell(html, claim) for claim in CELLS} == CELLS


def test_claims_in_a_table_are_not_listed_too(built: Built) -> None:
    html = built.html(f"evidence/{API}")
    anchors = re.findall(r'id="([^"]*-dtype-float16)"', html)
    assert len(anchors) == len(set(anchors))
    assert "Not run where the plain call fails already" in html
