"""Makes the arguments of a probe on one rank."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any, Protocol

import numpy.typing as npt

from apidiff.execute.contents import filled, filled_around
from apidiff.execute.layouts import View, make_parts, make_view
from apidiff.execute.ranks.api_lookup import find
from apidiff.model.mapping import Api
from apidiff.model.probe import PARTS_OF_ONE, Argument, Input, Layout, Partner, tensors_in
from apidiff.model.probe_resolution import partner, resolve, root_rank


class Maker(Protocol):
    """What an adapter makes of its framework's own objects, and where it stands in the world."""

    rank: int
    world_size: int

    def make_tensor(self, array: npt.NDArray[Any], dtype: str, *, strided: bool) -> Any: ...
    def reduce_op(self, name: str) -> Any: ...
    def group(self, ranks: list[int], *, by_name: bool, timeout: float | None) -> Any: ...


class Inputs:
    """The arguments of one probe for the rank of ``maker``. ``views``: those made so far that are parts of larger tensors."""

    def __init__(self, maker: Maker, api: Api, probe: str) -> None:
        self._maker, self._api, self._probe = maker, api, probe
        self.views: list[View] = []
        self._parts: Iterator[View] = iter(())  # those of one tensor that the argument under way has not got yet

    def make_groups(self) -> None:
        """Creates every group that any rank passes, on all ranks alike: creating one is itself a collective in torch."""
        arguments, overrides = resolve(self._api, self._probe)
        other = partner(self._api, self._probe)
        given = [*arguments.values(), *(value for changes in overrides.values() for value in changes.values())]
        for value in _groups([*given, *(other.set.values() if other else ())]):
            self._make(value, [0])

    def of_caller(self) -> dict[str, Any]:
        """Makes what this rank passes to the API."""
        arguments, overrides = resolve(self._api, self._probe)
        root = root_rank(self._api, self._probe)
        changes = overrides.get(str(self._maker.rank), {})
        if "others" in overrides and self._maker.rank != (root or 0):
            changes = overrides["others"] | changes
        return self._made(arguments | changes)

    def of_partner(self, other: Partner) -> dict[str, Any]:
        """Makes what this rank passes to the partner's API."""
        return self._made(other.set)

    def _made(self, arguments: dict[str, Argument]) -> dict[str, Any]:
        made = {}
        for key, value in arguments.items():
            self._parts = iter(self._parts_of_one(value))
            made[key] = self._make(value, [0])
        return made

    def _parts_of_one(self, value: Argument) -> list[View]:
        """Makes the tensors of an argument that are to be parts of one larger tensor, in their order."""
        tensors = [tensor for tensor in tensors_in(value) if tensor.layout in PARTS_OF_ONE]
        if not tensors:
            return []
        if isinstance(value, Input) and value.each is not None:
            tensors *= self._maker.world_size
        counted = [0]
        arrays = [self._filled(tensor, counted) for tensor in tensors]
        first, elements = tensors[0], sum(array.size for array in arrays)
        around = filled_around(2 * elements, first.dtype, self._maker.rank, world_size=self._maker.world_size)
        views = make_parts(
            arrays, first.layout, around, lambda whole: self._maker.make_tensor(whole, first.dtype, strided=False)
        )
        self.views += views
        return views

    def _make(self, value: Argument, counted: list[int]) -> Any:
        """``counted``: how many elements the tensors of this argument have so far."""
        if not isinstance(value, Input):
            return value
        if value.shape is not None:
            return self._tensor(value, counted)
        if value.each is not None:
            return [self._make(value.each, counted) for _ in range(self._maker.world_size)]
        if value.list is not None:
            items = [self._make(item, counted) for item in value.list]
            return tuple(items) if value.as_tuple else items
        if value.tuple is not None:
            return tuple(self._dimension(size) for size in value.tuple)
        if value.call is not None:
            return find(value.call.api)(**{key: self._make(item, counted) for key, item in value.call.set.items()})
        return self._single(value)

    def _single(self, value: Input) -> Any:
        """Makes an argument that neither is a tensor nor holds other arguments."""
        rank, world_size = self._maker.rank, self._maker.world_size
        if value.none is not None:
            return None
        if value.reduce_op is not None:
            return self._maker.reduce_op(value.reduce_op)
        if value.text is not None:
            return value.text.replace("{rank}", str(rank)).replace("{world}", str(world_size))
        if value.rank_plus is not None:
            return (rank + value.rank_plus) % world_size
        if value.seconds is not None:
            return timedelta(seconds=value.seconds)
        if value.api is not None:
            return find(value.api)
        ranks = [rank for rank in value.group or [] if rank < world_size] or list(range(world_size))
        return self._maker.group(ranks, by_name=value.by_name, timeout=value.timeout)

    def _filled(self, value: Input, counted: list[int]) -> npt.NDArray[Any]:
        sizes = [self._dimension(size) for size in value.shape or ()]
        array = filled(sizes, value.dtype, self._maker.rank, counted[0], value.fill, world_size=self._maker.world_size)
        counted[0] += array.size
        return array

    def _tensor(self, value: Input, counted: list[int]) -> Any:
        if value.layout in PARTS_OF_ONE:
            return next(self._parts).tensor
        rank, world_size = self._maker.rank, self._maker.world_size
        array = self._filled(value, counted)
        if value.layout is Layout.CONTIGUOUS:
            return self._maker.make_tensor(array, value.dtype, strided=False)
        around = filled_around(3 * array.size, value.dtype, rank, world_size=world_size)
        view = make_view(
            array, value.layout, around, lambda whole: self._maker.make_tensor(whole, value.dtype, strided=False)
        )
        self.views.append(view)
        return view.tensor

    def _dimension(self, value: int | str) -> int:
        return value if isinstance(value, int) else int(value.split("*")[0]) * self._maker.world_size


def _groups(values: Iterable[Argument]) -> Iterator[Input]:
    """Finds the groups among arguments, those inside lists and calls included."""
    for value in values:
        if not isinstance(value, Input):
            continue
        if value.group is not None:
            yield value
        yield from _groups([*(value.list or ()), *([value.each] if value.each else ())])
        yield from _groups(value.call.set.values() if value.call else ())
