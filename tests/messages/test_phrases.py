"""Rows of (claim, English, Chinese): the sentences that a claim's data become."""

from __future__ import annotations

import msgspec
import pytest

from apidiff.derive.argument_changes import ArgumentChange, Change
from apidiff.derive.calls import SYMBOLS, call, written_argument
from apidiff.derive.probe_conditions import Condition, Disagree, Either, Happens, Passes, With, Without, WorldSizes
from apidiff.messages.conditions import conditions_text
from apidiff.messages.labels import spaced
from apidiff.messages.phrases import phrase
from apidiff.model.claim import Claim, Formula, RankSet
from apidiff.model.probe import Input, Situation
from tests.factories import collective_api

API = collective_api(
    {
        "name": "torch.distributed.reduce",
        "root": "dst",
        "probes": {
            "sync": {"set": {"tensor": {"shape": [2]}, "dst": 0}},
            "async": {"like": "sync", "set": {"async_op": True}},
            "int64": {"like": "sync", "set": {"tensor": {"shape": [2], "dtype": "int64"}}},
            "strided": {"like": "sync", "set": {"tensor": {"shape": [2], "layout": "strided"}}},
            "empty": {"like": "sync", "set": {"tensor": {"shape": [0]}}},
            "both-empty": {"like": "empty", "set": {"parts": {"each": {"shape": [0]}}}},
            "lists": {"like": "sync", "set": {"parts": {"each": {"shape": [2]}}}},
            "short-parts": {"like": "lists", "set": {"parts": {"list": [{"shape": [2]}]}}},
            "no-parts": {"like": "sync", "set": {"parts": {"list": []}}},
            "uneven": {
                "like": "sync",
                "on_rank": {"1": {"tensor": {"shape": [3]}}, "2": {"tensor": {"shape": [4]}}},
            },
            "bad-dst": {"like": "sync", "set": {"dst": 99}},
            "no-dst": {"like": "sync", "drop": ["dst"]},
            "none": {"like": "sync", "set": {"tensor": None}},
            "other-shape": {"like": "sync", "on_rank": {"1": {"tensor": {"shape": [3]}}}},
            "others-none": {"like": "sync", "on_rank": {"others": {"tensor": None}}},
            "max": {"like": "sync", "set": {"op": {"reduce_op": "MAX"}}},
            "group": {"like": "sync", "set": {"group": {"group": [0, 1]}}},
            "by-name": {"like": "sync", "set": {"group": {"group": [], "by_name": True}}},
            "returned": {"like": "sync", "inplace_switch": False},
            "p2p": {
                "set": {"tensor": {"shape": [2]}, "dst": 0},
                "ranks": [0],
                "partner": {"api": "torch.distributed.recv", "ranks": [1]},
            },
            "p2p-tag": {"like": "p2p", "set": {"tag": 1}},
            "late": {"like": "sync", "partner": {"api": "torch.distributed.barrier", "ranks": [1, 2]}},
            "some": {"like": "sync", "ranks": [0, 2]},
            "text": {"like": "sync", "set": {"tensor": {"text": "r{rank}"}}},
            "timeout": {"like": "sync", "set": {"timeout": {"seconds": 1}}},
            "rank-1-text": {"like": "sync", "on_rank": {"1": {"tensor": {"text": "r1"}}}},
            "nones": {"like": "sync", "set": {"parts": {"each": {"none": True}}}},
        },
    }
)

