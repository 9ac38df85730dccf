"""The report on upstream's tables: what a row comes to, from runs and signatures made by hand."""

from __future__ import annotations

import msgspec
import pytest
from official_data import LISTED, SOURCE, TARGET, claims, mapping, report, run, signatures

from apidiff.derive.official import NOTATION, OfficialReport, RowReport
from apidiff.derive.official_behaviour import opposed
from apidiff.messages.evidence import evidence_lines
from apidiff.model.claim import Claim
from apidiff.model.verdict import EvidenceCode, evidence
from apidiff.writers.official import report_markdown

PLAIN = mapping()


def row(found: OfficialReport) -> RowReport:
    (table,) = found.tables
    (one,) = table.rows
    assert table.totals == {one.listed: {one.standing: 1}}
    return one


# listed as, default of `to` in the run of 2.10.0 (None: required; "-": not run), in the package of 2.7.0, what it comes to,
# (versions, outcome, lines) of each verdict
DIFFERS, SAME = ["to: required ≠ 0"], ["pass_on(tensor, to)"]
STANDINGS = [
    ("consistent", "0", "0", "contradicted", [("2.10.0", "refuted", DIFFERS), ("2.7.0", "not run", DIFFERS)]),
    ("consistent", None, None, "confirmed", [("2.10.0", "holds", SAME), ("2.7.0", "not run", [])]),
    ("consistent", "-", "0", "differs", [("2.7.0", "not run", DIFFERS)]),
    ("consistent", "-", None, "undecided", [("2.7.0", "not run", [])]),
    ("diff", "0", None, "confirmed", [("2.10.0", "holds", DIFFERS), ("2.7.0", "not run", [])]),
    ("diff", "-", "0", "undecided", [("2.7.0", "not run", DIFFERS)]),
    ("diff", None, None, "undecided", [("2.10.0", "undecided", []), ("2.7.0", "not run", [])]),
    ("text", "0", None, "confirmed", [("2.10.0", "holds", SAME + DIFFERS), ("2.7.0", "not run", [])]),
]


@pytest.mark.parametrize(("listed", "recorded", "packed", "standing", "verdicts"), STANDINGS)
def test_standing(listed: str, recorded: str | None, packed: str | None, standing: str, verdicts: list) -> None:
    runs = [] if recorded == "-" else [run(PLAIN, "mindspore", "2.10.0", default=recorded)]
    files = signatures(v2_7_0=packed, **({} if recorded == "-" else {"v2_10_0": recorded}))
    found = row(report(PLAIN, runs, files, listed))
    assert found.standing == standing
    assert [
        (", ".join(one.versions), one.outcome, evidence_lines(one.facts, "en")) for one in found.verdicts
    ] == verdicts
    assert (found.mapping, found.claim) == (SOURCE, LISTED)
    assert all(bool(one.runs) == (one.outcome in {"holds", "refuted"}) for one in found.verdicts)


def test_nothing_holds_without_a_run() -> None:
    found = row(report(PLAIN, [], signatures(v2_7_0=None, v2_10_0=None)))
    assert [(one.versions, one.outcome) for one in found.verdicts] == [(["2.7.0", "2.10.0"], "not run")]


def test_a_pair_that_no_mapping_has() -> None:
    found = row(report(None, [], signatures(v2_7_0="0")))
    assert (found.standing, found.mapping, found.claim) == ("no_record", None, None)
    assert evidence_lines(found.verdicts[0].facts, "en") == ["to: required ≠ 0"]


