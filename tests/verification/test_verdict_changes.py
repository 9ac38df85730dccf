"""Verdicts of a run beside the recorded ones."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from apidiff.database import Data
from apidiff.database.backends import load_backends
from apidiff.judge import Context
from apidiff.model.probe_resolution import digest
from apidiff.model.signed import Signed, State
from apidiff.model.trace import CallError, ProbeRun, RankTrace, RunRecord, ScalarDump
from apidiff.verification.verdict_changes import base_record, compare, recorded_by_others
from tests.factories import collective_api, run_record

API = collective_api(
    {
        "name": "torch.one",
        "probes": {"plain": {"set": {"dst": 0}}},
        "claims": [{"id": "returns-none", "returns": {"structure": "None"}, "probes": ["plain"]}],
    }
)
BACKENDS = load_backends()


def record(version: str = "2.13.0", world_size: int = 2, backend: str = "gloo", **trace: object) -> RunRecord:
    """A record in which both ranks returned None, or what ``trace`` says."""
    fields = {"returned": ScalarDump(value=None)} | trace
    ranks = [RankTrace(rank=rank, **fields) for rank in range(2)]  # type: ignore[arg-type]
    run = ProbeRun(api="torch.one", probe="plain", spec=digest(API, "plain"), end="completed", ranks=ranks)
    described = next(one for one in BACKENDS if one.name == backend)
    where = {"backend": backend, "device": described.device, "environment": described.environment}
    return run_record("torch", version, world_size, probes=[run], **where)


NONE, SEVEN = record(), record(returned=ScalarDump(value=7))
FAILED = record(returned=None, error=CallError(stage="call", type="E", message="no"))
OTHER_PROBE = msgspec.structs.replace(NONE, probes=[msgspec.structs.replace(NONE.probes[0], spec="other")])
HEAD = "torch.one#returns-none (torch 2.13.0, gloo, world size 2, probe plain)\n"

# (recorded, now, what is told of each change)
CHANGES = [
    (NONE, NONE, []),
    (SEVEN, SEVEN, []),
    (FAILED, FAILED, []),
    (SEVEN, record(returned=ScalarDump(value="other")), []),
    (
        NONE,
        SEVEN,
        [
            f"{HEAD}  recorded: holds: rank 0: returned None [r]\n  now:      refuted: rank 0: returned int; rank 1: returned int"
        ],
    ),
    (
        SEVEN,
        FAILED,
        [
            f"{HEAD}  recorded: refuted: rank 0: returned int; rank 1: returned int [r]\n"
            "  now:      error: rank 0: E: no; rank 1: E: no"
        ],
    ),
    (OTHER_PROBE, NONE, [f"{HEAD}  recorded: nothing\n  now:      holds: rank 0: returned None"]),
]


@pytest.mark.parametrize(("recorded", "now", "told"), CHANGES)
def test_changes(recorded: RunRecord, now: RunRecord, told: list[str]) -> None:
    assert [change.text() for change in compare([API], ("r", recorded), now, Context())] == told


# (what is recorded, the index of the one to compare a run of torch 2.13.0 on gloo with two ranks with)
BASES = [
    ([], None),
    ([record("2.9.0"), record("2.13.0"), record("2.14.0")], 1),
    ([record("2.9.0"), record("2.10.0"), record("2.8.1")], 1),
    ([record(world_size=3), record(backend="nccl")], None),
    ([record(world_size=3), record("2.6.0")], 1),
]


STOPPED = msgspec.structs.replace(record(), stopped="a machine went away", date="2030-01-01T00:00:00Z")
THEIRS = msgspec.structs.replace(record(), measured_by="a cluster elsewhere", date="2030-01-01T00:00:00Z")
UNNAMED = msgspec.structs.replace(record(), date="2099-01-01T00:00:00Z")  # a known signer's that names nobody
BASES += [
    ([STOPPED, record()], 1),
    ([THEIRS, record()], 1),
    ([UNNAMED, record()], 1),
    ([STOPPED, THEIRS], 0),
    ([THEIRS], None),
]


def data_of(runs: list[tuple[str, RunRecord]], unsigned: list[tuple[str, RunRecord]] | None = None) -> Data:
    """Records of this project, and of a known signer those that say who measured or are of 2099."""
    foreign = {key for key, one in runs if one.measured_by or one.date.startswith("2099")}
    ours, theirs = ([pair for pair in runs if (pair[0] in foreign) is by_signers] for by_signers in (False, True))
    signed = {key: Signed(state=State.VERIFIED, signer="Lab") for key, _ in theirs}
    return Data(Path(), {}, {}, {}, runs=ours, signed_runs=theirs, unsigned_runs=unsigned or [], signed=signed)


@pytest.mark.parametrize(("recorded", "index"), BASES)
def test_which_record_is_compared_with(recorded: list[RunRecord], index: int | None) -> None:
    runs = [(str(position), one) for position, one in enumerate(recorded)]
    found = base_record(data_of(runs), record())
    assert (None if found is None else int(found[0])) == index


# (this project's records and a known signer's, unsigned ones, who is told to have others of a run with two ranks)
OTHERS = [
    ([], [], []),
    ([record("2.9.0"), THEIRS], [THEIRS], []),
    ([record(world_size=3)], [], []),
    ([record(world_size=3)], [THEIRS, THEIRS], ["“a cluster elsewhere” (unsigned)"]),
    ([record(world_size=3)], [record(world_size=4), record()], ["“nobody named” (unsigned)"]),
    ([THEIRS], [THEIRS], ["“Lab” (signed by a known signer)", "“a cluster elsewhere” (unsigned)"]),
]


@pytest.mark.parametrize(("recorded", "unsigned", "told"), OTHERS)
def test_others_are_named_where_this_project_recorded_nothing(
    recorded: list[RunRecord], unsigned: list[RunRecord], told: list[str]
) -> None:
    data = data_of(
        [(str(position), one) for position, one in enumerate(recorded)],
        [(f"unsigned-{position}", one) for position, one in enumerate(unsigned)],
    )
    assert recorded_by_others(data, record()) == told
    if told:
        assert base_record(data, record()) is None


def test_a_record_of_another_version_is_not_asked_for_what_it_lacks() -> None:
    older = msgspec.structs.replace(OTHER_PROBE, framework_version="2.9.0")
    assert compare([API], ("r", older), NONE, Context()) == []
    older = msgspec.structs.replace(SEVEN, framework_version="2.9.0")
    assert len(compare([API], ("r", older), NONE, Context())) == 1


def test_without_a_record_nothing_changed() -> None:
    assert compare([API], None, NONE, Context()) == []
