"""Rows of (argument of the plain call, the probe's argument, how it differs), and what probes have in common."""

from __future__ import annotations

import msgspec
import pytest

from apidiff.derive.conditions import (
    Callers,
    Change,
    Condition,
    Disagree,
    OthersPassToo,
    OwnGroup,
    Passes,
    Switched,
    With,
    Without,
    change_of,
    conditions,
    probe_conditions,
)
from apidiff.model.claim import Claim
from apidiff.model.mapping import Api
from apidiff.model.probe import Argument

TENSOR, LIST = {"shape": [2]}, {"each": {"shape": [2]}}
CHANGES = [
    (0, 1, Change.CODE),
    (TENSOR, None, Change.CODE),
    (None, {"reduce_op": "MAX"}, Change.CODE),
    (TENSOR, {"list": []}, Change.EMPTY_LIST),
    (None, TENSOR, Change.OTHER_FORM),
    (TENSOR, {"shape": [0, 2]}, Change.EMPTY),
    (LIST, {"each": {"shape": [0]}}, Change.EMPTY_ELEMENTS),
    (None, LIST, Change.TENSORS),
    (LIST, {"list": [{"shape": [2]}, {"shape": [2], "dtype": "int64"}]}, Change.MIXED_DTYPES),
    (TENSOR, {"shape": [2], "dtype": "int64"}, Change.DTYPE),
    (LIST, {"each": {"shape": [2], "dtype": "int64"}}, Change.DTYPE_OF_ELEMENTS),
    (TENSOR, {"shape": [2], "layout": "strided"}, Change.STRIDED),
    (LIST, {"each": {"shape": [2], "layout": "strided"}}, Change.STRIDED_ELEMENTS),
    (LIST, {"list": [{"shape": [2]}, {"shape": [3]}]}, Change.UNEQUAL_SHAPES),
    (LIST, {"list": [{"shape": [2]}]}, Change.LENGTH),
    (TENSOR, {"shape": [3]}, Change.SHAPE),
    (LIST, {"each": {"shape": [3]}}, Change.SHAPE_OF_ELEMENTS),
]


@pytest.mark.parametrize(("before", "value", "change"), CHANGES)
def test_how_an_argument_differs(before: object, value: object, change: Change) -> None:
    plain, given = (msgspec.convert(argument, Argument) for argument in (before, value))
    assert change_of(plain, given) is change


def test_another_shape_on_one_rank_is_unlike_the_others() -> None:
    plain, given = (msgspec.convert({"shape": shape}, Argument) for shape in ([2], [3]))
    assert change_of(plain, given, one_rank=True) is Change.SHAPE_UNLIKE_OTHERS


API = msgspec.convert(
    {
        "name": "torch.distributed.reduce",
        "root": "dst",
        "probes": {
            "sync": {"set": {"tensor": TENSOR, "dst": 0, "parts": LIST}},
            "async": {"like": "sync", "set": {"async_op": True}},
            "max": {"like": "async", "set": {"op": {"reduce_op": "MAX"}}},
            "no-dst": {"like": "sync", "drop": ["dst"]},
            "group": {"like": "sync", "set": {"group": {"group": [0, 1]}, "parts": {"list": [TENSOR, TENSOR]}}},
            "by-name": {"like": "sync", "set": {"group": {"group": [], "by_name": True}}},
            "empty": {"like": "sync", "set": {"tensor": {"shape": [0]}}},
            "empty-2d": {"like": "sync", "set": {"tensor": {"shape": [0, 3]}}},
            "one-int": {"like": "sync", "on_rank": {"1": {"tensor": {"shape": [2], "dtype": "int64"}}}},
            "uneven": {"like": "sync", "on_rank": {"1": {"tensor": {"shape": [3]}}, "2": {"tensor": {"shape": [4]}}}},
            "others": {"like": "sync", "on_rank": {"others": {"parts": LIST, "tensor": None}}},
            "returned": {"like": "sync", "inplace_switch": False},
            "p2p": {"like": "sync", "ranks": [0], "partner": {"api": "torch.distributed.recv", "ranks": [1]}},
            "alone": {"set": {"tensor": {"shape": [3]}, "dst": {"rank_plus": 1}, "parts": LIST, "tag": 1}},
        },
    },
    Api,
)
PROBES: list[tuple[str, list[Condition]]] = [
    ("sync", []),
    ("async", [With("async_op", "True")]),
    ("max", [With("async_op", "True"), With("op", "ReduceOp.MAX")]),
    ("no-dst", [Without("dst")]),
    ("group", [OwnGroup("group", [0, 1], by_name=False)]),
    ("by-name", [OwnGroup("group", [], by_name=True)]),
    ("empty", [Passes("everyone", "tensor", Change.EMPTY)]),
    ("one-int", [Passes(1, "tensor", Change.DTYPE, "int64")]),
    ("uneven", [Disagree("tensor", in_shape=True)]),
    ("others", [OthersPassToo("parts"), Passes("others", "tensor", Change.CODE, "None")]),
    ("returned", [Switched(value=False)]),
    ("p2p", [Callers([0], [1], "torch.distributed.recv")]),
]


@pytest.mark.parametrize(("probe", "found"), PROBES)
def test_what_a_probe_sets_beyond_the_plain_call(probe: str, found: list[Condition]) -> None:
    assert probe_conditions(API, probe) == found


def claim(*probes: str, **kind: object) -> Claim:
    return msgspec.convert({"id": "it", "probes": list(probes), **(kind or {"completes": {}})}, Claim)


SHARED: list[tuple[Claim, list[Condition]]] = [
    (claim("async", "max"), [With("async_op", "True")]),
    (claim("empty", "empty-2d"), [Passes("everyone", "tensor", Change.EMPTY)]),
    (claim("async", "empty", keeps={"argument": "tensor"}), []),
    (claim("sync", returns={"structure": "None"}), [With("async_op", "False")]),
    (claim("sync", keeps={"argument": "tensor"}), []),
    # Made from no other probe: what only comes of that, a shape or the next rank, is left out.
    (claim("alone"), [With("tag", "1")]),
    (claim("alone", keeps={"argument": "tensor"}), []),
]


@pytest.mark.parametrize(("one", "found"), SHARED)
def test_what_all_probes_of_a_claim_have_in_common(one: Claim, found: list[Condition]) -> None:
    assert conditions(one, API) == found
