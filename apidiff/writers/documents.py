"""Writes the report on documents that runs contradict, as Markdown: a table of each kind of statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from apidiff.derive.document_differences import DocumentRow, Stated
from apidiff.messages.labels import label
from apidiff.model.base import Language
from apidiff.writers.markdown import code_span, link, prose, table_cell

HEADER = ("column.source", "column.target", "documents.stated", "documents.shown", "documents.command")


def documents_text(rows: Sequence[DocumentRow], language: Language) -> str:
    """The whole report in one language."""
    return "".join(f"{line}\n" for line in _lines(rows, language))


def shown_cell(row: DocumentRow, language: Language) -> str:
    """What runs show instead, in words."""
    told = label("site.semicolon", language).join(text.said_in(language) for text in row.shown)
    return told or label(f"documents.shown.{row.kind}", language, version=row.version)


def _lines(rows: Sequence[DocumentRow], language: Language) -> Iterator[str]:
    yield f"# {label('documents.title', language)}"
    yield from ("", label("documents.about", language))
    for kind in Stated:
        mine = [row for row in rows if row.kind == kind.value]
        if not mine:
            continue
        yield from ("", f"## {label(f'documents.{kind.value}', language)} ({len(mine)})", "")
        yield f"| {' | '.join(label(key, language) for key in HEADER)} |"
        yield "|---" * len(HEADER) + "|"
        for row in mine:
            stated = link(prose(row.stated), row.address.said_in(language)) if row.address else prose(row.stated)
            cells = (
                code_span(row.mapping),
                code_span(row.target),
                stated,
                prose(shown_cell(row, language)),
                code_span(row.command),
            )
            yield f"| {' | '.join(map(table_cell, cells))} |"
