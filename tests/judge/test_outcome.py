"""Rows of (claim, what the ranks saw, outcome). Every kind of claim is shown to hold and to fail."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
import numpy as np
import pytest
from factories import run_record

from apidiff.judge import judge_claim
from apidiff.judge.case import input_of
from apidiff.messages.evidence import evidence_lines
from apidiff.model.claim import Claim, Formula, Result
from apidiff.model.trace import (
    BufferDump,
    CallError,
    ObjectDump,
    ParameterDump,
    ProbeRun,
    RankTrace,
    RunRecord,
    ScalarDump,
    SequenceDump,
    SignatureDump,
    TensorDump,
)
from apidiff.model.verdict import Outcome
from tests.factories import collective_api

PEER = {"api": "torch.distributed.recv", "ranks": [1], "set": {"tensor": {"shape": [2], "fill": "sentinel"}}}


def p2p(op: str, peer: object) -> dict:
    called = {"op": {"api": f"torch.distributed.{op}"}, "tensor": {"shape": [2]}, "peer": peer}
    return {"call": {"api": "torch.distributed.P2POp", "set": called}}


API = collective_api(
    {
        "name": "torch.distributed.reduce",
        "root": "dst",
        "probes": {
            "sync": {"set": {"tensor": {"shape": [2]}, "dst": 0}},
            "bad": {"like": "sync", "set": {"dst": 9}},
            "subgroup": {"like": "sync", "set": {"group": {"group": [0, 1]}}},
            "members": {"like": "subgroup", "ranks": [0, 1]},
            "p2p": {"ranks": [0], "partner": PEER, "set": {"tensor": {"shape": [2]}, "dst": 1}},
            "some": {"like": "sync", "ranks": [0, 2]},
            "from-1": {"like": "sync", "set": {"dst": 1}},
            "ring": {"set": {"ops": {"list": [p2p("isend", {"rank_plus": 1}), p2p("irecv", {"rank_plus": -1})]}}},
            "no-peer": {"set": {"tensor": {"shape": [2]}}},
            "to-2": {"set": {"tensor": {"shape": [2]}, "peer": 2}},
        },
    }
)
NONE = ScalarDump(value=None)
UNSUPPORTED = [re.compile(r"kernel \w+ unregistered")]


def tensor(*values: float, dtype: str = "float32", storage: int = 1, number: int = 1) -> TensorDump:
    return TensorDump(
        type="Tensor", dtype=dtype, shape=[len(values)], values=list(values), storage=storage, object=number
    )


def part(*around: float) -> TensorDump:
    """The first value of a larger tensor."""
    return msgspec.structs.replace(tensor(1), buffer=BufferDump(values=[1, *around], places=[0], storage=1))


def listed(*items: object, kind: str = "list", number: int = 9) -> SequenceDump:
    return SequenceDump(type=kind, items=list(items), object=number)


def work(name: str = "Work") -> ObjectDump:
    return ObjectDump(type=name, bases=["object"], object=7)


def trace(
    rank: int, before: object, after: object, returned: object = NONE, error: CallError | None = None
) -> RankTrace:
    return RankTrace(rank=rank, before={"tensor": before}, after={"tensor": after}, returned=returned, error=error)


def failed(rank: int, message: str = "boom", kind: str = "ValueError", stage: str = "call") -> RankTrace:
    error = CallError(stage=stage, type=kind, bases=["Exception", "object"], message=message)
    return RankTrace(rank=rank, before={"tensor": tensor(1)}, error=error)


IN = [tensor(1, 2), tensor(10, 20), tensor(100, 200)]
SUM = tensor(111, 222)
CLEAN = [trace(0, IN[0], SUM), trace(1, IN[1], IN[1]), trace(2, IN[2], IN[2])]
PARTIAL = [trace(0, IN[0], SUM), trace(1, IN[1], tensor(110, 220)), trace(2, IN[2], IN[2])]
R = range(3)
RAISED = [failed(r) for r in R]
LATE = [msgspec.structs.replace(failed(r), seconds=3.0) for r in R]


def run(
    traces: list[RankTrace], probe: str = "sync", end: str = "completed", again: ProbeRun | None = None
) -> ProbeRun:
    return ProbeRun(api=API.name, probe=probe, spec="0" * 12, end=end, ranks=traces, again=again)


def record(*runs: ProbeRun, signature: SignatureDump | None = None) -> RunRecord:
    return run_record(world_size=3, signatures=[signature] if signature else [], probes=list(runs))


def claim(probe: str = "sync", **kind: object) -> Claim:
    return msgspec.convert({"id": "it", "probes": [probe], **kind}, Claim)


RESULT = {"at": "tensor", "formula": "sum", "of": "tensor", "ranks": "root"}
GATHERED = [trace(r, IN[r], IN[r], listed(*IN)) for r in range(3)]
SHARED = [trace(r, tensor(1, storage=1, number=1), tensor(1), tensor(1, storage=1, number=2)) for r in range(3)]
SAME = [trace(r, tensor(1, storage=1, number=1), tensor(1), tensor(1, storage=1, number=1)) for r in range(3)]
FRESH = [trace(r, tensor(1, storage=1, number=1), tensor(1), tensor(1, storage=2, number=2)) for r in range(3)]
LONG, MIDDLE = part(*[0] * 9001), part(*[0] * 4500, 1, *[0] * 4500)  # longer than what is written of them

ROWS = [
    # claim, traces, end, outcome
    ({"writes": {"argument": "tensor", "ranks": "root"}}, CLEAN, "completed", "holds"),
    ({"writes": {"argument": "tensor"}}, CLEAN, "completed", "refuted"),
    ({"writes": {"argument": "tensor", "ranks": "others", "some": True}}, PARTIAL, "completed", "holds"),
    ({"writes": {"argument": "tensor", "ranks": "others", "some": True}}, CLEAN, "completed", "refuted"),
    ({"keeps": {"argument": "tensor", "ranks": "others"}}, CLEAN, "completed", "holds"),
    ({"keeps": {"argument": "tensor", "ranks": "others"}}, PARTIAL, "completed", "refuted"),
    ({"keeps": {"argument": "nowhere", "ranks": "others"}}, CLEAN, "completed", "error"),
    ({"keeps_rest": {"argument": "tensor"}}, [trace(r, LONG, LONG) for r in R], "completed", "holds"),
    ({"keeps_rest": {"argument": "tensor"}}, [trace(r, LONG, MIDDLE) for r in R], "completed", "refuted"),
    ({"returns": {"structure": "None"}}, CLEAN, "completed", "holds"),
    ({"returns": {"structure": "Work"}}, CLEAN, "completed", "refuted"),
    ({"returns": {"structure": "Work"}}, [trace(r, IN[r], IN[r], work()) for r in range(3)], "completed", "holds"),
    ({"returns": {"structure": "[Tensor, ...]"}}, GATHERED, "completed", "holds"),
    ({"returns": {"structure": "(Tensor, ...)"}}, GATHERED, "completed", "refuted"),
    (
        {"returns": {"structure": "((Tensor, ...), CommHandle)"}},
        [trace(0, IN[0], IN[0], listed(listed(*IN, kind="tuple"), work("CommHandle"), kind="tuple"))] * 3,
        "completed",
        "holds",
    ),
    ({"result": RESULT}, CLEAN, "completed", "holds"),
    ({"result": RESULT | {"ranks": "all"}}, CLEAN, "completed", "refuted"),
    ({"result": RESULT | {"formula": "max"}}, CLEAN, "completed", "refuted"),
    ({"result": RESULT | {"formula": "shape-same", "ranks": "all"}}, PARTIAL, "completed", "holds"),
    ({"result": RESULT | {"formula": "reduced-slot"}}, CLEAN, "completed", "error"),
    ({"result": RESULT | {"formula": "gathered", "at": "return", "ranks": "all"}}, GATHERED, "completed", "holds"),
    ({"result": RESULT | {"formula": "gathered", "ranks": "all"}}, GATHERED, "completed", "refuted"),
    ({"result": RESULT | {"formula": "length-world", "at": "return"}}, GATHERED, "completed", "holds"),
    ({"result": RESULT | {"formula": "length-world"}}, GATHERED, "completed", "refuted"),
    ({"raises": {}}, RAISED, "completed", "holds"),
    ({"raises": {"after": 2, "within": 6}}, LATE, "completed", "holds"),
    ({"raises": {"after": 2, "within": 2.5}}, LATE, "completed", "refuted"),
    ({"raises": {"after": 4, "within": 6}}, LATE, "completed", "refuted"),
    ({"raises": {"after": 2, "within": 6}}, CLEAN, "completed", "refuted"),
    ({"raises": {}}, [*CLEAN[:2], failed(2)], "completed", "refuted"),
    ({"raises": {"some": True}}, [*CLEAN[:2], failed(2)], "completed", "holds"),
    ({"raises": {"some": True}}, [failed(2)], "timeout", "holds"),
    ({"raises": {"some": True}}, [CLEAN[0]], "timeout", "timeout"),
    ({"raises": {"some": True, "type": "TypeError"}}, [failed(2)], "timeout", "timeout"),
    ({"raises": {}}, [failed(2)], "timeout", "timeout"),
    ({"raises": {}}, [], "crash", "crash"),
    ({"raises": {"some": True}}, [failed(2, "connection reset by peer")], "crash", "crash"),
    ({"raises": {"ranks": "others"}}, [failed(1), failed(2)], "crash", "crash"),
    ({"raises": {"type": "ValueError"}}, RAISED, "completed", "holds"),
    ({"raises": {"type": "Exception"}}, RAISED, "completed", "holds"),
    ({"raises": {"type": "KeyError"}}, RAISED, "completed", "refuted"),
    ({"raises": {}}, [failed(r, "kernel Reduce unregistered") for r in range(3)], "completed", "unsupported"),
    ({"raises": {}}, [failed(r, stage="prepare") for r in range(3)], "completed", "error"),
    ({"raises": {}}, [failed(r, kind="NameError") for r in range(3)], "completed", "error"),
    (
        {"raises": {}},
        [failed(r, "f() got an unexpected keyword argument 'x'", "TypeError") for r in R],
        "completed",
        "error",
    ),
    (
        {"raises": {}},
        [failed(r, "f() missing 1 required positional argument: 'x'", "TypeError") for r in R],
        "completed",
        "error",
    ),
    (
        {"raises": {}},
        [failed(r, "f() takes 2 positional arguments but 3 were given", "TypeError") for r in R],
        "completed",
        "error",
    ),
    ({"raises": {}}, [failed(r, "x must be a tensor", "TypeError") for r in R], "completed", "holds"),
    (
        {"raises": {}},
        [failed(r, "f() takes a list (not 2 tensors) as its positional argument", "TypeError") for r in R],
        "completed",
        "holds",
    ),
    (
        {"raises": {"type": "TypeError"}},
        [failed(r, "f() got an unexpected keyword argument 'x'", "TypeError") for r in R],
        "completed",
        "holds",
    ),
    ({"completes": {}}, CLEAN, "completed", "holds"),
    ({"completes": {}}, RAISED, "completed", "refuted"),
    ({"completes": {}}, CLEAN[:1], "timeout", "timeout"),
    ({"completes": {}}, CLEAN[:1], "crash", "crash"),
    ({"completes": {}}, [failed(2, "connection reset by peer")], "crash", "crash"),
    ({"keeps": {"argument": "tensor", "ranks": "others"}}, CLEAN[1:], "crash", "crash"),
    ({"keeps": {"argument": "tensor", "ranks": "others"}}, RAISED, "completed", "error"),
    ({"returns": {"structure": "None"}}, [failed(0, "kernel Reduce unregistered")], "completed", "unsupported"),
    ({"aliases": {"slot": "return", "with": "tensor", "share": "storage"}}, SHARED, "completed", "holds"),
    ({"aliases": {"slot": "return", "with": "tensor", "share": "nothing"}}, SHARED, "completed", "refuted"),
    ({"aliases": {"slot": "return", "with": "tensor", "share": "object"}}, SAME, "completed", "holds"),
    ({"aliases": {"slot": "return", "with": "tensor", "share": "object"}}, SHARED, "completed", "refuted"),
    ({"aliases": {"slot": "return", "with": "tensor", "share": "nothing"}}, FRESH, "completed", "holds"),
    ({"aliases": {"slot": "return", "with": "tensor", "share": "nothing"}}, CLEAN, "completed", "error"),
    ({"keeps": {"argument": "tensor", "ranks": "outsiders"}}, CLEAN, "completed", "not run"),
]


@pytest.mark.parametrize(("kind", "traces", "end", "outcome"), ROWS)
def test_outcome(kind: dict, traces: list, end: str, outcome: str) -> None:
    one = run(traces, end=end)
    found, evidence = judge_claim(claim(**kind), API, "sync", one, UNSUPPORTED, record(one))
    assert found.value == outcome, evidence
    if outcome not in {"holds", "not run"}:
        assert evidence, "an outcome other than holds shows what it rests on"


NOTHING = [RankTrace(rank=r, returned=NONE) for r in range(3)]
MINUS = tensor(-1, -1)
SENT = [trace(0, IN[0], IN[0]), trace(1, MINUS, IN[0]), NOTHING[2]]
LOST = [trace(0, IN[0], IN[0]), trace(1, MINUS, MINUS), NOTHING[2]]
PASSED = {"at": "tensor", "formula": "sent", "of": "tensor", "ranks": "partners"}


def ring(*received: TensorDump) -> list[RankTrace]:
    """Each rank's list of two operations that hold the tensor sent and the one received."""
    traces = []
    for rank, got in enumerate(received):
        before, after = (
            listed(*(ObjectDump(type="P2POp", tensors={"tensor": one}, object=n) for n, one in enumerate(pair)))
            for pair in ((IN[rank], MINUS), (IN[rank], got))
        )
        traces.append(RankTrace(rank=rank, before={"ops": before}, after={"ops": after}, returned=NONE))
    return traces


