"""Coverage: every claim at every place counts once, under what is known of it."""

from __future__ import annotations

import msgspec
import pytest
from factories import backend, claim_entry, entry, range_entry, run_record, target_entry

from apidiff.derive.coverage import CoverageError, coverage
from apidiff.model.base import Text
from apidiff.model.coverage import Coverage
from apidiff.model.signature import SignatureFile
from apidiff.model.trace import RunRecord
from apidiff.model.verdict import Outcome
from apidiff.model.views import AgreementEntry, ClaimEntry, Entry, ObservedSummary, StatedEntry

SOURCE, TARGET, LATE = "torch.pass_on", "mindspore.pass_on", "mindspore.pass_late"
RELEASES = {"torch": ["2.12.0", "2.13.0", "2.14.0"], "mindspore": ["2.7.1", "2.9.0", "2.10.0"]}
Seen = dict[str, list[int]]  # outcome → world sizes


BACKENDS = [
    backend("gloo", "torch", "cpu"),
    backend("nccl", "torch", "cuda"),
    backend("hccl", "torch", "npu"),
    backend("mccl", "mindspore", "cpu"),
    backend("hccl", "mindspore", "npu"),
]


def _run_id(framework: str, version: str, size: int) -> str:
    backend = "gloo" if framework == "torch" else "mccl"
    return f"{framework}-{version}/{backend}-cpu-{size}-0"


def _runs(*places: tuple[str, str]) -> dict[str, RunRecord]:
    found = {}
    for framework, version in places:
        for size in (2, 3):
            found[_run_id(framework, version, size)] = run_record(framework, version, size)
    return found


RUNS = _runs(("torch", "2.13.0"), ("mindspore", "2.7.1"), ("mindspore", "2.10.0"))


def _claim(
    name: str, subject: str = SOURCE, reason: bool = False, stated: bool = False, **by_version: Seen
) -> ClaimEntry:
    """A claim; ``v2_13_0={"holds": [2, 3]}`` is what runs of that version showed."""
    framework = subject.partition(".")[0]
    summary = [
        ObservedSummary(
            outcome=outcome,
            framework=framework,
            framework_version=key[1:].replace("_", "."),
            backend="gloo" if framework == "torch" else "mccl",
            device="cpu",
            world_sizes=sizes,
            runs=[_run_id(framework, key[1:].replace("_", "."), size) for size in sizes],
        )
        for key, seen in by_version.items()
        for outcome, sizes in seen.items()
    ]
    return claim_entry(
        f"{subject}#{name}",
        stated=[StatedEntry(document="d", part="p")] if stated else [],
        summary=summary,
        reason=Text(en="Nobody can.", zh="无法观察。") if reason else None,
    )


def _entries(*claims: ClaimEntry) -> dict[str, Entry]:
    targets = [target_entry(TARGET, range_entry("2.7")), target_entry(LATE, range_entry("2.9"))]
    return {SOURCE: entry(SOURCE, targets=targets, claims=list(claims))}


def _count(*claims: ClaimEntry) -> Coverage:
    return coverage(_entries(*claims), RUNS, BACKENDS, RELEASES, {})


# what is known of one torch claim, (outcomes, not run) over all sizes, by size: outcomes and those with other sizes only
KNOWN = [
    ({"v2_13_0": {"holds": [2, 3]}}, ({"holds": 1}, {}), [({"holds": 1}, 0), ({"holds": 1}, 0)]),
    ({"v2_13_0": {"holds": [3]}}, ({"holds": 1}, {}), [({}, 1), ({"holds": 1}, 0)]),
    ({"v2_13_0": {"holds": [2], "refuted": [3]}}, ({"refuted": 1}, {}), [({"holds": 1}, 0), ({"refuted": 1}, 0)]),
    (
        {"v2_13_0": {"unsupported": [2, 3]}},
        ({"unsupported": 1}, {}),
        [({"unsupported": 1}, 0), ({"unsupported": 1}, 0)],
    ),
    ({"v2_13_0": {"flaky": [2], "crash": [3]}}, ({"flaky": 1}, {}), [({"flaky": 1}, 0), ({"crash": 1}, 0)]),
    ({"reason": True}, ({}, {"no_probe": 1}), [({}, 0), ({}, 0)]),
    ({}, ({}, {"not_recorded": 1}), [({}, 0), ({}, 0)]),
]


