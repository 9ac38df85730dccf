"""Draws the picture on a mapping's page: both frameworks side by side, other choices kept in an HTML template element."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from jinja2 import Environment, StrictUndefined, Template
from sphinx.application import Sphinx

from apidiff.database.runs import short_id
from apidiff.derive.answers import current_target
from apidiff.model.picture import Buffer, Cell, Picture, Plain, RankPart, Scene, Side
from apidiff.model.views import Entry, TargetEntry
from apidiff.sphinxext.nodes import markup, relative
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.page_parts import CUT, END, part_mark
from apidiff.sphinxext.run_page import run_part

# What is kept with a page that has a picture.
PICTURED = "apidiff_pictured"
# What a reader sees first.
_WORLD_SIZE = 3
# The words that the element says.
_ELEMENT_WORDS = (
    "picture.controls",
    "picture.size",
    "picture.mode",
    "picture.sync",
    "picture.async",
    "picture.target",
    "picture.place",
    "picture.step",
    "picture.back",
    "picture.forward",
    "picture.play",
    "picture.stop",
    "picture.before",
    "picture.step_called",
    "picture.after",
    "picture.after_wait",
    "picture.hint",
    "picture.tell_copy",
    "picture.tell_sum",
    "picture.tell_kept",
    "picture.tell_unknown",
    "picture.tell_input_none",
    "picture.tell_input_one",
    "picture.tell_input",
    "picture.tell_unexpected",
    "picture.not_recorded",
    "picture.no_scene",
    "picture.no_target",
    "site.comma",
    "run.rank",
    "framework.torch",
    "framework.mindspore",
)
# A cell shows so much of a text; the table has all of it.
_SHORT = 18


def add_picture_files(
    app: Sphinx, pagename: str, _template: str, _context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Load the element's script and style on the pages with a picture and on no other."""
    if doctree is not None and PICTURED in app.env.metadata.get(pagename, {}):
        app.add_js_file("elements/picture.js", loading_method="defer")
        app.add_css_file("picture.css")


def picture_section(make: PageBuilder, entry: Entry, picture: Picture | None, newest: str) -> list[nodes.Node]:
    """Build the section with the picture, nothing where there is none. ``newest``: the newest known MindSpore version."""
    if picture is None:
        return []
    intro = make.sentence(_intro(picture))
    drawn = markup("", html=picture_html(make, entry, picture, newest))
    return [make.section("picture", make.word("picture.title"), intro, drawn)]


def picture_html(make: PageBuilder, entry: Entry, picture: Picture, newest: str) -> str:
    """Write the picture. It shows the plain call at 3 ranks, or at most as many as both sides were recorded with."""
    current = current_target(entry, newest)
    target = next((side for side in picture.targets if current and side.api == current.name), None)
    source_scene, target_scene = _first_pair(picture.source, target)
    shown = [
        (picture.source, source_scene, make.word("picture.no_scene", api=picture.source.api)),
        (target, target_scene, _missing(make, current, newest)),
    ]
    sides = [picture.source, *picture.targets]
    rest = [
        (side, scene)
        for side in sides
        for scene in side.scenes
        if scene is not source_scene and scene is not target_scene
    ]
    words = {key.removeprefix("picture."): make.word(key) for key in _ELEMENT_WORDS}

    def run_href(api: str, probe: str, run: str) -> str:
        return relative(make.docname, f"runs/{short_id(run)}.html#{run_part(api, probe)}")

    values: dict[str, Any] = {
        "word": make.word,
        "element_words": json.dumps(words, ensure_ascii=False),
        "targets": json.dumps([{"api": side.api, "current": " ".join(side.current)} for side in picture.targets]),
        "source": picture.source.api,
        "newest": newest,
        "ranks": max(scene.world_size for side in sides for scene in side.scenes),
        "shown": shown,
        "rest": rest,
        "run_href": run_href,
        "mark": part_mark(make.word("picture.others"), "template"),
        "cut": CUT,
        "end": END,
    }
    return write(values)


def _missing(make: PageBuilder, target: TargetEntry | None, newest: str) -> str:
    """Say what stands on MindSpore's side where there is nothing to draw."""
    if target is None:
        return make.word("picture.no_target", version=newest)
    return make.word("picture.no_scene", api=target.name)


def _first_pair(source: Side, target: Side | None) -> tuple[Scene | None, Scene | None]:
    """Choose the plain scenes at the world size that both sides have, 3 before larger before smaller."""
    sizes = {scene.world_size for scene in source.scenes}
    if target and target.scenes:
        sizes = (sizes & {scene.world_size for scene in target.scenes}) or sizes
    size = _WORLD_SIZE if _WORLD_SIZE in sizes else max(sizes, default=_WORLD_SIZE)
    return _plain_at(source, size), _plain_at(target, size) if target else None


