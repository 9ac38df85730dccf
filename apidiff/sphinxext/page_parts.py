"""Moves what a heavy page holds folded to pages of their own, its parts.

The writer marks what can be moved: all that stands under a lid, and lists that are marked as long (`part_mark`). Where a page
weighs more than `LIMIT`, such parts go to ``NAME.part-1.html`` and so on, plain pages, and a link stays in the place of each.
Opening the lid brings the part to the page (``conf/elements/src/shell/parts.ts``); ``NAME.parts.json`` tells the script
which part holds which anchor.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from docutils import nodes
from jinja2 import Environment, StrictUndefined, Template
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError

from apidiff.folder_walk import walk_folders
from apidiff.messages.labels import label
from apidiff.model.base import Language
from apidiff.sphinxext.languages import language_of
from apidiff.sphinxext.written_files import naming_the_file, parts_of
from apidiff.writers.exports.files import write_if_changed

# Bytes of a page's text; header, contents and footer come on top of it, up to 33 KB. No page is to weigh more than 100 KB.
LIMIT = 66_000
# Parts share a page until it weighs this: who opens one lid loads no more than that.
_SHARED = 36_000
# A part that is smaller than this stays: the link would weigh as much.
_WORTH_MOVING = 250
_LINK = 200
# Marks bear the extension's name: a comment in a user's page is none.
_BEGIN = "<!--apidiff:part:"
_MARK = re.compile(rf"{_BEGIN}(lid|open|template):([^>]*)-->|<!--apidiff:(/part)-->|<!--apidiff:(cut)-->")
_SUMMARY = re.compile(r"<summary[^>]*>(.*)</summary>\s*\Z", re.DOTALL)
_ID = re.compile(r'\sid="([^"]+)"')
_HERE = re.compile(r'(<a [^<>]*?href=")(#[^"]+)"')
_INNER = re.compile(r'\.part-\d+\.html#part-(\d{1,9})"')
_PLACE = re.compile("<!--apidiff:anchors:([0-9]{1,9}(?:,[0-9]{1,9})*)-->")
_PART_FILE = re.compile(r"\.part-\d+\Z")

TABLE = ".parts.json"
"""Ends the name of the table of a page's parts."""
UNDER_LID = f"{_BEGIN}lid:-->"
"""Begins what stands under a lid that is there already."""
END = "<!--apidiff:/part-->"
CUT = "<!--apidiff:cut-->"
"""Marks a place where a part may be divided between pages."""


def part_mark(title: str, kind: str = "open") -> str:
    """Return the mark that begins a part.

    Args:
        title: names the lid that the part gets where it is moved.
        kind: ``open`` where the part stands open on a light page, ``template`` where only a script shows it.
    """
    return f"{_BEGIN}{kind}:{escape(title)}-->"


@dataclass
class Part:
    """What stands between two marks: text, parts, and `CUT` where it may be divided. ``moved``: only a link to it stays."""

    kind: str
    title: str
    pieces: list[str | Part] = field(default_factory=list)
    moved: bool = False

    def inner(self, depth: int = 1) -> Iterator[tuple[int, Part]]:
        """List the parts in this one, with how deep they stand in it."""
        for piece in self.pieces:
            if isinstance(piece, Part):
                yield depth, piece
                yield from piece.inner(depth + 1)

    def weight(self) -> int:
        """Return the bytes of the part without what is moved from it."""
        return sum(
            len(piece.encode()) if isinstance(piece, str) else _LINK if piece.moved else piece.weight()
            for piece in self.pieces
        )

    def divided(self) -> Iterator[Part]:
        """Divide the part at its cuts into pieces of which each is as large as a page may be."""
        held: list[str | Part] = []
        portion: list[str | Part] = []
        for piece in [*self.pieces, CUT]:
            if piece != CUT:
                portion.append(piece)
                continue
            if held and Part("", "", [*held, *portion]).weight() > LIMIT:
                yield Part(self.kind, self.title, held)
                held = []
            held, portion = [*held, *portion], []
        yield Part(self.kind, self.title, held)


