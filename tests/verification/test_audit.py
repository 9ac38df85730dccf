"""A part of a run that was sent is made again: which part, by whom it can be, and what the report says of it."""

from __future__ import annotations

import msgspec
import pytest

from apidiff.database import ApidiffError, Data
from apidiff.database.backends import load_backends
from apidiff.database.examples import load_examples
from apidiff.database.paths import examples_folder
from apidiff.execute.devices import Availability
from apidiff.judge import Context, make_context
from apidiff.model.trace import RunRecord, TensorDump
from apidiff.verification import audit as module
from apidiff.verification.audit import audit, backend_of, choose_probes, repeatable

BACKENDS = load_backends()
GLOO = next(backend for backend in BACKENDS if (backend.name, backend.device) == ("gloo", "cpu"))
API = "torch.distributed.all_reduce"


@pytest.fixture(scope="module")
def context(database: Data) -> Context:
    return make_context(BACKENDS, load_examples(examples_folder()), database.signatures)


@pytest.fixture(scope="module")
def record(database: Data) -> RunRecord:
    real = next(record for key, record in database.runs if key.startswith("torch-2.13.0/gloo-cpu-2-"))
    return msgspec.structs.replace(real, probes=[run for run in real.probes if run.api == API])


def test_what_is_asked_otherwise_cannot_be_repeated(database: Data, context: Context, record: RunRecord) -> None:
    first, *others = record.probes
    changed = msgspec.structs.replace(record, probes=[msgspec.structs.replace(first, spec="0" * 12), *others])
    assert set(repeatable(database, GLOO, record, context)) - set(repeatable(database, GLOO, changed, context)) == {
        (API, first.probe)
    }


def test_what_was_skipped_is_not_repeated(database: Data, context: Context, record: RunRecord) -> None:
    """Made alone it would give a verdict that an honest record lacks: of one of ours, more than half."""
    first, *others = record.probes
    skipped = msgspec.structs.replace(first, end="skipped", ranks=[])
    changed = msgspec.structs.replace(record, probes=[skipped, *others])
    assert set(repeatable(database, GLOO, record, context)) - set(repeatable(database, GLOO, changed, context)) == {
        (API, first.probe)
    }


def test_probes_are_chosen_at_random_unless_a_seed_is_given() -> None:
    probes = [(0, "a", str(number)) for number in range(100)]
    assert choose_probes(probes, 5, 1) == choose_probes(probes, 5, 1) != choose_probes(probes, 5, 2)
    assert len({tuple(choose_probes(probes, 5, None)) for _ in range(20)}) > 1
    assert choose_probes(probes[:3], 5, None) == probes[:3]


def _lying(record: RunRecord) -> RunRecord:
    def other(value: object) -> object:
        return (
            msgspec.structs.replace(value, values=[7.0] * len(value.values)) if isinstance(value, TensorDump) else value
        )

    def told(trace: object) -> object:
        return msgspec.structs.replace(trace, after={name: other(value) for name, value in trace.after.items()})

    probes = [msgspec.structs.replace(run, ranks=[told(trace) for trace in run.ranks]) for run in record.probes]
    return msgspec.structs.replace(record, probes=probes)