def _plain_at(side: Side, size: int) -> Scene | None:
    """Choose the scene of the newest version; without ``async_op`` where there is one."""
    scenes = [scene for scene in side.scenes if scene.world_size == size]
    return next((scene for scene in scenes if not scene.asks_async), None) or next(iter(scenes), None)


def _intro(picture: Picture) -> str:
    buffers = [
        buffer
        for side in [picture.source, *picture.targets]
        for scene in side.scenes
        for part in scene.ranks
        for buffer in part.buffers
    ]
    if not buffers:
        return "picture.intro_no_buffers"
    numbers = any(buffer.shape and buffer.dtype not in {"list", "tuple"} for buffer in buffers)
    return "picture.intro" if numbers else "picture.intro_texts"


def write(values: Mapping[str, Any]) -> str:
    """Write the HTML by the template, which asks for the names in ``values``."""
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
        """Tell whether the same became of all of them."""
        fates = {
            (buffer.written, buffer.unexpected, buffer.fresh, tuple(buffer.shares), buffer.after is None)
            for buffer in self.buffers
        }
        return len(fates) == 1


def groups(part: RankPart) -> list[Group]:
    """Group the buffers of a rank by the argument that they are part of."""
    by_argument: dict[str, list[Buffer]] = {}
    for buffer in part.buffers:
        by_argument.setdefault(buffer.name.partition("[")[0], []).append(buffer)
    return [Group(name, buffers) for name, buffers in by_argument.items()]


def kept(buffer: Buffer) -> bool:
    """Tell whether a buffer holds the same after the call as before it."""
    return buffer.before is not None and buffer.after is not None and not buffer.written


def look(buffer: Buffer) -> str:
    """Name the class of the frame around what a buffer holds after the call."""
    if buffer.after is None:
        return ""
    if buffer.unexpected:
        return "u"
    return "s" if buffer.shares else "n" if buffer.fresh else "w" if buffer.written else "k"


def first_with(scene: Scene, error: str) -> int:
    """Find the first rank that raised ``error``; the others need not repeat it."""
    return next(part.rank for part in scene.ranks if part.error == error)


def plain(value: Plain) -> str:
    """Write a value as it is shown: every digit counts, and a whole number has no point."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else str(value)


def short(value: Plain) -> str:
    """Write a value as a cell has room for."""
    text = plain(value)
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"


def lines(cells: Sequence[Cell], shape: Sequence[int]) -> Iterator[Sequence[Cell]]:
    """Cut the cells into lines as long as the last dimension."""
    width = shape[-1] if len(shape) > 1 and shape[-1] else max(len(cells), 1)
    for start in range(0, len(cells), width):
        yield cells[start : start + width]


def listed(cells: Sequence[Cell] | None, shape: Sequence[int]) -> str:
    """Write values in a row of the table: ``[1, 2; 3, 4]``, lines of a matrix apart by semicolons."""
    if cells is None:
        return "–"
    text = "; ".join(", ".join(plain(cell.value) for cell in line) for line in lines(cells, shape))
    return f"[{text}]" if shape else text


def described(buffer: Buffer) -> str:
    """Write the type and shape of a buffer: ``float32 (3,)``."""
    shape = ", ".join(map(str, buffer.shape)) + ("," if len(buffer.shape) == 1 else "")
    return f"{buffer.dtype} ({shape})" if buffer.shape else buffer.dtype


def origins_text(part: RankPart, buffer: Buffer) -> str:
    """Write where the values that the call made came from: ``110, 220 ← rank 1 + rank 2: tensor[0–1]``.

    Neighbours that came from the same ranks, one element after another, are told together.
    """
    whole = {buffer.name for buffer in part.buffers if not buffer.shape}
    parts: list[str] = []
    run: list[Cell] = []
    for cell in [*(cell for cell in buffer.after or [] if cell.changed), None]:
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
    """Write cells that came from the same ranks. ``whole``: the buffers that hold one value and have no elements."""
    values = ", ".join(plain(cell.value) for cell in run)
    first, last = run[0].origin, run[-1].origin
    if first is None or last is None:
        return f"{values} ← ?"
    span = f"{first.element}" if first == last else f"{first.element}–{last.element}"
    place = first.buffer if first.buffer in whole else f"{first.buffer}[{span}]"
    return f"{values} ← {' + '.join(f'rank {rank}' for rank in first.ranks)}: {place}"
