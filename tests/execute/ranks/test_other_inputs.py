"""Probes that leave ranks out, pass objects or look at classes: made on real ranks, then judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from apidiff.database.backends import Backend
from apidiff.execute.ranks.api_lookup import find, public_members, signature_of
from apidiff.execute.ranks.snapshot import Snapshot, written
from apidiff.execute.record import make_record
from apidiff.execute.world import World
from apidiff.judge import judge_claim
from apidiff.model.mapping import Api
from apidiff.model.probe_resolution import digest
from apidiff.model.trace import ObjectDump, ProbeRun, RankTrace, ScalarDump, SignatureDump, TensorDump
from tests.factories import collective_api

D = "torch.distributed"
MINT = "mindspore.mint.distributed"
RECEIVED = {"shape": [2], "fill": "sentinel"}


def p2p(there: str) -> dict[str, Any]:
    """Rank 0 calls, rank 1 answers with ``there``, a third rank does nothing."""
    receives = there.endswith("recv")
    tensor, other = ({"shape": [2]}, RECEIVED) if receives else (RECEIVED, {"shape": [2]})
    peer, back = ("dst", "src") if receives else ("src", "dst")
    partner = {"api": there, "ranks": [1], "set": {"tensor": other, back: 0}}
    return {"set": {"tensor": tensor, peer: 1}, "ranks": [0], "partner": partner}


def ring(op: str, plus: int, tensor: dict[str, Any]) -> dict[str, Any]:
    called = {"op": {"api": f"{D}.{op}"}, "tensor": tensor, "peer": {"rank_plus": plus}}
    return {"call": {"api": f"{D}.P2POp", "set": called}}


SENT = {"at": "tensor", "formula": "sent", "of": "tensor"}
SCATTER = {
    "set": {"tensor": {"shape": [1], "fill": "sentinel"}, "scatter_list": {"each": {"shape": [1]}}, "src": 1},
    "on_rank": {"others": {"scatter_list": None}},
}
OBJECTS = {"set": {"object_list": {"each": {"none": True}}, "obj": {"text": "r{rank}"}}}
RING = {
    "p2p_op_list": {"list": [ring("isend", 1, {"shape": [1]}), ring("irecv", -1, {"shape": [1], "fill": "sentinel"})]}
}
MEMBERS = {"set": {"group": {"group": [1, 2]}}}
LATE = {"set": {"timeout": {"seconds": 1}}, "ranks": [0, 2]}

# (API, probe, claim, outcome) on three gloo ranks: each claim that holds beside one that fails on the same call
TORCH: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any], str]] = [
    ({"name": f"{D}.send"}, p2p(f"{D}.recv"), {"result": SENT | {"ranks": "partners"}}, "holds"),
    ({"name": f"{D}.send"}, p2p(f"{D}.recv"), {"keeps": {"argument": "tensor", "ranks": "partners"}}, "refuted"),
    ({"name": f"{D}.send"}, p2p(f"{D}.recv"), {"keeps": {"argument": "tensor"}}, "holds"),
    ({"name": f"{D}.recv"}, p2p(f"{D}.send"), {"result": SENT}, "holds"),
    ({"name": f"{D}.recv"}, p2p(f"{D}.send"), {"equals": {"at": "return", "value": 1}}, "holds"),
    ({"name": f"{D}.recv"}, p2p(f"{D}.send"), {"returns": {"structure": "None"}}, "refuted"),
    ({"name": f"{D}.irecv"}, p2p(f"{D}.isend"), {"returns": {"structure": "Work"}}, "holds"),
    (
        {"name": f"{D}.batch_isend_irecv"},
        {"set": RING},
        {"result": {"at": "p2p_op_list[1].tensor", "formula": "sent", "of": "p2p_op_list[0].tensor"}},
        "holds",
    ),
    (
        {"name": f"{D}.batch_isend_irecv"},
        {"set": RING},
        {"result": {"at": "p2p_op_list[1].tensor", "formula": "input", "of": "p2p_op_list[0].tensor"}},
        "refuted",
    ),
    (
        {"name": f"{D}.scatter", "root": "src"},
        SCATTER,
        {"result": {"at": "tensor", "formula": "scattered", "of": "scatter_list"}},
        "holds",
    ),
    (
        {"name": f"{D}.scatter", "root": "src"},
        SCATTER,
        {"result": {"at": "tensor", "formula": "from-root", "of": "scatter_list"}},
        "refuted",
    ),
    (
        {"name": f"{D}.all_gather_object"},
        OBJECTS,
        {"result": {"at": "object_list", "formula": "gathered", "of": "obj"}},
        "holds",
    ),
    ({"name": f"{D}.all_gather_object"}, OBJECTS, {"keeps": {"argument": "object_list"}}, "refuted"),
    (
        {"name": f"{D}.broadcast_object_list", "root": "src"},
        {"set": {"object_list": {"list": [{"text": "r{rank}"}, {"none": True}]}, "src": 2}},
        {"equals": {"at": "object_list", "value": ["r2", None]}},
        "holds",
    ),
    ({"name": f"{D}.get_rank"}, {}, {"result": {"at": "return", "formula": "rank"}}, "holds"),
    ({"name": f"{D}.get_rank"}, {}, {"result": {"at": "return", "formula": "world"}}, "refuted"),
    ({"name": f"{D}.get_rank"}, MEMBERS, {"result": {"at": "return", "formula": "rank", "ranks": "members"}}, "holds"),
    ({"name": f"{D}.get_rank"}, MEMBERS, {"equals": {"at": "return", "value": -1, "ranks": "outsiders"}}, "holds"),
    ({"name": f"{D}.get_rank"}, {**MEMBERS, "ranks": [1, 2]}, {"result": {"at": "return", "formula": "rank"}}, "holds"),
    ({"name": f"{D}.ReduceOp", "kind": "class"}, {}, {"member": {"name": "PRODUCT"}}, "holds"),
    ({"name": f"{D}.ReduceOp", "kind": "class"}, {}, {"member": {"name": "PROD"}}, "refuted"),
    ({"name": f"{D}.group", "kind": "class"}, {}, {"member": {"name": "WORLD"}}, "holds"),
    ({"name": f"{D}.group.WORLD", "kind": "constant"}, {}, {"returns": {"structure": "ProcessGroup"}}, "holds"),
    ({"name": f"{D}.group.WORLD", "kind": "constant"}, {}, {"member": {"name": "rank"}}, "holds"),
    ({"name": f"{D}.ReduceOp.SUM", "kind": "constant"}, {}, {"returns": {"structure": "RedOpType"}}, "holds"),
    ({"name": f"{D}.ReduceOp.SUM", "kind": "constant"}, {}, {"equals": {"at": "return", "value": 0}}, "refuted"),
    ({"name": f"{D}.HashStore", "kind": "class"}, {}, {"returns": {"structure": "Store"}}, "holds"),
    ({"name": f"{D}.there_is_no_such"}, {"set": {"tensor": {"shape": [1]}}}, {"completes": {}}, "error"),
    ({"name": f"{D}.there_is_no_such", "kind": "class"}, {}, {"lacks_member": {"name": "SUM"}}, "error"),
]
MINDSPORE: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any], str]] = [
    (
        {"name": f"{MINT}.all_gather_object"},
        OBJECTS,
        {"result": {"at": "object_list", "formula": "gathered", "of": "obj"}},
        "holds",
    ),
    ({"name": f"{MINT}.get_rank"}, {"ranks": [1]}, {"equals": {"at": "return", "value": 1}}, "holds"),
    ({"name": "mindspore.ops.ReduceOp", "kind": "class"}, {}, {"member": {"name": "PROD"}}, "holds"),
    ({"name": "mindspore.ops.ReduceOp", "kind": "class"}, {}, {"lacks_member": {"name": "PRODUCT"}}, "holds"),
    (
        {"name": "mindspore.ops.ReduceOp.SUM", "kind": "constant"},
        {},
        {"equals": {"at": "return", "value": "sum"}},
        "holds",
    ),
]


def outcome(world: World, api: dict[str, Any], probe: dict[str, Any], claim: dict[str, Any]) -> tuple[str, list[str]]:
    kind = {"id": "it", "probes": ["it"], **claim}
    one = collective_api({**api, "probes": {"it": probe}, "claims": [kind]})
    asked = world.ask({"do": "probe", "api": one, "probe": "it"})
    shown = world.ask({"do": "signature", "api": one})
    traces = [msgspec.json.decode(line, type=RankTrace) for _, line in sorted(asked.answers.items())]
    run = ProbeRun(api=one.name, probe="it", spec=digest(one, "it"), end=asked.end, ranks=traces)
    signature = msgspec.json.decode(shown.answers[0], type=SignatureDump)
    record = make_record(world.backend, world.version, world.world_size, [signature], [run])
    found, evidence = judge_claim(one.claims[0], one, "it", run, world.backend.unsupported_patterns, record)
    return found.value, evidence


@pytest.mark.parametrize(("api", "probe", "claim", "expected"), TORCH)
def test_torch(
    gloo_world: World, api: dict[str, Any], probe: dict[str, Any], claim: dict[str, Any], expected: str
) -> None:
    found, evidence = outcome(gloo_world, api, probe, claim)
    assert found == expected, evidence
    assert set(gloo_world.ask({"do": "canary"}).answers.values()) == {b"true"}


# A barrier that failed leaves its group unusable: each claim gets ranks of its own.
@pytest.mark.turning(days=2)
@pytest.mark.parametrize(
    ("claim", "expected"), [({"raises": {"type": "RuntimeError"}}, "holds"), ({"completes": {}}, "refuted")]
)
def test_a_rank_that_stays_away(gloo: Backend, tmp_path: Path, claim: dict[str, Any], expected: str) -> None:
    with World(gloo, 3, tmp_path) as world:
        found, evidence = outcome(world, {"name": f"{D}.monitored_barrier"}, LATE, claim)
    assert found == expected, evidence


@pytest.mark.parametrize(("api", "probe", "claim", "expected"), MINDSPORE)
def test_mindspore(
    mccl_world: World, api: dict[str, Any], probe: dict[str, Any], claim: dict[str, Any], expected: str
) -> None:
    found, evidence = outcome(mccl_world, api, probe, claim)
    assert found == expected, evidence


def test_a_rank_that_is_left_out_records_that_nothing_came_back(gloo_world: World) -> None:
    api = collective_api({"name": f"{D}.send", "probes": {"it": p2p(f"{D}.recv")}})
    reply = gloo_world.ask({"do": "probe", "api": api, "probe": "it"})
    caller, partner, idle = (msgspec.json.decode(reply.answers[rank], type=RankTrace) for rank in range(3))
    assert (list(caller.before), list(partner.before)) == (["tensor", "dst"], ["tensor", "src"])
    assert (idle.before, idle.after, idle.returned, idle.error) == ({}, {}, ScalarDump(value=None), None)


class Held:
    """Holds a tensor, as a P2POp does."""

    def __init__(self, tensor: object) -> None:
        self.tensor, self.name, self._hidden = tensor, "it", tensor

    def __repr__(self) -> str:
        return f"Held at {id(self):#014x}"


class Arrays:
    """NumPy arrays as tensors."""

    def is_tensor(self, value: object) -> bool:
        return type(value).__name__ == "ndarray"

    def to_numpy(self, tensor: Any) -> Any:
        return tensor

    def storage(self, tensor: Any) -> object:
        return id(tensor)

    def contiguous(self, tensor: Any) -> bool:
        return True


def test_an_object_is_recorded_with_the_tensors_it_holds() -> None:
    import numpy as np

    dump = Snapshot(Arrays()).dump(Held(np.array([1, 2])))
    assert isinstance(dump, ObjectDump)
    assert (dump.type, dump.text, list(dump.tensors)) == ("Held", "Held at 0x…", ["tensor"])
    assert isinstance(dump.tensors["tensor"], TensorDump)
    assert dump.tensors["tensor"].values == [1, 2]


# (value, its text)
TEXTS = [
    ({"b": 1, "a": [2]}, "{'a': [2], 'b': 1}"),
    ({"b": {"d": 1, "c": 2}}, "{'b': {'c': 2, 'd': 1}}"),
    ({"b", "a"}, "set({'a', 'b'})"),
    (frozenset({2, 1}), "frozenset({1, 2})"),
    (set(), "set()"),
    (b"x", "b'x'"),
]


@pytest.mark.parametrize(("value", "text"), TEXTS)
def test_text_of_what_has_no_order(value: object, text: str) -> None:
    assert written(value) == text


# (dotted name, what is found)
FOUND = [
    ("pathlib.Path", Path),
    ("os.path.join", __import__("os").path.join),
    ("json.decoder", __import__("json.decoder").decoder),
    ("email.mime.text", "a module that is not imported with its parent"),
    ("enum.Enum.__name__", "Enum"),
]


@pytest.mark.parametrize(("name", "expected"), FOUND)
def test_find(name: str, expected: object) -> None:
    found = find(name)
    assert found == expected or found.__name__ == name


@pytest.mark.parametrize(
    ("name", "error"),
    [("os.path.none", AttributeError), ("os.none.at_all", AttributeError), ("there.is.none", ModuleNotFoundError)],
)
def test_what_is_not_there(name: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        find(name)


class _Meta(type):
    @property
    def current(cls) -> int:
        return 1


class _Group(metaclass=_Meta):
    size = 2
    _hidden = 3


@pytest.mark.parametrize(
    ("value", "there", "gone"), [(_Group, {"current", "size"}, {"_hidden", "mro"}), (3, set(), {"real"})]
)
def test_members(value: object, there: set[str], gone: set[str]) -> None:
    found = public_members(value)
    assert found == sorted(found)
    assert there <= set(found)
    assert not gone & set(found)


class _Printed:
    def __repr__(self) -> str:
        return "tensor([[1.],\n        [2.]])"


def test_a_signature_stands_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def filled(value: object = _Printed()) -> None:
        pass

    filled.__annotations__.clear()
    monkeypatch.setattr("json.filled", filled, raising=False)
    assert signature_of(Api(name="json.filled")).text == "(value=tensor([[1.],         [2.]]))"
