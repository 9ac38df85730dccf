"""Headlines, reach and risk of all differences: short, in both languages, and borne out by runs."""

from __future__ import annotations

import pytest

from apidiff.database import Data
from apidiff.derive.answers import answer_at, met_at
from apidiff.derive.condition_check import Told
from apidiff.derive.plain_call_conditions import Property, SampleCondition
from apidiff.messages.headlines import most_apart, note_split, sample_headline
from apidiff.messages.sweep_differences import sweep_differences
from apidiff.model.agreement import Facet
from apidiff.model.base import Text
from apidiff.model.verdict import Evidence, EvidenceCode, evidence
from apidiff.model.views import ClaimEntry, DifferenceEntry, Entry, ObservedSummary, SweptEntry
from apidiff.model.vocabulary import Reach

NEWEST = "2.10.0"  # the newest MindSpore that was run, which badges speak of
WORDS = 10
CHARACTERS = 40


def differences(entry: Entry) -> list[DifferenceEntry]:
    answers = [*entry.targets, *entry.otherwise]
    return [difference for answer in answers for difference in answer.differences]


def test_every_difference_has_a_short_headline_in_both_languages(all_entries: dict[str, Entry]) -> None:
    wrong = [
        (entry.id, difference.id, difference.headline)
        for entry in all_entries.values()
        for difference in differences(entry)
        if difference.headline is None
        or len(difference.headline.en.split()) > WORDS
        or len(difference.headline.zh) > CHARACTERS + difference.headline.zh.count("`") * 12
    ]
    assert wrong == []


def test_no_two_differences_of_an_answer_have_one_headline(all_entries: dict[str, Entry]) -> None:
    twice = [
        (entry.id, difference.id, told)
        for entry in all_entries.values()
        for answer in [*entry.targets, *entry.otherwise]
        for language in ("en", "zh")
        for place, difference in enumerate(answer.differences)
        if (told := getattr(difference.headline, language))
        in [getattr(other.headline, language) for other in answer.differences[:place]]
    ]
    assert twice == []


def test_everyday_differences_come_first_and_make_the_badge(all_entries: dict[str, Entry]) -> None:
    order = [reach.value for reach in Reach]
    for entry in all_entries.values():
        for target in entry.targets:
            reaches = [order.index(difference.reach) for difference in target.differences]
            assert reaches == sorted(reaches), (entry.id, target.name)
            met = met_at(target.differences, NEWEST)
            everyday = [difference.risk for difference in met if difference.reach == "everyday"]
            assert target.risk == (everyday[0] if everyday else "none"), (entry.id, target.name)


# (source, target, difference, its reach, its risk; None where it is no difference)
KNOWN = [
    ("all_reduce", "all_reduce", "strided-tensor", None, None),
    ("all_reduce", "all_reduce", "average", "everyday", "error"),
    ("all_reduce", "all_reduce", "outsiders", "everyday", "error"),
    ("all_reduce", "all_reduce", "empty-tensor", "edge", "error"),
    ("all_reduce", "all_reduce", "handle-type", "everyday", "none"),
    ("all_reduce", "all_reduce", "parameter-group", None, None),
    ("broadcast", "broadcast", "mismatched-tensors", "edge", "error"),
    ("reduce", "reduce", "partial-sums-on-other-ranks", "source-only", "silent"),
    ("gather", "gather", "list-on-every-rank", "everyday", "error"),
    ("isend", "isend", "dst-left-out", "edge", "silent"),
    ("barrier", "barrier", "first-barrier", "everyday", "silent"),
]


@pytest.mark.parametrize(("source", "target", "name", "reach", "risk"), KNOWN)
def test_reach_and_risk(
    all_entries: dict[str, Entry], source: str, target: str, name: str, reach: str | None, risk: str | None
) -> None:
    entry = all_entries[f"torch.distributed.{source}"]
    shown = next(one for one in entry.targets if one.name == f"mindspore.mint.distributed.{target}").differences
    found = next((difference for difference in shown if difference.id == name), None)
    assert (found and found.reach, found and found.risk) == (reach, risk)


# (mapping, difference, the versions that lack it)
GONE = [
    ("all_reduce", "average", ["2.10.0"]),
    ("ReduceOp", "average", ["2.10.0"]),
    ("all_reduce", "outsiders", []),
    ("all_gather", "cpu-group", []),  # of backends the note tells, whatever runs show
]


