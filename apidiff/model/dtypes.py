"""The dtypes that a trace may name: a closed list, with the values each holds and the NumPy dtype that carries them."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import msgspec

from apidiff.model.trace import Number


class Dtype(NamedTuple):
    """What a dtype holds.

    ``kind``: b, i, f or c. ``carrier``: NumPy's dtype for the values. ``lowest`` and ``highest``: the finite bounds, of a
    complex number those of each part.
    """

    kind: str
    carrier: str
    lowest: float = 0
    highest: float = 0


def _integers() -> dict[str, Dtype]:
    named = {}
    for bits in (8, 16, 32, 64):
        named[f"int{bits}"] = Dtype("i", f"int{bits}", -(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        named[f"uint{bits}"] = Dtype("i", f"uint{bits}", 0, 2**bits - 1)
    return named


def _floats() -> dict[str, Dtype]:
    # A value is written with no more digits than its precision needs, which may round the largest one up.
    above = 1 + 1e-3
    # Not as far as where the carrier has infinity in its place: half a step above its largest.
    too_large = {"float16": 65520.0, "float32": 2.0**128 - 2.0**103}
    largest = {
        "float16": 65504.0,
        "float32": 3.4028234663852886e38,
        "bfloat16": 3.3895313892515355e38,
        "float8_e4m3fn": 448.0,
        "float8_e4m3fnuz": 240.0,
        "float8_e5m2": 57344.0,
        "float8_e5m2fnuz": 57344.0,
        "float8_e8m0fnu": 2.0**127,
    }
    named = {}
    for name, top in largest.items():
        carrier = name if name in too_large else "float32"
        highest = min(top * above, math.nextafter(too_large[carrier], 0))
        named[name] = Dtype("f", carrier, -highest, highest)
    return named | {"float64": Dtype("f", "float64", -math.inf, math.inf)}


def _complex() -> dict[str, Dtype]:
    parts = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}
    carriers = {"complex32": "complex64"}
    floats = _floats()
    return {
        name: Dtype("c", carriers.get(name, name), floats[part].lowest, floats[part].highest)
        for name, part in parts.items()
    }


DTYPES = {"bool": Dtype("b", "bool"), **_integers(), **_floats(), **_complex()}
DtypeName = Annotated[str, msgspec.Meta(pattern=rf"^({'|'.join(DTYPES)})$(?!\n)", description="a dtype, e.g. float32")]
_NOT_FINITE = {"nan", "inf", "-inf"}
_PART = r"[+-]?(?:[0-9]{1,25}(?:\.[0-9]{0,25})?(?:e[+-]?[0-9]{1,3})?|nan|inf)"
_COMPLEX = re.compile(rf"\(?(?:{_PART})?[+-]?(?:{_PART})j\)?|\(?{_PART}\)?")


def carrier(dtype: str) -> str:
    """Names the NumPy dtype that holds the values of ``dtype``. Raises KeyError for one that is not in the list."""
    return DTYPES[dtype].carrier


def first_odd(values: Sequence[Number], dtype: Dtype) -> Number | None:
    """Finds the first of ``values`` that no tensor of ``dtype`` can hold; None where there is none."""
    numbers = [value for value in values if not isinstance(value, str)]
    plain = {"b": bool, "i": int, "f": float}.get(dtype.kind)
    # Most tensors are of one type and within bounds, which two passes in C tell.
    if len(numbers) == len(values) and set(map(type, numbers)) == {plain}:
        bounds = (0, 1) if dtype.kind == "b" else (dtype.lowest, dtype.highest)
        if bounds[0] <= min(numbers) and max(numbers) <= bounds[1]:
            return None
    return next((value for value in values if not is_value_of(value, dtype)), None)


def is_value_of(value: Number, dtype: Dtype) -> bool:
    """Whether a recorded number is one that a tensor of ``dtype`` can hold."""
    if dtype.kind == "b":
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if dtype.kind == "i":
        return isinstance(value, int) and dtype.lowest <= value <= dtype.highest
    if isinstance(value, str):
        return value in _NOT_FINITE if dtype.kind == "f" else _is_complex(value, dtype)
    return dtype.lowest <= value <= dtype.highest and abs(value) <= sys.float_info.max


def holds(dtype: Dtype, value: Number) -> bool:
    """Whether a tensor of ``dtype`` that is made of a written number has it, but for digits that its precision lacks.

    Other than a recorded one it may be of another type, as in ``torch.tensor([1, 0], dtype=torch.bool)``: 1.0 is 1, and True too.
    """
    if isinstance(value, bool):
        return True
    if dtype.kind == "b":
        return value in {0, 1}
    return is_value_of(
        int(value) if dtype.kind == "i" and isinstance(value, float) and value.is_integer() else value, dtype
    )


def is_number(text: str) -> bool:
    """Whether ``text`` stands for a number that JSON cannot hold: "nan", "inf", "-inf", or a complex one as "(1-2j)"."""
    return text in _NOT_FINITE or (text.endswith(("j", "j)")) and _is_complex(text, DTYPES["complex128"]))


def _is_complex(text: str, dtype: Dtype) -> bool:
    if len(text) > 120 or not _COMPLEX.fullmatch(text):
        return False
    try:
        number = complex(text)
    except ValueError:
        return False
    # What is too large for Python too, such as 1e999, is read as infinity.
    return all(
        "inf" in text if math.isinf(part) else math.isnan(part) or dtype.lowest <= part <= dtype.highest
        for part in (number.real, number.imag)
    )
