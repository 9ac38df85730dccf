"""Records values as traces do: tensors with contents and labels for storage and identity, structures, anything else."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from apidiff.execute.layouts import View
from apidiff.model.trace import BufferDump, Number, ObjectDump, ScalarDump, SequenceDump, TensorDump, Value

_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")


class Tensors(Protocol):
    """What an adapter tells of its framework's tensors."""

    def is_tensor(self, value: object) -> bool: ...
    def to_numpy(self, tensor: Any) -> npt.NDArray[Any]: ...
    def storage(self, tensor: Any) -> object: ...
    def contiguous(self, tensor: Any) -> bool: ...


class Snapshot:
    """Dumps values of one trace. Storage and objects get numbers in the order they are first seen.

    Objects are kept alive until the snapshot is dropped, so that an address is not given to two of them.
    """

    def __init__(self, tensors: Tensors) -> None:
        self._tensors = tensors
        self._alive: list[object] = []
        self._views: dict[int, View] = {}
        self._objects: dict[int, int] = {}
        self._storages: dict[object, int] = {}

    def watch(self, views: Iterable[View]) -> None:
        """Dumps from now on the larger tensors that ``views`` are parts of along with these."""
        self._views |= {id(view.tensor): view for view in views}

    def dump(self, value: Any) -> Value:
        """The value as JSON-ready record."""
        if value is None or isinstance(value, bool | int | float | str):
            return ScalarDump(value=encodable(value) if isinstance(value, str) else value)
        if self._tensors.is_tensor(value):
            return self._tensor(value)
        number = self._number(value)
        if isinstance(value, list | tuple):
            return SequenceDump(type=type(value).__name__, items=[self.dump(item) for item in value], object=number)
        bases = [base.__name__ for base in type(value).__mro__[1:]]
        text = _ADDRESS.sub("0x…", encodable(written(value)))[:200]
        held = {name: item for name, item in getattr(value, "__dict__", {}).items() if self._tensors.is_tensor(item)}
        tensors = {name: self._tensor(item) for name, item in held.items() if not name.startswith("_")}
        return ObjectDump(type=type(value).__name__, bases=bases, text=text, tensors=tensors, object=number)

    def _tensor(self, tensor: Any) -> TensorDump:
        number = self._number(tensor)
        array = self._tensors.to_numpy(tensor)
        storage = self._tensors.storage(tensor)
        return TensorDump(
            type=type(tensor).__name__,
            dtype=self.dtype(tensor, array),
            shape=list(array.shape),
            values=self.values(array),
            contiguous=self._tensors.contiguous(tensor),
            storage=self._storages.setdefault(storage, len(self._storages)),
            object=number,
            buffer=self._buffer(self._views[id(tensor)]) if id(tensor) in self._views else None,
        )

    def _buffer(self, view: View) -> BufferDump:
        storage = self._tensors.storage(view.buffer)
        return BufferDump(
            values=self.values(self._tensors.to_numpy(view.buffer)),
            places=view.places,
            storage=self._storages.setdefault(storage, len(self._storages)),
        )

    def dtype(self, tensor: Any, array: npt.NDArray[Any]) -> str:
        """The name of a tensor's dtype; ``array`` holds its values."""
        # NumPy lacks bfloat16: its values come as float32.
        return "bfloat16" if "bfloat16" in str(tensor.dtype).lower() else str(array.dtype)

    def values(self, array: npt.NDArray[Any]) -> list[Number]:
        """The values of a tensor as JSON holds them, row by row."""
        if array.dtype.name == "bfloat16":  # the numbers of MindSpore's own NumPy dtype are no Python floats
            array = array.astype(np.float32)
        return [_number(item) for item in array.ravel().tolist()]

    def _number(self, value: object) -> int:
        self._alive.append(value)
        return self._objects.setdefault(id(value), len(self._objects))


def encodable(text: str) -> str:
    """``text`` as JSON can hold it: surrogates that stand alone are written out."""
    return text.encode("utf-8", "backslashreplace").decode()


def written(value: object) -> str:
    """The ``repr`` of a value, that of a dictionary or a set in the order of its keys: the same in every process."""
    if type(value) is dict:
        pairs = sorted((repr(key), written(item)) for key, item in value.items())
        return f"{{{', '.join(f'{key}: {item}' for key, item in pairs)}}}"
    if type(value) in {set, frozenset} and value:
        return f"{type(value).__name__}({{{', '.join(sorted(map(repr, value)))}}})"  # type: ignore[call-overload]
    return repr(value)


def _number(value: complex) -> Number:
    if isinstance(value, complex):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value
