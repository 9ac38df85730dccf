"""Offers edits for a place by their label, and a comment that passes over a finding."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from apidiff.messages.labels import Language, filled
from apidiff.porting.file_scan import Span
from apidiff.porting.scan_report import Finding
from apidiff.servers.analyser import Analysis, in_language

_FIRST_STATEMENT = re.compile(r"^(?:import|from)\s", re.MULTILINE)
_IMPORTED = re.compile(r"^import mindspore\b", re.MULTILINE)
_COMMENT = re.compile(r"#\s*apidiff:\s*ignore\[([^\]]*)\]")


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
    analysis: Analysis,
    text: str,
    first: tuple[int, int],
    last: tuple[int, int],
    findings: Sequence[Finding],
    language: Language,
) -> Iterator[Fix]:
    """Offer the edits for places between ``first`` and ``last``, verified ones first.

    Args:
        analysis: of the text.
        text: the document.
        first: line and column, from 1.
        last: line and column, from 1.
        findings: those that are shown; each may be passed over.
        language: of the titles.
    """
    for rename in analysis.report.renames:
        if rename.cell is None and _meets(rename.line, rename.column, rename.end_line, rename.end_column, first, last):
            edit = Edit(Span(rename.line, rename.column, rename.end_line, rename.end_column), rename.target)
            title = in_language(filled("servers.fix.verified", target=rename.target), language)
            yield Fix(title, [*_import(text), edit], (), True)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    offered: set[tuple[int, str]] = set()
    for finding in findings:
        place = finding.line, finding.column, finding.end_line, finding.end_column
        if _meets(*place, first, last) and (finding.end_line, finding.code) not in offered:
            offered.add((finding.end_line, finding.code))
            title = in_language(filled("servers.fix.ignore", code=finding.code), language)
            yield Fix(
                title, [_ignoring(lines[finding.end_line - 1], finding.end_line, finding.code)], (finding.code,), False
            )


def _meets(
    line: int, column: int, end_line: int, end_column: int, first: tuple[int, int], last: tuple[int, int]
) -> bool:
    return (line, column) <= last and first <= (end_line, end_column)


def _import(text: str) -> Iterator[Edit]:
    """``import mindspore`` before the first import, where the text has none."""
    if not _IMPORTED.search(text) and (found := _FIRST_STATEMENT.search(text)):
        line = text.count("\n", 0, found.start()) + 1
        yield Edit(Span(line, 1, line, 1), "import mindspore\n")


def _ignoring(line: str, number: int, code: str) -> Edit:
    """A comment at the end of a line, or one more code in the one that is there."""
    if found := _COMMENT.search(line):
        column = found.end(1) + 1
        return Edit(Span(number, column, number, column), f", {code}")
    column = len(line.rstrip()) + 1
    return Edit(Span(number, column, number, len(line) + 1), f"  # apidiff: ignore[{code}]")
