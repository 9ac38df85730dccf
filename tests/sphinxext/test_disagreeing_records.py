"""Two records of one version, backend and world size that disagree, one of them a stranger's: both are shown everywhere."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
import pytest
from entry_fixture import write_run
from hostile_records import HOSTILE
from rich.console import Console
from small_site import Built, Site

from apidiff.database import Data
from apidiff.database.backends import load_backends
from apidiff.database.examples import load_examples
from apidiff.database.paths import examples_folder
from apidiff.database.runs import short_id, signature_path
from apidiff.derive.coverage import coverage
from apidiff.derive.evidence import probe_calls
from apidiff.lookup.build import index_of
from apidiff.lookup.entry import Builder
from apidiff.lookup.lookup import lookup
from apidiff.model.signed import Signed, State
from apidiff.model.trace import ProbeRun, RunRecord, TensorDump
from apidiff.model.trust import Trust
from apidiff.model.version import Version
from apidiff.model.views import Entry
from apidiff.sphinxext.versions import Releases
from apidiff.writers.terminal import answer_text

API = "torch.distributed.all_reduce"
PLACE = "evidence/torch-2.13.0/gloo-cpu"


def _lying(probe: ProbeRun) -> ProbeRun:
    """The probe with other values in what came out on rank 1."""
    ranks = []
    for trace in probe.ranks:
        after = {
            name: msgspec.structs.replace(value, values=[7.0 for _ in value.values])
            if isinstance(value, TensorDump) and trace.rank == 1
            else value
            for name, value in trace.after.items()
        }
        ranks.append(msgspec.structs.replace(trace, after=after))
    return msgspec.structs.replace(probe, ranks=ranks)


@pytest.fixture(scope="module")
def whole(database: Data) -> Data:
    return database


def _newest_first(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for framework, version in sorted(pairs, key=lambda pair: Version(pair[1]), reverse=True):
        found.setdefault(framework, []).append(version)
    return found


@pytest.fixture
def site(whole: Data, make_site: Callable[..., Site], request: pytest.FixtureRequest) -> Site:
    """A small site with one real mapping, a real record of ours and one of a known signer that contradicts it."""
    signed = Signed(state=State.VERIFIED, signer="Example Lab", about="eight <b>devices</b>", key="0" * 16)
    return _site(whole, make_site("site", getattr(request, "param", "en")), signed)


def _site(whole: Data, site: Site, theirs_signed: Signed) -> Site:
    ours = next(one for key, one in whole.runs if key.startswith("torch-2.13.0/gloo-cpu-3-"))
    ours = msgspec.structs.replace(ours, probes=[one for one in ours.probes if one.api == API], signatures=[])
    theirs = msgspec.structs.replace(
        ours, probes=[_lying(one) for one in ours.probes], measured_by=f"a lab {HOSTILE}", stopped="rank 1 went away"
    )
    runs: dict[str, Path] = {}
    records: dict[str, RunRecord] = {}
    for record in (ours, theirs):
        key, runs[key] = write_run(site.folder / "data", record)
        records[key] = record
    mine = list(runs)[1]
    signed = {
        next(iter(runs)): Signed(state=State.LISTED),
        mine: theirs_signed,
    }
    by_trust = {trust: [pair for pair in records.items() if signed[pair[0]].trust is trust] for trust in Trust}
    data = dataclasses.replace(
        whole,
        runs=by_trust[Trust.PROJECT],
        signed_runs=by_trust[Trust.SIGNED],
        unsigned_runs=by_trust[Trust.UNSIGNED],
        signed=whole.signed | signed,
    )
    examples = load_examples(examples_folder())
    entry = Builder(data, load_backends(), examples).entry(whole.mappings[API])
    known = _newest_first((name, one.version) for name, found in whole.frameworks.items() for one in found)
    signature_path(runs[mine]).write_text("a signature")
    site.content = msgspec.structs.replace(
        site.content,
        entries={API: entry},
        runs=runs,
        signed=signed,
        calls={API: probe_calls(whole)[API]},
        counterparts={},
        newest={name: versions[0] for name, versions in known.items()},
        releases=Releases(known=known, signed=_newest_first(whole.signatures)),
        coverage=coverage({API: entry}, records, load_backends(), known, {}),
    )
    (site.src / "notes.md").write_text("# Notes\n")
    (site.src / "changed.md").write_text("# Changed\n\n```{apidiff-changed}\n```\n")
    (site.src / "index.md").write_text((site.src / "index.md").read_text().replace("notes\n", "notes\nchanged\n"))
    return site


def _entry(site: Site) -> Entry:
    return site.content.entries[API]


def _section(built: Built, page: str, begin: str, end: str) -> str:
    html = built.html(page)
    return html[html.index(begin) : html.index(end, html.index(begin))]


def _text(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html))


def test_our_record_decides_and_the_dispute_tells_both(site: Site) -> None:
    claim = next(one for one in _entry(site).claims if one.disputes)
    assert [(row.outcome, row.runs) for row in claim.summary] == [("holds", [next(iter(site.content.runs))])]
    (dispute,) = claim.disputes
    assert set(dispute.outcomes) == set(site.content.runs)


SAID = {
    "en": (
        "Records disagree for PyTorch 2.13.0 on gloo (cpu), 3 ranks:",
        "this project",
        "“Example Lab” (signed",
        "Verdicts that rest on records of “Example Lab” (signed by a known signer): ",
    ),
    "zh_CN": (
        "PyTorch 2.13.0，gloo（cpu），3 个 rank 的运行记录相互矛盾：",
        "本项目",
        "“Example Lab”（由",
        "以“Example Lab”（由已知签名者签名）的记录为依据的结论：",
    ),
}


@pytest.mark.parametrize(("site", "language"), [(one, one) for one in SAID], indirect=["site"])
def test_pages_show_both(site: Site, language: str) -> None:
    ours, theirs = site.content.runs
    claim = next(one.id for one in _entry(site).claims if one.disputes)
    built = site.build()
    # Links to examples and targets of the real record lead to pages that this small site has not.
    goal = claim.replace("#", "--")
    shown = _section(built, f"evidence/{API}", f'id="{goal}"', "</details>")
    text = _text(shown)
    *told, rested = SAID[language]
    for words in told:
        assert words in text
    for outcome in ("holds", "refuted"):
        assert f"apidiff-outcome-{outcome}" in shown
    evidence = built.html(f"{PLACE}/{API}")
    for run in (ours, theirs):
        assert f'href="../../../runs/{short_id(run)}.html"' in evidence
    for words in (*told[:2], rested):
        assert words in _text(evidence)
    assert len(re.findall(r'<section id="sync--3[^"]*">', evidence)) == 2
    assert "<script>alert" not in evidence + shown


SHORT = {"en": "Records of PyTorch 2.13.0 disagree on", "zh_CN": "PyTorch 2.13.0 的运行记录相互矛盾，涉及"}


@pytest.mark.parametrize(("site", "language"), [(one, one) for one in SHORT], indirect=["site"])
def test_the_short_answer_says_so_too(site: Site, language: str) -> None:
    claim = next(one.id for one in _entry(site).claims if one.disputes)
    page = _text(site.build().html(f"mappings/{API}"))
    assert SHORT[language] in page
    assert claim.rpartition("#")[2] in page
    answer = lookup(index_of(site.content.entries, {}, site.content.releases.known), API)
    console = Console(width=400, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(answer_text(answer, "en" if language == "en" else "zh"))
    assert SHORT[language] in captured.get()


# (what is known of the record that disagrees, whether the page begins with that and counts it)
COUNTED = [(Signed(state=State.VERIFIED, signer="Example Lab"), True), (Signed(), False)]


@pytest.mark.parametrize(("signed", "counted"), COUNTED)
def test_what_an_unsigned_record_disputes_is_no_headline_and_no_figure(
    whole: Data, make_site: Callable[..., Site], signed: Signed, counted: bool
) -> None:
    built = _site(whole, make_site("site", "en"), signed).build()
    mapping, details = _text(built.html(f"mappings/{API}")), _text(built.html(f"evidence/{API}"))
    assert (SHORT["en"] in mapping) is counted
    assert bool(re.search(r"\d+ on which records disagree", details)) is counted
    for page in (details, _text(built.html(f"{PLACE}/{API}"))):
        assert (
            "Unsigned records, which decide nothing, disagree with others for PyTorch 2.13.0" in page
        ) is not counted
        assert ("(unsigned)" in page) is not counted


def test_a_page_says_who_measured_and_what_the_signature_says(site: Site) -> None:
    ours, theirs = site.content.runs
    built = site.build()
    told, plain = _text(built.html(f"runs/{short_id(theirs)}")), _text(built.html(f"runs/{short_id(ours)}"))
    for words in (
        "signed by Example Lab (verified)",
        "eight &lt;b&gt;devices&lt;/b&gt;",
        "“Example Lab” (signed by a known signer)",
        "This run ended before all that was planned was done, for this reason: “rank 1 went away”.",
    ):
        assert words in told
        assert words not in plain
    assert "this project" in plain
    assert "in this project's list of its own records" in plain
    signature = built.out / "_runs" / f"{theirs}.json.minisig"
    assert signature.read_text() == "a signature"
    assert f'href="../../_runs/{theirs}.json.minisig"' in built.html(f"runs/{short_id(theirs)}")
    listed = _text(built.html("runs"))
    for words in ("signed by Example Lab (verified)", "stopped half-way", "Measured by: “Example Lab” (signed"):
        assert words in listed
    # A signature that is gone is gone from the site.
    site.content = msgspec.structs.replace(site.content, signed={})
    signature_path(site.content.runs[theirs]).unlink()
    unsigned = _text(site.build().html(f"runs/{short_id(theirs)}"))
    assert "signed by" not in unsigned
    assert "“a lab &lt;script&gt;alert(1)" in unsigned
    assert not signature.exists()


def test_what_stopped_and_was_not_signed_says_so_in_chinese(make_site: Callable[..., Site], whole: Data) -> None:
    site = make_site("site", "zh_CN")
    (path,) = site.content.runs.values()
    record = msgspec.json.decode(path.read_bytes(), type=RunRecord)
    run, path = write_run(site.folder / "data", msgspec.structs.replace(record, stopped="signal 15"))
    signed = Signed(state=State.NOT_CHECKED, signer="A", key="0" * 16)
    site.content = msgspec.structs.replace(site.content, runs={run: path}, signed={run: signed})
    signature_path(site.content.runs[run]).write_text("x")
    text = _text(site.build().html(f"runs/{short_id(run)}"))
    for words in ("没有做完计划的全部内容就结束了，原因：“signal 15”", "minisign 程序缺失或未作答，因此未验证"):
        assert words in text


@pytest.mark.parametrize(("language", "words"), [("en", "Records disagree for"), ("zh", "的运行记录相互矛盾：")])
def test_a_lookup_tells_both(site: Site, language: str, words: str) -> None:
    answer = lookup(index_of(site.content.entries, {}, site.content.releases.known), API)
    console = Console(width=400, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(answer_text(answer, "en" if language == "en" else "zh", everything=True))
    said = captured.get()
    assert words in said
    for run in site.content.runs:
        assert short_id(run) in said
    assert "\x1b[31mred" not in said
    assert "‮" not in said
