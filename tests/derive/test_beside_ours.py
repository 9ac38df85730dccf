"""Records of single calls of known signers: this project's own decide beside them, and who says otherwise is told."""

from __future__ import annotations

import dataclasses
import re
import tracemalloc
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from rich.console import Console

from apidiff.database import Data
from apidiff.database.backends import load_backends
from apidiff.database.examples import load_examples
from apidiff.database.paths import examples_folder
from apidiff.database.single_runs import SingleTraces, place_of
from apidiff.derive.beside_ours import Beside, BesideOurs
from apidiff.execute.single.brief import digest
from apidiff.judge.pairs import PairVerdicts, judge_target
from apidiff.lookup.build import index_of
from apidiff.lookup.entry import Builder
from apidiff.lookup.lookup import lookup
from apidiff.messages.first_screen import record_texts
from apidiff.model.agreement import Agreement, Facet
from apidiff.model.mapping import Mapping as ApiMapping
from apidiff.model.mapping import Target
from apidiff.model.sample_calls import with_extracted
from apidiff.model.sample_run import SampleRun, SingleRecord
from apidiff.model.signed import Signed, State
from apidiff.model.trace import TensorDump
from apidiff.model.verdict import EvidenceCode
from apidiff.model.views import AgreementEntry, Entry
from apidiff.writers.terminal import answer_text

API = "torch.nn.functional.softmax"
NEWEST = {"torch": "2.13.0", "mindspore": "2.10.0"}
BY_LAB = Signed(state=State.VERIFIED, signer="Lab")


def _of_softmax(data: Data, framework: str, version: str) -> SingleRecord:
    """Everything that this project ran of the API, in one record."""
    runs: dict[str, SampleRun] = {}
    for _, record in data.single_runs:
        if (record.framework, record.framework_version, record.inputs) == (framework, NEWEST[framework], ""):
            for run in record.samples:
                if run.mapping == API:
                    runs.setdefault(run.spec, run)
    like = next(one for _, one in data.single_runs if one.framework == framework)
    return msgspec.structs.replace(like, framework_version=version, samples=list(runs.values()), inputs="")


def _crashing(record: SingleRecord) -> SingleRecord:
    """The record as if every call had ended the process."""
    ended = [
        SampleRun(mapping=run.mapping, api=run.api, sample=run.sample, spec=run.spec, end="crash")
        for run in record.samples
    ]
    return msgspec.structs.replace(record, samples=ended)


def _entry(data: Data) -> Entry:
    return Builder(data, load_backends(), load_examples(examples_folder())).entry(data.mappings[API])


def _with_lab(data: Data, record: SingleRecord) -> Data:
    """The data as they are read with a record that Lab signed, made after all others."""
    key = f"{record.framework}-{record.framework_version}/single-{record.device}-{'0' * 64}"
    return dataclasses.replace(data, signed_single_runs=[(key, record)], signed=data.signed | {key: BY_LAB})


def _without_disputes(entries: list[AgreementEntry]) -> list[AgreementEntry]:
    return [msgspec.structs.replace(one, disputes=[]) for one in entries]


@pytest.fixture(scope="module")
def alone(database: Data) -> Entry:
    return _entry(database)


def test_many_small_records_take_no_more_than_they_hold(database: Data) -> None:
    """Traces of ours are there once, not beside each."""
    record = _of_softmax(database, "mindspore", "2.10.0")
    small = msgspec.structs.replace(record, samples=record.samples[:1])
    theirs = [(f"mindspore-2.10.0/single-cpu-{number:064}", small) for number in range(100)]
    data = dataclasses.replace(
        database, signed_single_runs=theirs, signed=database.signed | {key: BY_LAB for key, _ in theirs}
    )
    ours = data.traces()
    tracemalloc.start()
    try:
        beside = BesideOurs(data, {}, ours)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()
    assert beside.said(data.mappings[API], data.mappings[API].targets[0], ()).elsewhere


