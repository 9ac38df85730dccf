"""From a verdict to its evidence: the page of a run, the pages of what it recorded of each API."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from docutils.utils import new_document
from entry_fixture import SOURCE, run_record, write_run
from small_site import Built, Site

from apidiff.database.runs import short_id
from apidiff.derive.evidence import ApiEvidence, SignatureEvidence, head_of
from apidiff.model.base import Text
from apidiff.model.signed import Signed, State
from apidiff.model.trace import (
    DeviceFound,
    ProbeRun,
    RankTrace,
    ScalarDump,
    SequenceDump,
    SignatureDump,
    TensorDump,
    Value,
)
from apidiff.model.views import ChangeEntry, DisputeEntry, VersionSpan
from apidiff.sphinxext import build_cache
from apidiff.sphinxext import trace_table as trace_table_module
from apidiff.sphinxext.build_cache import BuildCache
from apidiff.sphinxext.domain import trace_name
from apidiff.sphinxext.evidence_page import of_its_api
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.run_page import run_part
from apidiff.sphinxext.trace_table import changed, trace_table

MakeSite = Callable[..., Site]
Plain = Callable[[str], Built]
PLACE = "evidence/torch-2.13.0/gloo-cpu"
WHERE: dict[str, Any] = {"framework": "torch", "backend": "gloo", "device": "cpu", "text": Text(en="", zh="")}


def _text(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html))


def _run(site: Site) -> str:
    return next(iter(site.content.runs))


# page, what it says
SAID = [
    (
        "runs/{run}",
        "en",
        [
            "PyTorch 2.13.0, gloo on cpu, 3 ranks",
            "“numpy” “1.26.4”",
            "MASTER_ADDR=127.0.0.1",
            "Linux 6.1",
            "RuntimeError",
            "apidiff verify --backend gloo --world-size 3",
            "wrong-shape",
            "flaky",
        ],
    ),
    ("runs/{run}", "zh_CN", ["2 个软件包", "如何复现", "原始记录（JSON）"]),
    (
        f"{PLACE}/{SOURCE}",
        "en",
        [
            "torch.distributed.reduce(tensor, dst=0)",
            "&lt;Work&gt; {held=float32 (1,) [7]}",
            "float32 (2,) [10, 20]",
            "float32 (2,) [110, 220]",
            "second &lt;b&gt;line&lt;/b&gt; `x`",
            "Confirmed in fresh ranks.",
            "printed",
            "Second try in fresh ranks, with another result",
            "rank 0: waiting",
            "No answer from rank 1, 2.",
            "unchanged",
            f"apidiff verify {SOURCE} --backend gloo --world-size 3",
            "refuted others-keep-tensor",
            "every rank",
            "Recorded when this probe called something else",
            "The record no longer has this probe",
            "not seen",
        ],
    ),
    (f"{PLACE}/{SOURCE}", "zh_CN", ["调用前", "所有 rank", "不成立 others-keep-tensor", "rank 1、2 没有应答"]),
    (f"{PLACE}/torch.distributed.ReduceOp", "en", ["ReduceOp(op)", "Members: AVG SUM"]),
    (f"{PLACE}/torch.distributed.gone", "en", ["not there “AttributeError”"]),
]


@pytest.mark.parametrize(("page", "language", "said"), SAID)
def test_page_says(make_site: MakeSite, page: str, language: str, said: list[str]) -> None:
    site = make_site("site", language)
    built = site.build()
    assert built.warnings == ""
    text = _text(built.html(page.format(run=short_id(_run(site)))))
    assert [words for words in said if words not in text] == []


def test_run_page_has_the_raw_record_and_the_anchors_of_old(make_site: MakeSite) -> None:
    site = make_site()
    built = site.build()
    html = built.html(f"runs/{short_id(_run(site))}")
    raw = re.search(r'href="([^"]+\.json)"', html)
    assert raw
    assert ((built.out / f"runs/{short_id(_run(site))}.html").parent / raw[1]).resolve().is_file()
    for part in (f"{SOURCE}--sync", f"{SOURCE}--signature", f"api--{SOURCE}"):
        assert f'id="{part}"' in html
    assert f'href="../../{PLACE}/{SOURCE}.html#wrong-shape--3"' in html


def test_evidence_leads_back(make_site: MakeSite) -> None:
    site = make_site()
    html = site.build().html(f"{PLACE}/{SOURCE}")
    assert f'href="../../{SOURCE}.html#{SOURCE}--others-keep-tensor"' in html
    assert f'href="../../../runs/{short_id(_run(site))}.html"' in html
    assert f'href="../../../_runs/{_run(site)}.json"' in html


def test_changed_values_are_marked(plain: Plain) -> None:
    html = plain("en").html(f"{PLACE}/{SOURCE}")
    assert "<code>float32 (2,) [<mark>110</mark>, <mark>220</mark>]</code>" in html


def test_two_runs_of_one_size_have_anchors_of_their_own(make_site: MakeSite) -> None:
    site = make_site()
    second, path = write_run(site.folder / "data", run_record(date="2026-11-21T10:00:00Z"))
    site.content.runs[second] = path
    built = site.build()
    assert built.warnings == ""
    goals = [built.domain.find("trace", trace_name(run, f"{SOURCE}--sync")) for run in site.content.runs]
    assert len(set(goals)) == 2
    html = built.html(f"{PLACE}/{SOURCE}")
    for goal in goals:
        assert goal
        assert f'id="{goal[1]}"' in html


def test_what_a_run_says_of_itself_is_kept_once(make_site: MakeSite) -> None:
    """Beside each API that it names, a record of 561 kB took 1.2 GB."""
    site = make_site()
    apis = [f"torch.f{number}" for number in range(20)]
    signatures = [SignatureDump(api=api) for api in apis]
    record = msgspec.structs.replace(run_record(world_size=2), os="Vast OS", signatures=signatures)
    second, path = write_run(site.folder / "data", record)
    site.content.runs[second] = path
    built = site.build()
    derived = site.folder / "out-doctrees" / "apidiff"
    told = {file.relative_to(derived).as_posix() for file in derived.rglob("*.json") if b"Vast OS" in file.read_bytes()}
    assert told == {"runs.json", f"runs/{second}.json", "heads/torch-2.13.0/gloo-cpu.json"}
    assert all("Vast OS" in built.html(f"{PLACE}/{api}") for api in apis)


def test_a_page_lists_the_runs_that_saw_its_api(make_site: MakeSite) -> None:
    """All runs of a place on each of its pages made pages times records: 300 of 133 kB made 35,695 rows of 2,995."""
    site = make_site()
    ours = _run(site)
    others = {}
    for number in range(3):
        api = f"torch.f{number}"
        record = msgspec.structs.replace(
            run_record(world_size=2), os=f"OS {number}", signatures=[SignatureDump(api=api)], probes=[]
        )
        others[api], path = write_run(site.folder / "data", record)
        site.content.runs[others[api]] = path
    built = site.build()
    assert built.warnings == ""
    for api, run in {SOURCE: ours, **others}.items():
        html = built.html(f"{PLACE}/{api}")
        assert {one for one in site.content.runs if f"_runs/{one}.json" in html} == {run}
        assert built.domain.find("trace", trace_name(run, run_part(api)))
        # A link to the run leads to its own page where it saw nothing of the API.
        assert [one for one in site.content.runs if built.domain.find("trace", trace_name(one, run_part(api)))] == [run]
    assert "OS 0" not in built.html(f"{PLACE}/torch.f1")


NAMED_ELSEWHERE = [
    {
        "disputes": {
            "claim": [
                DisputeEntry(
                    **WHERE, framework_version="2.13.0", world_size=2, outcomes={"c": "holds"}, vouched_for=True
                )
            ]
        }
    },
    {
        "changes": {
            "claim": [ChangeEntry(**WHERE, world_sizes=[2], spans=[VersionSpan(outcome="holds", runs={"1.0": ["c"]})])]
        }
    },
]


@pytest.mark.parametrize("named", NAMED_ELSEWHERE)
def test_runs_that_a_page_names_are_listed_too(named: dict[str, Any]) -> None:
    heads = [head_of(name, run_record()) for name in "abc"]
    seen = SignatureEvidence(signature=SignatureDump(api=SOURCE), runs=["b"])
    evidence = ApiEvidence(key="", api=SOURCE, mapping=None, runs=[], signatures=[seen], probes=[], **named)
    assert [run.id for run in of_its_api(evidence, heads).runs] == ["b", "c"]


def test_derived_files_are_written_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them together take far more than what they are written from."""
    done: list[str] = []
    encode = msgspec.json.encode
    monkeypatch.setattr(build_cache, "write_if_changed", lambda *_: done.append("write"))
    monkeypatch.setattr(msgspec.json, "encode", lambda value: (done.append("encode"), encode(value))[1])
    BuildCache(tmp_path)._replace("signed", {name: Signed() for name in "abc"})
    assert done == ["encode", "write"] * 3


