"""Headlines, reach and risk of all differences: short, in both languages, and borne out by runs."""

from __future__ import annotations

import pytest

from apidiff.derive.plain_call_conditions import Property, SampleCondition
from apidiff.messages.headlines import sample_headline
from apidiff.messages.sweep_differences import sweep_differences
from apidiff.model.base import Text
from apidiff.model.verdict import Evidence, EvidenceCode, evidence
from apidiff.model.views import ClaimEntry, DifferenceEntry, Entry, ObservedSummary, SweptEntry
from apidiff.model.vocabulary import Reach

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


def test_everyday_differences_come_first_and_make_the_badge(all_entries: dict[str, Entry]) -> None:
    order = [reach.value for reach in Reach]
    for entry in all_entries.values():
        for target in entry.targets:
            reaches = [order.index(difference.reach) for difference in target.differences]
            assert reaches == sorted(reaches), (entry.id, target.name)
            everyday = [difference.risk for difference in target.differences if difference.reach == "everyday"]
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
            ("`torch.sum(input)` (CPU): it has no kernel", "CPU 上，`torch.sum(input)` 没有算子实现"),
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