ROUND = {"at": "ops[1].tensor", "formula": "sent", "of": "ops[0].tensor"}
TEXTS = [ScalarDump(value=f"r{r}") for r in range(3)]
OBJECTS = [
    RankTrace(rank=r, before={"obj": TEXTS[r], "into": listed(NONE, NONE, NONE)}, after={"into": listed(*TEXTS)})
    for r in range(3)
]
SCATTER = [
    RankTrace(rank=r, before={"parts": listed(*IN) if r == 1 else NONE}, after={"tensor": IN[r]}) for r in range(3)
]
NUMBERS = [RankTrace(rank=r, returned=ScalarDump(value=r)) for r in range(3)]
WITHIN = [RankTrace(rank=r, returned=ScalarDump(value=r if r < 2 else -1)) for r in range(3)]
SIZES = [RankTrace(rank=r, returned=ScalarDump(value=3)) for r in range(3)]
OPAQUE = [RankTrace(rank=r, returned=ObjectDump(type="RedOpType", text="<SUM: 0>", object=1)) for r in range(3)]

# Every rank sends two rows to rank 0, one to rank 1, none to rank 2.
CUT = {"at": "tensor", "of": "tensor", "formula": "exchanged-parts", "sizes": "sizes"}


def cut_up(after: list[TensorDump], *sizes: int) -> list[RankTrace]:
    """Each rank passes 1, 2, 3 times ten to the power of its number, cut into ``sizes``, and then holds ``after``."""
    given = {"sizes": listed(*(ScalarDump(value=size) for size in sizes), kind="tuple")}
    made = [trace(rank, tensor(*(10**rank * number for number in (1, 2, 3))), after[rank]) for rank in R]
    return [msgspec.structs.replace(one, before=one.before | given) for one in made]


