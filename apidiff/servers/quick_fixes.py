"""Offers edits for a place by their label, and a comment that passes over a finding."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import NamedTuple

from apidiff.messages.labels import filled
from apidiff.model.base import Language
from apidiff.porting.changes import Change, Repair
from apidiff.porting.file_scan import Span
from apidiff.porting.judgement import Label
from apidiff.porting.scan_report import Finding
from apidiff.porting.source_text import kind_of
from apidiff.servers.comment_places import comment_places

_LINE_END = re.compile(rb"\r\n|\r|\n")
_COMMENT = re.compile(r"#\s*apidiff:\s*ignore\[([^\[\]]*)\]")  # without '[': each begun would be searched to the end


class Edit(NamedTuple):
    """A text to write in a place."""

    span: Span
    text: str


class Fix(NamedTuple):
    """Edits to make together. ``codes``: of the findings that they settle; ``verified``: whether runs prove them."""

    title: str
    edits: list[Edit]
    codes: Collection[str]
    verified: bool


def quick_fixes(
    repairs: Sequence[Repair],
    text: str,
    first: tuple[int, int],
    last: tuple[int, int],
    findings: Sequence[Finding],
    language: Language,
) -> Iterator[Fix]:
    """Offer the edits for places between ``first`` and ``last``, verified ones first.

    Args:
        repairs: the edits that can be made there.
        text: the document.
        first: line and column, from 1.
        last: line and column, from 1.
        findings: those that are shown; each may be passed over.
        language: of the titles.
    """
    places = _Places(text)
    for repair in sorted(repairs, key=lambda repair: repair.change.label != Label.VERIFIED.value):
        change = repair.change
        edits = [Edit(places.span(edit.start, edit.end), edit.text) for edit in repair.edits]
        verified = change.label == Label.VERIFIED.value
        if verified:
            named = filled("servers.fix.verified", target=change.target or "")
        else:
            why = change.why[0] if change.why else filled("servers.fix.not_run")
            named = filled("servers.fix.unsafe", target=change.target or "", why=why)
        yield Fix(named.said_in(language), edits, _codes(change, findings), verified)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    offered: set[tuple[int, str]] = set()
    for finding in findings:
        place = finding.line, finding.column, finding.end_line, finding.end_column
        if _meets(*place, first, last) and (finding.end_line, finding.code) not in offered:
            offered.add((finding.end_line, finding.code))
            number, kind = finding.end_line, kind_of(PurePath(finding.file))
            edit = _ignoring(lines[number - 1], number, comment_places(text, kind), finding.code)
            if edit is not None:
                title = filled("servers.fix.ignore", code=finding.code).said_in(language)
                yield Fix(title, [edit], (finding.code,), False)


def _meets(
    line: int, column: int, end_line: int, end_column: int, first: tuple[int, int], last: tuple[int, int]
) -> bool:
    return (line, column) <= last and first <= (end_line, end_column)


def _codes(change: Change, findings: Sequence[Finding]) -> set[str]:
    """The codes of the findings at the place of a change."""
    place = change.line, change.column
    return {finding.code for finding in findings if (finding.line, finding.column) == place}


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