def test_a_sample_that_ours_lack_is_told_of_whoever_ran_it(database: Data) -> None:
    """Also where ours ran others of the same target, version and device."""
    data = _with_lab(database, _crashing(_of_softmax(database, "mindspore", "2.10.0")))
    mapping, ours = data.mappings[API], data.traces()
    target = mapping.targets[0]
    pairs = list(judge_target(mapping, target, ours, {}))
    lacked = pairs[0].verdicts[0].sample
    fewer = tuple(verdict for verdict in pairs[0].verdicts if verdict.sample != lacked)
    assert fewer
    said = BesideOurs(data, {}, ours).said(mapping, target, [dataclasses.replace(pairs[0], verdicts=fewer), *pairs[1:]])
    [told] = said.elsewhere
    assert {(verdict.sample, verdict.agreement) for verdict in told.verdicts} == {(lacked, Agreement.CRASH)}
    assert not BesideOurs(data, {}, ours).said(mapping, target, pairs).elsewhere


def test_what_a_signed_record_says_otherwise_is_told_and_decides_nothing(database: Data, alone: Entry) -> None:
    beside = _entry(_with_lab(database, _crashing(_of_softmax(database, "mindspore", "2.10.0"))))
    for ours, both in zip(alone.targets, beside.targets, strict=True):
        assert msgspec.structs.replace(ours, agreements=[]) == msgspec.structs.replace(both, agreements=[])
        assert ours.agreements == _without_disputes(both.agreements)
        assert {one.trust for one in both.agreements} == {"project"}
    target = beside.targets[0]
    disputed = {(one.framework_version, one.facet): one.disputes for one in target.agreements if one.disputes}
    assert {version for version, _ in disputed} == {"2.10.0"}
    assert {dispute.agreement for found in disputed.values() for dispute in found} == {"crash"}
    [text] = record_texts(beside.claims, target.agreements, target.aside, API)
    assert text.en.startswith("A record signed by “Lab” shows otherwise than this project's own, on the same samples: ")
    assert text.zh.startswith("“Lab” 签名的运行记录在相同样例上与本项目自行运行的结果不同：")
    first_screen, everything = (_text(database, beside, everything=everything) for everything in (False, True))
    assert text.en in first_screen
    assert "“Lab” (signed by a known signer): crash" in everything


