"""Finds an API by its dotted name, and dumps what ``inspect`` shows of it."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
from typing import Any

from apidiff.model.mapping import Api
from apidiff.model.trace import ParameterDump, SignatureDump
from apidiff.model.vocabulary import ApiKind

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")
_MESSAGE_LENGTH = 200


def find(name: str) -> Any:
    """Finds the object of a dotted name: the longest prefix that is a module, then its attributes; last, a module of that name.

    Raises AttributeError or ModuleNotFoundError where there is none.
    """
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        try:
            target: Any = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError as error:
            if error.name is None or not name.startswith(error.name):
                raise
            continue
        try:
            for part in parts[count:]:
                target = getattr(target, part)
        except AttributeError:
            if count < len(parts) - 1 or not _is_module(name):
                raise
            return importlib.import_module(name)
        return target
    raise ModuleNotFoundError(f"no module holds {name}")


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # the parent is no package
        return False


def signature_of(api: Api) -> SignatureDump:
    """Dumps the API's signature as ``inspect`` shows it, for a class its constructor's, and the members of all but functions."""
    try:
        target = find(api.name)
    except (AttributeError, ImportError) as error:
        return SignatureDump(api=api.name, missing=True, error=_told(error))
    members = public_members(target) if api.kind in {ApiKind.CLASS, ApiKind.CONSTANT} else None
    if api.kind is ApiKind.CONSTANT:
        return SignatureDump(api=api.name, members=members)
    try:
        shown = inspect.signature(target)
    except (TypeError, ValueError) as error:
        return SignatureDump(api=api.name, error=_told(error), members=members)
    parameters = [
        ParameterDump(
            name=parameter.name,
            kind=parameter.kind.description,
            default=None if parameter.default is parameter.empty else _ADDRESS.sub("0x…", repr(parameter.default)),
        )
        for parameter in shown.parameters.values()
    ]
    text = " ".join(_ADDRESS.sub("0x…", str(shown)).splitlines())  # a default may be printed in several, as tensors are
    return SignatureDump(api=api.name, parameters=parameters, text=text, members=members)


def public_members(target: Any) -> list[str]:
    """Lists the public names of a class or of an object; of a class also those that its metaclass adds to it."""
    names = set(dir(target))
    if inspect.isclass(target):
        names |= set(dir(type(target))) - set(dir(type))
    elif isinstance(target, bool | int | float | str):
        return []
    return sorted(name for name in names if not name.startswith("_"))


def _told(error: Exception) -> str:
    return _ADDRESS.sub("0x…", f"{type(error).__name__}: {error}")[:_MESSAGE_LENGTH]