RECEIVED = [tensor(1, 2, 10, 20, 100, 200), tensor(3, 30, 300), tensor()]

# (claim, probe, traces, end, outcome): probes that leave ranks out, objects, and values
PARTIAL_ROWS = [
    ({"result": PASSED}, "p2p", SENT, "completed", "holds"),
    ({"result": PASSED}, "p2p", LOST, "completed", "refuted"),
    ({"result": PASSED}, "p2p", SENT[:1], "timeout", "timeout"),
    ({"result": PASSED | {"ranks": "callers"}}, "p2p", LOST, "completed", "refuted"),
    ({"result": PASSED | {"ranks": "all"}}, "no-peer", CLEAN, "completed", "error"),
    ({"keeps": {"argument": "tensor"}}, "p2p", SENT, "completed", "holds"),
    ({"writes": {"argument": "tensor", "ranks": "partners"}}, "p2p", SENT, "completed", "holds"),
    ({"writes": {"argument": "tensor", "ranks": "partners"}}, "p2p", LOST, "completed", "refuted"),
    ({"completes": {}}, "p2p", [SENT[0], failed(1), NOTHING[2]], "completed", "holds"),
    ({"completes": {"ranks": "partners"}}, "p2p", [SENT[0], failed(1), NOTHING[2]], "completed", "refuted"),
    ({"completes": {}}, "p2p", [failed(1), NOTHING[2]], "timeout", "timeout"),
    ({"completes": {"ranks": "partners"}}, "sync", CLEAN, "completed", "not run"),
    ({"raises": {}}, "some", [failed(0), NOTHING[1], failed(2)], "completed", "holds"),
    ({"raises": {}}, "some", [failed(0), NOTHING[1], CLEAN[2]], "completed", "refuted"),
    ({"raises": {"ranks": "outsiders"}}, "subgroup", [*CLEAN[:2], failed(2)], "completed", "holds"),
    ({"raises": {"ranks": "outsiders"}}, "members", [*CLEAN[:2], NOTHING[2]], "completed", "not run"),
    ({"result": ROUND}, "ring", ring(IN[2], IN[0], IN[1]), "completed", "holds"),
    ({"result": ROUND}, "ring", ring(IN[1], IN[2], IN[0]), "completed", "refuted"),
    ({"result": ROUND | {"of": "ops[0].other"}}, "ring", ring(IN[2], IN[0], IN[1]), "completed", "error"),
    ({"result": PASSED | {"ranks": "root"}}, "to-2", [trace(r, IN[r], IN[2]) for r in range(3)], "completed", "holds"),
    ({"result": {"at": "into", "formula": "gathered", "of": "obj"}}, "sync", OBJECTS, "completed", "holds"),
    ({"result": {"at": "into", "formula": "from-root", "of": "obj"}}, "sync", OBJECTS, "completed", "refuted"),
    ({"result": {"at": "into[0]", "formula": "from-root", "of": "obj"}}, "sync", OBJECTS, "completed", "holds"),
    ({"result": {"at": "into[1]", "formula": "from-root", "of": "obj"}}, "from-1", OBJECTS, "completed", "holds"),
    ({"writes": {"argument": "into"}}, "sync", OBJECTS, "completed", "holds"),
    ({"result": {"at": "tensor", "formula": "scattered", "of": "parts"}}, "from-1", SCATTER, "completed", "holds"),
    ({"result": {"at": "tensor", "formula": "from-root", "of": "parts"}}, "from-1", SCATTER, "completed", "refuted"),
    ({"result": {"at": "tensor", "formula": "scattered", "of": "parts"}}, "sync", SCATTER, "completed", "error"),
    ({"result": {"at": "return", "formula": "rank"}}, "sync", NUMBERS, "completed", "holds"),
    ({"result": {"at": "return", "formula": "rank"}}, "sync", SIZES, "completed", "refuted"),
    ({"result": {"at": "return", "formula": "rank", "ranks": "members"}}, "subgroup", WITHIN, "completed", "holds"),
    ({"result": {"at": "return", "formula": "world"}}, "sync", SIZES, "completed", "holds"),
    ({"result": {"at": "return", "formula": "world", "ranks": "members"}}, "subgroup", SIZES, "completed", "refuted"),
    ({"equals": {"at": "return", "value": -1, "ranks": "outsiders"}}, "subgroup", WITHIN, "completed", "holds"),
    ({"equals": {"at": "return", "value": 0, "ranks": "outsiders"}}, "subgroup", WITHIN, "completed", "refuted"),
    ({"equals": {"at": "return", "value": 1, "ranks": "root"}}, "from-1", NUMBERS, "completed", "holds"),
    ({"equals": {"at": "return", "value": True, "ranks": "root"}}, "from-1", NUMBERS, "completed", "refuted"),
    ({"equals": {"at": "return", "value": None}}, "sync", CLEAN, "completed", "holds"),
    ({"equals": {"at": "return", "value": "<SUM: 0>", "as_repr": True}}, "sync", OPAQUE, "completed", "holds"),
    ({"equals": {"at": "return", "value": "<MAX: 3>", "as_repr": True}}, "sync", OPAQUE, "completed", "refuted"),
    ({"equals": {"at": "return", "value": "<SUM: 0>"}}, "sync", OPAQUE, "completed", "refuted"),
    ({"equals": {"at": "return", "value": "None", "as_repr": True}}, "sync", CLEAN, "completed", "refuted"),
    ({"equals": {"at": "into", "value": ["r0", "r1", "r2"]}}, "sync", OBJECTS, "completed", "holds"),
    ({"equals": {"at": "into", "value": ["r0", "r1"]}}, "sync", OBJECTS, "completed", "refuted"),
    ({"equals": {"at": "tensor", "value": [111, 222], "ranks": "root"}}, "sync", CLEAN, "completed", "holds"),
    ({"equals": {"at": "tensor", "value": [111, 223], "ranks": "root"}}, "sync", CLEAN, "completed", "refuted"),
    ({"equals": {"at": "nowhere", "value": 1}}, "sync", CLEAN, "completed", "error"),
    ({"equals": {"at": "return", "value": 1}}, "sync", RAISED, "completed", "error"),
    ({"corresponds": {"listed": "consistent"}}, "sync", CLEAN, "completed", "not run"),
    ({"result": CUT}, "sync", cut_up(RECEIVED, 2, 1, 0), "completed", "holds"),
    ({"result": CUT}, "sync", cut_up([RECEIVED[1], *RECEIVED[1:]], 2, 1, 0), "completed", "refuted"),
    ({"result": CUT}, "sync", cut_up(RECEIVED, 1, 1, 1), "completed", "refuted"),
    ({"result": CUT}, "sync", cut_up(RECEIVED, 2, 2, 0), "completed", "error"),
    ({"result": CUT}, "sync", cut_up(RECEIVED), "completed", "error"),
]


