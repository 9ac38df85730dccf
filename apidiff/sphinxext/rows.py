"""Tables of parameters and of members on a mapping's page, each row for the versions that have it."""

from __future__ import annotations

from docutils import nodes

from apidiff.model.views import ParameterEntry
from apidiff.sphinxext.builder import Builder
from apidiff.sphinxext.nodes import Cell, Inline, Marked, literal, paragraph, table, table_row
from apidiff.sphinxext.version_visibility import marked_inline


def parameters_table(make: Builder, rows: list[ParameterEntry]) -> nodes.Node:
    """One row a parameter, with the defaults of both sides."""
    if not rows:
        return paragraph(nodes.Text(make.word("parameters.none")))
    columns = ("source", "source_default", "target", "target_default", "relation", "risk", "remark")
    cells: list[nodes.row] = []
    for row in rows:
        source, target, *rest = _shared(make, row, "absent")
        defaults = [_default(make, row.source, row.source_default), _default(make, row.target, row.target_default)]
        cells.append(there(make, table_row([source, defaults[0], target, defaults[1], *rest]), row))
    return table([make.word(f"column.{name}") for name in columns], cells)


def members_table(make: Builder, rows: list[ParameterEntry]) -> nodes.Node:
    """One row a member of a class or an enumeration."""
    columns = ("source", "target", "relation", "risk", "remark")
    cells = [there(make, table_row(_shared(make, row, "absent_member")), row) for row in rows]
    return table([make.word(f"column.{name}") for name in columns], cells)


def there(make: Builder, node: Marked, row: ParameterEntry) -> Marked:
    """The node, marked to be shown where what a row is about exists: a name that one side alone has comes and goes."""
    if row.target is None and row.source_range:
        return make.only(node, torch=make.releases.told("torch", row.source_range))
    if row.source is None and row.target_range:
        return make.only(node, mindspore=make.releases.told("mindspore", row.target_range))
    return node


def _shared(make: Builder, row: ParameterEntry, absent: str) -> list[Cell]:
    relations = make.word("site.comma").join(make.word(f"relation.{relation}") for relation in row.relations)
    return [
        _named(make, "torch", row.source, row.source_range, absent),
        _named(make, "mindspore", row.target, row.target_range, absent),
        relations,
        [make.badge("risk", row.risk)],
        make.text(row.text),
    ]


def _named(make: Builder, framework: str, name: str | None, held_in: str | None, absent: str) -> Cell:
    """The name, with the versions that have it where not all do; a chosen version that lacks it is named."""
    if name is None:
        return [nodes.emphasis("", make.word(absent))]
    if not held_in:
        return [literal(name)]
    found: Inline = [literal(name), nodes.Text(f" {held_in}")]
    if missing := make.releases.others(framework, make.releases.told(framework, held_in)):
        words = make.filled("cell.absent", version=make.chosen(framework))
        note = marked_inline("", "", nodes.Text(" "), nodes.strong("", "", *words))
        found = [*found, make.only_in(note, framework, missing)]
    return found


def _default(make: Builder, name: str | None, value: str | None) -> Cell:
    if name is None:
        return ""
    return [literal(value)] if value is not None else make.word("required")