def test_a_trace_that_goes_takes_its_links_along(make_site: MakeSite) -> None:
    """A mapping's page is written again, and leads to the row on the run's page, where no evidence page has the probe."""
    site = make_site()
    site.build()
    run = _run(site)
    site.content = msgspec.structs.replace(site.content, traced=frozenset())
    built = site.build()
    assert f"evidence/{SOURCE}" in built.written
    assert f'href="../runs/{short_id(run)}.html#{SOURCE}--sync"' in built.html(f"evidence/{SOURCE}")


def test_no_long_signature_is_given_to_a_lexer(make_site: MakeSite) -> None:
    site = make_site()
    texts = {"torch.f": {"text": "(x)"}, "torch.g": {"text": "x" * 2000}, "torch.h": {"error": "x\n \ny"}}
    signatures = [SignatureDump(api=api, **told) for api, told in texts.items()]
    second, path = write_run(
        site.folder / "data", msgspec.structs.replace(run_record(world_size=2), signatures=signatures)
    )
    site.content.runs[second] = path
    built = site.build()
    blocks = {api: re.findall(r'<div class="highlight-(python|text)', built.html(f"{PLACE}/{api}")) for api in texts}
    assert blocks == {"torch.f": ["python"], "torch.g": ["text"], "torch.h": ["text"]}


