"""Rows of (argument of the plain call, the probe's argument, how it differs), and what probes have in common."""

from __future__ import annotations

import msgspec
import pytest

from apidiff.derive import probe_conditions as probe_conditions_module
from apidiff.derive.argument_changes import ArgumentChange, Change, changes_of, is_shortened, shape_code
from apidiff.derive.probe_conditions import (
    Callers,
    Condition,
    Disagree,
    Either,
    Happens,
    OthersPassToo,
    OwnGroup,
    Passes,
    Switched,
    With,
    Without,
    WorldSizes,
    conditions,
    probe_conditions,
)
from apidiff.model.claim import Claim
from apidiff.model.probe import Argument, Situation
from tests.factories import collective_api

TENSOR, LIST = {"shape": [2]}, {"each": {"shape": [2]}}
PAIR = {"list": [TENSOR, TENSOR]}
CHANGES: list[tuple[object, object, list[tuple[Change, str]]]] = [
    (0, 1, [(Change.CODE, "1")]),
    (TENSOR, None, [(Change.CODE, "None")]),
    (None, {"reduce_op": "MAX"}, [(Change.CODE, "ReduceOp.MAX")]),
    (TENSOR, {"list": []}, [(Change.EMPTY_LIST, "")]),
    (None, {"list": [{"group": []}]}, [(Change.OTHER_FORM, "")]),
    (None, TENSOR, [(Change.TENSOR, "(2,)")]),
    (LIST, TENSOR, [(Change.TENSOR, "(2,)")]),
    (None, LIST, [(Change.TENSORS, "(2,)")]),
    (TENSOR, PAIR, [(Change.TENSORS, "(2,)")]),
    (PAIR, PAIR | {"as_tuple": True}, [(Change.TUPLE, "")]),
    (PAIR | {"as_tuple": True}, PAIR, [(Change.LIST, "")]),
    (TENSOR, TENSOR | {"fill": "sentinel"}, []),
    (TENSOR, {"shape": [0, 2]}, [(Change.EMPTY, "")]),
    ({"shape": [0]}, {"shape": [0, 2]}, [(Change.SHAPE, "(0, 2)")]),
    (LIST, {"each": {"shape": [0]}}, [(Change.EMPTY_ELEMENTS, "")]),
    (
        LIST,
        {"list": [TENSOR, {"shape": [2], "dtype": "int64"}]},
        [(Change.MIXED_DTYPES, "float32, int64"), (Change.LENGTH, "2")],
    ),
    (TENSOR, TENSOR | {"dtype": "int64"}, [(Change.DTYPE, "int64")]),
    (LIST, {"each": TENSOR | {"dtype": "int64"}}, [(Change.DTYPE_OF_ELEMENTS, "int64")]),
    (TENSOR, TENSOR | {"layout": "strided"}, [(Change.STRIDED, "")]),
    (LIST, {"each": TENSOR | {"layout": "strided"}}, [(Change.STRIDED_ELEMENTS, "")]),
    (LIST, {"list": [TENSOR, {"shape": [3]}]}, [(Change.UNEQUAL_SHAPES, "(2,), (3,)")]),
    (LIST, {"list": [TENSOR]}, [(Change.LENGTH, "1")]),
    (PAIR, {"list": [TENSOR]}, [(Change.LENGTH, "1")]),
    (TENSOR, {"shape": [3]}, [(Change.SHAPE, "(3,)")]),
    (LIST, {"each": {"shape": [3]}}, [(Change.SHAPE_OF_ELEMENTS, "(3,)")]),
    # Several at once: none hides another.
    (
        TENSOR,
        {"shape": [3], "dtype": "int64", "layout": "strided"},
        [(Change.DTYPE, "int64"), (Change.STRIDED, ""), (Change.SHAPE, "(3,)")],
    ),
]


