"""What one rank alone can show: rows of (claim, probe, outcome in a world of one). Nothing about other ranks is ever shown."""

from __future__ import annotations

import re

import msgspec
import pytest
from factories import run_record

from apidiff.database import Data
from apidiff.judge import judge_claim
from apidiff.model.claim import Claim
from apidiff.model.probe_resolution import names_other_ranks
from apidiff.model.trace import (
    CallError,
    ParameterDump,
    ProbeRun,
    RankTrace,
    RunRecord,
    ScalarDump,
    SignatureDump,
    TensorDump,
)
from apidiff.model.verdict import Outcome
from tests.factories import collective_api

PEER = {"api": "torch.distributed.recv", "ranks": [1], "set": {}}
P2P = {"call": {"api": "torch.distributed.P2POp", "set": {"peer": {"rank_plus": 1}}}}
# probe, whether it speaks of ranks that a world of one lacks
PROBES = {
    "plain": ({"set": {"tensor": {"shape": [2]}, "dst": 0}}, False),
    "world": ({"set": {"tensor": {"shape": [2]}, "group": {"group": []}}}, False),
    "async": ({"like": "plain", "set": {"async_op": True}}, False),
    "nothing": ({}, False),
    "by-name": ({"set": {"backend": "nccl"}}, False),
    "first": ({"set": {"ranks": {"list": [0]}}}, False),
    "for-one": ({"set": {"tensor": {"shape": [2]}}, "world_sizes": [1, 2]}, False),
    "to-1": ({"like": "plain", "set": {"dst": 1}}, True),
    "to-nobody": ({"like": "plain", "set": {"dst": 99}}, True),
    "within": ({"like": "plain", "set": {"group_dst": 1}}, True),
    "next": ({"set": {"tensor": {"shape": [2]}, "dst": {"rank_plus": 1}}}, True),
    "subgroup": ({"like": "plain", "set": {"group": {"group": [0, 1]}}}, True),
    "new-group": ({"set": {"ranks": {"list": [0, 1]}}}, True),
    "translated": ({"set": {"group": None, "global_rank": 1}}, True),
    "ring": ({"set": {"ops": {"list": [P2P]}}}, True),
    "disagree": ({"like": "plain", "on_rank": {"1": {"dst": 1}}}, True),
    "sent": ({"ranks": [0], "partner": PEER, "set": {"tensor": {"shape": [2]}}}, True),
    "for-three": ({"set": {"tensor": {"shape": [2]}}, "world_sizes": [3]}, True),
}
API = collective_api(
    {"name": "torch.distributed.reduce", "root": "dst", "probes": {name: probe for name, (probe, _) in PROBES.items()}}
)
TENSOR = TensorDump(type="Tensor", dtype="float32", shape=[2], values=[1.0, 2.0], storage=0, object=0)
UNSUPPORTED = [re.compile("does not support")]
SAME = RankTrace(rank=0, before={"tensor": TENSOR}, after={"tensor": TENSOR}, returned=ScalarDump(value=None))
TRUE = RankTrace(rank=0, returned=ScalarDump(value=True))
RAISED = RankTrace(rank=0, error=CallError(stage="call", type="ValueError", bases=["Exception"], message="bad"))
LACKS = RankTrace(
    rank=0, error=CallError(stage="call", type="RuntimeError", message="Backend nccl does not support it")
)
SIGNATURE = SignatureDump(
    api=API.name, parameters=[ParameterDump(name="tensor", kind="positional or keyword")], text="(tensor)"
)


@pytest.mark.parametrize("name", PROBES)
def test_probes_that_name_other_ranks(name: str) -> None:
    assert names_other_ranks(API, name) is PROBES[name][1]


