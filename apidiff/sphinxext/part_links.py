"""Leads links to anchors that a heavy page keeps on pages of its own to these pages, so that they work without script.

With script the whole page is opened instead, which brings the part (``conf/elements/src/shared/parts.ts``).
"""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from sphinx.application import Sphinx

from apidiff.atomic_write import refuse_irregular, write_file
from apidiff.database.kept_files import read_sealed, sealed
from apidiff.sphinxext.page_parts import TABLE, pages_below
from apidiff.sphinxext.supported_builders import writes_site
from apidiff.sphinxext.written_files import naming_the_file
from apidiff.writers.exports.files import write_if_changed

_LINK = re.compile(r'(<a [^<>]*?href=")([^"#:]*)#([^"]+)"')
_ID = re.compile(r'\sid="([^"]+)"')
_PART = re.compile(r"\.part-\d+(?=\.html$)")
_SECTION = re.compile(r"part-\d+$")
_STAMP = b"anchors of parts"  # that pages and tables changed since is told by their times

Held = dict[str, dict[str, str]]


def link_parts(app: Sphinx, exception: Exception | None) -> None:
    """Lead every link of the written pages to the page that holds its anchor: the whole one, or that of a part."""
    if exception is None and writes_site(app.builder):
        known = {*app.env.found_docs, *app.config.html_additional_pages, "genindex", "search"}
        with naming_the_file(Path(app.outdir)):
            lead_to_parts(Path(app.outdir), Path(app.doctreedir) / "apidiff" / "anchors_of_parts.json", known)


def lead_to_parts(out: Path, kept: Path, known: Collection[str]) -> None:
    """Rewrite the links of the pages ``known`` below ``out`` to anchors of heavy pages.

    What was found of heavy pages is left in ``kept``, which is made anew where it is not as it was written. Pages that were
    written before that file are looked at again only where an anchor moved since: there are thousands of them.
    """
    times = {path: os.stat(f"{out}/{path}").st_mtime_ns for path in pages_below(out, known)}  # noqa: PTH116 - thousands
    former = _former(kept)
    since = 0 if former is None else kept.stat().st_mtime_ns
    former = former or {}
    held = dict(_held(out, times, since, former))
    for path, written in times.items():
        if path.endswith(".html") and (written >= since or held != former):
            text = _text(out / path)
            led = _LINK.sub(partial(_led, path, held), text)
            if led != text:
                write_if_changed(out / path, led.encode(errors="surrogateescape"))
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_file(kept, sealed(_STAMP, json.dumps(held).encode()))


def _former(kept: Path) -> Held | None:
    """Read what an earlier build found; None where none is kept, or it is not as it was written."""
    try:
        former: Held = json.loads(read_sealed(kept, _STAMP))
    except (OSError, ValueError):
        return None
    return former


def _table(file: Path) -> Any:
    """Read a table of anchors; None where none is there, or it cannot be read."""
    try:
        return json.loads(_bytes(file))
    except (FileNotFoundError, ValueError, RecursionError):
        return None


def _text(page: Path) -> str:
    # One that is no UTF-8 was put there by somebody else: what is no link in it stays byte for byte.
    return _bytes(page).decode(errors="surrogateescape")


def _bytes(file: Path) -> bytes:
    # A pipe would keep the build waiting indefinitely.
    refuse_irregular(file)
    return file.read_bytes()


def _held(out: Path, times: Mapping[str, int], since: int, former: Held) -> Iterator[tuple[str, dict[str, str]]]:
    """Each heavy page with the anchors that only its parts have: the file name of the page that holds it."""
    parts: dict[str, list[str]] = {}
    for path in sorted(times):
        parts.setdefault(_PART.sub("", path), []).append(path)
    for table in (path for path in times if path.endswith(TABLE)):
        page = table.replace(TABLE, ".html")
        if page in former and all(times[path] < since for path in [table, *parts[page]]):
            yield page, former[page]
            continue
        read = _table(out / table)
        if not isinstance(read, dict) or not isinstance(anchors := read.get("anchors"), dict):
            continue  # somebody changed it: links lead to the page, whose next writing makes it anew
        there = set(_ID.findall(_text(out / page)))
        places = {
            anchor: posixpath.basename(part)
            for part in parts[page]
            if part != page
            for anchor in _ID.findall(_text(out / part))
        }
        lacking = anchors.keys() & places.keys() - there
        yield page, {anchor: places[anchor] for anchor in sorted(lacking)}


def _led(place: str, held: Held, link: re.Match[str]) -> str:
    address, anchor = _PART.sub("", link[2]), unquote(link[3])
    page = posixpath.normpath(posixpath.join(posixpath.dirname(place), address)) if address else _PART.sub("", place)
    anchors = held.get(page)
    if anchors is None or _SECTION.match(anchor):  # a link in the place of a part leads to the part
        return link[0]
    folder, _, name = address.rpartition("/")
    name = anchors.get(anchor, name)
    return f'{link[1]}{folder}{"/" if folder else ""}{name}#{link[3]}"'