@pytest.mark.parametrize("lying", [False, True])
def test_the_report_says_how_many_verdicts_agree(
    database: Data, context: Context, record: RunRecord, lying: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_here(*_given: object, only: frozenset[tuple[str, str]], **_more: object) -> RunRecord:
        return msgspec.structs.replace(record, probes=[run for run in record.probes if (run.api, run.probe) in only])

    monkeypatch.setattr(module, "verify", run_here)
    [found] = audit(database, BACKENDS, [_lying(record) if lying else record], context, 4, seed=1)
    assert len(found.chosen) == 4
    assert found.verdicts > 0
    assert bool(found.differing) is lying
    assert (found.lines()[0] == "first: the record that was sent; second: what was run here") is lying
    assert found.lines()[-1].startswith(f"4 of {found.of} probes that this machine can make were made again: ")
    assert found.lines()[-1].endswith(f"{found.verdicts} of {found.verdicts} verdicts agree") is not lying


def test_of_many_records_no_more_probes_are_made_than_were_asked_for(
    database: Data, context: Context, record: RunRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small file may hold hundreds, and each start of ranks takes seconds."""
    started, looked_for = [], []

    def run_here(*_given: object, only: frozenset[tuple[str, str]], **_more: object) -> RunRecord:
        started.append(only)
        return msgspec.structs.replace(record, probes=[run for run in record.probes if (run.api, run.probe) in only])

    monkeypatch.setattr(module, "verify", run_here)
    monkeypatch.setattr(module, "look_for", lambda backend: looked_for.append(backend) or Availability(True, ""))
    found = list(audit(database, BACKENDS, [record] * 20, context, 4, seed=1))
    assert [len(one.chosen) for one in found if one.chosen] == [len(only) for only in started]
    assert (len(found), sum(map(len, started)), looked_for) == (20, 4, [GLOO])
    assert {tuple(one.lines()) for one in found if not one.chosen} == {
        (f"none of the {found[0].of} probes that this machine can make was chosen",)
    }


@pytest.mark.parametrize("here", [False, True])
def test_a_verdict_that_only_one_gives_agrees_with_nothing(
    database: Data, context: Context, record: RunRecord, here: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A probe that crashes gives no verdict."""
    lost = msgspec.structs.replace(
        record, probes=[msgspec.structs.replace(run, end="crash", ranks=[], confirmed=True) for run in record.probes]
    )
    monkeypatch.setattr(module, "verify", lambda *_given, **_more: lost if here else record)
    [found] = audit(database, BACKENDS, [record if here else lost], context, 4, seed=1)
    assert any(found.differing.only)
    assert not found.differing.same
    assert found.lines()[-1].endswith(f": 0 of {found.verdicts} verdicts agree")
    assert found.verdicts > 0


@pytest.mark.parametrize("made", [0, 3, 4])
def test_what_a_run_that_stopped_did_not_make_is_not_compared(
    database: Data, context: Context, record: RunRecord, made: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ranks could not be started any more: this machine is to blame, not who sent the record."""

    def run_here(*_given: object, only: frozenset[tuple[str, str]], **_more: object) -> RunRecord:
        probes = [run for run in record.probes if (run.api, run.probe) in only][:made]
        return msgspec.structs.replace(record, probes=probes, stopped="no ports left")

    monkeypatch.setattr(module, "verify", run_here)
    [found] = audit(database, BACKENDS, [record], context, 4, seed=1)
    assert (len(found.chosen), found.stopped, bool(found.differing)) == (made, "no ports left", False)
    assert found.lines()[0] == "stopped half-way: no ports left"
    assert found.lines()[1].startswith(f"{made} of {found.of} probes that this machine can make were made again: ")


def test_what_cannot_be_repeated_does_not_look_like_agreement(
    database: Data, context: Context, record: RunRecord
) -> None:
    other = [msgspec.structs.replace(run, spec="0" * 12) for run in record.probes]
    with pytest.raises(ApidiffError, match=f"none of the {len(other)} probes .* so nothing was made again"):
        repeatable(database, GLOO, msgspec.structs.replace(record, probes=other), context)


def test_a_record_does_not_say_how_many_processes_start_here(
    database: Data, context: Context, record: RunRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module.os, "cpu_count", lambda: 2)
    with pytest.raises(ApidiffError, match="is of 64 ranks; this machine, with 2 cores, starts 4 at most"):
        repeatable(database, GLOO, msgspec.structs.replace(record, world_size=64), context)


def test_a_machine_that_cannot_says_why(record: RunRecord) -> None:
    with pytest.raises(ApidiffError, match="no backend is called glue"):
        backend_of(msgspec.structs.replace(record, backend="glue"), BACKENDS)
    with pytest.raises(ApidiffError, match="this machine cannot run it"):
        backend_of(msgspec.structs.replace(record, backend="nccl", device="cuda"), BACKENDS)
    with pytest.raises(ApidiffError, match=r"the record is of torch 1\.8\.1, installed is"):
        backend_of(msgspec.structs.replace(record, framework_version="1.8.1"), BACKENDS)