# claim, probe, what the one rank saw, outcome
ROWS = [
    # decided by the rank alone
    ({"returns": {"structure": "None"}}, "plain", SAME, Outcome.HOLDS),
    ({"returns": {"structure": "Work"}}, "plain", SAME, Outcome.REFUTED),
    ({"returns": {"structure": "None"}}, "plain", RAISED, Outcome.ERROR),
    ({"returns": {"structure": "None"}}, "plain", LACKS, Outcome.UNSUPPORTED),
    ({"aliases": {"slot": "tensor", "with": "tensor", "share": "object"}}, "plain", SAME, Outcome.HOLDS),
    ({"equals": {"at": "return", "value": True}}, "nothing", TRUE, Outcome.HOLDS),
    ({"equals": {"at": "return", "value": False}}, "by-name", TRUE, Outcome.REFUTED),
    ({"parameter": {"name": "tensor"}}, "plain", SAME, Outcome.HOLDS),
    ({"lacks": {"parameter": "tensor"}}, "plain", SAME, Outcome.REFUTED),
    # a sum over one rank is its input, nothing is written, nobody disagrees: neither shown nor refuted
    ({"result": {"at": "tensor", "formula": "sum", "of": "tensor"}}, "plain", SAME, Outcome.NOT_RUN),
    ({"result": {"at": "tensor", "formula": "average", "of": "tensor"}}, "world", SAME, Outcome.NOT_RUN),
    ({"result": {"at": "return", "formula": "world"}}, "nothing", TRUE, Outcome.NOT_RUN),
    ({"writes": {"argument": "tensor"}}, "plain", SAME, Outcome.NOT_RUN),
    ({"keeps": {"argument": "tensor"}}, "plain", SAME, Outcome.NOT_RUN),
    ({"keeps": {"argument": "tensor", "ranks": "others"}}, "plain", SAME, Outcome.NOT_RUN),
    ({"equals": {"at": "tensor", "value": [1.0, 2.0]}}, "plain", SAME, Outcome.NOT_RUN),
    ({"completes": {}}, "plain", SAME, Outcome.NOT_RUN),
    ({"completes": {}}, "plain", RAISED, Outcome.NOT_RUN),
    ({"raises": {"type": "ValueError"}}, "plain", RAISED, Outcome.NOT_RUN),
    ({"raises": {}}, "plain", SAME, Outcome.NOT_RUN),
    ({"prints": {"example": "a/torch_example.py"}}, "example:a/torch_example.py", SAME, Outcome.NOT_RUN),
    # the probe speaks of ranks that are not there
    ({"returns": {"structure": "None"}}, "to-1", RAISED, Outcome.NOT_RUN),
    ({"returns": {"structure": "None"}}, "subgroup", SAME, Outcome.NOT_RUN),
    ({"returns": {"structure": "None"}}, "disagree", SAME, Outcome.NOT_RUN),
    ({"returns": {"structure": "None"}}, "for-three", SAME, Outcome.NOT_RUN),
]


def record(world_size: int) -> RunRecord:
    return run_record(world_size=world_size, backend="nccl", device="cuda", signatures=[SIGNATURE])


@pytest.mark.parametrize(("claim", "probe", "trace", "outcome"), ROWS)
def test_one_rank(claim: dict, probe: str, trace: RankTrace, outcome: Outcome) -> None:
    made = msgspec.convert({"id": "it", **claim}, Claim)
    run = ProbeRun(api=API.name, probe=probe, spec="", end="completed", ranks=[trace])
    assert judge_claim(made, API, probe, run, UNSUPPORTED, record(1))[0] is outcome


def test_two_ranks_show_what_one_does_not() -> None:
    claim = msgspec.convert({"id": "it", "completes": {}}, Claim)
    both = [msgspec.structs.replace(SAME, rank=rank) for rank in range(2)]
    run = ProbeRun(api=API.name, probe="plain", spec="", end="completed", ranks=both)
    assert judge_claim(claim, API, "plain", run, UNSUPPORTED, record(2))[0] is Outcome.HOLDS


def test_no_recorded_claim_on_values_holds_by_one_rank(database: Data) -> None:
    """Every claim of the database, judged from traces of rank 0 alone, as if they were all of a world of one."""
    shown = {"returns", "aliases", "equals", "parameter", "lacks", "member", "lacks_member"}
    _, real = next(pair for pair in database.runs if pair[0].startswith("torch-2.13.0/gloo-cpu-3-"))
    runs = {(run.api, run.probe): run for run in real.probes}
    alone = msgspec.structs.replace(real, world_size=1)
    judged = 0
    for mapping in database.mappings.values():
        for claim in mapping.source.claims:
            for probe in claim.probes:
                run = runs.get((mapping.source.name, probe))
                if run is None or 0 not in {trace.rank for trace in run.ranks}:
                    continue
                one = msgspec.structs.replace(run, ranks=[t for t in run.ranks if t.rank == 0], again=None)
                outcome = judge_claim(claim, mapping.source, probe, one, (), alone)[0]
                judged += outcome is not Outcome.NOT_RUN
                assert outcome is Outcome.NOT_RUN or claim.kind.value in shown, (claim.id, outcome)
    assert judged > 20