@pytest.mark.parametrize(("before", "value", "changes"), CHANGES)
def test_how_an_argument_differs(before: object, value: object, changes: list[tuple[Change, str]]) -> None:
    plain, given = (msgspec.convert(argument, Argument) for argument in (before, value))
    assert [(change.change, change.detail) for change in changes_of("x", plain, given)] == changes


@pytest.mark.parametrize(
    ("shape", "code"), [([], "()"), ([3], "(3,)"), (["1*world"], "(n,)"), (["2*world", 3], "(2·n, 3)")]
)
def test_shapes_are_written_as_python_writes_them(shape: list[int | str], code: str) -> None:
    assert shape_code(shape) == code


NONE = {"none": True}
# (the argument of the canonical call, the argument for a group of two, whether it only follows from the size)
SHORTENED = [
    (LIST, PAIR, True),
    (LIST, {"list": [TENSOR]}, False),
    (LIST, {"list": [TENSOR, {"shape": [3]}]}, False),
    ({"each": NONE}, {"list": [None, None]}, True),
    ({"shape": ["2*world"]}, {"shape": [4]}, True),
    ({"shape": ["2*world"]}, {"shape": [5]}, False),
    (TENSOR, None, False),
    (None, TENSOR, False),
]


@pytest.mark.parametrize(("before", "value", "follows"), SHORTENED)
def test_what_follows_from_the_size_of_a_group_is_no_change(before: object, value: object, *, follows: bool) -> None:
    plain, given = (msgspec.convert(argument, Argument) for argument in (before, value))
    assert is_shortened(plain, given, 2) is follows


API = collective_api(
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
            "late": {"like": "sync", "set": {"timeout": {"seconds": 2}}, "ranks": [0, 1], "world_sizes": [3]},
            "refused": {"like": "sync", "set": {"tensor": None}, "world_sizes": [3]},
            "ports": {"like": "sync", "on_rank": {"0": {"port": 1}, "1": {"port": 2}}},
            "counts": {"like": "sync", "on_rank": {"0": {"tag": 1}, "1": {"tag": 2}}},
        },
    }
)


def passes(who: object, name: str, change: Change, detail: str = "", usual: str = "") -> Passes:
    return Passes(who, name, ArgumentChange(change, detail, usual))  # type: ignore[arg-type]


PROBES: list[tuple[str, list[Condition]]] = [
    ("sync", []),
    ("async", [With("async_op", "True")]),
    ("max", [With("async_op", "True"), With("op", "ReduceOp.MAX")]),
    ("no-dst", [Without("dst")]),
    ("group", [OwnGroup("group", [0, 1], by_name=False)]),
    ("by-name", [OwnGroup("group", [], by_name=True)]),
    ("empty", [passes("everyone", "tensor", Change.EMPTY)]),
    ("one-int", [passes(1, "tensor", Change.DTYPE, "int64")]),
    ("uneven", [Disagree("tensor", [1, 2], ["(3,)", "(4,)"], in_shape=True)]),
    ("ports", [Disagree("port", [], [])]),
    ("counts", [Disagree("tag", [0, 1], ["1", "2"])]),
    ("others", [passes("others", "tensor", Change.CODE, "None"), OthersPassToo("parts")]),
    ("returned", [Switched(value=False)]),
    ("p2p", [Callers([0], [1], "torch.distributed.recv")]),
    ("late", [Callers([0, 1]), With("timeout", "timedelta(seconds=2)"), WorldSizes([3])]),
    # That three ranks are enough to try it changes nothing.
    ("refused", [With("tensor", "None")]),
    # Made from no other probe, it is compared with the canonical call all the same.
    (
        "alone",
        [
            passes("everyone", "tensor", Change.SHAPE, "(3,)", "(2,)"),
            With("dst", "(rank + 1) % world_size", next_rank=True),
            With("tag", "1"),
        ],
    ),
]