@pytest.mark.parametrize(("kind", "probe", "traces", "end", "outcome"), PARTIAL_ROWS)
def test_outcome_of_other_probes(kind: dict, probe: str, traces: list, end: str, outcome: str) -> None:
    one = run(traces, probe, end=end)
    found, evidence = judge_claim(claim(probe, **kind), API, probe, one, [], record(one))
    assert found.value == outcome, evidence
    assert evidence or outcome in {"holds", "not run"}


def test_a_missing_kernel_at_the_other_end_is_no_fault_of_the_call() -> None:
    one = run([failed(0, "kernel Send unregistered"), NOTHING[2]], "p2p", end="timeout")
    passed = claim("p2p", result=PASSED)
    outcome, facts = judge_claim(passed, API, "p2p", one, UNSUPPORTED, record(one))
    assert outcome is Outcome.TIMEOUT
    assert evidence_lines(facts, "en") == ["rank 1: timeout", "rank 0: ValueError: kernel Send unregistered"]
    answered = run([failed(0, "kernel Send unregistered"), failed(1), NOTHING[2]], "p2p")
    assert judge_claim(passed, API, "p2p", answered, UNSUPPORTED, record(answered))[0] is Outcome.UNSUPPORTED


def test_evidence_names_rank_and_values() -> None:
    kind = {"keeps": {"argument": "tensor", "ranks": "others"}}
    one = run(PARTIAL)
    _, facts = judge_claim(claim(**kind), API, "sync", one, [], record(one))
    assert evidence_lines(facts, "en") == ["rank 1: tensor [10, 20] → [110, 220]"]


