"""Builds the page of what documents describe and runs show otherwise: a section per kind of statement, a line per statement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from docutils import nodes

from apidiff.derive.document_differences import DocumentRow, Stated
from apidiff.sphinxext.long_lists import portions
from apidiff.sphinxext.nodes import block, code, external, joined, literal, paragraph, prose
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.writers.documents import shown_cell
from apidiff.writers.exports.address import anchor

_SHOWN = 8  # of each kind, before the portions
_OF_PAIRS = {Stated.CONSISTENT.value, Stated.DIFFERENT.value, Stated.PARAMETER.value}  # the others are of one docstring


def documents_sections(make: PageBuilder, rows: Sequence[DocumentRow]) -> list[nodes.Node]:
    """Build the whole page below its title."""
    sections = []
    seen: Counter[str] = Counter()
    for kind in Stated:
        mine = [row for row in rows if row.kind == kind.value]
        if not mine:
            continue
        lines = [(row.mapping, _line(make, row, seen)) for row in mine]
        sections.append(
            make.section(
                f"documents-{kind.value}",
                make.counted(f"documents.{kind.value}", len(mine)),
                block("", *portions(make, lines, shown=_SHOWN), filter=make.word("statements.filter")),
            )
        )
    return list(sections) or [make.sentence("documents.none")]


def _line(make: PageBuilder, row: DocumentRow, seen: Counter[str]) -> nodes.Node:
    """Show what runs show in one line; opened, what is stated instead, where it stands, and the command that repeats it."""
    name = f"{row.kind}--{row.mapping}--{row.target}"
    seen[name] += 1
    number = f"--{seen[name]}" if seen[name] > 1 else ""
    about = row.mapping if row.kind in _OF_PAIRS else row.target
    head: list[nodes.Node] = [literal(about), nodes.Text(make.word("site.colon"))]
    head += prose(shown_cell(row, make.language))
    pair = joined([[make.ref("api", name, optional=True)] for name in (row.mapping, row.target)], " → ")
    link = external(make.pick(row.address), nodes.Text(row.stated)) if row.address else [nodes.Text(row.stated)]
    return make.line(
        anchor(name + number),
        head,
        paragraph(*pair, classes=["apidiff-wrap"]),
        make.term("documents.stated", *link),
        make.term("documents.command"),
        block("", code(row.command, "bash"), classes=["apidiff-command"]),
    )
