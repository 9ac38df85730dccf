"""Leads links to anchors that a heavy page keeps on pages of its own to these pages, so that they work without script.

With script the whole page is opened instead, which brings the part (``conf/elements/src/shared/parts.ts``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from os.path import normpath
from pathlib import Path
from urllib.parse import unquote

from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder

from apidiff.writers.exports.files import write_if_changed

_LINK = re.compile(r'(<a [^>]*?href=")([^"#:]*)#([^"]+)"')
_ID = re.compile(r'\sid="([^"]+)"')
_PART = re.compile(r"\.part-\d+(?=\.html$)")
_SECTION = re.compile(r"part-\d+$")

Held = dict[str, dict[str, str]]


def link_parts(app: Sphinx, exception: Exception | None) -> None:
    """Lead every link of the written pages to the page that holds its anchor: the whole one, or that of a part."""
    if exception is None and isinstance(app.builder, StandaloneHTMLBuilder):
        lead_to_parts(Path(app.outdir))


def lead_to_parts(out: Path) -> None:
    """Rewrite the links of all pages below ``out`` to anchors of heavy pages."""
    held = dict(_held(out))
    for path in out.rglob("*.html") if held else ():
        place = path.relative_to(out)
        if place.parts[0] != "_static":
            text = path.read_text("utf-8")
            led = _LINK.sub(partial(_led, place, held), text)
            if led != text:
                write_if_changed(path, led.encode())


def _held(out: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Each heavy page with the anchors that only its parts have: the file name of the page that holds it."""
    for table in out.rglob("*.parts.json"):
        page = table.with_name(table.name.replace(".parts.json", ".html"))
        anchors = json.loads(table.read_text("utf-8"))["anchors"]
        there = set(_ID.findall(page.read_text("utf-8")))
        places = {
            anchor: part.name
            for part in sorted(page.parent.glob(f"{page.stem}.part-*.html"))
            for anchor in _ID.findall(part.read_text("utf-8"))
        }
        lacking = anchors.keys() & places.keys() - there
        yield page.relative_to(out).as_posix(), {anchor: places[anchor] for anchor in lacking}


def _led(place: Path, held: Held, link: re.Match[str]) -> str:
    address, anchor = _PART.sub("", link[2]), unquote(link[3])
    page = normpath(f"{place.parent.as_posix()}/{address}") if address else _PART.sub("", place.as_posix())
    anchors = held.get(page)
    if anchors is None or _SECTION.match(anchor):  # a link in the place of a part leads to the part
        return link[0]
    folder, _, name = address.rpartition("/")
    name = anchors.get(anchor, name)
    return f'{link[1]}{folder}{"/" if folder else ""}{name}#{link[3]}"'