@pytest.mark.parametrize(("probe", "found"), PROBES)
def test_what_a_probe_sets_beyond_the_canonical_call(probe: str, found: list[Condition]) -> None:
    assert probe_conditions(API, probe) == found


def test_a_claim_that_is_cited_often_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at, found = list[str](), probe_conditions_module._found
    monkeypatch.setattr(probe_conditions_module, "_found", lambda one, api: looked_at.append(one.id) or found(one, api))
    first, other = claim("default"), claim("default")
    assert conditions(first, API) == conditions(first, API) == conditions(other, API)
    assert len(looked_at) == 2  # the other may say something else under its name


def test_an_argument_that_the_canonical_call_chose_is_told() -> None:
    probes = {"default": {"set": {"group": {"group": [1, 2]}, "global_rank": 2, "tensor": TENSOR, "dst": 0}}}
    api = collective_api({"name": "torch.distributed.reduce", "root": "dst", "probes": probes})
    assert probe_conditions(api, "default") == [With("global_rank", "2"), OwnGroup("group", [1, 2], by_name=False)]


def test_what_others_always_pass_is_told_where_they_are_spoken_of() -> None:
    probes = {"sync": {"set": {"tensor": TENSOR, "dst": 0, "parts": LIST}, "on_rank": {"others": {"parts": None}}}}
    api = collective_api({"name": "torch.distributed.reduce", "root": "dst", "probes": probes})
    assert probe_conditions(api, "sync") == []
    assert conditions(claim("sync", completes={"ranks": "others"}), api) == [
        passes("others", "parts", Change.CODE, "None")
    ]


def test_what_the_other_end_passes_is_told_where_the_caller_does_not_pass_it() -> None:
    def sent(dtype: str, tag: int) -> dict[str, object]:
        given = {"tensor": {"shape": [2], "dtype": dtype}, "tag": tag}
        return {"api": "torch.distributed.recv", "ranks": [1], "set": given}

    probes = {
        "sync": {"set": {"tensor": TENSOR}, "ranks": [0], "partner": sent("float32", 0)},
        "int64": {"set": {"tensor": TENSOR | {"dtype": "int64"}}, "ranks": [0], "partner": sent("int64", 1)},
    }
    api = collective_api({"name": "torch.distributed.send", "probes": probes})
    assert probe_conditions(api, "int64") == [
        Callers([0], [1], "torch.distributed.recv"),
        passes("everyone", "tensor", Change.DTYPE, "int64"),
        passes("partner", "tag", Change.CODE, "1"),
    ]


def claim(*probes: str, **kind: object) -> Claim:
    return msgspec.convert({"id": "it", "probes": list(probes), **(kind or {"completes": {}})}, Claim)


SHARED: list[tuple[Claim, list[Condition]]] = [
    (claim("async", "max"), [With("async_op", "True")]),
    (claim("empty", "empty-2d"), [passes("everyone", "tensor", Change.EMPTY)]),
    (
        claim("async", "empty", keeps={"argument": "tensor"}),
        [Either([[With("async_op", "True")], [passes("everyone", "tensor", Change.EMPTY)]])],
    ),
    (claim("sync", "async", keeps={"argument": "tensor"}), []),
    (claim("sync", returns={"structure": "None"}), [With("async_op", "False")]),
    (
        claim("p2p", returns={"structure": "None"}),
        [Callers([0], [1], "torch.distributed.recv"), With("async_op", "False")],
    ),
    (claim("sync", keeps={"argument": "tensor"}), []),
    (claim(when={"set": {"dst": 99}}, raises={}), [Without("tensor"), Without("parts"), With("dst", "99")]),
    (claim(when={"like": "sync", "situation": "before-init"}, raises={}), [Happens(Situation.BEFORE_INIT)]),
]


@pytest.mark.parametrize(("given", "found"), SHARED)
def test_what_all_probes_of_a_claim_have_in_common(given: Claim, found: list[Condition]) -> None:
    assert conditions(given, API) == found