ROWS = [
    (
        ["sync"],
        {"writes": {"argument": "tensor", "ranks": "others", "some": True}},
        "The call overwrites `tensor` on at least one rank other than `dst`.",
        "在 `dst` 以外的至少一个 rank 上，`tensor` 的内容会被改写。",
    ),
    (
        ["sync", "async"],
        {"keeps": {"argument": "tensor", "ranks": "others"}},
        "`tensor` keeps its values on every rank but `dst`.",
        "在 `dst` 以外的所有 rank 上，`tensor` 的内容保持不变。",
    ),
    (
        ["sync"],
        {"returns": {"structure": "None"}},
        "With `async_op=False`, the call returns `None`.",
        "`async_op=False` 时，调用返回 `None`。",
    ),
    (
        ["async"],
        {"returns": {"structure": "Work"}},
        "With `async_op=True`, the call returns `Work`.",
        "`async_op=True` 时，调用返回 `Work`。",
    ),
    (["sync", "async"], {"returns": {"structure": "None"}}, "The call returns `None`.", "调用返回 `None`。"),
    (
        ["sync"],
        {"result": {"at": "tensor", "formula": "sum", "of": "tensor", "ranks": "root"}},
        "On rank `dst`, `tensor` holds the element-wise sum of `tensor` over all ranks (`Σ_r tensor_r`).",
        "在 `dst` 指定的 rank 上，`tensor` 为各 rank 传入的 `tensor` 逐元素相加之和（`Σ_r tensor_r`）。",
    ),
    (
        ["bad-dst"],
        {"raises": {}},
        "With `dst=99`, the call raises an exception on every rank.",
        "`dst=99` 时，在所有 rank 上，调用会抛出异常。",
    ),
    (
        ["other-shape"],
        {"raises": {"some": True, "type": "ValueError"}},
        "When rank 1 passes a `tensor` of shape `(3,)` (the others: `(2,)`), the call raises `ValueError` on at least one "
        "rank.",
        "rank 1 传入形状为 `(3,)` 的 `tensor`（其他 rank 为 `(2,)`）时，在至少一个 rank 上，调用会抛出 `ValueError`。",
    ),
    (
        ["others-none"],
        {"completes": {}},
        "When ranks other than `dst` pass `tensor=None`, the call completes without an exception.",
        "`dst` 以外的 rank 传入 `tensor=None` 时，调用正常完成，不抛异常。",
    ),
    (
        ["empty"],
        {"completes": {}},
        "For an empty `tensor`, the call completes without an exception.",
        "传入空的 `tensor` 时，调用正常完成，不抛异常。",
    ),
    (
        ["both-empty"],
        {"completes": {}},
        "For an empty `tensor` and tensors of shape `(0,)` in `parts`, the call completes without an exception.",
        "传入空的 `tensor` 和由形状为 `(0,)` 的张量组成的 `parts` 时，调用正常完成，不抛异常。",
    ),
    (
        ["no-parts"],
        {"completes": {}},
        "For an empty list as `parts`, the call completes without an exception.",
        "传入长度为 0 的 `parts` 时，调用正常完成，不抛异常。",
    ),
    (
        ["short-parts"],
        {"completes": {}},
        "For tensors of shape `(2,)` in `parts`, the call completes without an exception.",
        "传入由形状为 `(2,)` 的张量组成的 `parts` 时，调用正常完成，不抛异常。",
    ),
    (
        ["uneven"],
        {"completes": {}},
        "When ranks 1 and 2 pass `tensor` of shapes `(3,)` and `(4,)`, the call completes without an exception.",
        "rank 1、2 传入的 `tensor` 形状依次为 `(3,)` 和 `(4,)` 时，调用正常完成，不抛异常。",
    ),
    (
        ["sync"],
        {"aliases": {"slot": "return[0][1]", "with": "tensor", "share": "nothing"}},
        "With `async_op=False`, element 1 of element 0 of the returned value shares no memory with `tensor`.",
        "`async_op=False` 时，返回值中下标为 0 的元素中下标为 1 的元素与 `tensor` 不共享内存。",
    ),
    (
        ["strided"],
        {"completes": {}},
        "For a `tensor` with gaps between its elements in memory, the call completes without an exception.",
        "传入元素在内存中有间隔的 `tensor` 时，调用正常完成，不抛异常。",
    ),
    (
        ["int64"],
        {"completes": {}},
        "For `tensor` of dtype int64, the call completes without an exception.",
        "传入 dtype 为 int64 的 `tensor` 时，调用正常完成，不抛异常。",
    ),
    (
        ["no-dst"],
        {"completes": {}},
        "Without `dst`, the call completes without an exception.",
        "不传 `dst` 时，调用正常完成，不抛异常。",
    ),
    (
        ["max"],
        {"completes": {}},
        "With `op=ReduceOp.MAX`, the call completes without an exception.",
        "`op=ReduceOp.MAX` 时，调用正常完成，不抛异常。",
    ),
    (
        ["by-name"],
        {"raises": {}},
        "With `group` given as a string, the call raises an exception on every rank.",
        "`group` 以字符串传入时，在所有 rank 上，调用会抛出异常。",
    ),
    (
        ["group"],
        {"returns": {"structure": "None", "ranks": "outsiders"}},
        "With `async_op=False` and with a group of ranks 0, 1, the call returns `None` on ranks outside the group.",
        "`async_op=False`，且通信组只含 rank 0、1 时，在不属于该通信组的 rank 上，调用返回 `None`。",
    ),
    (
        ["sync"],
        {"aliases": {"slot": "return[0]", "with": "tensor", "share": "nothing"}},
        "With `async_op=False`, element 0 of the returned value shares no memory with `tensor`.",
        "`async_op=False` 时，返回值中下标为 0 的元素与 `tensor` 不共享内存。",
    ),
    (
        ["returned"],
        {"completes": {}},
        "After `set_comm_ops_inplace(False)`, the call completes without an exception.",
        "执行 `set_comm_ops_inplace(False)` 之后，调用正常完成，不抛异常。",
    ),
    (
        [],
        {"parameter": {"name": "dst", "default": "None"}},
        "There is a parameter `dst` with default `None`.",
        "有参数 `dst`，默认值为 `None`。",
    ),
    ([], {"lacks": {"parameter": "dst"}}, "There is no parameter `dst`.", "没有参数 `dst`。"),
    ([], {"member": {"name": "SUM"}}, "There is a member `SUM`.", "有成员 `SUM`。"),
    ([], {"lacks_member": {"name": "PROD"}}, "There is no member `PROD`.", "没有成员 `PROD`。"),
    (
        ["p2p"],
        {"result": {"at": "tensor", "formula": "sent", "of": "tensor", "ranks": "partners"}},
        "When rank 0 makes the call and rank 1 calls `torch.distributed.recv`, on the rank at the other end, `tensor` "
        "holds what the call passes as `tensor` (`tensor_peer`).",
        "rank 0 发起调用、rank 1 调用 `torch.distributed.recv` 时，在对端 rank 上，`tensor` 为发起调用的 rank 传入的 "
        "`tensor`（`tensor_peer`）。",
    ),
    (
        ["p2p", "p2p-tag"],
        {"keeps": {"argument": "tensor"}},
        "When rank 0 makes the call and rank 1 calls `torch.distributed.recv`, `tensor` keeps its values on each rank "
        "that makes the call.",
        "rank 0 发起调用、rank 1 调用 `torch.distributed.recv` 时，在发起调用的 rank 上，`tensor` 的内容保持不变。",
    ),
    (
        ["p2p-tag"],
        {"returns": {"structure": "None"}},
        "When rank 0 makes the call and rank 1 calls `torch.distributed.recv`, with `tag=1` and `async_op=False`, "
        "the call returns `None`.",
        "rank 0 发起调用、rank 1 调用 `torch.distributed.recv`，且 `tag=1` 和 `async_op=False` 时，调用返回 `None`。",
    ),
    (
        ["late"],
        {"completes": {}},
        "While ranks 1 and 2 call `torch.distributed.barrier`, the call completes without an exception.",
        "rank 1、2 调用 `torch.distributed.barrier` 时，调用正常完成，不抛异常。",
    ),
    (
        ["some"],
        {"raises": {"some": True}},
        "When only ranks 0 and 2 make the call, the call raises an exception on at least one rank that makes the call.",
        "只有 rank 0、2 调用时，在至少一个发起调用的 rank 上，调用会抛出异常。",
    ),
    (
        ["sync", "some"],
        {"raises": {}},
        "The call raises an exception on every rank.",
        "在所有 rank 上，调用会抛出异常。",
    ),
    (
        ["text"],
        {"result": {"at": "tensor", "formula": "from-root", "of": "tensor"}},
        "With `tensor=f'r{rank}'`, on every rank, `tensor` holds the `tensor` of rank `dst` (`tensor_root`).",
        "`tensor=f'r{rank}'` 时，在所有 rank 上，`tensor` 为 `dst` 指定的 rank 传入的 `tensor`（`tensor_root`）。",
    ),
    (
        ["sync"],
        {"result": {"at": "tensor", "formula": "scattered-chunk", "of": "ops[0].tensor"}},
        "On every rank, `tensor` holds this rank's part, cut along dimension 0, of the `ops[0].tensor` of rank `dst` "
        "(`split((ops[0].tensor)_root, n)[k]`).",
        "在所有 rank 上，`tensor` 为 `dst` 指定的 rank 传入的 `ops[0].tensor` 沿第 0 维等分后属于本 rank 的那一份"
        "（`split((ops[0].tensor)_root, n)[k]`）。",
    ),
    (
        ["timeout"],
        {"completes": {}},
        "With `timeout=timedelta(seconds=1)`, the call completes without an exception.",
        "`timeout=timedelta(seconds=1)` 时，调用正常完成，不抛异常。",
    ),
    (
        ["rank-1-text"],
        {"raises": {}},
        "When rank 1 passes `tensor='r1'`, the call raises an exception on every rank.",
        "rank 1 传入 `tensor='r1'` 时，在所有 rank 上，调用会抛出异常。",
    ),
    (
        ["nones"],
        {"completes": {}},
        "With `parts=[None] * world_size`, the call completes without an exception.",
        "`parts=[None] * world_size` 时，调用正常完成，不抛异常。",
    ),
    (
        ["group"],
        {"equals": {"at": "return", "value": -1, "ranks": "outsiders"}},
        "With a group of ranks 0, 1, the returned value is `-1` on ranks outside the group.",
        "通信组只含 rank 0、1 时，在不属于该通信组的 rank 上，返回值为 `-1`。",
    ),
    (
        ["async", "sync"],
        {"equals": {"at": "tensor", "value": ["r0", None]}},
        "`tensor` is `['r0', None]`.",
        "`tensor` 为 `['r0', None]`。",
    ),
    (
        ["sync", "async"],
        {"result": {"at": "return", "formula": "rank"}},
        "On every rank, the returned value is the number of this rank in the group (`k`).",
        "在所有 rank 上，返回值为本 rank 在通信组中的编号（`k`）。",
    ),
    (
        [],
        {"prints": {"example": "torch.distributed.x/mindspore_recipe.py"}},
        "The recipe `torch.distributed.x/mindspore_recipe.py` prints what its docstring shows.",
        "组合写法 `torch.distributed.x/mindspore_recipe.py` 的输出与其文档字符串所示一致。",
    ),
]


