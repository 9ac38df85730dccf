"""Shows the parameters of a source and its target beside each other, and their members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from docutils import nodes

from apidiff.model.views import DefaultEntry, ParameterEntry, TargetEntry
from apidiff.sphinxext.nodes import Cell, Inline, Marked, literal, table, table_row
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.versions import marked_inline
from apidiff.writers.exports.address import anchor


def tables_of_target(
    make: PageBuilder, target: TargetEntry, goals: Mapping[int, str] | None = None
) -> list[nodes.Node]:
    """Fold the tables of a target's parameters and members.

    ``goals``: the anchor of the difference that says what a row's remark would say, by the identity of the row.
    """
    name, goals = anchor(target.name), goals or {}
    lids: list[nodes.Node] = []
    if target.parameters:
        title = make.counted("parameters", len(target.parameters))
        table = parameters_table(make, target.parameters, goals)
        lids.append(make.lid(f"{name}--parameters", title, table))
    if target.members:
        title = make.counted("members", len(target.members))
        lids.append(make.lid(f"{name}--members", title, members_table(make, target.members, goals)))
    return lids


def parameters_table(make: PageBuilder, rows: list[ParameterEntry], goals: Mapping[int, str]) -> nodes.Node:
    """Show one row per parameter, with the defaults of both sides, each for the versions that have it.

    ``goals``: the anchor of the difference that says what a row's remark would say, by the identity of the row.
    """
    columns = ("source", "source_default", "target", "target_default", "relation", "risk", "remark")
    cells: list[nodes.row] = []
    said: set[str] = set()
    for row in rows:
        source, target, *rest = _shared(make, row, "absent", goals, said)
        defaults = [
            _default(make, "torch", row.source, row.source_default, row.source_defaults),
            _default(make, "mindspore", row.target, row.target_default, row.target_defaults),
        ]
        cells.append(where_present(make, table_row([source, defaults[0], target, defaults[1], *rest]), row))
    return table([make.word(f"column.{name}") for name in columns], cells)


def members_table(make: PageBuilder, rows: list[ParameterEntry], goals: Mapping[int, str]) -> nodes.Node:
    """Show one row per member of a class or an enumeration. ``goals``: as for parameters."""
    columns = ("source", "target", "relation", "risk", "remark")
    said: set[str] = set()
    cells = [where_present(make, table_row(_shared(make, row, "absent_member", goals, said)), row) for row in rows]
    return table([make.word(f"column.{name}") for name in columns], cells)


def _shared(
    make: PageBuilder, row: ParameterEntry, absent: str, goals: Mapping[int, str], said: set[str]
) -> list[Cell]:
    relations = make.listed(make.word(f"relation.{relation}") for relation in row.relations)
    return [
        _named(make, "torch", row.source, row.source_range, absent),
        _named(make, "mindspore", row.target, row.target_range, absent),
        relations,
        [make.badge("risk", row.risk)],
        _remark(make, row, goals, said),
    ]


def _remark(make: PageBuilder, row: ParameterEntry, goals: Mapping[int, str], said: set[str]) -> Cell:
    """Show what relation and defaults do not say; where a difference says it, lead there."""
    if goal := goals.get(id(row)):
        return [nodes.reference("", make.word("parameters.told"), refid=goal)]
    if row.note is None:
        return ""
    if make.pick(row.note) in said:
        return make.word("parameters.as_above")
    said.add(make.pick(row.note))
    return make.text(row.note)


def _named(make: PageBuilder, framework: str, name: str | None, held_in: str | None, absent: str) -> Cell:
    """Show the name, with the versions that have it where not all do; a chosen version that lacks it is named."""
    if name is None:
        return [nodes.emphasis("", make.word(absent))]
    if not held_in:
        return [literal(name)]
    cell: Inline = [literal(name), nodes.Text(f" {held_in}")]
    if missing := make.releases.others(framework, make.releases.told(framework, held_in)):
        words = make.filled("cell.absent", version=make.chosen(framework))
        note = marked_inline("", "", nodes.Text(" "), nodes.strong("", "", *words))
        cell = [*cell, make.only_in(note, framework, missing)]
    return cell


def _default(
    make: PageBuilder, framework: str, name: str | None, value: str | None, changing: Sequence[DefaultEntry]
) -> Cell:
    """Show the default; where versions have different ones, that of the chosen version."""
    if name is None:
        return ""
    if not changing:
        return _value(make, value)
    return [
        make.only_in(
            marked_inline("", "", *_value(make, entry.value)), framework, make.releases.told(framework, entry.range)
        )
        for entry in changing
    ]


def _value(make: PageBuilder, value: str | None) -> Inline:
    return [literal(value)] if value is not None else [nodes.Text(make.word("required"))]


def where_present(make: PageBuilder, node: Marked, row: ParameterEntry) -> Marked:
    """Mark a node to be shown where what a row is about exists: a name that one side alone has comes and goes."""
    if row.target is None and row.source_range:
        return make.only(node, torch=make.releases.told("torch", row.source_range))
    if row.source is None and row.target_range:
        return make.only(node, mindspore=make.releases.told("mindspore", row.target_range))
    return node
