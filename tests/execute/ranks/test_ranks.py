"""What ranks record of a call, on real ranks of both frameworks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from apidiff.execute.ranks.adapter import describe
from apidiff.execute.world import World
from apidiff.judge import structure_of
from apidiff.model.mapping import Api
from apidiff.model.trace import RankTrace, SequenceDump, SignatureDump, TensorDump, Value

Call = Callable[..., list[RankTrace]]
D = "torch.distributed"
MINT = "mindspore.mint.distributed"


def values(dump: Value | None) -> Any:
    """A dump as plain values: lists for tensors and sequences."""
    if isinstance(dump, TensorDump):
        return dump.values
    if isinstance(dump, SequenceDump):
        return [values(item) for item in dump.items]
    return getattr(dump, "value", dump)


# (API, probe, argument, its values on each rank before the call, and after it)
WRITTEN = [
    (
        f"{D}.all_reduce",
        {"set": {"tensor": {"shape": [2]}}},
        "tensor",
        [[1, 2], [10, 20], [100, 200]],
        [[111, 222]] * 3,
    ),
    (
        f"{D}.all_reduce",
        {"set": {"tensor": {"shape": [1], "dtype": "int64"}, "op": {"reduce_op": "MAX"}, "async_op": True}},
        "tensor",
        [[1], [10], [100]],
        [[100]] * 3,
    ),
    (
        f"{D}.all_gather",
        {"set": {"tensor_list": {"each": {"shape": [1], "fill": "sentinel"}}, "tensor": {"shape": [1]}}},
        "tensor_list",
        [[[-1]] * 3] * 3,
        [[[1], [10], [100]]] * 3,
    ),
    (
        f"{D}.all_to_all",
        {"set": {"output_tensor_list": {"each": {"shape": [1]}}, "input_tensor_list": {"each": {"shape": [1]}}}},
        "output_tensor_list",
        [[[1], [2], [3]], [[10], [20], [30]], [[100], [200], [300]]],
        [[[1], [10], [100]], [[2], [20], [200]], [[3], [30], [300]]],
    ),
    (
        f"{D}.reduce_scatter_tensor",
        {"set": {"output": {"shape": [1], "fill": "sentinel"}, "input": {"shape": ["1*world"]}}},
        "output",
        [[-1]] * 3,
        [[111], [222], [333]],
    ),
    (
        f"{D}.broadcast",
        {"set": {"tensor": {"shape": [1]}, "src": 1}, "on_rank": {"2": {"tensor": {"shape": [1], "fill": "sentinel"}}}},
        "tensor",
        [[1], [10], [-1]],
        [[10]] * 3,
    ),
    (
        f"{D}.all_reduce",
        {"set": {"tensor": {"shape": [1]}, "group": {"group": [0, 2]}}},
        "tensor",
        [[1], [10], [100]],
        [[101], [10], [101]],
    ),
    (f"{D}.all_reduce", {"set": {"tensor": {"shape": [0]}}}, "tensor", [[]] * 3, [[]] * 3),
]


@pytest.mark.parametrize(("api", "probe", "argument", "before", "after"), WRITTEN)
def test_arguments_before_and_after(
    gloo_world: World, call: Call, api: str, probe: dict[str, Any], argument: str, before: list[Any], after: list[Any]
) -> None:
    traces = call(gloo_world, api, probe)
    assert [trace.error for trace in traces] == [None] * 3
    assert [values(trace.before[argument]) for trace in traces] == before
    assert [values(trace.after[argument]) for trace in traces] == after


def test_others_means_every_rank_but_the_root(gloo_world: World, call: Call) -> None:
    probe = {
        "set": {"tensor": {"shape": [1]}, "scatter_list": {"each": {"shape": [1]}}, "src": 1},
        "on_rank": {"others": {"scatter_list": None}},
    }
    traces = call(gloo_world, {"name": f"{D}.scatter", "root": "src"}, probe)
    assert [values(trace.before["scatter_list"]) for trace in traces] == [None, [[10], [20], [30]], None]
    assert [values(trace.after["tensor"]) for trace in traces] == [[10], [20], [30]]


def test_a_strided_tensor_is_no_contiguous_one(gloo_world: World, call: Call) -> None:
    [first, *_] = call(gloo_world, "torch.clone", {"set": {"input": {"shape": [2, 2], "layout": "strided"}}})
    given = first.before["input"]
    assert isinstance(given, TensorDump)
    assert (given.values, given.contiguous) == ([1, 2, 3, 4], False)


PRIMITIVE = {"name": "torch.nn.ReLU", "kind": "primitive", "constructor": ["inplace"]}
# (API, probe, is the returned tensor the input itself, does it share the input's storage)
SHARED = [
    (PRIMITIVE, {"set": {"inplace": True, "input": {"shape": [2]}}}, True, True),
    (PRIMITIVE, {"set": {"inplace": False, "input": {"shape": [2]}}}, False, False),
    ("torch.narrow", {"set": {"input": {"shape": [3]}, "dim": 0, "start": 1, "length": 2}}, False, True),
    ("torch.clone", {"set": {"input": {"shape": [3]}}}, False, False),
]


@pytest.mark.parametrize(("api", "probe", "same_object", "same_storage"), SHARED)
def test_identity_and_storage(
    gloo_world: World, call: Call, api: Any, probe: dict[str, Any], same_object: bool, same_storage: bool
) -> None:
    for trace in call(gloo_world, api, probe):
        given, back = trace.after["input"], trace.returned
        assert isinstance(given, TensorDump)
        assert isinstance(back, TensorDump)
        assert (given.object == back.object, given.storage == back.storage) == (same_object, same_storage)


# (API, arguments, structure that is returned)
RETURNED = [
    (f"{D}.all_reduce", {"tensor": {"shape": [1]}}, "None"),
    (f"{D}.all_reduce", {"tensor": {"shape": [1]}, "async_op": True}, "Work"),
    ("torch.split", {"tensor": {"shape": [2]}, "split_size_or_sections": 1}, "(Tensor, ...)"),
]


@pytest.mark.parametrize(("api", "arguments", "structure"), RETURNED)
def test_returned(gloo_world: World, call: Call, api: str, arguments: dict[str, Any], structure: str) -> None:
    assert {structure_of(trace.returned) for trace in call(gloo_world, api, {"set": arguments})} == {structure}


def test_numbers_that_json_cannot_hold(gloo_world: World, call: Call) -> None:
    [first, *_] = call(gloo_world, "torch.log", {"set": {"input": {"shape": [1], "fill": "sentinel"}}})
    assert values(first.returned) == ["nan"]


# (API, arguments, stage, type)
ERRORS = [
    (f"{D}.reduce", {"tensor": {"shape": [1]}, "dst": 99}, "call", "RuntimeError"),
    (f"{D}.all_reduce", {}, "call", "TypeError"),
    (f"{D}.there_is_no_such", {}, "prepare", "AttributeError"),
    ("faulty_calls.refuse", {"how": "no"}, "call", "LookupError"),
]


@pytest.mark.parametrize(("api", "arguments", "stage", "kind"), ERRORS)
def test_errors_are_part_of_the_trace(
    gloo_world: World, call: Call, api: str, arguments: dict[str, Any], stage: str, kind: str
) -> None:
    for trace in call(gloo_world, api, {"set": arguments}):
        assert trace.error is not None
        assert (trace.error.stage, trace.error.type) == (stage, kind)
        assert trace.error.bases[-1] == "BaseException"


def test_a_message_has_no_address_and_no_native_stack(gloo_world: World, call: Call) -> None:
    [first, *_] = call(gloo_world, "faulty_calls.refuse", {"set": {"how": "no"}})
    assert first.error is not None
    assert first.error.message == "no at 0x…"


def signature(world: World, name: str) -> SignatureDump:
    return msgspec.json.decode(world.ask({"do": "signature", "api": Api(name=name)}).answers[0], type=SignatureDump)


class _Untellable(Exception):
    def __str__(self) -> str:
        raise KeyError("no text")


@pytest.mark.parametrize(
    ("error", "message"),
    [(ValueError("\ud800 is bad"), "\\ud800 is bad"), (_Untellable(), "its text cannot be made: KeyError")],
)
def test_a_message_can_be_written_whatever_it_is(error: Exception, message: str) -> None:
    assert msgspec.json.decode(msgspec.json.encode(describe(error, "call")))["message"] == message


def test_signature(gloo_world: World) -> None:
    found = signature(gloo_world, f"{D}.barrier")
    assert [(one.name, one.default) for one in found.parameters][1:2] == [("async_op", "False")]
    assert found.text.startswith("(group")
    missing = signature(gloo_world, f"{D}.there_is_no_such")
    assert missing.missing
    assert "there_is_no_such" in missing.error


# (body of example(rank, world_size), lines printed on rank 1, type of the error)
EXAMPLES = [
    ("print(f'rank {rank} of {world_size}')", ["rank 1 of 3"], None),
    ("print('first'); 1 / 0", ["first"], "ZeroDivisionError"),
    ("print('no kernel'); raise SystemExit(3)", ["no kernel"], "SystemExit"),
]


@pytest.mark.parametrize("there", [None, "def example(rank, world_size):\n    print('of another checkout')\n"])
@pytest.mark.parametrize(("body", "output", "kind"), EXAMPLES)
def test_examples(
    gloo_world: World, tmp_path: Path, there: str | None, body: str, output: list[str], kind: str | None
) -> None:
    """All ranks run what rank 0 read, whatever lies on their machine."""
    script = tmp_path / "torch_example.py"
    code = f"def example(rank, world_size):\n    {body}\n"
    if there is not None:
        script.write_text(there, encoding="utf-8")
    reply = gloo_world.ask({"do": "example", "path": str(script), "code": code})
    trace = msgspec.json.decode(reply.answers[1], type=RankTrace)
    assert (trace.output, trace.error and trace.error.type) == (output, kind)


_CLASS = "from dataclasses import dataclass\n@dataclass\nclass Part:\n    rank: int\n"


@pytest.mark.parametrize("head", ["", "from __future__ import annotations\n"])
def test_an_example_is_run_as_a_module_of_its_own(gloo_world: World, tmp_path: Path, head: str) -> None:
    """Its classes look that up by its name; what the code around it imports from the future is none of its own."""
    code = f"{head}{_CLASS}def example(rank, world_size):\n    print(Part(rank), Part.__annotations__)\n"
    reply = gloo_world.ask({"do": "example", "path": str(tmp_path / "torch_example.py"), "code": code})
    trace = msgspec.json.decode(reply.answers[1], type=RankTrace)
    annotation = "'int'" if head else "<class 'int'>"
    assert (trace.output, trace.error) == ([f"Part(rank=1) {{'rank': {annotation}}}"], None)


class TestMindSpore:
    """The same on MindSpore ranks, and what only MindSpore does."""

    def test_written_in_place(self, mccl_world: World, call: Call) -> None:
        traces = call(mccl_world, f"{MINT}.all_reduce", {"set": {"tensor": {"shape": [2]}}})
        assert [values(trace.before["tensor"]) for trace in traces] == [[1, 2], [10, 20]]
        assert [values(trace.after["tensor"]) for trace in traces] == [[11, 22]] * 2
        assert [values(trace.returned) for trace in traces] == [None, None]

    def test_a_primitive_is_constructed_then_called(self, mccl_world: World, call: Call) -> None:
        api = {"name": "mindspore.ops.AllReduce", "kind": "primitive", "constructor": ["op"]}
        probe = {"set": {"op": {"reduce_op": "SUM"}, "input_x": {"shape": [1]}}}
        traces = call(mccl_world, api, probe)
        assert [values(trace.returned) for trace in traces] == [[11], [11]]
        assert [values(trace.after["input_x"]) for trace in traces] == [[1], [10]]

    def test_a_handle_is_waited_for(self, mccl_world: World, call: Call) -> None:
        probe = {"set": {"tensor": {"shape": [1], "dtype": "int64"}, "async_op": True}}
        traces = call(mccl_world, f"{MINT}.all_reduce", probe)
        assert {structure_of(trace.returned) for trace in traces} == {"CommHandle"}
        assert [values(trace.after["tensor"]) for trace in traces] == [[11], [11]]

    def test_a_missing_kernel_is_an_error_that_leaves_the_ranks_well(self, mccl_world: World, call: Call) -> None:
        traces = call(mccl_world, f"{MINT}.reduce", {"set": {"tensor": {"shape": [1]}, "dst": 0}})
        patterns = mccl_world.backend.unsupported_patterns
        assert all(trace.error and any(one.search(trace.error.message) for one in patterns) for trace in traces)
        assert not any("Call Stack" in trace.error.message for trace in traces if trace.error)
        assert set(mccl_world.ask({"do": "canary"}).answers.values()) == {b"true"}

    @pytest.mark.parametrize(("start", "shared"), [(0, True), (1, True)])
    def test_a_view_shares_storage_wherever_it_begins(
        self, mccl_world: World, call: Call, start: int, shared: bool
    ) -> None:
        probe = {"set": {"input": {"shape": [3]}, "dim": 0, "start": start, "length": 2}}
        [first, *_] = call(mccl_world, "mindspore.mint.narrow", probe)
        given, back = first.after["input"], first.returned
        assert isinstance(given, TensorDump)
        assert isinstance(back, TensorDump)
        assert back.values == given.values[start : start + 2]
        assert (given.storage == back.storage) is shared

    def test_a_strided_tensor_is_no_contiguous_one(self, mccl_world: World, call: Call) -> None:
        [first, *_] = call(mccl_world, "mindspore.mint.clone", {"set": {"input": {"shape": [3], "layout": "strided"}}})
        given = first.before["input"]
        assert isinstance(given, TensorDump)
        assert (given.values, given.contiguous) == ([1, 2, 3], False)

    def test_the_inplace_switch_is_set_for_one_call(self, mccl_world: World, call: Call) -> None:
        api = "mindspore.ops.communication.all_reduce"
        probe = {"set": {"tensor": {"shape": [1]}}}
        [off, *_] = call(mccl_world, api, {**probe, "inplace_switch": False})
        [on, *_] = call(mccl_world, api, probe)
        # The switch selects another kernel; CPU lacks that one, and its name shows that the switch was off.
        assert off.error is not None
        assert "InnerCommAllReduce" in off.error.message
        assert values(on.after["tensor"]) == [11]

    def test_signature_of_a_primitive_is_its_constructors(self, mccl_world: World) -> None:
        assert [one.name for one in signature(mccl_world, "mindspore.ops.AllReduce").parameters] == ["op", "group"]