@pytest.mark.parametrize(("known", "whole", "sizes"), KNOWN)
def test_place(known: dict, whole: tuple, sizes: list) -> None:
    found = _count(_claim("a", **known)).places[0]
    assert (found.framework, found.framework_version, found.backend, found.claims) == ("torch", "2.13.0", "gloo", 1)
    assert (found.outcomes, found.not_run) == whole
    assert [(one.outcomes, one.not_run) for one in found.sizes] == sizes


def test_every_claim_counts_once_at_every_place() -> None:
    names = [outcome.value for outcome in Outcome if outcome is not Outcome.NOT_RUN]
    claims = [_claim(f"c{index}", v2_13_0={name: [2]}) for index, name in enumerate(names)]
    claims += [_claim("none"), _claim("why", reason=True), _claim("late", LATE, v2_10_0={"holds": [2]})]
    entries = _entries(*claims)
    shared = msgspec.structs.replace(entries[SOURCE], id="torch.other", source="torch.other")
    found = coverage(entries | {"torch.other": shared}, RUNS, BACKENDS, RELEASES, {})
    assert (found.mappings, found.claims, found.judged) == (2, len(claims), len(names) + 1)
    assert found.places[0].outcomes == dict.fromkeys(names, 1)
    for place in found.places:
        assert sum(place.outcomes.values()) + sum(place.not_run.values()) == place.claims


def test_an_api_that_a_version_lacks_is_neither_unsupported_nor_unrecorded() -> None:
    found = _count(_claim("late", LATE, v2_10_0={"holds": [2, 3]}))
    reasons = {one.framework_version: one.not_run for one in found.places if one.framework == "mindspore"}
    assert reasons == {"2.10.0": {}, "2.7.1": {"not_there": 1}}
    assert found.unsupported == []


def test_an_api_that_signatures_show_to_be_in_later_releases_only_is_not_there() -> None:
    known = {
        ("torch", version): SignatureFile(framework="torch", version=version, tool="test", apis={}, unreadable=found)
        for version, found in [("2.11.0", {}), ("2.13.0", {SOURCE: "no text"})]
    }
    runs = RUNS | _runs(("torch", "2.11.0"))
    for signatures, why in [(known, "not_there"), ({}, "not_recorded")]:
        found = coverage(_entries(_claim("late", v2_13_0={"holds": [2]})), runs, BACKENDS, RELEASES, signatures)
        reasons = {one.framework_version: one.not_run for one in found.places if one.framework == "torch"}
        assert reasons == {"2.13.0": {}, "2.11.0": {why: 1}}


def test_backends_that_were_never_run() -> None:
    found = _count(_claim("a", v2_13_0={"unsupported": [2]}), _claim("b", TARGET), _claim("c", TARGET))
    waiting = [(one.framework, one.backend, one.looks_for.zh, one.claims) for one in found.never_run]
    assert waiting == [
        ("torch", "nccl", "名为 cuda 的设备", 1),
        ("torch", "hccl", "名为 npu 的设备", 1),
        ("mindspore", "hccl", "名为 npu 的设备", 2),
    ]
    assert [(one.api, one.mapping, one.ids) for one in found.never_run[2].apis] == [
        (TARGET, SOURCE, [f"{TARGET}#b", f"{TARGET}#c"])
    ]


def test_statements_that_runs_refute() -> None:
    found = _count(
        _claim("stated", stated=True, v2_13_0={"holds": [2], "refuted": [3]}),
        _claim("kept", stated=True, v2_13_0={"holds": [2]}),
        _claim("unstated", v2_13_0={"refuted": [2]}),
    )
    assert found.stated == 2
    assert [(one.claim, one.mapping, one.places) for one in found.refuted] == [
        (f"{SOURCE}#stated", SOURCE, ["gloo, 2.13.0"])
    ]


def test_claims_without_a_run_say_why() -> None:
    found = _count(_claim("reason", reason=True), _claim("gap", TARGET), _claim("seen", v2_13_0={"error": [2]}))
    assert [(one.claim, one.why, one.reason is not None) for one in found.without_run] == [
        (f"{SOURCE}#reason", "no_probe", True),
        (f"{TARGET}#gap", "not_recorded", False),
    ]


