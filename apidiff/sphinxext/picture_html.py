"""The HTML of a picture, by the template beside this file, in which every value is text. It is complete without script.

A scene shows one side at one world size. In a cell, ``<i>`` marks a rank that the value came from; ``data-o`` of a value that
the call made says which inputs made it: the ranks, the buffer and the element, apart by ';'.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined, Template

from apidiff.model.picture import Buffer, Cell, Plain, RankPart, Scene

# A cell shows so much of a text; the table has all of it.
_SHORT = 18


def write(values: Mapping[str, Any]) -> str:
    """The HTML for the names that the template asks for, as `apidiff.sphinxext.picture` gives them."""
    return _template().render(values)


@cache
def _template() -> Template:
    made = Environment(autoescape=True, undefined=StrictUndefined)
    made.globals.update(
        short=short,
        lines=lines,
        listed=listed,
        groups=groups,
        kept=kept,
        look=look,
        described=described,
        first_with=first_with,
        origins=origins_text,
    )
    return made.from_string(Path(__file__).with_name("picture.html").read_text("utf-8"))


@dataclass(frozen=True)
class Group:
    """The buffers of one argument. ``alike``: the same became of each."""

    name: str
    buffers: list[Buffer]

    @property
    def alike(self) -> bool:
        """Whether the same became of all of them."""
        fates = {(one.written, one.unexpected, one.fresh, tuple(one.shares), one.after is None) for one in self.buffers}
        return len(fates) == 1


def groups(part: RankPart) -> list[Group]:
    """The buffers of a rank by the argument that they are part of."""
    found: dict[str, list[Buffer]] = {}
    for buffer in part.buffers:
        found.setdefault(buffer.name.partition("[")[0], []).append(buffer)
    return [Group(name, buffers) for name, buffers in found.items()]


def kept(buffer: Buffer) -> bool:
    """Whether a buffer holds the same after the call as before it."""
    return buffer.before is not None and buffer.after is not None and not buffer.written


def look(buffer: Buffer) -> str:
    """The class of the frame around what a buffer holds after the call."""
    if buffer.after is None:
        return ""
    if buffer.unexpected:
        return "u"
    return "s" if buffer.shares else "n" if buffer.fresh else "w" if buffer.written else "k"


def first_with(scene: Scene, error: str) -> int:
    """The first rank that raised ``error``; the others need not repeat it."""
    return next(part.rank for part in scene.ranks if part.error == error)


def plain(value: Plain) -> str:
    """A value as it is shown: every digit counts, and a whole number has no point."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else str(value)


def short(value: Plain) -> str:
    """A value as a cell has room for."""
    text = plain(value)
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"


def lines(cells: Sequence[Cell], shape: Sequence[int]) -> Iterator[Sequence[Cell]]:
    """The cells in lines as long as the last dimension."""
    width = shape[-1] if len(shape) > 1 and shape[-1] else max(len(cells), 1)
    for start in range(0, len(cells), width):
        yield cells[start : start + width]


def listed(cells: Sequence[Cell] | None, shape: Sequence[int]) -> str:
    """Values in a row of the table: ``[1, 2; 3, 4]``, lines of a matrix apart by semicolons."""
    if cells is None:
        return "–"
    text = "; ".join(", ".join(plain(cell.value) for cell in line) for line in lines(cells, shape))
    return f"[{text}]" if shape else text


def described(buffer: Buffer) -> str:
    """The type and shape of a buffer: ``float32 (3,)``."""
    shape = ", ".join(map(str, buffer.shape)) + ("," if len(buffer.shape) == 1 else "")
    return f"{buffer.dtype} ({shape})" if buffer.shape else buffer.dtype


def origins_text(part: RankPart, buffer: Buffer) -> str:
    """Where the values that the call made came from, in neutral notation: ``110, 220 ← rank 1 + rank 2: tensor[0–1]``.

    Neighbours that came from the same ranks, one element after another, are told together.
    """
    whole = {one.name for one in part.buffers if not one.shape}
    parts: list[str] = []
    run: list[Cell] = []
    for cell in [*(one for one in buffer.after or [] if one.changed), None]:
        if cell is not None and (not run or _follows(run[-1], cell)):
            run.append(cell)
            continue
        if run:
            parts.append(_told(run, whole))
        run = [cell] if cell is not None else []
    return "; ".join(parts)


def _follows(before: Cell, cell: Cell) -> bool:
    one, other = before.origin, cell.origin
    if one is None or other is None:
        return one is other
    return (one.ranks, one.buffer, one.element + 1) == (other.ranks, other.buffer, other.element)


def _told(run: Sequence[Cell], whole: Collection[str]) -> str:
    """``whole``: the buffers that hold one value and have no elements."""
    values = ", ".join(plain(cell.value) for cell in run)
    first, last = run[0].origin, run[-1].origin
    if first is None or last is None:
        return f"{values} ← ?"
    span = f"{first.element}" if first == last else f"{first.element}–{last.element}"
    place = first.buffer if first.buffer in whole else f"{first.buffer}[{span}]"
    return f"{values} ← {' + '.join(f'rank {rank}' for rank in first.ranks)}: {place}"
