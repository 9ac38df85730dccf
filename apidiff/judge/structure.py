"""The structure of a returned object, written the way claims write it."""

from __future__ import annotations

from apidiff.model import ObjectDump, ScalarDump, SequenceDump, TensorDump, Value


def structure_of(value: Value | None) -> str:
    """``None``, ``Tensor``, ``Work``, ``(Tensor, None)``, ``[Tensor, ...]``: the structure of a recorded value.

    A tuple or list of tensors only is written with an ellipsis, whatever its length; numbers and strings by their type.
    A tensor is written ``Tensor`` whatever its class (a framework's stub tensors are tensors too).
    """
    match value:
        case None:
            return "nothing recorded"
        case TensorDump():
            return "Tensor"
        case ScalarDump(value=None):
            return "None"
        case ScalarDump(value=plain):
            return type(plain).__name__
        case ObjectDump(type=name):
            return name
        case SequenceDump(type=kind, items=items):
            opening, closing = ("(", ")") if kind == "tuple" else ("[", "]")
            parts = [structure_of(item) for item in items]
            if parts and set(parts) == {"Tensor"}:
                parts = ["Tensor", "..."]
            return f"{opening}{', '.join(parts)}{closing}"
    raise TypeError(f"no structure for {type(value).__name__}")


def has_structure(value: Value | None, expected: str) -> bool:
    """Whether a recorded value has the structure ``expected``; a class name also matches a base class (``Work``)."""
    if isinstance(value, ObjectDump):
        return expected == value.type or expected in value.bases
    if isinstance(value, SequenceDump) and expected != structure_of(value):
        wanted = _elements(expected, "(" if value.type == "tuple" else "[")
        return (
            wanted is not None
            and len(wanted) == len(value.items)
            and all(has_structure(item, want) for item, want in zip(value.items, wanted, strict=True))
        )
    return structure_of(value) == expected


def _elements(structure: str, opening: str) -> list[str] | None:
    """The elements of ``(a, (b, c), d)`` at its outermost level, or None where it is no such sequence."""
    if not structure.startswith(opening) or "..." in structure.split(",")[-1]:
        return None
    parts, depth = [""], 0
    for character in structure[1:-1]:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]