# claim, what rank 0 holds afterwards and returns, evidence: where nothing but a type differs, the types are shown
ALIKE = [
    (
        {"result": {"at": "tensor", "of": "tensor", "formula": "input", "ranks": "root"}},
        tensor(1, 2, dtype="int32"),
        NONE,
        "rank 0: tensor int32 [1, 2] ≠ float32 [1, 2]",
    ),
    (
        {"keeps": {"argument": "tensor", "ranks": "root"}},
        tensor(1, 2, dtype="int64"),
        NONE,
        "rank 0: tensor float32 [1, 2] → int64 [1, 2]",
    ),
    (
        {"equals": {"at": "return", "value": [1, 2], "ranks": "root"}},
        NONE,
        listed(ScalarDump(value=1), ScalarDump(value=True)),
        "rank 0: return [1, True] ≠ [1, 2]",
    ),
]


@pytest.mark.parametrize(("kind", "after", "returned", "line"), ALIKE)
def test_evidence_shows_types_where_only_these_differ(kind: dict, after: object, returned: object, line: str) -> None:
    found = run([trace(0, tensor(1, 2), after, returned), *CLEAN[1:]])
    outcome, facts = judge_claim(claim(**kind), API, "sync", found, [], record(found))
    assert (outcome, evidence_lines(facts, "en")) == (Outcome.REFUTED, [line])