@pytest.mark.parametrize(("probes", "kind", "en", "zh"), ROWS)
def test_sentence(probes: list, kind: dict, en: str, zh: str) -> None:
    text = phrase(msgspec.convert({"id": "it", "probes": probes, **kind}, Claim), API)
    assert (text.en, text.zh) == (en, zh)


CONSTANT = collective_api({"name": "mindspore.ops.ReduceOp.SUM", "kind": "constant", "probes": {"it": {}}})


@pytest.mark.parametrize(
    ("kind", "en", "zh"),
    [
        ({"equals": {"at": "return", "value": "sum"}}, "Its value is `'sum'`.", "它的值为 `'sum'`。"),
        ({"equals": {"at": "return", "value": "f(1)", "as_repr": True}}, "Its value is `f(1)`.", "它的值为 `f(1)`。"),
        ({"returns": {"structure": "str"}}, "It is a `str`.", "它的类型为 `str`。"),
    ],
)
def test_a_constant_is_not_called(kind: dict, en: str, zh: str) -> None:
    text = phrase(msgspec.convert({"id": "it", "probes": ["it"], **kind}, Claim), CONSTANT)
    assert (text.en, text.zh) == (en, zh)
    assert call(CONSTANT, "it") == "mindspore.ops.ReduceOp.SUM"


