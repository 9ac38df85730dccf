"""The same call in float64, from the very same inputs: what the error of a call in fewer bits is measured against."""

from __future__ import annotations

import msgspec
import numpy as np
import numpy.typing as npt

from apidiff.execute.single.arrays import Arrays
from apidiff.model.sample import Arguments, SampleArgument, SampleCall, SampleForm, SampleInput

_SHORT = {"float32", "float16", "bfloat16"}


def exact_call(call: SampleCall) -> SampleCall | None:
    """``call`` with its floats, as they are in the dtype of ``call``, in float64; None where it has none that are shorter.

    A module is constructed with ``dtype=float64``; one that has no such parameter takes no float64 and gives no figure.
    """
    if call.dtype not in _SHORT or call.form is SampleForm.CODE:
        return None
    constructor = call.constructor
    if call.form is SampleForm.MODULE and call.state:
        named = {**constructor.kwargs, "dtype": SampleInput(framework_dtype="float64")}
        constructor = Arguments(args=constructor.args, kwargs=named)
    return msgspec.structs.replace(
        call,
        receiver=_widened_tensor(call.receiver, call.dtype) if call.receiver is not None else None,
        given=Arguments(
            args={name: _widened(value, call.dtype) for name, value in call.given.args.items()},
            kwargs={name: _widened(value, call.dtype) for name, value in call.given.kwargs.items()},
        ),
        constructor=constructor,
        state={name: _widened_tensor(value, call.dtype) for name, value in call.state.items()},
        dtype="float64",
        gradient=False,
    )


def _widened(value: SampleArgument, dtype: str) -> SampleArgument:
    if not isinstance(value, SampleInput):
        return value
    if value.is_tensor:
        return _widened_tensor(value, dtype)
    if value.framework_dtype in _SHORT:
        return SampleInput(framework_dtype="float64")
    parts = {key: getattr(value, key) for key in ("list", "tuple")}
    return msgspec.structs.replace(
        value, **{key: [_widened(item, dtype) for item in items] for key, items in parts.items() if items is not None}
    )


def _widened_tensor(tensor: SampleInput, dtype: str) -> SampleInput:
    own = tensor.dtype or dtype
    if tensor.values is None or own not in _SHORT:
        return tensor if tensor.dtype not in _SHORT else msgspec.structs.replace(tensor, dtype="float64")
    array, _ = Arrays(own, 0).make(tensor)
    kept = _as_bfloat16(array) if own == "bfloat16" else array
    return msgspec.structs.replace(tensor, values=_listed(kept.astype(np.float64).tolist()), dtype=None)


def _as_bfloat16(array: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The nearest numbers that bfloat16 has, ties to even; what is not finite stays."""
    bits = array.view(np.uint32) if array.ndim else array.reshape(1).view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)).view(np.float32).reshape(array.shape)
    return np.where(np.isfinite(array), rounded, array)


def _listed(values: object) -> object:
    """Numbers as a sample writes them."""
    if isinstance(values, list):
        return [_listed(value) for value in values]
    return values if isinstance(values, float) and np.isfinite(values) else str(values)