@pytest.mark.parametrize("probe", ["bad", "no-peer"])  # like the plain call, and like none
def test_an_error_that_comes_without_the_fault_too_is_no_proof(probe: str) -> None:
    usual, faulty = run(RAISED), run(RAISED, probe=probe)
    outcome, _ = judge_claim(claim(probe, raises={}), API, probe, faulty, [], record(usual, faulty))
    assert outcome is Outcome.ERROR
    outcome, _ = judge_claim(claim(probe, raises={}), API, probe, faulty, [], record(run(CLEAN), faulty))
    assert outcome is Outcome.HOLDS


def test_ranks_outside_the_group() -> None:
    outsider = [*CLEAN[:2], trace(2, IN[2], IN[2], work())]
    one = run(outsider, probe="subgroup")
    kind = {"returns": {"structure": "None", "ranks": "outsiders"}}
    outcome, facts = judge_claim(claim("subgroup", **kind), API, "subgroup", one, [], record(one))
    assert (outcome, evidence_lines(facts, "en")) == (Outcome.REFUTED, ["rank 2: returned Work"])


@pytest.mark.parametrize(
    ("groups", "after", "outcome"),
    [
        ([[0], [1, 2]], [(1, 2), (110, 220), (110, 220)], Outcome.HOLDS),
        ([[0], [1, 2]], [(111, 222), (111, 222), (111, 222)], Outcome.REFUTED),
        ([[0, 2], [1]], [(101, 202), (10, 20), (11, 22)], Outcome.REFUTED),
        ([[1, 2]], [(5, 5), (110, 220), (110, 220)], Outcome.HOLDS),
    ],
)
def test_a_sum_among_groups_is_that_of_the_rank_s_own(
    groups: list[list[int]], after: list[tuple[int, int]], outcome: Outcome
) -> None:
    one = run([trace(rank, IN[rank], tensor(*values)) for rank, values in enumerate(after)])
    judged, _ = judge_claim(
        claim("sync", result=RESULT | {"ranks": "all", "among": groups}), API, "sync", one, [], record(one)
    )
    assert judged is outcome


