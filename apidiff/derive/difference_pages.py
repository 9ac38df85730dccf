"""Compares what upstream's difference pages state of parameters with the signatures of today's releases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from apidiff.database.difference_pages import PageRow, States
from apidiff.model.base import Text
from apidiff.model.literals import literal
from apidiff.model.signature import ParameterKind, Signature, SignatureFile, SignatureKind, SignatureSource

_VARIADIC = {ParameterKind.VARIADIC_POSITIONAL, ParameterKind.VARIADIC_KEYWORD}
_CALLED = {SignatureKind.FUNCTION, SignatureKind.PRIMITIVE, SignatureKind.CLASS}


class PageVerdict(NamedTuple):
    """A row with what signatures show instead, None where they bear it out, and the API whose documentation shows it."""

    row: PageRow
    shown: Text | None = None
    api: str = ""


class _Side(NamedTuple):
    """One API. ``defaults``: of each parameter, over all overloads; ``whole``: whether there are no others."""

    framework: str
    version: str
    api: str
    name: str
    defaults: dict[str, set[str | None]]
    whole: bool


def page_verdicts(
    rows: Iterable[PageRow], torch: Sequence[SignatureFile], mindspore: SignatureFile
) -> Iterator[PageVerdict]:
    """Yield the verdict of each row that signatures decide: PyTorch's of the first release of ``torch`` that has the API.

    Not decided are remarks in words, rows about an API without a signature in one of the releases, and those of a name that a
    signature lacks where ``*args``, ``**kwargs`` or a call that could not be read may take it, or where a type stub, which may
    leave one out, is all there is.
    """
    for row in rows:
        release = next((file for file in torch if row.source in file.apis), None)
        sides = [
            _side("PyTorch", release, row.source, row.source_name, row.kind),
            _side("MindSpore", mindspore, row.target, row.target_name, row.kind),
        ]
        known = [side for side in sides if side is not None]
        if row.states is not States.OTHER and len(known) == 2 and all(_decides(row, side) for side in known):
            yield _verdict(row, *known)


def _side(framework: str, file: SignatureFile | None, api: str, name: str, kind: str) -> _Side | None:
    signature = file.apis.get(api) if file else None
    if file is None or signature is None or signature.kind not in _CALLED:
        return None
    is_input = kind == "input" and signature.kind is not SignatureKind.FUNCTION
    if is_input and signature.call is None:
        return None
    defaults: dict[str, set[str | None]] = {}
    for parameter in (signature.call or []) if is_input else signature.every_parameter:
        defaults.setdefault(parameter.name, set()).add(parameter.default)
    return _Side(framework, file.version, api, name, defaults, _is_whole(signature))


def _is_whole(signature: Signature) -> bool:
    read = signature.kind is SignatureKind.FUNCTION or signature.call is not None
    variadic = any(parameter.kind in _VARIADIC for parameter in signature.every_parameter)
    return read and not variadic and signature.source is not SignatureSource.STUB


def _decides(row: PageRow, side: _Side) -> bool:
    return side.whole or _stated(row, side) in side.defaults or (not side.name and row.kind == "parameter")


def _stated(row: PageRow, side: _Side) -> str:
    """The name that a row says the API has, or lacks."""
    return side.name or row.source_name or row.target_name


def _verdict(row: PageRow, source: _Side, target: _Side) -> PageVerdict:
    for side in (source, target):
        stated = _stated(row, side)
        if (stated in side.defaults) is not bool(side.name):
            where = f"{side.framework} {side.version}"
            if side.name:
                return PageVerdict(row, Text(en=f"{where} has no `{stated}`", zh=f"{where} 没有 `{stated}`"), side.api)
            return PageVerdict(row, Text(en=f"{where} has `{stated}` too", zh=f"{where} 也有 `{stated}`"), side.api)
    if row.states not in {States.SAME, States.DEFAULT}:
        return PageVerdict(row)
    left, right = (_default(side) for side in (source, target))
    if left is None or right is None or (literal(left) == literal(right)) is (row.states is States.SAME):
        return PageVerdict(row)
    if row.states is States.DEFAULT:
        return PageVerdict(row, Text(en=f"both default to `{left}`", zh=f"默认值都是 `{left}`"), target.api)
    ours, theirs = f"{source.name}={left}", f"{target.name}={right}"
    shown = Text(
        en=f"PyTorch {source.version} has `{ours}`, MindSpore {target.version} `{theirs}`",
        zh=f"PyTorch {source.version} 为 `{ours}`，MindSpore {target.version} 为 `{theirs}`",
    )
    return PageVerdict(row, shown, target.api)


def _default(side: _Side) -> str | None:
    """The default, where there is one, the same for all overloads, and a literal."""
    [text, *others] = side.defaults[side.name]
    try:
        literal(text or "")
    except ValueError:
        return None
    return None if others else text