@pytest.mark.parametrize(("source", "name", "versions"), GONE)
def test_a_difference_is_told_for_the_versions_that_show_it(
    all_entries: dict[str, Entry], source: str, name: str, versions: list[str]
) -> None:
    entry = all_entries[f"torch.distributed.{source}"]
    found = [difference for difference in differences(entry) if difference.id == name]
    assert found
    assert {tuple(difference.alike) for difference in found} >= {tuple(versions)}
    told = {
        version: name in {difference.id for difference in answer_at(entry, version)[2]} for version in ("2.9.0", NEWEST)
    }
    if found[0] in answer_at(entry, "2.9.0")[2]:
        assert told == {"2.9.0": True, NEWEST: NEWEST not in versions}


def test_the_risk_of_an_answer_is_that_of_its_version(all_entries: dict[str, Entry]) -> None:
    entry = all_entries["torch.distributed.ReduceOp"]
    assert (answer_at(entry, "2.9.0")[1], answer_at(entry, NEWEST)[1]) == ("error", "rewrite")


def test_headlines_that_a_person_gave_are_those_of_differences(database: Data, all_entries: dict[str, Entry]) -> None:
    given = {
        (mapping.id, name): headline
        for mapping in database.mappings.values()
        for target in mapping.targets
        for name, headline in target.headlines.items()
    }
    assert given
    told = {
        (entry.id, difference.id): difference.headline
        for entry in all_entries.values()
        for difference in differences(entry)
    }
    assert {key: told.get(key) for key in given} == given


def test_reach_that_a_person_gave_is_that_of_a_difference(database: Data, all_entries: dict[str, Entry]) -> None:
    given = {
        (mapping.id, name): reach.value
        for mapping in database.mappings.values()
        for target in mapping.targets
        for name, reach in target.reach.items()
    }
    assert given
    told = {
        (entry.id, difference.id): difference.reach
        for entry in all_entries.values()
        for difference in differences(entry)
    }
    assert {key: told.get(key) for key in given} == given


# (note, what a headline has of it, what is left)
NOTES = [
    (("Accepted and ignored.", "接受该参数，但不生效。"), ("accepted and ignored", "接受该参数，但不生效"), None),
    (
        ("Only `a` and `b` are taken. Left out, it is `a`.", "只接受 `a` 和 `b`。省略时为 `a`。"),
        ("only `a` and `b` are taken", "只接受 `a` 和 `b`"),
        ("Left out, it is `a`.", "省略时为 `a`。"),
    ),
    (("MindSpore takes only 0.", "MindSpore 只接受 0。"), ("MindSpore takes only 0", "MindSpore 只接受 0"), None),
    (("Very long: " + "word " * 12, "很长：" + "字" * 50), None, ("Very long: " + "word " * 12, "很长：" + "字" * 50)),
]


@pytest.mark.parametrize(("note", "head", "left"), NOTES)
def test_a_short_note_on_the_meaning_makes_the_headline(
    note: tuple[str, str], head: tuple[str, str] | None, left: tuple[str, str] | None
) -> None:
    found = note_split(Text(en=note[0], zh=note[1]))
    assert tuple(text and (text.en, text.zh) for text in found) == (head, left)


# (evidence, whether all differ alike, its headline in both languages)
SIDES = [
    (
        "return",
        "int64",
        "int32",
        True,
        ("On the CPU, returns `int32`, not `int64`", "CPU 上返回 `int32`，而不是 `int64`"),
    ),
    ("return", "int64", "int32", False, ("On the CPU, returns another value", "CPU 上返回的值不同")),
    (
        "return[1]",
        "int64",
        "int32",
        True,
        ("On the CPU, element 1 is `int32`, not `int64`", "CPU 上返回值中下标为 1 的元素是 `int32`，而不是 `int64`"),
    ),
    ("return", "(3,)", "(1, 3)", True, ("On the CPU, returns another shape", "CPU 上返回值的形状不同")),
]


@pytest.mark.parametrize(("slot", "source", "target", "alike", "headline"), SIDES)
def test_headlines_name_what_is_returned_instead(
    slot: str, source: str, target: str, alike: bool, headline: tuple[str, str]
) -> None:
    fact = evidence(EvidenceCode.SIDES_DIFFER, slot=slot, source=source, target=target)
    text = sample_headline(fact, "cpu", everywhere=True, alike=alike)
    assert (text.en, text.zh) == headline


