"""The picture on a mapping's page: both frameworks side by side, with what other choices would show kept in a template."""

from __future__ import annotations

import json
from typing import Any

from docutils import nodes

from apidiff.model.picture import Picture, Scene, Side
from apidiff.model.views import Entry, TargetEntry
from apidiff.sphinxext.answers import current_target
from apidiff.sphinxext.builder import Builder
from apidiff.sphinxext.nodes import markup, paragraph, relative
from apidiff.sphinxext.picture_html import write
from apidiff.sphinxext.run_links import run_part

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


def picture_section(make: Builder, entry: Entry, picture: Picture | None, newest: str) -> list[nodes.Node]:
    """The section with the picture, nothing where there is none. ``newest``: the newest known MindSpore version."""
    if picture is None:
        return []
    intro = paragraph(nodes.Text(make.word(_intro(picture))))
    drawn = markup("", html=picture_html(make, entry, picture, newest))
    return [make.section("picture", make.word("picture.title"), intro, drawn)]


def picture_html(make: Builder, entry: Entry, picture: Picture, newest: str) -> str:
    """The picture as HTML. It shows the plain call at 3 ranks, or at most as many as both sides were recorded with."""
    current = current_target(entry, newest)
    target = next((side for side in picture.targets if current and side.api == current.name), None)
    source_scene, target_scene = _first_pair(picture.source, target)
    shown = [
        (picture.source, source_scene, make.word("picture.no_scene", api=picture.source.api)),
        (target, target_scene, _missing(make, current, newest)),
    ]
    sides = [picture.source, *picture.targets]
    rest = [(side, one) for side in sides for one in side.scenes if one is not source_scene and one is not target_scene]
    words = {key.removeprefix("picture."): make.word(key) for key in _ELEMENT_WORDS}

    def run_href(api: str, probe: str, run: str) -> str:
        return relative(make.docname, f"runs/{run}.html#{run_part(api, probe)}")

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
    }
    return write(values)


def _missing(make: Builder, target: TargetEntry | None, newest: str) -> str:
    """What stands on MindSpore's side where there is nothing to draw."""
    if target is None:
        return make.word("picture.no_target", version=newest)
    return make.word("picture.no_scene", api=target.name)


def _first_pair(source: Side, target: Side | None) -> tuple[Scene | None, Scene | None]:
    """The plain scenes at the world size that both sides have, 3 before larger before smaller."""
    sizes = {scene.world_size for scene in source.scenes}
    if target and target.scenes:
        sizes = (sizes & {scene.world_size for scene in target.scenes}) or sizes
    size = _WORLD_SIZE if _WORLD_SIZE in sizes else max(sizes, default=_WORLD_SIZE)
    return _plain_at(source, size), _plain_at(target, size) if target else None


def _plain_at(side: Side, size: int) -> Scene | None:
    """The scene of the newest version; without ``async_op`` where there is one."""
    found = [scene for scene in side.scenes if scene.world_size == size]
    return next((scene for scene in found if not scene.asks_async), None) or next(iter(found), None)


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
