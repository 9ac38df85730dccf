"""Parts of larger tensors: which memory they take, and what a trace tells of the rest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from apidiff.execute.layouts import buffer_shape, make_parts, make_view
from apidiff.execute.world import World
from apidiff.model.probe import Layout
from apidiff.model.trace import ObjectDump, RankTrace, SequenceDump, TensorDump

AROUND = -np.arange(1, 30, dtype=np.float32)
# layout, shape, what the whole memory then holds; the part holds 1, 2, …
MADE = [
    (Layout.SLICE, (2,), [-1, -2, 1, 2, -5, -6]),
    (Layout.CHUNK, (2,), [-1, -2, 1, 2, -5, -6]),
    (Layout.HEAD, (2,), [1, 2, -3, -4, -5, -6]),
    (Layout.ROW, (2,), [-1, -2, 1, 2, -5, -6]),
    (Layout.FIRST_ROW, (2,), [1, 2, -3, -4, -5, -6]),
    (Layout.STRIDED, (2,), [1, -2, 2, -4]),
    (Layout.TRANSPOSED, (2, 2), [1, 3, 2, 4]),
    (Layout.HEAD_CONTIGUOUS, (2,), [1, 2, -3, -4, -5, -6]),
    (Layout.SLICE_COPIED, (2,), [-1, -2, 1, 2, -5, -6]),
    (Layout.SLICE, (1, 2), [-1, -2, 1, 2, -5, -6]),
]


@pytest.mark.parametrize(("layout", "shape", "whole"), MADE)
def test_a_part_lies_where_its_layout_says(layout: Layout, shape: tuple[int, ...], whole: list[float]) -> None:
    values = np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)
    view = make_view(values, layout, AROUND, torch.tensor)
    assert view.tensor.tolist() == values.tolist()
    assert view.buffer.ravel().tolist() == whole
    assert [whole[place] for place in view.places] == values.ravel().tolist()
    shares = view.tensor.untyped_storage().data_ptr() == view.buffer.untyped_storage().data_ptr()
    assert shares is (layout is not Layout.SLICE_COPIED)


@pytest.mark.parametrize(("layout", "shape"), [(Layout.TRANSPOSED, (3,)), (Layout.SLICE, ())])
def test_what_cannot_be_a_part_is_refused(layout: Layout, shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=layout.value):
        buffer_shape(layout, shape)


# layout, what the whole memory of three parts holds that hold 1 and 2, 3 and 4, 5 and 6
PARTS = [(Layout.CHUNKS, [1, 2, 3, 4, 5, 6]), (Layout.ROWS, [1, 2, 3, 4, 5, 6, -7, -8])]


@pytest.mark.parametrize(("layout", "whole"), PARTS)
def test_parts_of_one_share_its_memory(layout: Layout, whole: list[float]) -> None:
    values = [np.array([first, first + 1], dtype=np.float32) for first in (1, 3, 5)]
    views = make_parts(values, layout, AROUND, torch.tensor)
    assert [view.tensor.tolist() for view in views] == [[1, 2], [3, 4], [5, 6]]
    assert [view.places for view in views] == [[0, 1], [2, 3], [4, 5]]
    assert {view.buffer.untyped_storage().data_ptr() for view in views} == {
        view.tensor.untyped_storage().data_ptr() for view in views
    }
    assert views[0].buffer.ravel().tolist() == whole


def test_parts_of_one_are_alike() -> None:
    with pytest.raises(ValueError, match="chunks"):
        make_parts([np.zeros(2), np.zeros(3)], Layout.CHUNKS, AROUND, torch.tensor)


def test_a_trace_tells_of_the_memory_that_listed_parts_share(
    gloo_world: World, call: Callable[..., list[RankTrace]]
) -> None:
    given = {"tensor": {"shape": [1]}, "tensor_list": {"each": {"shape": [1], "fill": "sentinel", "layout": "rows"}}}
    for rank, trace in enumerate(call(gloo_world, "torch.distributed.all_gather", {"set": given})):
        after = trace.after["tensor_list"]
        assert isinstance(after, SequenceDump)
        buffers = [item.buffer for item in after.items if isinstance(item, TensorDump)]
        rest = -5 * 10**rank
        assert [buffer and (buffer.values, buffer.places) for buffer in buffers] == [
            ([1, 10, 100, rest], [place]) for place in range(3)
        ]


def test_a_trace_tells_of_parts_in_listed_calls(gloo_world: World, call: Callable[..., list[RankTrace]]) -> None:
    part = {"shape": [1], "layout": "slice"}
    send, receive = (
        {"call": {"api": "torch.distributed.P2POp", "set": {"op": {"api": f"torch.distributed.{op}"}, **given}}}
        for op, given in (
            ("isend", {"tensor": part, "peer": {"rank_plus": 1}}),
            ("irecv", {"tensor": {**part, "fill": "sentinel"}, "peer": {"rank_plus": -1}}),
        )
    )
    probe = {"set": {"p2p_op_list": {"list": [send, receive]}}}
    for rank, trace in enumerate(call(gloo_world, "torch.distributed.batch_isend_irecv", probe)):
        after = trace.after["p2p_op_list"]
        assert isinstance(after, SequenceDump)
        held = after.items[1]
        assert isinstance(held, ObjectDump)
        buffer = held.tensors["tensor"].buffer
        assert buffer is not None
        assert buffer.values == [-2 * 10**rank, 10 ** ((rank - 1) % 3), -4 * 10**rank]


def test_a_trace_holds_the_whole_before_and_after(gloo_world: World, call: Callable[..., list[RankTrace]]) -> None:
    probe = {"set": {"tensor": {"shape": [1], "layout": "slice"}}}
    for rank, trace in enumerate(call(gloo_world, "torch.distributed.all_reduce", probe)):
        before, after = trace.before["tensor"], trace.after["tensor"]
        assert isinstance(before, TensorDump)
        assert isinstance(after, TensorDump)
        assert before.buffer is not None
        assert after.buffer is not None
        assert before.buffer.values == [-2 * 10**rank, 10**rank, -4 * 10**rank]
        assert after.buffer.values == [-2 * 10**rank, 111, -4 * 10**rank]
        assert (after.buffer.places, after.buffer.storage) == ([1], after.storage)


def test_a_trace_names_bfloat16(gloo_world: World, call: Callable[..., list[RankTrace]]) -> None:
    probe = {"set": {"tensor": {"shape": [2], "dtype": "bfloat16", "fill": "small"}}}
    for trace in call(gloo_world, "torch.distributed.all_reduce", probe):
        after = trace.after["tensor"]
        assert isinstance(after, TensorDump)
        assert (after.dtype, after.values) == ("bfloat16", [7, 14])