# in 2.7.1, in 2.10.0, how many changed
CHANGES = [
    ({"holds": [2, 3]}, {"holds": [2, 3]}, 0),
    ({"unsupported": [2, 3]}, {"holds": [2, 3]}, 1),
    ({"holds": [2, 3]}, {"holds": [2], "timeout": [3]}, 1),
    ({"holds": [2]}, {"error": [3]}, 0),  # nothing to compare
    ({"holds": [2], "error": [3]}, {"error": [2], "holds": [3]}, 1),
    ({"holds": [2], "refuted": [2]}, {"refuted": [2]}, 0),  # records of 2.7.1 disagree, and the worst counts
]


@pytest.mark.parametrize(("before", "after", "expected"), CHANGES)
def test_changes_between_versions(before: Seen, after: Seen, expected: int) -> None:
    (found,) = _count(_claim("a", TARGET, v2_7_1=before, v2_10_0=after)).changes
    assert (found.framework, found.before, found.after, found.compared) == ("mindspore", "2.7.1", "2.10.0", 1)
    assert found.changed == expected


def test_age_of_records_names_newer_releases_without_one() -> None:
    found = {(one.framework_version, one.world_size): one.newer for one in _count(_claim("a")).runs}
    assert found[("2.13.0", 2)] == ["2.14.0"]
    assert found[("2.7.1", 3)] == ["2.9.0"]  # 2.10.0 has one
    assert found[("2.10.0", 3)] == []


def test_a_verdict_without_a_record_is_refused() -> None:
    claim = _claim("a", v2_13_0={"holds": [2]})
    with pytest.raises(CoverageError, match=r"names run record torch-2\.13\.0/gloo-cpu-2-0, which is not there"):
        coverage(_entries(claim), {}, BACKENDS, RELEASES, {})
    bare = [msgspec.structs.replace(claim.summary[0], runs=[])]
    with pytest.raises(CoverageError, match="names no run record"):
        _count(msgspec.structs.replace(claim, summary=bare))


def test_nothing_at_all() -> None:
    found = coverage({}, {}, BACKENDS, RELEASES, {})
    assert (found.mappings, found.claims, found.places, found.changes) == (0, 0, [], [])
    assert msgspec.json.decode(msgspec.json.encode(found), type=Coverage) == found


def test_the_same_library_on_another_device_was_not_run() -> None:
    backends = [*BACKENDS, backend("gloo", "torch", "cuda")]
    found = coverage(_entries(_claim("a", v2_13_0={"holds": [2]})), RUNS, backends, RELEASES, {})
    assert ("gloo", "cuda") in [(one.backend, one.device) for one in found.never_run]
    assert ("gloo", "cpu") not in [(one.backend, one.device) for one in found.never_run]


# world sizes that nccl was run with, why a claim has no verdict there
@pytest.mark.parametrize(("sizes", "why"), [([1], "one_rank"), ([1, 2], "not_recorded"), ([2], "not_recorded")])
def test_a_place_with_one_rank_only_says_so(sizes: list[int], why: str) -> None:
    like = next(iter(RUNS.values()))
    more = {
        f"torch-2.13.0/nccl-cuda-{size}-0": msgspec.structs.replace(
            like, backend="nccl", device="cuda", world_size=size
        )
        for size in sizes
    }
    found = coverage(_entries(_claim("a", v2_13_0={"holds": [2]})), RUNS | more, BACKENDS, RELEASES, {})
    place = next(one for one in found.places if one.backend == "nccl")
    assert (place.outcomes, place.not_run) == ({}, {why: 1})


def _facet(version: str, agreement: str) -> AgreementEntry:
    return AgreementEntry(
        facet="value", agreement=agreement, framework_version=version, source_version="2.13.0", device="cpu", counts={}
    )


def test_targets_of_single_calls_count_by_their_worst_facet() -> None:
    targets = [
        target_entry(TARGET, agreements=[_facet("2.10.0", "agrees"), _facet("2.10.0", "differs")]),
        target_entry(LATE, agreements=[_facet("2.10.0", "agrees"), _facet("2.9.0", "unsupported")]),
        target_entry("mindspore.never", agreements=[]),
    ]
    entries = {SOURCE: entry(SOURCE, execution="single", targets=targets), "torch.other": entry("torch.other")}
    rows = coverage(entries, {}, BACKENDS, RELEASES, {}).pairs
    assert [(row.framework_version, row.device, row.targets, row.agreements, row.not_run) for row in rows] == [
        ("2.10.0", "cpu", 2, {"agrees": 1, "differs": 1}, 1),
        ("2.9.0", "cpu", 1, {"unsupported": 1}, 2),
    ]
