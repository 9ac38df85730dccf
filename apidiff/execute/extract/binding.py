"""Finds the parameters that the positional arguments of a call are given for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import torch

from apidiff.model.signature import ParameterKind, Signature, SignatureParameter

_POSITIONAL = {ParameterKind.POSITIONAL_ONLY, ParameterKind.POSITIONAL_OR_KEYWORD, ParameterKind.VARIADIC_POSITIONAL}
_SEQUENCE = re.compile(r"_size|Sequence|[Ll]ist|[Tt]uple|\.\.\.|Size|_layout_like")


class NotBound(ValueError):
    """A call that no overload of a signature takes."""


def bound(signature: Signature, args: Sequence[Any], kwargs: Iterable[str]) -> list[str]:
    """The name of the parameter of each of ``args``; parts of a ``*sizes`` are numbered: ``sizes_0``, ``sizes_1``.

    The first overload counts that has the keywords and whose annotations allow the arguments, else the first that has room.
    Raises NotBound.
    """
    ways = signature.overloads or [signature.call or signature.parameters]
    ranked = sorted(ways, key=lambda way: not _allows(way, args))
    for way in ranked:
        names = _names(way, len(args))
        known = {parameter.name for parameter in way}
        open_end = any(parameter.kind is ParameterKind.VARIADIC_KEYWORD for parameter in way)
        if names is not None and (open_end or set(kwargs) <= known - set(names)):
            return names
    raise NotBound(f"no way to call takes {len(args)} arguments by position and {', '.join(kwargs) or 'no keyword'}")


def _names(way: Sequence[SignatureParameter], count: int) -> list[str] | None:
    names: list[str] = []
    for parameter in way:
        if parameter.kind is ParameterKind.VARIADIC_POSITIONAL:
            return [*names, *(f"{parameter.name}_{index}" for index in range(count - len(names)))]
        if parameter.kind in _POSITIONAL:
            names.append(parameter.name)
    return names[:count] if len(names) >= count else None


def _allows(way: Sequence[SignatureParameter], args: Sequence[Any]) -> bool:
    positional = [parameter for parameter in way if parameter.kind in _POSITIONAL]
    return all(_fits(parameter.annotation, value) for parameter, value in zip(positional, args, strict=False))


def _fits(annotation: str | None, value: Any) -> bool:
    if not annotation or "Any" in annotation:
        return True
    if isinstance(value, torch.Tensor):
        return "Tensor" in annotation
    if isinstance(value, bool):
        return "bool" in annotation or "Number" in annotation
    if isinstance(value, int):
        return any(word in annotation for word in ("int", "Number", "SymInt", "float"))
    if isinstance(value, float | complex):
        return any(word in annotation for word in ("float", "Number", "complex"))
    if isinstance(value, str):
        return "str" in annotation
    if isinstance(value, list | tuple):
        return bool(_SEQUENCE.search(annotation))
    return True