COMPLETES, RAISES = claims(completes={}), claims(raises={})
ELSEWHERE = [{**RAISES[0], "probes": ["other"]}]
KERNEL = "kernel unregistered"
# claims of the source, of the target, what the target's call raises, fields of the difference, is it behaviour, is it lacking
BEHAVIOUR = [
    (COMPLETES, COMPLETES, "no", {}, ["2.10.0"], []),
    (COMPLETES, COMPLETES, "", {}, [], []),
    (COMPLETES, RAISES, "no", {}, ["2.10.0"], []),
    (COMPLETES, RAISES, "", {}, [], []),
    (COMPLETES, ELSEWHERE, "no", {}, [], []),  # another call: nothing says that torch does otherwise there
    (COMPLETES, COMPLETES, "no", {"risk": "silent"}, ["2.10.0"], []),
    (COMPLETES, COMPLETES, "no", {"risk": "rewrite"}, [], []),
    (COMPLETES, COMPLETES, "no", {"kind": "documentation"}, [], []),
    (RAISES, COMPLETES, "no", {}, [], []),  # torch does not do what is claimed of it
    ([], COMPLETES, "no", {}, [], []),
    # That a backend lacks an API is told apart, whatever the claim; a difference that could not be seen is not told.
    (COMPLETES, claims(returns={"structure": "None"}), KERNEL, {}, [], []),
    (COMPLETES, claims(returns={"structure": "None"}), KERNEL, {"kind": "backend_support"}, [], ["2.10.0"]),
    (COMPLETES, COMPLETES, KERNEL, {"kind": "backend_support"}, [], ["2.10.0"]),
    (COMPLETES, COMPLETES, "", {"kind": "backend_support"}, [], []),
]


@pytest.mark.parametrize(("source", "target", "error", "difference", "behaviour", "lacking"), BEHAVIOUR)
def test_behaviour(
    source: list, target: list, error: str, difference: dict, behaviour: list[str], lacking: list[str]
) -> None:
    one = mapping(source, target, **difference)
    runs = [run(one, "torch", "2.13.0"), run(one, "mindspore", "2.10.0", error)]
    found = row(report(one, runs, signatures(v2_10_0=None)))
    assert [finding.versions for finding in found.behaviour] == ([behaviour] if behaviour else [])
    assert [finding.versions for finding in found.lacking] == ([lacking] if lacking else [])
    assert found.standing == ("contradicted" if behaviour else "confirmed")
    for finding in (*found.behaviour, *found.lacking):
        assert {line.run.split("/")[0] for line in finding.evidence} == {"torch-2.13.0", "mindspore-2.10.0"}


def test_behaviour_of_versions_stands_apart() -> None:
    one = mapping(COMPLETES, COMPLETES)
    runs = [run(one, "torch", "2.13.0"), run(one, "mindspore", "2.10.0"), run(one, "mindspore", "2.7.1", "no")]
    (finding,) = row(report(one, runs, signatures(v2_10_0=None, v2_7_1=None))).behaviour
    assert finding.versions == ["2.7.1"]
    assert all("2.10.0" not in line.run for line in finding.evidence)


def test_what_is_listed_with_a_page_of_differences_contradicts_nothing() -> None:
    one = mapping(COMPLETES, COMPLETES)
    runs = [run(one, "torch", "2.13.0"), run(one, "mindspore", "2.10.0", "no", default="0")]
    found = row(report(one, runs, signatures(v2_10_0="0"), "diff"))
    assert (found.standing, found.behaviour) == ("confirmed", [])


OPPOSED = [
    ({"raises": {}}, {"completes": {}}, True),
    ({"returns": {"structure": "None"}}, {"raises": {}}, True),
    ({"writes": {"argument": "t"}}, {"keeps": {"argument": "t"}}, True),
    ({"keeps": {"argument": "t"}}, {"keeps": {"argument": "t"}}, False),
    ({"parameter": {"name": "a"}}, {"lacks": {"parameter": "a"}}, True),
    ({"member": {"name": "a"}}, {"lacks_member": {"name": "a"}}, True),
    ({"returns": {"structure": "Work"}}, {"returns": {"structure": "CommHandle"}}, False),
    ({"returns": {"structure": "(Tensor, Work)"}}, {"returns": {"structure": "Tensor"}}, True),
    ({"equals": {"at": "return", "value": 1}}, {"equals": {"at": "return", "value": 2}}, True),
    ({"equals": {"at": "return", "value": 1}}, {"equals": {"at": "return", "value": 1}}, False),
    (
        {"aliases": {"slot": "return", "with": "t", "share": "storage"}},
        {"aliases": {"slot": "return", "with": "t", "share": "nothing"}},
        True,
    ),
    ({"completes": {}}, {"result": {"at": "t", "formula": "sum", "of": "t"}}, False),
]


