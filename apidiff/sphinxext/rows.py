"""Tables of parameters and of members on a mapping's page."""

from __future__ import annotations

from docutils import nodes

from apidiff.model.entry import ParameterEntry
from apidiff.sphinxext.nodes import Builder, Cell, literal, paragraph, table


def parameters_table(make: Builder, rows: list[ParameterEntry]) -> nodes.Node:
    """One row a parameter, with the defaults of both sides."""
    if not rows:
        return paragraph(nodes.Text(make.word("parameters.none")))
    columns = ("source", "source_default", "target", "target_default", "relation", "risk", "remark")
    cells: list[list[Cell]] = []
    for row in rows:
        source, target, *rest = _shared(make, row, "absent")
        defaults = [_default(make, row.source, row.source_default), _default(make, row.target, row.target_default)]
        cells.append([source, defaults[0], target, defaults[1], *rest])
    return table([make.word(f"column.{name}") for name in columns], cells)


def members_table(make: Builder, rows: list[ParameterEntry]) -> nodes.Node:
    """One row a member of a class or an enumeration."""
    columns = ("source", "target", "relation", "risk", "remark")
    cells = [_shared(make, row, "absent_member") for row in rows]
    return table([make.word(f"column.{name}") for name in columns], cells)


def _shared(make: Builder, row: ParameterEntry, absent: str) -> list[Cell]:
    relations = make.word("site.comma").join(make.word(f"relation.{relation}") for relation in row.relations)
    return [
        _named(make, row.source, row.source_range, absent),
        _named(make, row.target, row.target_range, absent),
        relations,
        [make.badge("risk", row.risk)],
        make.text(row.text),
    ]


def _named(make: Builder, name: str | None, held_in: str | None, absent: str) -> Cell:
    """The name, with the versions that have it where not all do."""
    if name is None:
        return [nodes.emphasis("", make.word(absent))]
    return [literal(name), nodes.Text(f" {held_in}")] if held_in else [literal(name)]


def _default(make: Builder, name: str | None, value: str | None) -> Cell:
    if name is None:
        return ""
    return [literal(value)] if value is not None else make.word("required")
