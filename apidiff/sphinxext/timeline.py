"""The timeline on a mapping's page: what changed in which version, and what tells so."""

from __future__ import annotations

from docutils import nodes

from apidiff.derive.api_history import SIGNATURES, STUBS
from apidiff.model.views import Entry, HistoryEntry
from apidiff.sphinxext.builder import Builder
from apidiff.sphinxext.nodes import Cell, external, folded, literal, paragraph, table


def timeline_section(make: Builder, entry: Entry) -> nodes.section:
    """One row a change: of the source first, then of each target, the newest change of each first."""
    return make.section("timeline", make.word("timeline"), *_rows(make, entry))


def _rows(make: Builder, entry: Entry) -> list[nodes.Node]:
    if not entry.history:
        return [paragraph(nodes.Text(make.word("timeline.none")))]
    header = [make.word(f"column.{name}") for name in ("api", "version", "change", "evidence")]
    rows: list[list[Cell]] = [
        [[literal(one.api)], one.version, make.text(one.text), _evidence(make, entry, one)] for one in entry.history
    ]
    lid = make.word("fold.changes", count=len(rows))
    return [folded(lid, paragraph(nodes.Text(make.word("timeline.about"))), table(header, rows))]


def _evidence(make: Builder, entry: Entry, one: HistoryEntry) -> list[nodes.Node]:
    found = _place(make, entry, one.evidence)
    if one.after_evidence and one.after_evidence != one.evidence:
        found += [nodes.Text(make.word("site.semicolon")), *_place(make, entry, one.after_evidence)]
    return found


def _place(make: Builder, entry: Entry, evidence: str) -> list[nodes.Node]:
    if evidence in {SIGNATURES, STUBS}:
        return [nodes.Text(make.word("timeline.signatures" if evidence == SIGNATURES else "timeline.stubs"))]
    document = entry.documents.get(evidence)
    words = external(document.url, nodes.Text(document.title)) if document else [literal(evidence)]
    return [nodes.Text(make.word("timeline.documented")), *words]