def test_why_a_stranger_found_no_such_api_stands_in_quotes(make_site: MakeSite) -> None:
    site = make_site()
    why = "in the CPU package only. See “What is trusted”."
    for world_size, measured_by in ((2, None), (3, "Li Si")):
        signature = SignatureDump(api=f"torch.f{world_size}", missing=True, error=why)
        record = msgspec.structs.replace(
            run_record(world_size=world_size), signatures=[signature], measured_by=measured_by, probes=[]
        )
        run, path = write_run(site.folder / "data", record)
        site.content.runs[run] = path
        site.content.signed[run] = Signed(state=State.UNSIGNED if measured_by else State.LISTED)
    built = site.build()
    assert f"not there {why}" in _text(built.html(f"{PLACE}/torch.f2"))
    theirs = _text(built.html(f"{PLACE}/torch.f3"))
    assert "not there “in the CPU package only. See 'What is trusted'.”" in theirs
    assert why not in theirs


# Fields of a record that hold names this project knows.
_KNOWN = {
    *("framework", "framework_version", "backend", "device", "suite_version", "date"),
    *("api", "probe", "spec", "end", "kind", "stage", "dtype"),
}
_TYPED = "KILROY: measured by this project"


def _typed(value: Any, name: str = "") -> Any:
    """``value`` with all that a stranger may type saying the same sentence."""
    if isinstance(value, str):
        return value if name in _KNOWN else _TYPED
    if isinstance(value, list):
        return [_typed(one) for one in value]
    if isinstance(value, dict):
        return {(key if name in {"before", "after"} else _TYPED): _typed(one) for key, one in value.items()}
    if not isinstance(value, msgspec.Struct):
        return value
    changed = {field: _typed(getattr(value, field), field) for field in value.__struct_fields__}
    return msgspec.structs.replace(value, **changed)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_what_a_stranger_typed_stands_in_quotes_or_as_code(make_site: MakeSite, language: str) -> None:
    site = make_site("site", language)
    found = DeviceFound(names=["x"], versions={"x": "x"})
    record = msgspec.structs.replace(run_record(world_size=2), measured_by="x", stopped="x", device_found=found)
    run, path = write_run(site.folder / "data", _typed(record))
    site.content.runs[run] = path
    built = site.build()
    told = [name.removesuffix(".html") for name, html in built.pages().items() if "KILROY" in html]
    assert {"runs", f"{PLACE}/{SOURCE}", f"{PLACE}/torch.distributed.gone", f"runs/{short_id(run)}"} <= {*told}
    for name in told:
        prose = re.sub(r"<(pre|code|script)\b.*?</\1>", "", built.html(name), flags=re.DOTALL)
        attributes = " ".join(re.findall(r"<[^>]*KILROY[^>]*>", prose))
        for outside in (re.sub("“[^”]*”", "", text) for text in (_text(prose), attributes)):
            assert "KILROY" not in outside, (name, outside[max(0, outside.index("KILROY") - 200) :][:300])