def p2p(op: str, plus: int) -> dict:
    called = {"op": {"api": f"torch.distributed.{op}"}, "tensor": {"shape": [2]}, "peer": {"rank_plus": plus}}
    return {"call": {"api": "torch.distributed.P2POp", "set": called}}


# (argument, as code)
ARGUMENTS = [
    ({"text": "r{rank} of {world}"}, "f'r{rank} of {world_size}'"),
    ({"text": "file:///tmp/x"}, "'file:///tmp/x'"),
    ({"none": True}, "None"),
    ({"rank_plus": 1}, "(rank + 1) % world_size"),
    ({"rank_plus": -1}, "(rank - 1) % world_size"),
    ({"rank_plus": 0}, "rank"),
    ({"seconds": 1.5}, "timedelta(seconds=1.5)"),
    ({"api": "torch.distributed.isend"}, "torch.distributed.isend"),
    ({"reduce_op": "MAX"}, "ReduceOp.MAX"),
    ({"tuple": [2]}, "(2,)"),
    ({"tuple": ["1*world", 2, "2*world"]}, "(world_size, 2, 2 * world_size)"),
    ({"list": []}, "[]"),
    ({"list": [], "as_tuple": True}, "()"),
    ({"list": ["dp", "tp"], "as_tuple": True}, "('dp', 'tp')"),
    ({"list": [{"none": True}, {"text": "x"}]}, "[None, 'x']"),
    ({"list": [{"shape": [1]}, {"none": True}]}, "x"),
    ({"each": {"none": True}}, "[None] * world_size"),
    ({"each": {"shape": [1]}}, "x"),
    ({"group": [0, 1]}, "x"),
    (
        p2p("irecv", 1),
        "torch.distributed.P2POp(op=torch.distributed.irecv, tensor=tensor, peer=(rank + 1) % world_size)",
    ),
    (
        {"list": [p2p("isend", 0), p2p("irecv", 0)]},
        "[torch.distributed.P2POp(op=torch.distributed.isend, tensor=tensor_0, peer=rank), "
        "torch.distributed.P2POp(op=torch.distributed.irecv, tensor=tensor_1, peer=rank)]",
    ),
]