# (evidence, whether all samples show it, its headline in both languages)
SAMPLES = [
    (
        evidence(EvidenceCode.ONLY_SOURCE_WRITES, slots="self"),
        False,
        ("An empty tensor (CPU): `self` stays as it was", "CPU 上，张量为空时 `self` 保持不变"),
    ),
    (
        evidence(EvidenceCode.SHARING_DIFFERS, slot="return", other="self", source="object", target="nothing"),
        True,
        ("On the CPU, no memory is shared with `self`", "CPU 上返回值不与 `self` 共享内存"),
    ),
    (evidence(EvidenceCode.NO_KERNEL, error="E"), True, ("On the CPU, it has no kernel", "CPU 上没有算子实现")),
]


UNLIKE = evidence(EvidenceCode.SIDES_DIFFER, slot="return", source="int64", target="int32")
OTHER_SHAPE = evidence(EvidenceCode.SIDES_DIFFER, slot="A", source="(1, 1, 0, 0)", target="(1, 1)")
FAR = evidence(EvidenceCode.VALUES_DIFFER, slot="return", source="1", target="2")
NEAR = evidence(EvidenceCode.VALUES_DIFFER, slot="return", source="1", target="1.0002", percent="0.02")
OF_FACETS = [
    (Facet.VALUE, UNLIKE, "On the CPU, returns another value"),
    (Facet.DTYPE, UNLIKE, "On the CPU, returns another dtype"),
    (Facet.GRADIENT, UNLIKE, "On the CPU, gives other gradients"),
    (Facet.GRADIENT, OTHER_SHAPE, "On the CPU, gives gradients of another shape"),
    (Facet.GRADIENT, NEAR, "On the CPU, gradients up to 0.02% off"),
    (Facet.VALUE, NEAR, "On the CPU, values up to 0.02% off"),
    (Facet.GRADIENT, FAR, "On the CPU, gives other gradients"),
    (
        Facet.GRADIENT,
        evidence(EvidenceCode.NOT_CALLED, side="MindSpore", error="E"),
        "On the CPU, no gradient can be taken",
    ),
]


@pytest.mark.parametrize(("facet", "fact", "headline"), OF_FACETS)
def test_a_headline_names_what_differs(facet: Facet, fact: Evidence, headline: str) -> None:
    assert sample_headline(fact, "cpu", everywhere=True, facet=facet).en == headline


REFUSED = [
    ({"keyword": "unbiased"}, ("No parameter `unbiased`", "没有参数 `unbiased`")),
    ({"missing": "lr"}, ("`lr` must be given", "必须传入 `lr`")),
    ({"positional": "1"}, ("Takes fewer arguments by position", "可按位置传入的参数较少")),
    ({}, ("On some inputs (CPU), raises where PyTorch does not", "CPU 上，部分输入下会抛异常，而 PyTorch 不会")),
]


@pytest.mark.parametrize(("values", "headline"), REFUSED)
def test_a_refused_argument_is_told_without_inputs(values: dict[str, str], headline: tuple[str, str]) -> None:
    text = sample_headline(evidence(EvidenceCode.TARGET_REFUSES, error="E", **values), "cpu", everywhere=False)
    assert (text.en, text.zh) == headline


@pytest.mark.parametrize(
    ("facts", "expected"), [([NEAR, FAR], FAR), ([FAR, NEAR], FAR), ([UNLIKE, FAR], UNLIKE), ([NEAR], NEAR)]
)
def test_values_furthest_apart_are_told(facts: list[Evidence], expected: Evidence) -> None:
    assert most_apart(facts) is expected


WHEN = [SampleCondition(Property.EMPTY)]
MANY = [*WHEN, SampleCondition(Property.TUPLE, "dim"), SampleCondition(Property.DTYPE, value="bfloat16")]


@pytest.mark.parametrize(("fact", "everywhere", "headline"), SAMPLES)
def test_samples_name_the_argument_and_the_device(fact: Evidence, everywhere: bool, headline: tuple[str, str]) -> None:
    text = sample_headline(fact, "cpu", everywhere=everywhere, when=WHEN)
    assert (text.en, text.zh) == headline