SIGNED, UNSIGNED = Signed(state=State.VERIFIED, signer="Lab"), Signed()
LAB, BOX = "“Lab” (signed by a known signer)", "“Box” (unsigned)"
LIE = "PwnedOS 9, verified by “CI”"
# (what is known of a record of seven ranks, whether this project's own stands beside it, what the page says, what not)
BY_OTHERS = [
    (
        SIGNED,
        True,
        [
            f"Measured by: this project Operating system: Linux 6.1 Python: 3.11.7 Machine: x86_64, 2 cores Measured by: {LAB} "
            "Operating system: “PwnedOS 9, verified by 'CI'” Python: “3.11.7” Machine: “x86_64”, 2 cores",
            f"3 ranks 7 ranks, measured by {LAB} reduce(tensor",
            f"7 ranks, measured by {LAB}, 2026-11-20T10:00:00Z",
            f"apidiff verify {SOURCE} --backend gloo --world-size 3",
        ],
        ["gloo on cpu, measured by", "--world-size 3,7", LIE],
    ),
    (
        UNSIGNED,
        True,
        [f"3 ranks 7 ranks, measured by {BOX} reduce(tensor", f"Measured by: {BOX} Operating"],
        [LIE, "Lab"],
    ),
    (
        SIGNED,
        False,
        [f"{SOURCE} in PyTorch 2.13.0, gloo on cpu, measured by {LAB}", "--world-size 7"],
        [LIE, "3 ranks"],
    ),
    (UNSIGNED, False, [f"{SOURCE} in PyTorch 2.13.0, gloo on cpu, measured by {BOX}"], [LIE, "3 ranks"]),
]


@pytest.mark.parametrize(("signed", "beside", "said", "unsaid"), BY_OTHERS)
def test_what_others_recorded_stands_below_their_names(
    make_site: MakeSite, signed: Signed, beside: bool, said: list[str], unsaid: list[str]
) -> None:
    site = make_site()
    ours = _run(site)
    theirs, path = write_run(
        site.folder / "data", msgspec.structs.replace(run_record(world_size=7), os=LIE, measured_by="Box")
    )
    runs = {ours: site.content.runs[ours], theirs: path} if beside else {theirs: path}
    site.content = msgspec.structs.replace(
        site.content, runs=runs, signed={ours: Signed(state=State.LISTED), theirs: signed}
    )
    text = _text(site.build().html(f"{PLACE}/{SOURCE}"))
    assert [words for words in said if words not in text] == []
    assert [words for words in unsaid if words in text] == []


RUN_NAME = "PyTorch 2.13.0, gloo on cpu, 3 ranks"
RUN_NAME_ZH = "PyTorch 2.13.0，gloo（cpu），3 个 rank"
# (what is known of a record, the name of its page and of what a search finds, how the page tells its machine)
RUN_PAGES = [
    (
        "en",
        Signed(state=State.LISTED),
        RUN_NAME,
        [f"Operating system: {LIE}", "Machine: x86_64", "nothing here was written by hand"],
    ),
    (
        "en",
        SIGNED,
        f"{RUN_NAME}, measured by {LAB}",
        ["Operating system: “PwnedOS 9, verified by 'CI'”", "Machine: “x86_64”", "Python: “3.11.7”"],
    ),
    (
        "en",
        UNSIGNED,
        f"{RUN_NAME}, measured by {BOX}",
        ["Operating system: “PwnedOS 9, verified by 'CI'”", "One run, as others made and sent it."],
    ),
    ("zh_CN", UNSIGNED, f"{RUN_NAME_ZH}，测量者：“Box”（未签名）", ["“x86_64”", "由他人测量并提交"]),
]


@pytest.mark.parametrize(("language", "signed", "name", "said"), RUN_PAGES)
def test_the_page_of_a_run_is_named_by_its_maker(
    make_site: MakeSite, language: str, signed: Signed, name: str, said: list[str]
) -> None:
    site = make_site("site", language)
    record = msgspec.structs.replace(run_record(), os=LIE, measured_by="Box")
    run, path = write_run(site.folder / "data", record)
    site.content = msgspec.structs.replace(site.content, runs={run: path}, signed={run: signed})
    built = site.build()
    assert [entry.name for entry in built.search().entries if entry.kind == "run"] == [name]
    html = built.html(f"runs/{short_id(run)}")
    text = _text(html)
    assert f"<h1>{name}<" in html
    assert [words for words in said if words not in text] == []


def test_variables_and_packages_of_a_strangers_run_are_shown_in_quotes(make_site: MakeSite) -> None:
    site = make_site()
    record = msgspec.structs.replace(run_record(), packages={"numpy": LIE}, environment={"A": "1\nB=2\u2028C=3"})
    run, path = write_run(site.folder / "data", record)
    site.content = msgspec.structs.replace(site.content, runs={run: path}, signed={run: UNSIGNED})
    html = site.build().html(f"runs/{short_id(run)}")
    assert [_text(one) for one in re.findall(r"<td><p>(<code.*?</code>)</p></td>", html)] == [
        "“numpy”",
        "“PwnedOS 9, verified by 'CI'”",
    ]
    assert re.search(r"<pre>(?:<span></span>)?“A=1 B=2 C=3”\n</pre>", html)


