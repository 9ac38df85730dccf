"""Shows a probe's traces as a table: one group of rows per argument, with what each rank held before and after the call.

A run has thousands of traces, so the table is one node that holds plain rows and is written in one go; every text in it
is escaped there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any, NamedTuple

from docutils import nodes

from apidiff.messages.escape_invisible import visible
from apidiff.model.trace import CallError, ObjectDump, ProbeRun, RankTrace, ScalarDump, SequenceDump, TensorDump, Value
from apidiff.sphinxext.page_builder import PageBuilder

# Longest row of values that is written out; the raw record has them all.
_VALUES = 24
# Of a message with more lines than this the rest opens on demand.
_LINES = 6

Piece = tuple[str, bool]  # text, and whether the call changed it


class Row(NamedTuple):
    """Ranks that saw the same. ``after`` is None where only one thing is told: ``before`` then fills both columns."""

    ranks: str
    before: list[Piece]
    after: list[Piece] | None
    note: str = ""


class Group(NamedTuple):
    """The rows of one argument, or of what was returned, raised or printed. ``kind``: argument, returned, error, output."""

    kind: str
    name: str
    rows: list[Row]


class traces(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes in lower case
    """The table: ``header`` (four words), ``caption``, ``more`` (words for the rest of a long message), ``groups``."""

    def astext(self) -> str:
        """Return the text of all cells."""
        cells = (
            [group.name, row.ranks, *_texts(row.before), *_texts(row.after or []), row.note]
            for group in self["groups"]
            for row in group.rows
        )
        return "\n".join(" ".join(filter(None, row)) for row in cells)


def trace_table(make: PageBuilder, probe: ProbeRun, world_size: int, caption: str) -> traces:
    """Make the table of all ranks that answered."""
    header = [make.word(f"trace.{name}") for name in ("what", "ranks", "before", "after")]
    groups = list(_groups(make, probe.ranks, world_size))
    return traces("", header=header, caption=caption, more=make.word("trace.more"), groups=groups)


def _groups(make: PageBuilder, ranks: Sequence[RankTrace], world_size: int) -> Iterator[Group]:
    for name in dict.fromkeys(name for trace in ranks for name in trace.before):
        seen = [
            (trace.rank, _argument(make, trace.before[name], trace.after.get(name)))
            for trace in ranks
            if name in trace.before
        ]
        yield Group("argument", name, _rows(make, seen, world_size))
    returned = [(trace.rank, _told(show(trace.returned), _shares(make, trace))) for trace in ranks if trace.returned]
    if returned:
        yield Group("returned", make.word("run.returned"), _rows(make, returned, world_size))
    errors = [(trace.rank, _told(_error(make, trace.error))) for trace in ranks if trace.error]
    if errors:
        yield Group("error", make.word("run.error"), _rows(make, errors, world_size))
    printed = [(trace.rank, _told("\n".join(trace.output))) for trace in ranks if trace.output]
    if printed:
        yield Group("output", make.word("run.output"), _rows(make, printed, world_size))


_Seen = tuple[list[Piece], list[Piece] | None, str]


def _rows(make: PageBuilder, seen: Sequence[tuple[int, _Seen]], world_size: int) -> list[Row]:
    """Put ranks that saw the same into one row; all of them are 'every rank'."""
    same: list[tuple[list[int], _Seen]] = []
    for rank, content in seen:
        match = next((ranks for ranks, other in same if other == content), None)
        if match is None:
            same.append(([rank], content))
        else:
            match.append(rank)
    return [Row(_ranks(make, ranks, world_size), *content) for ranks, content in same]


def _ranks(make: PageBuilder, ranks: Sequence[int], world_size: int) -> str:
    if len(ranks) == world_size > 1:
        return make.word("trace.every")
    return make.word("trace.rank", ranks=make.listed(map(str, ranks)))


def _argument(make: PageBuilder, before: Value, after: Value | None) -> _Seen:
    if after is None:
        return [(show(before), False)], [], make.word("trace.unknown")
    if show(after) == show(before):
        return [(show(before), False)], [], make.word("run.unchanged")
    return [(show(before), False)], list(changed(before, after)), ""


def _told(text: str, note: str = "") -> _Seen:
    return [(text, False)], None, note


def _error(make: PageBuilder, error: CallError) -> str:
    return f"{error.type} ({make.word('run.stage', stage=error.stage)})\n{error.message.strip()}"


def _shares(make: PageBuilder, trace: RankTrace) -> str:
    """Say what a returned tensor has in common with an argument: that it is the same object, or shares its storage."""
    objects: dict[int, str] = {}
    storages: dict[int, str] = {}
    for name, value in trace.after.items():
        for tensor in _tensors(value):
            objects.setdefault(tensor.object, name)
            storages.setdefault(tensor.storage, name)
    for returned in _tensors(trace.returned):
        if returned.object in objects:
            return make.word("trace.same_object", name=objects[returned.object])
        if returned.storage in storages:
            return make.word("trace.same_storage", name=storages[returned.storage])
    return ""


def _tensors(value: Value | None) -> Iterator[TensorDump]:
    match value:
        case TensorDump():
            yield value
        case SequenceDump():
            for item in value.items:
                yield from _tensors(item)
        case ObjectDump():
            yield from value.tensors.values()


def show(value: Value) -> str:
    """Write a value in one line: ``float32 (2, 2) [1, 2, 3, 4]`` for a tensor; what it shares is left to the raw record."""
    return "".join(text for text, _ in changed(value, value))


def changed(before: Value, after: Value) -> Iterator[Piece]:
    """Write ``after`` as `show` does, in pieces, with those marked that are not as in ``before``."""
    match after:
        case TensorDump():
            yield from _tensor(before, after)
        case SequenceDump():
            opening, closing = ("(", ")") if after.type == "tuple" else ("[", "]")
            old = before.items if isinstance(before, SequenceDump) else []
            yield opening, False
            for index, item in enumerate(after.items):
                if index:
                    yield ", ", False
                if index < len(old):
                    yield from changed(old[index], item)
                else:
                    yield show(item), True
            yield ("," if after.type == "tuple" and len(after.items) == 1 else "") + closing, False
        case ScalarDump():
            yield repr(after.value), after != before
        case ObjectDump():
            held = ", ".join(f"{name}={show(tensor)}" for name, tensor in after.tensors.items())
            text = after.text or after.type
            yield (f"{text} {{{held}}}" if held else text), after != before


def _tensor(before: Value, after: TensorDump) -> Iterator[Piece]:
    shape = f"({', '.join(map(str, after.shape))}{',' if len(after.shape) == 1 else ''})"
    alike = isinstance(before, TensorDump) and (before.dtype, before.shape) == (after.dtype, after.shape)
    old = before.values if isinstance(before, TensorDump) and alike else []
    yield f"{after.dtype} {shape} ", not alike
    yield "[", False
    for index, number in enumerate(after.values[:_VALUES]):
        if index:
            yield ", ", False
        yield _number(number), not (index < len(old) and old[index] == number)
    yield (", …]" if len(after.values) > _VALUES else "]"), False


def _number(number: float | bool | str) -> str:
    # Every digit counts: 1000001 must not read as 1e+06.
    return str(int(number)) if isinstance(number, float) and number.is_integer() else str(number)


def _texts(pieces: Iterable[Piece]) -> str:
    return "".join(text for text, _ in pieces)


def _open(self: Any, node: nodes.Element) -> None:
    self.body.append(self.starttag(node, "div", "", CLASS="pst-scrollable-table-container apidiff-trace"))
    head = "".join(f'<th scope="col">{_shown(word)}</th>' for word in node["header"])
    self.body.append('<table class="table apidiff-traces">')
    self.body.append(f"<caption>{_shown(node['caption'])}</caption><thead><tr>{head}</tr></thead>\n")
    for group in node["groups"]:
        self.body.append(f'<tbody class="apidiff-{group.kind}">')
        name = _shown(group.name)
        name = f"<code>{name}</code>" if group.kind == "argument" else name
        for index, row in enumerate(group.rows):
            lead = "" if index else f'<th scope="rowgroup" rowspan="{len(group.rows)}">{name}</th>'
            self.body.append(f"<tr>{lead}<td>{_shown(row.ranks)}</td>{_cells(row, node['more'])}</tr>\n")
        self.body.append("</tbody>\n")
    self.body.append("</table></div>\n")
    raise nodes.SkipNode


def _cells(row: Row, more: str) -> str:
    note = f"<em>{_shown(row.note)}</em>" if row.note else ""
    if row.after is None:
        return f'<td colspan="2">{_message(_texts(row.before), more)}{" " if note else ""}{note}</td>'
    return f"<td>{_code(row.before)}</td><td>{_code(row.after)}{note}</td>"


def _code(pieces: Sequence[Piece]) -> str:
    if not pieces:
        return ""
    marked = (f"<mark>{_shown(text)}</mark>" if new else _shown(text) for text, new in pieces)
    return f"<code>{''.join(marked)}</code>"


def _message(text: str, more: str) -> str:
    lines = text.split("\n")
    if len(lines) <= _LINES:
        return f"<code>{_shown(text)}</code>"
    first, rest = "\n".join(lines[:_LINES]), "\n".join(lines[_LINES:])
    opens = f"<details><summary>{_shown(more)}</summary><code>{_shown(rest)}</code></details>"
    return f"<code>{_shown(first)}</code>{opens}"


def _close(self: Any, node: nodes.Element) -> None:
    pass


TRACE_NODES: dict[type[nodes.Element], tuple[Any, Any]] = {traces: (_open, _close)}


def _shown(text: str) -> str:
    """Write text as HTML, with what cannot be seen in it shown."""
    return escape(visible(text))
