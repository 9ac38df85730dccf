"""What is new, on pages: runs, and which of three versions changed a behaviour."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec
import pytest
from docutils import nodes
from docutils.utils import new_document
from entry_fixture import NEW, RELEASES, SOURCE, run_record, write_run
from factories import claim_entry
from small_site import Built, Site

from apidiff.database.runs import short_id
from apidiff.derive.evidence import head_of
from apidiff.messages.verdict_text import summarise
from apidiff.messages.version_changes import change_entries, dispute_entries
from apidiff.model.base import Text
from apidiff.model.coverage import Coverage, PlaceCoverage
from apidiff.model.signed import Signed, State
from apidiff.model.verdict import Observation, Outcome
from apidiff.sphinxext.news_page import measured
from apidiff.sphinxext.page_builder import PageBuilder

OUTCOMES = {"2.7.1": Outcome.HOLDS, "2.9.0": Outcome.REFUTED, "2.10.0": Outcome.REFUTED}
CLAIM = f"{NEW}#writes"


def _with_versions(site: Site, outcomes: dict[str, Outcome]) -> dict[str, str]:
    """Give the site runs of MindSpore with these outcomes of one claim. Returns the run of each version."""
    runs, observed, places = dict(site.content.runs), [], []
    for version, outcome in outcomes.items():
        record = msgspec.structs.replace(
            run_record(), framework="mindspore", framework_version=version, backend="mccl", signatures=[]
        )
        probes = [msgspec.structs.replace(one, api=NEW) for one in record.probes]
        run, path = write_run(site.folder / "data", msgspec.structs.replace(record, probes=probes))
        runs[run] = path
        where = {"framework": "mindspore", "framework_version": version, "backend": "mccl", "device": "cpu"}
        observed.append(Observation(outcome=outcome, world_size=3, probe="sync", run=run, **where))
        places.append(PlaceCoverage(claims=1, outcomes={}, not_run={}, sizes=[], **where))
    claim = claim_entry(
        CLAIM,
        kind="writes",
        text=Text(en="Writes `tensor`.", zh="写入 `tensor`。"),
        observed=observed,
        summary=summarise(observed),
        changes=change_entries(observed, RELEASES.known),
        disputes=dispute_entries(observed),
    )
    entry = site.content.entries[SOURCE]
    entry = msgspec.structs.replace(entry, claims=[*entry.claims, claim])
    site.content = msgspec.structs.replace(
        site.content,
        entries={**site.content.entries, SOURCE: entry},
        runs=runs,
        signed=dict.fromkeys(runs, Signed(state=State.LISTED)),
        coverage=Coverage(places=places),
    )
    if not (site.src / "new.md").exists():
        (site.src / "new.md").write_text("# New\n\n```{apidiff-news}\n```\n")
        index = site.src / "index.md"
        index.write_text(index.read_text().replace("notes\n", "notes\nnew\n"))
    return {one.framework_version: one.run for one in observed}


def _text(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html))


def _article(built: Built, page: str) -> str:
    html = built.html(page)
    return html[html.index("<h1") :]


SAID = {
    "en": (
        "MindSpore on mccl (cpu): 2.7.1, 2.9.0, 2.10.0",
        "Claims with another verdict: 1, of mappings: 1.",
        "no verdict between: 2.8.0",
        "MindSpore on mccl (cpu), 3 ranks: holds up to 2.7.1, refuted from 2.9.0 on; "
        "no verdict between 2.7.1 and 2.9.0: 2.8.0.",
    ),
    "zh_CN": (
        "MindSpore，mccl（cpu）：2.7.1、2.9.0、2.10.0",
        "1 个映射中有 1 个验证项的结论发生变化。",
        "其间没有结论：2.8.0",
        "MindSpore，mccl（cpu），3 个 rank：2.7.1 及更早版本成立，2.9.0 起不成立；2.7.1 与 2.9.0 之间没有结论：2.8.0。",
    ),
}


@pytest.mark.parametrize("language", SAID)
def test_the_version_is_named_with_links_to_both_records(make_site: Callable[..., Site], language: str) -> None:
    site = make_site("site", language)
    _with_versions(site, OUTCOMES)
    built = site.build()
    assert built.warnings == ""
    *listed, sentence = SAID[language]
    page = _article(built, "new")
    for words in listed:
        assert words in _text(page)
    assert 'id="changed-mindspore-2.9.0"' in page
    assert 'id="changed-mindspore-2.10.0"' not in page
    assert f'href="evidence/{SOURCE}.html#{NEW}--writes"' in page
    for version in ("2.7.1", "2.9.0"):
        goal = f"evidence/mindspore-{version}/mccl-cpu/{NEW}.html#evidence"
        assert f'href="{goal}"' in page
        assert f'href="{goal.removeprefix("evidence/")}"' in _article(built, f"evidence/{SOURCE}")
    for place in (f"evidence/{SOURCE}", f"evidence/mindspore-2.9.0/mccl-cpu/{NEW}"):
        assert sentence in _text(_article(built, place))


def test_where_nothing_changed_or_could_the_page_says_so(make_site: Callable[..., Site]) -> None:
    site = make_site()
    _with_versions(site, dict.fromkeys(("2.7.1", "2.9.0"), Outcome.HOLDS))
    assert "No verdict differs between the versions that were run." in _text(_article(site.build(), "new"))
    site = make_site("other")
    _with_versions(site, {"2.7.1": Outcome.HOLDS})
    assert "mccl (cpu): 2.7.1 only, so nothing can be compared" in _text(_article(site.build(), "new"))


def test_a_record_that_comes_moves_the_version(make_site: Callable[..., Site]) -> None:
    site = make_site()
    _with_versions(site, {"2.7.1": Outcome.HOLDS, "2.10.0": Outcome.REFUTED})
    assert 'id="changed-mindspore-2.10.0"' in _article(site.build(), "new")
    entry = site.content.entries[SOURCE]
    site.content.entries[SOURCE] = msgspec.structs.replace(entry, claims=entry.claims[:-1])
    _with_versions(site, OUTCOMES)
    built = site.build()
    assert "new" in built.written
    assert 'id="changed-mindspore-2.9.0"' in _article(built, "new")


def test_what_nobody_vouches_for_is_no_news_and_a_signer_is_named(make_site: Callable[..., Site]) -> None:
    site = make_site()
    runs = _with_versions(site, OUTCOMES)
    forged, signed, *_ = runs.values()
    theirs = {forged: Signed(), signed: Signed(state=State.VERIFIED, signer="Lab <One>")}
    site.content = msgspec.structs.replace(site.content, signed=site.content.signed | theirs)
    html = _article(site.build(), "new")
    listed = html[html.index('id="measured"') : html.index('id="changed-behaviour"')]
    assert forged not in listed
    assert len(re.findall("<li>", listed)) == 3
    [line] = [line for line in listed.split("</li>") if signed in line]
    assert "“Lab &lt;One&gt;” (signed by a known signer)" in line
    assert listed.count("signed by") == 1


LAB, HOUSE = (Signed(state=State.VERIFIED, signer=name) for name in ("Lab", "House"))
OWN = Signed(state=State.LISTED)
# (who ran each place on which day of November, at most how many lines; the days told, and by whom where not by this project)
RAN = [
    ([(OWN, "2.9.0", 1), (LAB, "2.9.0", 2)], None, [(1, ""), (2, "Lab")]),
    ([(LAB, "2.9.0", 9), (OWN, "2.9.0", 1), (OWN, "2.8.0", 3)], 2, [(3, ""), (1, "")]),
    ([(LAB, "2.9.0", 9), (OWN, "2.9.0", 1)], 2, [(1, ""), (9, "Lab")]),
    ([(LAB, "2.9.0", 2), (HOUSE, "2.9.0", 3), (LAB, "2.9.0", 4)], None, [(4, "Lab"), (3, "House")]),
    ([(Signed(), "2.9.0", 9)], None, []),
]


@pytest.mark.parametrize(("ran", "at_most", "told"), RAN)
def test_what_signers_ran_stands_after_what_this_project_did(
    ran: list[tuple[Signed, str, int]], at_most: int | None, told: list[tuple[int, str]]
) -> None:
    heads = [
        head_of(
            f"run-{day}", msgspec.structs.replace(run_record(), framework_version=version, date=f"2026-11-0{day}"), by
        )
        for by, version, day in ran
    ]
    made = PageBuilder("en", new_document("test"), "new")
    lines = [line.astext() for line in measured(made, heads, [], at_most).findall(nodes.list_item)]
    assert len(lines) == len(told)
    for line, (day, by) in zip(lines, told, strict=True):
        assert f"2026-11-0{day}" in line
        assert (f"“{by}” (signed by a known signer)" in line) if by else ("signed by" not in line)


def test_what_was_measured_stands_newest_first_with_the_feed(make_site: Callable[..., Site]) -> None:
    site = make_site()
    runs = _with_versions(site, OUTCOMES)
    html = _article(site.build(), "new")
    listed = html[html.index('id="measured"') : html.index('id="changed-behaviour"')]
    assert 'href="verdicts.xml"' in html
    # One line per version and place: of torch there are two records of the same place.
    assert len(re.findall("<li>", listed)) == 4
    assert all(f'href="runs/{short_id(run)}.html"' in listed for run in runs.values())
    moments = re.findall(r'datetime="([^"]+)"', listed)
    assert moments == sorted(moments, reverse=True)
    assert len(moments) == 4
