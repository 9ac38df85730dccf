"""Offers edits for a place by their label, and a comment that passes over a finding."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import PurePath
from typing import NamedTuple, TypeVar

from apidiff.messages.labels import filled
from apidiff.model.base import Language
from apidiff.porting.changes import Repair
from apidiff.porting.file_scan import Span
from apidiff.porting.judgement import Label
from apidiff.porting.scan_report import Finding
from apidiff.porting.source_text import kind_of
from apidiff.servers.comment_places import comment_places

_MOST = 20  # comments at once: an editor may ask for the whole document
_LINE_END = re.compile(rb"\r\n|\r|\n")
_COMMENT = re.compile(r"#\s*apidiff:\s*ignore\[([^\[\]]*)\]")  # without '[': each begun would be searched to the end

_Key = TypeVar("_Key")


class Edit(NamedTuple):
    """A text to write in a place."""

    span: Span
    text: str


class Fix(NamedTuple):
    """Edits to make together. ``settled``: the findings that are gone then; ``verified``: whether runs prove them."""

    title: str
    edits: list[Edit]
    settled: Sequence[Finding]
    verified: bool


def quick_fixes(
    repairs: Sequence[Repair],
    text: str,
    first: tuple[int, int],
    last: tuple[int, int],
    findings: Sequence[Finding],
    language: Language,
) -> Iterator[Fix]:
    """Offer the edits for places between ``first`` and ``last``, verified ones first; then the first comments for them.

    Args:
        repairs: the edits that can be made there.
        text: the document.
        first: line and column, from 1.
        last: line and column, from 1.
        findings: those that are shown; each may be passed over.
        language: of the titles.
    """
    places, found = _Places(text), _by(findings, lambda finding: (finding.line, finding.column))
    for repair in sorted(repairs, key=lambda repair: repair.change.label != Label.VERIFIED.value):
        change = repair.change
        edits = [Edit(places.span(edit.start, edit.end), edit.text) for edit in repair.edits]
        verified = change.label == Label.VERIFIED.value
        if verified:
            named = filled("servers.fix.verified", target=change.target or "")
        else:
            why = change.why[0] if change.why else filled("servers.fix.not_run")
            named = filled("servers.fix.unsafe", target=change.target or "", why=why)
        if repair.along:
            named = filled("servers.fix.along", fix=named)
        settled = [at for one in (change, *repair.along) for at in found.get((one.line, one.column), ())]
        yield Fix(named.said_in(language), edits, settled, verified)
    met = (finding for finding in findings if _meets(finding, first, last))
    yield from islice(_ignoring_fixes(text, _by(met, lambda one: (one.end_line, one.code)), language), _MOST)


def _ignoring_fixes(
    text: str, findings: Mapping[tuple[int, str], Sequence[Finding]], language: Language
) -> Iterator[Fix]:
    """Comments that pass findings over, which are told by line and code."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    for (number, code), settled in findings.items():
        kind = kind_of(PurePath(settled[0].file))
        edit = _ignoring(lines[number - 1], number, comment_places(text, kind), code)
        if edit is not None:
            title = filled("servers.fix.ignore", code=code).said_in(language)
            yield Fix(title, [edit], settled, False)


def _meets(finding: Finding, first: tuple[int, int], last: tuple[int, int]) -> bool:
    return (finding.line, finding.column) <= last and first <= (finding.end_line, finding.end_column)


def _by(findings: Iterable[Finding], key: Callable[[Finding], _Key]) -> dict[_Key, list[Finding]]:
    found: dict[_Key, list[Finding]] = {}
    for finding in findings:
        found.setdefault(key(finding), []).append(finding)
    return found


class _Places:
    """Turns bytes of a text into lines and columns."""

    def __init__(self, text: str) -> None:
        self._data = text.encode("utf-8", "surrogatepass")  # an editor may send half of a character
        self._starts = [0, *(found.end() for found in _LINE_END.finditer(self._data))]

    def span(self, start: int, end: int) -> Span:
        return Span(*self._point(start), *self._point(end))

    def _point(self, place: int) -> tuple[int, int]:
        line = bisect_right(self._starts, place)
        return line, len(self._data[self._starts[line - 1] : place].decode("utf-8", "surrogatepass")) + 1


def _ignoring(line: str, number: int, places: Mapping[int, int | None], code: str) -> Edit | None:
    """A comment at the end of a line, or one more code in the one that is there; None where none can stand."""
    if number not in places:
        return None
    begin = places[number]
    comment = len(line) if begin is None else begin
    if "apidiff:" in line[max(line.find("#"), 0) : comment]:  # in a string: a scan would take it for the comment
        return None
    if found := _COMMENT.search(line, comment):
        column = found.end(1) + 1
        return Edit(Span(number, column, number, column), f", {code}")
    column = len(line.rstrip()) + 1
    return Edit(Span(number, column, number, len(line) + 1), f"  # apidiff: ignore[{code}]")
