"""Compares what a returned tensor shares with the given ones on both sides: the object, the storage or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from apidiff.model.trace import TensorDump


class SharedMemory:
    """What tensors that were returned share with those that both sides were given, ``source`` and ``target`` by slot.

    Each label of an object or a storage stands with a number that has a bit for every slot with that label. So a tensor is
    compared with all slots at once: one by one, a few files of hundreds of tensors took minutes.
    """

    def __init__(self, source: Mapping[str, TensorDump], target: Mapping[str, TensorDump]) -> None:
        self._source, self._target = source, target
        self._slots = [slot for slot in source if slot in target]
        given = [source[slot] for slot in self._slots], [target[slot] for slot in self._slots]
        self._objects = [_places(tensor.object for tensor in side) for side in given]
        self._storages = [_places(tensor.storage for tensor in side) for side in given]

    def unlike(self, mine: TensorDump, theirs: TensorDump) -> Iterator[tuple[str, str, str]]:
        """The slots, in the source's order, with which ``mine``, returned by the source, shares something else than ``theirs``.

        Each with what either shares there.
        """
        objects = self._objects[0].get(mine.object, 0), self._objects[1].get(theirs.object, 0)
        storages = self._storages[0].get(mine.storage, 0), self._storages[1].get(theirs.storage, 0)
        # The object on one side only; or on neither, and the storage on one side only.
        places = (objects[0] ^ objects[1]) | ((storages[0] ^ storages[1]) & ~(objects[0] | objects[1]))
        while places:
            slot = self._slots[(places & -places).bit_length() - 1]  # that of the lowest bit
            places &= places - 1
            yield slot, _shares(mine, self._source[slot]), _shares(theirs, self._target[slot])


def _places(labels: Iterable[int]) -> dict[int, int]:
    """By label, a number with the bits of all places where it stands."""
    places: dict[int, int] = {}
    for place, label in enumerate(labels):
        places[label] = places.get(label, 0) | 1 << place
    return places


def _shares(one: TensorDump, other: TensorDump) -> str:
    """What two tensors of one trace have in common: object, storage or nothing. Empty tensors share no storage."""
    if one.object == other.object:
        return "object"
    return "storage" if one.storage == other.storage else "nothing"