def _page(site: Site, probes: list[ProbeRun]) -> Built:
    record = msgspec.structs.replace(run_record(), probes=probes)
    run, path = write_run(site.folder / "data", record)
    site.content.runs.clear()
    site.content.runs[run] = path
    site.content.entries.clear()
    (site.src / "notes.md").write_text("# Notes\n")
    return site.build()


ENDS = [("crash", "crash", "No rank answered."), ("timeout", "timeout", "No rank answered.")]


@pytest.mark.parametrize(("end", "badge", "said"), ENDS)
def test_probe_without_traces(make_site: MakeSite, end: str, badge: str, said: str) -> None:
    probe = ProbeRun(api=SOURCE, probe="sync", spec="a" * 12, end=end, ranks=[], log=["rank 0: last words"])
    text = _text(_page(make_site(), [probe]).html(f"{PLACE}/{SOURCE}"))
    for words in (f"End: {badge}", said, "rank 0: last words"):
        assert words in text


def _tensor(*values: float, dtype: str = "float32") -> TensorDump:
    return TensorDump(type="Tensor", dtype=dtype, shape=[len(values)], values=list(values), storage=1, object=1)


def _list(*items: Value) -> SequenceDump:
    return SequenceDump(type="list", items=list(items), object=1)


# before, after, what is marked
MARKS: list[tuple[Value, Value, list[str]]] = [
    (_tensor(1, 2), _tensor(1, 2), []),
    (_tensor(1, 2), _tensor(1, 3), ["3"]),
    (_tensor(1, 2), _tensor(1, 2, dtype="int64"), ["int64 (2,) ", "1", "2"]),
    (_list(_tensor(1), _tensor(2)), _list(_tensor(1), _tensor(5)), ["5"]),
    (_list(), _list(_tensor(1)), ["float32 (1,) [1]"]),
    (ScalarDump(value=1), ScalarDump(value=2), ["2"]),
]


@pytest.mark.parametrize(("before", "after", "marked"), MARKS)
def test_changed(before: Value, after: Value, marked: list[str]) -> None:
    assert [text for text, new in changed(before, after) if new] == marked


def _at(place: int, storage: int) -> TensorDump:
    return msgspec.structs.replace(_tensor(1), object=place, storage=storage)


# arguments after the call, what was returned, what the table says of it
SHARES: list[tuple[dict[str, Value], Value, str]] = [
    ({"a": _at(1, 1), "b": _at(2, 2)}, _at(2, 2), "the same object as b"),
    ({"a": _at(1, 1), "b": _list(_at(2, 2), _at(3, 3))}, _at(4, 3), "shares memory with b"),
    ({"a": _at(1, 1), "b": _at(2, 1)}, _at(3, 1), "shares memory with a"),
    ({"a": _at(1, 1)}, _list(_at(2, 2), _at(1, 1)), "the same object as a"),
    ({"a": _at(1, 1)}, _at(2, 2), ""),
    ({"a": ScalarDump(value=1)}, ScalarDump(value=1), ""),
]


def _returned_note(after: dict[str, Value], returned: Value) -> str:
    probe = ProbeRun(
        api=SOURCE,
        probe="sync",
        spec="a" * 12,
        end="completed",
        ranks=[RankTrace(rank=0, before=after, after=after, returned=returned)],
    )
    groups = trace_table(PageBuilder("en", new_document("test"), "evidence/x"), probe, 1, "")["groups"]
    return next(row.note for group in groups if group.kind == "returned" for row in group.rows)


@pytest.mark.parametrize(("after", "returned", "said"), SHARES)
def test_what_a_returned_tensor_shares(after: dict[str, Value], returned: Value, said: str) -> None:
    assert _returned_note(after, returned) == said


def test_tensors_of_arguments_are_listed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    listed: list[Value | None] = []
    tensors = trace_table_module._tensors
    monkeypatch.setattr(trace_table_module, "_tensors", lambda value: (listed.append(value), tensors(value))[1])
    given = _list(*[_at(1, 1)] * 100)
    assert _returned_note({"a": given}, _list(*[_at(2, 2)] * 100)) == ""
    assert len([value for value in listed if value is given]) == 1