def read_parts(body: str) -> Part:
    """Read the marks of a page's text. An end where no part began is passed over."""
    top = Part("page", "")
    around = [top]
    at = 0
    for mark in _MARK.finditer(body):
        text = body[at : mark.start()]
        at = mark.end()
        around[-1].pieces += [text] if text else []
        if mark[1]:
            lid = _SUMMARY.search(text, text.rfind("<summary")) if mark[1] == "lid" else None
            part = Part(mark[1], lid[1] if lid else mark[2])
            around[-1].pieces.append(part)
            around.append(part)
        elif mark[3]:
            if len(around) > 1:
                around.pop()
        else:
            around[-1].pieces.append(CUT)
    around[-1].pieces += [body[at:]] if body[at:] else []
    return top


@dataclass
class PartPages:
    """The pages of the parts of the page ``name``. ``words``: of the link that stands in the place of a part.

    ``pages``: the text of each. ``anchors``: which part holds an anchor. ``inside``: which part another one stands in.
    """

    name: str
    words: str
    pages: list[str] = field(default_factory=list)
    anchors: dict[str, int] = field(default_factory=dict)
    inside: dict[int, int] = field(default_factory=dict)
    _place: dict[int, int] = field(default_factory=dict)

    def fitted(self, part: Part) -> str:
        """Write the part, light enough: lists that are marked as long are moved first, then what is under the deepest lids."""
        inner = list(part.inner())
        for _, piece in inner:
            piece.moved = False
        weight = part.weight()
        if weight > LIMIT:
            for depth, piece in inner:
                piece.moved = depth == 1 and piece.kind != "lid" and piece.weight() > _WORTH_MOVING
            weight = part.weight()
        for _, piece in sorted(inner, key=lambda pair: (-pair[0], -pair[1].weight())):
            if weight <= LIMIT:
                break
            if not piece.moved and (lighter := piece.weight() - _LINK) > _WORTH_MOVING:
                piece.moved = True
                weight -= lighter
        return self._written(part)

    def _written(self, part: Part) -> str:
        text = "".join(
            piece if isinstance(piece, str) else self._link(piece) if piece.moved else self._written(piece)
            for piece in part.pieces
        )
        text = text.replace(CUT, "")
        return f"<template>{text}</template>" if part.kind == "template" else text

    def _link(self, part: Part) -> str:
        """Move the part to a page; write the links that lead there."""
        numbers = [self._move(portion) for portion in part.divided()]
        links = [
            f'<a href="{self._address(number)}">{escape(self.words)}{f" ({place})" if len(numbers) > 1 else ""}</a>'
            for place, number in enumerate(numbers, 1)
        ]
        line = f'<p class="apidiff-part"><!--apidiff:anchors:{",".join(map(str, numbers))}-->{" · ".join(links)}</p>'
        if part.kind == "lid":
            return line
        return f'<details class="apidiff-part-lid"><summary>{part.title}</summary>{line}</details>\n'

    def with_anchors(self, text: str) -> str:
        """Write the anchors of moved parts into their places while there is room: links then lead there without script."""
        held: dict[int, list[str]] = {}
        for anchor, number in self.anchors.items():
            held.setdefault(number, []).append(anchor)
        room = LIMIT - len(text.encode())

        def write(mark: re.Match[str]) -> str:
            nonlocal room
            anchors = [anchor for number in mark[1].split(",") for anchor in held.get(int(number), [])]
            spans = "".join(f'<span id="{anchor}"></span>' for anchor in anchors)
            room -= len(spans)
            return spans if room > 0 else ""

        return _PLACE.sub(write, text)

    def _move(self, part: Part) -> int:
        """Put the part on a page with others, or on the next one; return its number."""
        number = len(self._place) + 1
        self._place[number] = 0  # taken, before the parts in it get theirs
        text = _PLACE.sub("", self.fitted(Part("moved", part.title, part.pieces)))
        for inner in map(int, _INNER.findall(text)):
            self.inside[inner] = number
        for anchor in _ID.findall(text):
            self.anchors.setdefault(anchor, number)
        section = f'<section id="part-{number}">\n<h2>{part.title}</h2>\n{text}</section>\n'
        section = _HERE.sub(lambda found: f'{found[1]}{quote(self.name)}.html{found[2]}"', section)
        if not self.pages or len(self.pages[-1].encode()) + len(section.encode()) > _SHARED:
            self.pages.append("")
        self.pages[-1] += section
        self._place[number] = len(self.pages)
        return number

    def _address(self, number: int) -> str:
        return f"{quote(self.name)}.part-{self._place[number]}.html#part-{number}"

    def table(self) -> str:
        """Write which part holds which anchor, and which part stands in which."""
        return json.dumps({"anchors": self.anchors, "inside": self.inside}, separators=(",", ":"))