def _text(data: Data, entry: Entry, *, everything: bool) -> str:
    releases = {name: [release.version for release in known] for name, known in data.frameworks.items()}
    console = Console(width=400, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(answer_text(lookup(index_of({API: entry}, {}, releases), API), "en", everything=everything))
    return captured.get()


@pytest.mark.parametrize(("framework", "version"), NEWEST.items())
def test_a_signed_record_that_agrees_is_no_dispute(database: Data, alone: Entry, framework: str, version: str) -> None:
    assert _entry(_with_lab(database, _of_softmax(database, framework, version))) == alone


def test_a_signed_record_of_a_few_samples_takes_nobodys_place(database: Data, alone: Entry) -> None:
    """Not that of all records of the release before, for the API it is of or for any other."""
    record = _of_softmax(database, "torch", "2.14.0")
    record = msgspec.structs.replace(record, samples=record.samples[:1])
    targets = _entry(_with_lab(database, record)).targets
    assert [msgspec.structs.replace(one, aside=[]) for one in targets] == alone.targets
    aside = [one for target in targets for one in target.aside]
    assert {(one.source_version, *one.signers.values()) for one in aside} == {("2.14.0", "Lab")}


def test_a_release_of_which_this_project_ran_other_apis_alone_compares_none_of_this(
    database: Data, alone: Entry
) -> None:
    record = _of_softmax(database, "torch", "2.14.0")
    other = [msgspec.structs.replace(run, mapping="torch.std", spec="0" * 12) for run in record.samples[:1]]
    key = f"torch-2.14.0/single-cpu-{'0' * 64}"
    data = dataclasses.replace(
        database,
        single_runs=[(key, msgspec.structs.replace(record, samples=other)), *database.single_runs],
        signed=database.signed | {key: Signed(state=State.LISTED)},
    )
    assert _entry(data).targets == alone.targets


def test_what_only_a_known_signer_ran_stands_aside_by_name(database: Data) -> None:
    record = _of_softmax(database, "mindspore", "2.10.0")
    ours = [pair for pair in database.single_runs if pair[1].framework_version != "2.10.0"]
    without = dataclasses.replace(database, single_runs=ours)
    entry, alone = _entry(_with_lab(without, record)), _entry(without)
    target = entry.targets[0]
    assert [msgspec.structs.replace(one, aside=[]) for one in entry.targets] == alone.targets
    told = {(one.framework_version, one.trust, *one.signers.values()) for one in target.aside}
    assert told == {("2.10.0", "signed", "Lab")}
    [headline] = record_texts(entry.claims, target.agreements, target.aside, API)
    assert headline.en == "Records that “Lab” signed tell of more than this project ran: MindSpore 2.10.0 on CPU."
    assert headline.zh == "“Lab” 签名的运行记录还涵盖本项目未运行过的：MindSpore 2.10.0（CPU）。"
    text = _text(without, entry, everything=True)
    assert "PyTorch 2.13.0 and MindSpore 2.10.0 on CPU; records of “Lab” (signed by a known signer)" in text
    assert re.search(r"  torch-2\.13\.0/single-cpu-\w{12} \(this project\)\s*\n", text)
    assert "  mindspore-2.10.0/single-cpu-000000000000 (“Lab” (signed by a known signer))" in text


# (what a known signer ran, all of it, as it is told)
RAN = [
    ("torch", "2.15.0", "cpu", "PyTorch 2.15.0 on CPU"),
    ("mindspore", "2.10.1", "cpu", "MindSpore 2.10.1 on CPU"),
    ("mindspore", "2.10.0", "npu", "MindSpore 2.10.0 on Ascend"),
]


@pytest.mark.parametrize(("framework", "version", "device", "told"), RAN)
def test_a_signer_is_said_to_have_run_what_the_record_is_of(
    database: Data, framework: str, version: str, device: str, told: str
) -> None:
    """Not the other side of what it is compared with, which this project ran."""
    newest = _of_softmax(database, framework, NEWEST[framework])
    record = msgspec.structs.replace(newest, framework_version=version, device=device)
    entry = _entry(_with_lab(database, record))
    target = entry.targets[0]
    assert target.aside
    [headline] = record_texts(entry.claims, target.agreements, target.aside, API)
    assert headline.en == f"Records that “Lab” signed tell of more than this project ran: {told}."


EXP = "torch.exp"


def _of_exp(data: Data, framework: str) -> SingleRecord:
    """The first record of this project of the API's extracted samples on the CPU: agreeing runs have no trace."""
    for _, record in data.single_runs:
        place = record.framework, record.framework_version, record.device, record.inputs
        samples = [run for run in record.samples if run.mapping == EXP]
        if place == (framework, NEWEST[framework], "cpu", "extracted") and samples:
            return msgspec.structs.replace(record, samples=samples)
    raise AssertionError


def _returning(record: SingleRecord, factor: float) -> SingleRecord:
    """The record with all that was returned multiplied."""

    def changed(run: SampleRun) -> SampleRun:
        returned = run.trace.returned if run.trace else None
        if run.trace is None or not isinstance(returned, TensorDump):
            return run
        values = [value * factor if isinstance(value, float) else value for value in returned.values]
        returned = msgspec.structs.replace(returned, values=values)
        return msgspec.structs.replace(run, trace=msgspec.structs.replace(run.trace, returned=returned))

    return msgspec.structs.replace(record, samples=[changed(run) for run in record.samples])


def _agreeing_with(record: SingleRecord, source: SingleRecord) -> SingleRecord:
    """The record of the target as if what agreed had agreed with what ``source`` shows."""
    digests = {run.sample: digest(run) for run in source.samples}
    samples = [
        msgspec.structs.replace(run, against=digests[run.sample]) if run.agrees else run for run in record.samples
    ]
    return msgspec.structs.replace(record, samples=samples)


def _said_of_exp(data: Data, *records: SingleRecord) -> Beside:
    """What Lab's records of the extracted samples say beside ours."""
    theirs = [
        (f"{record.framework}-{record.framework_version}/single-{record.device}-extracted-{number:064}", record)
        for number, record in enumerate(records)
    ]
    data = dataclasses.replace(data, signed_single_runs=theirs, signed=data.signed | {key: BY_LAB for key, _ in theirs})
    mapping = with_extracted(data.mappings[EXP], data.extracted)
    assert mapping is not None
    tolerances = data.extracted[EXP].tolerances
    traces = data.traces()
    pairs = list(judge_target(mapping, mapping.targets[0], traces, {}, tolerances))
    return BesideOurs(data, {}, traces).said(mapping, mapping.targets[0], pairs, tolerances)


def _values(said: Beside) -> dict[str, int]:
    """How many samples came out how in the values that disputes tell."""
    found = [one for (_, _, facet), disputes in said.disputes.items() if facet == "value" for one in disputes]
    return {key: count for one in found for key, count in one.counts.items()}


def test_a_signers_source_that_differs_is_told_of_samples_that_agreed_with_ours(database: Data) -> None:
    """Of these the target's traces are not kept."""
    source, target = _of_exp(database, "torch"), _of_exp(database, "mindspore")
    doubled = _returning(source, 2.0)
    agreeing = {run.sample for run in target.samples if "value" in run.agrees}
    pairs = zip(source.samples, doubled.samples, strict=True)
    changed = [run for run, other in pairs if run.sample in agreeing and digest(run) != digest(other)]
    assert changed
    assert _values(_said_of_exp(database, doubled)) == {"differs": len(changed)}
    assert not _said_of_exp(database, _returning(source, 1 + 1e-12)).disputes  # as on another CPU


def test_what_the_target_returned_is_not_told_of_what_the_source_did(database: Data) -> None:
    later = msgspec.structs.replace(_returning(_of_exp(database, "torch"), 2.0), framework_version="2.15.0")
    [told] = [pair for pair in _said_of_exp(database, later).elsewhere if pair.target_version == NEWEST["mindspore"]]
    differing = [one for one in told.verdicts if one.facet is Facet.VALUE and one.agreement is Agreement.DIFFERS]
    codes = [fact.code for one in differing for fact in one.facts]
    assert {*codes} == {EvidenceCode.AGREED_WITH}


# (the source's version and the device of what a signer ran of both, which of the two is told as what this project did not run)
TOGETHER = [
    ("2.13.0", "cuda", "mindspore"),
    ("2.15.0", "cuda", "mindspore"),
    ("2.15.0", "cpu", "torch"),
    ("2.13.0", "cpu", ""),
]


@pytest.mark.parametrize(("version", "device", "told_by"), TOGETHER)
def test_what_agreed_with_the_signers_own_source_counts(
    database: Data, version: str, device: str, told_by: str
) -> None:
    """It agreed with no run of ours: the last places are others there."""
    source, target = (
        msgspec.structs.replace(_of_exp(database, framework), device=device) for framework in ("torch", "mindspore")
    )
    source = _returning(msgspec.structs.replace(source, framework_version=version), 1 + 2e-7)
    target, ours = _agreeing_with(target, source), target
    said, alone = _said_of_exp(database, target, source), _said_of_exp(database, target)
    assert not said.disputes
    of_target = f"mindspore-2.10.0/single-{device}-extracted-{0:064}"
    told = [pair for pair in said.elsewhere if of_target in pair.runs]
    assert {place_of(pair.told_by)[0] for pair in told} == ({told_by} if told_by else set())
    agreeing = [one.sample for pair in told for one in pair.verdicts if one.facet is Facet.VALUE]
    assert len(agreeing) == len({*agreeing})
    agreed = [(one, former) for one, former in zip(target.samples, ours.samples, strict=True) if "value" in one.agrees]
    assert {one.sample for one, former in agreed if one.against != former.against} <= {*agreeing} or not told_by
    # Beside a source that it did not agree with either, what it agreed on is not counted.
    other = _said_of_exp(database, target, _returning(source, 2.0)).elsewhere
    assert [pair for pair in other if of_target in pair.runs] == alone.elsewhere


def test_what_a_signer_ran_of_both_is_told_where_this_project_ran_neither(database: Data) -> None:
    """Also of a record without a run that agreed: each has its traces."""
    records = [_of_softmax(database, framework, NEWEST[framework]) for framework in ("torch", "mindspore")]
    theirs = [
        (f"{one.framework}-{one.framework_version}/single-cpu-{'0' * 64}", _without_agreeing(one)) for one in records
    ]
    data = dataclasses.replace(
        database,
        single_runs=[],
        signed_single_runs=theirs,
        signed=database.signed | {key: BY_LAB for key, _ in theirs},
    )
    mapping = data.mappings[API]
    [told] = BesideOurs(data, {}, data.traces()).said(mapping, mapping.targets[0], ()).elsewhere
    assert {*told.runs} == {key for key, _ in theirs}
    assert {one.sample for one in told.verdicts} == {run.sample for run in theirs[1][1].samples}


def test_a_signers_records_are_not_judged_each_with_each(database: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the source those of the four newest versions are enough: a thousand of each would be judged a million times."""
    source, target = (_of_softmax(database, framework, NEWEST[framework]) for framework in ("torch", "mindspore"))
    target = _without_agreeing(target)
    several = [msgspec.structs.replace(source, framework_version=f"2.13.{number}") for number in [*range(9), 10, 9]]
    theirs = [
        (f"{one.framework}-{one.framework_version}/single-cpu-{number:064}", one)
        for number, one in enumerate([target, *several])
    ]
    data = dataclasses.replace(
        database,
        single_runs=[],
        signed_single_runs=theirs,
        signed=database.signed | {key: BY_LAB for key, _ in theirs},
    )
    judged: list[list[str]] = []

    def counted(mapping: ApiMapping, target: Target, traces: SingleTraces, *more: Any) -> Iterator[PairVerdicts]:
        if traces.places("mindspore"):
            judged.append([version for version, _ in traces.places("torch")])
        return judge_target(mapping, target, traces, *more)

    monkeypatch.setattr("apidiff.derive.beside_ours.judge_target", counted)
    mapping = data.mappings[API]
    [told] = BesideOurs(data, {}, SingleTraces([])).said(mapping, mapping.targets[0], ()).elsewhere
    assert told.target_version == NEWEST["mindspore"]
    assert sorted(judged) == [[], ["2.13.10"], ["2.13.7"], ["2.13.8"], ["2.13.9"]]


def _without_agreeing(record: SingleRecord) -> SingleRecord:
    return msgspec.structs.replace(record, samples=[run for run in record.samples if not run.agrees])


def test_a_signers_own_source_settles_what_this_project_disputes(database: Data) -> None:
    """Ours of the target crashed; theirs agreed, with a run of their own."""
    source = _returning(_of_exp(database, "torch"), 1 + 2e-7)
    target = _agreeing_with(_of_exp(database, "mindspore"), source)
    crashed = [
        (key, _crashing(record) if record.framework == "mindspore" and record.inputs else record)
        for key, record in database.single_runs
    ]
    data = dataclasses.replace(database, single_runs=crashed)
    agreeing = {run.sample for run in target.samples if "value" in run.agrees}
    assert _values(_said_of_exp(data, target, source))["agrees"] >= len(agreeing)