@pytest.mark.parametrize(
    ("when", "call", "headline"),
    [
        (
            MANY,
            "torch.sum(input)",
            ("`torch.sum(input)` (CPU): it has no kernel", "CPU 上，执行 `torch.sum(input)` 时没有算子实现"),
        ),
        (
            MANY,
            "torch.sum(input, " + "0, " * 40,
            ("On some inputs (CPU), it has no kernel", "CPU 上，部分输入下没有算子实现"),
        ),
        ([], "one\ntwo", ("On some inputs (CPU), it has no kernel", "CPU 上，部分输入下没有算子实现")),
    ],
)
def test_what_has_no_room_in_a_headline_is_left_out(
    when: list[SampleCondition], call: str, headline: tuple[str, str]
) -> None:
    fact = evidence(EvidenceCode.NO_KERNEL, error="E")
    text = sample_headline(fact, "cpu", everywhere=False, when=when, call=call)
    assert (text.en, text.zh) == headline


_TUPLE, _BOTH = (
    [SampleCondition(Property.TUPLE, "dim")],
    [SampleCondition(Property.TUPLE, "dim"), SampleCondition(Property.EMPTY)],
)
WORTH = [
    (Told.RULE, _TUPLE, ("A tuple as `dim` (CPU): returns other values", "CPU 上，`dim` 为元组时返回的数值不同")),
    (
        Told.SEEN,
        _TUPLE,
        ("Seen with a tuple as `dim` (CPU): returns other values", "CPU 上，`dim` 为元组的样例中返回的数值不同"),
    ),
    (
        Told.SEEN,
        [SampleCondition(Property.VALUE, "dim", "(0, 1)")],
        ("Seen with `dim=(0, 1)` (CPU): returns other values", "CPU 上，`dim=(0, 1)` 的样例中返回的数值不同"),
    ),
    (
        Told.SOME_INPUTS,
        _TUPLE,
        ("E.g. a tuple as `dim`: returns other values", "部分输入（如 `dim` 为元组）下返回的数值不同"),
    ),
    (
        Told.SEEN,
        [SampleCondition(Property.DTYPE, value=f"float{bits}") for bits in (8, 16, 32, 64, 80, 128, 256)],
        ("E.g. `float8` or `float16`: returns other values", "部分输入（如 `float8` 或 `float16`）下返回的数值不同"),
    ),
    (Told.SEEN, [*_BOTH, *_BOTH], ("On some inputs (CPU), returns other values", "CPU 上，部分输入下返回的数值不同")),
]


@pytest.mark.parametrize(("told", "when", "headline"), WORTH)
def test_a_headline_says_what_its_condition_is_worth(
    told: Told, when: list[SampleCondition], headline: tuple[str, str]
) -> None:
    fact = evidence(EvidenceCode.VALUES_DIFFER, slot="return", source="1", target="2", difference="1")
    text = sample_headline(fact, "cpu", everywhere=False, when=when, told=told)
    assert (text.en, text.zh) == headline


@pytest.mark.parametrize(
    ("devices", "headline"),
    [
        (["cpu"], ("On the CPU, some dtypes are refused", "CPU 上不支持部分 dtype")),
        (["cpu", "npu"], ("On the CPU, Ascend, some dtypes are refused", "CPU、Ascend 上不支持部分 dtype")),
    ],
)
def test_sweeps_name_the_devices_that_showed_them(devices: list[str], headline: tuple[str, str]) -> None:
    source = [swept_claim("torch.a", "torch", [("cpu", "holds")])]
    target = [swept_claim("mindspore.a", "mindspore", [(device, "error") for device in devices])]
    (difference,) = sweep_differences(source, target)
    assert difference.headline is not None
    assert (difference.headline.en, difference.headline.zh) == headline


def swept_claim(subject: str, framework: str, shown: list[tuple[str, str]]) -> ClaimEntry:
    rows = [
        ObservedSummary(
            outcome=outcome,
            framework=framework,
            framework_version="2.10.0",
            backend="any",
            device=device,
            world_sizes=[3],
            runs=["run"],
        )
        for device, outcome in shown
    ]
    return ClaimEntry(
        id=f"{subject}#holds-dtype-int64",
        subject=subject,
        side="source" if framework == "torch" else "target",
        kind="result",
        text=Text(en="It holds.", zh="成立。"),
        summary=rows,
        swept=SweptEntry(sweep="dtype", value="int64"),
    )