def test_sum_counts_the_ranks_of_the_group_only() -> None:
    traces = [trace(0, IN[0], tensor(11, 22)), trace(1, IN[1], IN[1]), trace(2, IN[2], IN[2])]
    one = run(traces, probe="subgroup")
    outcome, _ = judge_claim(claim("subgroup", result=RESULT), API, "subgroup", one, [], record(one))
    assert outcome is Outcome.HOLDS


@pytest.mark.parametrize(
    ("second", "outcome"), [(run(CLEAN), "flaky"), (run(PARTIAL), "refuted"), (run(CLEAN[:1], end="timeout"), "flaky")]
)
def test_a_second_try_that_differs_is_flaky(second: ProbeRun, outcome: str) -> None:
    kind = {"keeps": {"argument": "tensor", "ranks": "others"}}
    one = run(PARTIAL, again=second)
    assert judge_claim(claim(**kind), API, "sync", one, [], record(one))[0].value == outcome


SIGNATURE = SignatureDump(
    api=API.name,
    parameters=[ParameterDump(name="tensor", kind="x"), ParameterDump(name="dst", kind="x", default="None")],
    text="(tensor, dst=None)",
    members=["MAX", "SUM"],
)


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        ({"parameter": {"name": "tensor"}}, "holds"),
        ({"parameter": {"name": "tensor", "required": True}}, "holds"),
        ({"parameter": {"name": "dst", "required": True}}, "refuted"),
        ({"parameter": {"name": "dst", "default": "None"}}, "holds"),
        ({"parameter": {"name": "dst", "default": "0"}}, "refuted"),
        ({"parameter": {"name": "group"}}, "refuted"),
        ({"lacks": {"parameter": "group"}}, "holds"),
        ({"lacks": {"parameter": "dst"}}, "refuted"),
        ({"member": {"name": "SUM"}}, "holds"),
        ({"member": {"name": "PROD"}}, "refuted"),
        ({"lacks_member": {"name": "PROD"}}, "holds"),
        ({"lacks_member": {"name": "SUM"}}, "refuted"),
    ],
)
def test_signature_claims(kind: dict, outcome: str) -> None:
    found, evidence = judge_claim(claim(**kind), API, "", None, [], record(signature=SIGNATURE))
    assert found.value == outcome
    assert evidence