@pytest.mark.parametrize(("left", "right", "expected"), OPPOSED)
def test_opposed(left: dict, right: dict, expected: bool) -> None:
    one, other = (msgspec.convert({"id": "x", **body}, Claim) for body in (left, right))
    assert opposed(one, other) is expected


def contradicted() -> OfficialReport:
    one = mapping(COMPLETES, COMPLETES)
    runs = [run(one, "torch", "2.13.0"), run(one, "mindspore", "2.10.0", "no `a` | b", default="0")]
    return report(one, runs, signatures(v2_10_0="0", v2_7_0="0"))


def test_a_row_that_behaviour_alone_contradicts_is_told() -> None:
    """Without signatures there are no verdicts on its parameters."""
    [table] = contradicted().tables
    [found] = table.contradicted
    bare = msgspec.structs.replace(found, verdicts=[])
    assert msgspec.structs.replace(table, rows=[bare, found]).contradicted == [found, bare]


WORDS = {
    "en": ["## Contradictions", "refuted", "Consistent", "contradicted by runs", "not run", "Run records cited"],
    "zh": ["## 与实测不符的行", "不成立", "一致", "与实测不符", "未运行", "引用的运行记录"],
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_markdown(language: str) -> None:
    text = report_markdown(contradicted(), language)  # type: ignore[arg-type]
    wanted = [
        *WORDS[language],
        SOURCE,
        TARGET,
        LISTED,
        "`to: required ≠ 0`" if language == "en" else "`to：必填 ≠ 0`",
        "mindspore-2.10.0/mccl-cpu-2-0123456789ab",
    ]
    wanted += [
        f"apidiff verify {SOURCE}",
        "``rank 0: RuntimeError: no `a` | b``",
        *(f"`{sign}`" for sign, _ in NOTATION),
    ]
    for words in wanted:
        assert words in text, words
    assert "[The \\| table](https://example.org/t)" in text
    assert text.index("`to") < text.index("RuntimeError") < text.rindex(f"`{SOURCE}`")
    assert not any(line != line.rstrip() for line in text.splitlines())
    grids = [line for line in text.splitlines() if line.startswith("|")]
    assert all(line.endswith(" |") for line in grids)


def test_no_text_of_data_is_markdown() -> None:
    hostile = "<script>alert(1)</script> **Measured** [x](https://e.example) | y"
    found = contradicted()
    (table,) = found.tables
    document = msgspec.structs.replace(table.document, title=hostile)
    rows = [msgspec.structs.replace(one, part=hostile) for one in table.rows]
    text = report_markdown(
        msgspec.structs.replace(found, tables=[msgspec.structs.replace(table, document=document, rows=rows)]), "en"
    )
    assert text.count("alert(1)") >= 3
    assert text.count("alert(1)") == text.count(
        r"\<script\>alert(1)\</script\> \*\*Measured\*\* \[x\](https://e.example) \| y"
    )


def test_both_languages_say_the_same() -> None:
    found = contradicted()
    english, chinese = (
        [part for index, part in enumerate(report_markdown(found, language).split("`")) if index % 2]  # type: ignore[arg-type]
        for language in ("en", "zh")
    )
    assert english == [part.replace("：必填", ": required") for part in chinese]


def test_json_holds_the_report() -> None:
    found = contradicted()
    assert msgspec.json.decode(msgspec.json.encode(found), type=OfficialReport) == found


def test_what_differs_most_comes_first() -> None:
    (table,) = contradicted().tables
    (told,) = table.rows
    quiet = msgspec.structs.replace(told, behaviour=[], target="quiet")
    longer = msgspec.structs.replace(
        quiet,
        target="longer",
        verdicts=[
            msgspec.structs.replace(
                told.verdicts[0], facts=[evidence(EvidenceCode.ONLY_IN_SOURCE, name=name) for name in "ab"]
            )
        ],
    )
    mixed = msgspec.structs.replace(table, rows=[quiet, longer, told])
    assert [one.target for one in mixed.contradicted] == [TARGET, "longer", "quiet"]