@pytest.mark.parametrize(("argument", "code"), ARGUMENTS)
def test_argument_as_code(argument: dict, code: str) -> None:
    assert written_argument("x", msgspec.convert(argument, Input)) == code


def test_every_set_of_ranks_has_words() -> None:
    probes = ["sync", "async"]
    told = {
        (text.en, text.zh)
        for ranks in RankSet
        for text in [phrase(msgspec.convert({"id": "it", "probes": probes, "completes": {"ranks": ranks}}, Claim), API)]
    }
    assert len(told) == len(RankSet)


# Conditions that no probe of the API above has.
CONDITIONS: list[tuple[list[Condition], str, str]] = [
    (
        [Passes("everyone", "parts", ArgumentChange(Change.LENGTH, "1"))],
        "for a `parts` of length 1",
        "传入长度为 1 的 `parts` 时",
    ),
    (
        [Passes("everyone", "x", ArgumentChange(Change.MIXED_DTYPES, "float32, int64")), WorldSizes([3, 4])],
        "for a `x` with elements of dtypes float32, int64, with 3 or 4 ranks",
        "传入各元素 dtype 依次为 float32, int64 的 `x`，且 rank 数为 3 或 4 时",
    ),
    (
        [Passes("everyone", "x", ArgumentChange(Change.TENSOR, "(n,)"))],
        "for a tensor of shape `(n,)` as `x`",
        "传入形状为 `(n,)` 的张量作为 `x` 时",
    ),
    (
        [Passes("partner", "x", ArgumentChange(Change.CODE, "1"))],
        "when the rank at the other end passes `x=1`",
        "对端 rank 传入 `x=1` 时",
    ),
    ([Disagree("port", [], [])], "when each rank passes a `port` of its own", "各 rank 传入各自的 `port` 时"),
    (
        [Disagree("tag", [0, 1], ["1", "2"])],
        "when ranks 0 and 1 pass as `tag` `1` and `2`",
        "rank 0、1 传入的 `tag` 依次为 `1` 和 `2` 时",
    ),
    (
        [Without("a"), Without("b"), With("c", "1"), With("d", "2"), With("e", "3")],
        "without `a` and `b` and with `c=1`, `d=2` and `e=3`",
        "不传 `a` 和 `b`，且 `c=1`、`d=2` 和 `e=3` 时",
    ),
    (
        [Either([[With("a", "1")], [With("b", "2"), Without("c")]])],
        "with `a=1`, or with `b=2` and without `c`",
        "`a=1`，或 `b=2`，且不传 `c` 时",
    ),
    ([Happens(Situation.BEFORE_INIT)], "before communication is initialised", "通信尚未初始化时"),
]


@pytest.mark.parametrize(("given", "en", "zh"), CONDITIONS)
def test_conditions(given: list[Condition], en: str, zh: str) -> None:
    text = conditions_text(given, "dst")
    assert text is not None
    assert (text.en, spaced(text).zh) == (en, zh)


def test_every_formula_has_words_and_symbols() -> None:
    assert set(SYMBOLS) == set(Formula)


@pytest.mark.parametrize(
    ("probe", "code"),
    [
        ("sync", "torch.distributed.reduce(tensor=tensor, dst=0)"),
        ("async", "torch.distributed.reduce(tensor=tensor, dst=0, async_op=True)"),
        ("max", "torch.distributed.reduce(tensor=tensor, dst=0, op=ReduceOp.MAX)"),
        ("none", "torch.distributed.reduce(tensor=None, dst=0)"),
    ],
)
def test_call(probe: str, code: str) -> None:
    assert call(API, probe) == code


def test_primitives_are_called_in_two_steps() -> None:
    api = collective_api(
        {
            "name": "mindspore.ops.Reduce",
            "kind": "primitive",
            "constructor": ["dest_rank"],
            "probes": {"sync": {"set": {"dest_rank": 0, "x": {"shape": [1]}}}},
        }
    )
    assert call(api, "sync") == "mindspore.ops.Reduce(dest_rank=0)(x)"