# (signature, outcome of a claim on a member)
MEMBERS = [
    (SignatureDump(api=API.name, error="ValueError: no signature", members=["SUM"]), "holds"),
    (SignatureDump(api=API.name, members=[]), "refuted"),
    (SignatureDump(api=API.name), "not run"),
    (SignatureDump(api=API.name, missing=True, error="AttributeError: reduce"), "error"),
    (SignatureDump(api="torch.distributed.other", members=["SUM"]), "not run"),
]


@pytest.mark.parametrize(("signature", "outcome"), MEMBERS)
def test_members_of_what_has_no_signature(signature: SignatureDump, outcome: str) -> None:
    found, _ = judge_claim(claim(member={"name": "SUM"}), API, "", None, [], record(signature=signature))
    assert found.value == outcome


class LookedThroughOnce(list):
    """A list that is looked through once."""

    def __iter__(self) -> Iterator[object]:
        assert not vars(self).setdefault("done", False)
        self.done = True
        return super().__iter__()


def test_the_signatures_of_a_record_are_looked_through_once_for_all_claims() -> None:
    many = run_record(world_size=3, signatures=LookedThroughOnce([SIGNATURE]))
    asked = [claim(parameter={"name": "group"}), claim(lacks={"parameter": "group"})]
    found = [judge_claim(one, API, "", None, [], many)[0] for one in asked]
    assert found == [Outcome.REFUTED, Outcome.HOLDS]


def test_an_api_that_is_not_there_is_an_error() -> None:
    gone = SignatureDump(api=API.name, missing=True, error="AttributeError: reduce")
    assert judge_claim(claim(parameter={"name": "x"}), API, "", None, [], record(signature=gone))[0] is Outcome.ERROR


def test_example_output_is_compared_rank_by_rank() -> None:
    lines = ["rank 0: a", "rank 1: b", "rank 2: c"]
    traces = [RankTrace(rank=r, output=[lines[r]]) for r in range(3)]
    one = run(traces, probe="example:x")
    prints = claim(prints={"example": "x"})
    assert judge_claim(prints, API, "example:x", one, [], record(one), lines)[0] is Outcome.HOLDS
    outcome, facts = judge_claim(prints, API, "example:x", one, [], record(one), [*lines[:2], "rank 2: d"])
    assert outcome is Outcome.REFUTED
    assert evidence_lines(facts, "en") == ["rank 2: printed 'rank 2: c' ≠ 'rank 2: d'"]


# (shape of a tensor that another's record holds, the lengths of its parts that go with it)
UNCUT: list[tuple[list[int], list[int]]] = [([], [1]), ([4], [2**63, -1, 5 - 2**63]), ([4], [5, -1]), ([4], [1, 2])]


@pytest.mark.parametrize(("shape", "lengths"), UNCUT)
def test_a_tensor_with_lengths_that_no_call_takes_is_not_cut(shape: list[int], lengths: list[int]) -> None:
    values = [1.0] * (shape[0] if shape else 1)
    tensor = TensorDump(type="Tensor", dtype="float32", shape=shape, values=values, storage=0, object=0)
    sizes = SequenceDump(type="list", items=[ScalarDump(value=length) for length in lengths], object=1)
    trace = RankTrace(rank=0, before={"input": tensor, "sizes": sizes})
    result = Result(at="output", formula=Formula.SENT, of="input", sizes="sizes")
    assert np.shape(input_of(result, trace)) == tuple(shape)
