"""Replaces the sources of cells in the text of a notebook; every other byte of the JSON stays: metadata, outputs, indents."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise

from apidiff.porting.changed_lines import differing_lines
from apidiff.porting.source_text import UnreadableSource, notebook_cells

_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"
_WIDEST = 200  # characters between the lines of a source that are written between more of them
# In the text of a string as JSON has it: a character, which may be written in two halves, and a line.
_CHARACTER = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|.")
_LINE = re.compile(r"(?:[^\\]|\\[^n])*+(?:\\n|\Z)")
_LINE_OF_TEXT = re.compile(r"[^\n]*\n|[^\n]+")
_CODE_LINE = re.compile(r"[^\r\n]*(?:\r\n|[\r\n])|[^\r\n]+")
# How editors part a source: what Python writes has items that end at U+2028, form feeds and their like.
_PARTED: tuple[Callable[[str], list[str]], ...] = (
    _CODE_LINE.findall,
    _LINE_OF_TEXT.findall,
    lambda text: text.splitlines(keepends=True),
)


def replace_sources(text: str, sources: Mapping[int, str]) -> str:
    """Return the notebook with new sources of cells, by their number from 0. Raises UnreadableSource for what is no notebook."""
    try:
        places = list(_source_places(text))
    except RecursionError as error:  # what reads here nests less deeply than what read before
        raise UnreadableSource("notebook", detail=str(error)) from error
    if len(places) != len(notebook_cells(text.encode())):
        raise UnreadableSource("notebook", detail="its cells cannot be told apart")
    parts, at = list[str](), 0  # a copy of the whole for each of many cells would take minutes
    for number, source in sorted(sources.items()):
        place = places[number]
        if place is None:
            raise UnreadableSource("notebook", detail=f"cell {number + 1} has no source")
        start, end = place
        parts += [text[at:start], _written(text[start:end], source)]
        at = end
    return "".join([*parts, text[at:]])


def _source_places(text: str) -> Iterator[tuple[int, int] | None]:
    """Where the source of each cell stands; None for one without. Raises UnreadableSource for one that has two."""
    top = _skip(text, 0)
    sheets = [place for place in _members(text, top, "worksheets") for place in _items(text, place)]
    for cell in _cell_places(text, sheets) or _cell_places(text, [top]):
        found = list(_members(text, cell, "source")) or list(_members(text, cell, "input"))
        if len(found) > 1:  # what reads takes the last of them
            raise UnreadableSource("notebook", detail="a cell has two sources")
        yield (found[0], _end(text, found[0])) if found else None


def _cell_places(text: str, sheets: Iterable[int]) -> list[int]:
    return [cell for sheet in sheets for cells in _members(text, sheet, "cells") for cell in _items(text, cells)]


def _members(text: str, at: int, key: str) -> Iterator[int]:
    """Where the value of ``key`` begins in the object at a place; nothing where it has none."""
    if text[at : at + 1] != "{":
        return
    at = _skip(text, at + 1)
    while text[at] != "}":
        name, at = _DECODER.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)  # the colon
        if name == key:
            yield at
        at = _skip(text, _end(text, at))
        at = _skip(text, at + 1) if text[at] == "," else at


def _items(text: str, at: int) -> Iterator[int]:
    """Where the items of the array at a place begin."""
    if text[at : at + 1] != "[":
        return
    at = _skip(text, at + 1)
    while text[at] != "]":
        yield at
        at = _skip(text, _end(text, at))
        at = _skip(text, at + 1) if text[at] == "," else at


def _end(text: str, at: int) -> int:
    return _DECODER.raw_decode(text, at)[1]


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _written(before: str, source: str) -> str:
    """A source in the manner of the one before: a string, or a list of lines between which the same stands."""
    ascii_only = before.isascii()
    if before[0] == '"':
        return f'"{"".join(_spelled(_LINE.findall(before[1:-1]), _LINE_OF_TEXT.findall(source), ascii_only))}"'
    places = list(_items(before, 0))
    written = [before[start : _end(before, start)] for start in places]
    texts = [line[1:-1] for line in written if line[0] == '"']  # the source may list what is no text
    items = _parted([json.loads(line) for line in written], source)
    lines = [f'"{line}"' for line in _spelled(texts, items, ascii_only)]
    opening = before[: places[0]]
    between = before[_end(before, places[0]) : places[1]] if len(places) > 1 else f",{opening[1:]}"
    if len(between) > _WIDEST:
        between = ", "
    return opening + between.join(lines) + before[_end(before, places[-1]) :]


def _parted(before: list[str], source: str) -> list[str]:
    """A source as the items of a list: parted in the way of those before, else lines that are the same as they were."""
    text = "".join(before)
    for parted in _PARTED:
        if parted(text) == before:
            return parted(source)
    if len(before) == 1:
        return [source]
    counts = Counter(
        accumulate(map(len, before[:-1]))
    )  # where items end; two at one place have an empty one between them
    cuts = sorted(counts)
    old, new = _CODE_LINE.findall(text), _CODE_LINE.findall(source)
    ends, made_ends = ([*accumulate(map(len, lines), initial=0)] for lines in (old, new))
    made: Counter[int] = Counter()
    at = until = 0  # up to where the lines of both are done
    for start, stop, begin, after in [*differing_lines(old, new), (len(old), len(old), len(new), len(new))]:
        shift = made_ends[until] - ends[at]
        for place in cuts[bisect_left(cuts, ends[at]) : bisect_right(cuts, ends[start])]:
            if 0 < place + shift < len(source) or place in (0, len(text)):  # else an empty item would come about
                made[place + shift] = max(made[place + shift], counts[place])
        fresh = [*range(begin + 1, after), *([after] if stop == 0 else []), *([begin] if start == len(old) else [])]
        for number in fresh:
            if 0 < number < len(new):
                made[made_ends[number]] = max(made[made_ends[number]], 1)
        at, until = stop, after
    return [source[start:end] for start, end in pairwise([0, *sorted(made.elements()), len(source)])]


def _spelled(before: Sequence[str], lines: Iterable[str], ascii_only: bool) -> Iterator[str]:
    """Lines as JSON: one of those before as it was written there, another with each character as it was most often."""
    kept = {json.loads(f'"{line}"'): line for line in before}
    counts = Counter(character for line in before for character in _CHARACTER.findall(line))
    spellings = {json.loads(f'"{spelling}"'): spelling for spelling, _ in reversed(counts.most_common())}
    for line in lines:
        if (spelling := kept.get(line)) is not None:
            yield spelling
        else:
            yield "".join(
                spellings.get(character) or json.dumps(character, ensure_ascii=ascii_only)[1:-1] for character in line
            )