def lighten(body: str, name: str, language: Language) -> tuple[str, PartPages]:
    """Return the text of the page ``name`` without what is moved, and the pages that it is moved to."""
    pages = PartPages(name, label("site.part", language))
    return pages.with_anchors(pages.fitted(read_parts(body))), pages


def write_parts(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None
) -> None:
    """Take from a page what makes it heavy, and write the pages that hold it."""
    body = context.get("body")
    if not isinstance(body, str):
        return
    with naming_the_file(Path(app.outdir)):
        _write_parts(app, pagename, body, context)


def _write_parts(app: Sphinx, pagename: str, body: str, context: dict[str, Any]) -> None:
    path = Path(app.outdir) / pagename
    table = path.with_name(f"{path.name}{TABLE}")
    stale = {file for file in parts_of(path.with_name(f"{path.name}.html")) if not _is_page(app, file)}
    if _BEGIN in body:
        context["body"], parts = lighten(body, path.name, language_of(app.config).words)
        for number, text in enumerate(parts.pages, 1):
            file = path.with_name(f"{path.name}.part-{number}.html")
            if _is_page(app, file):
                found = f"the page {pagename}.part-{number} has the name of a part of the page {pagename}"
                raise ExtensionError(f"{found}, which is too large for one. Give it another name.")
            page = {**context, "body": text, "part": number, "parts": len(parts.pages), "whole": f"{path.name}.html"}
            write_if_changed(file, _part_page().render(page).encode())
            stale.discard(file)
        if parts.pages:
            write_if_changed(table, parts.table().encode())
            stale.discard(table)
    for file in stale:
        file.unlink()


def pages_under_parts(_app: Sphinx, env: BuildEnvironment) -> list[str]:
    """The pages that documents have the name of a part of: they are written again, to see whether they have that part."""
    named = {name for name in env.found_docs if _PART_FILE.search(name)}
    return sorted(env.found_docs.intersection(map(page_of, named)))


def _is_page(app: Sphinx, file: Path) -> bool:
    """Whether a file is the page of a document, which may have the name of another's part."""
    return file.relative_to(app.outdir).as_posix().removesuffix(".html") in app.env.found_docs


@cache
def _part_page() -> Template:
    made = Environment(autoescape=True, undefined=StrictUndefined)
    return made.from_string(Path(__file__).with_name("part.html").read_text("utf-8"))


def page_of(docname: str) -> str:
    """Return the page that a page belongs to: itself, or the one whose part it is."""
    return _PART_FILE.sub("", docname)


def pages_below(out: Path, known: Collection[str]) -> Iterator[str]:
    """List the pages ``known`` below ``out``, their parts and the tables of anchors of heavy ones, seen from there."""
    for folder, folders, names in walk_folders(out):
        below = folder.removeprefix(str(out)).removeprefix("/")  # thousands of paths: as objects they take much longer
        if not below:
            folders[:] = [name for name in folders if name != "_static"]
        for path in (posixpath.join(below, name) for name in names if name.endswith((".html", TABLE))):
            if held_by(path, known) in known:
                yield path


def held_by(path: str, known: Collection[str]) -> str:
    """Return the page that a file of `pages_below` belongs to; a document may have the name of another's part."""
    name = path.removesuffix(".html").removesuffix(TABLE)
    return name if name in known else page_of(name)
