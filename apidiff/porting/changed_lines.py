"""Tells which lines of a text differ from those of another, in time that grows with their number whatever they repeat.

`difflib` compares each line with every like it, and looks through all lines again for each change: of 20,000 lines that repeat
each other, or of which every other is changed, it takes minutes. So it is given a window of lines at a time.
"""

from __future__ import annotations

import difflib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple, TypeVar

from apidiff.porting.code_text import Edit

_WINDOW = 1000  # lines that are compared at once, in a thirtieth of a second at most
_CONTEXT = 3  # lines around a change in a diff

Line = TypeVar("Line", str, bytes)


class Changed(NamedTuple):
    """Lines from 0, ends exclusive: where ``start`` to ``stop`` were, there are ``begin`` to ``until`` of the text after."""

    start: int
    stop: int
    begin: int
    until: int


def edited_lines(data: bytes, edits: Iterable[Edit], before: Sequence[Line], after: Sequence[Line]) -> list[Changed]:
    """The lines that ``edits`` of ``data`` change: ``before``, its lines, which end in line feeds, and ``after``, those made."""
    ends = list(accumulate(len(line) + 1 for line in data.split(b"\n")))
    found: list[Changed] = []
    shift = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        start, stop = bisect_right(ends, edit.start), bisect_right(ends, edit.end) + 1
        more = edit.text.count("\n") - data.count(b"\n", edit.start, edit.end)
        if found and start < found[-1].stop:
            last = found.pop()
            found.append(Changed(last.start, stop, last.begin, stop + shift + more))
        else:
            found.append(Changed(start, stop, start + shift, stop + shift + more))
        shift += more
    return [changed for one in found if (changed := _trimmed(before, after, one)) is not None]


def differing_lines(before: Sequence[Line], after: Sequence[Line]) -> list[Changed]:
    """The lines that differ; from where too few of a window are the same, all up to the last that do."""
    whole = _trimmed(before, after, Changed(0, len(before), 0, len(after)))
    found: list[Changed] = []
    while whole is not None:
        start, begin = whole.start, whole.begin
        old, new = before[start : min(start + _WINDOW, whole.stop)], after[begin : min(begin + _WINDOW, whole.until)]
        made = difflib.SequenceMatcher(None, old, new).get_opcodes()
        is_last = (start + len(old), begin + len(new)) == (whole.stop, whole.until)
        while not is_last and made and made[-1][0] != "equal":
            made.pop()  # what it stands beside may lie behind the window
        if not made or (not is_last and made[-1][2] + made[-1][4] < (len(old) + len(new)) // 2):
            return [*found, whole]
        found += [
            Changed(start + one[1], start + one[2], begin + one[3], begin + one[4]) for one in made if one[0] != "equal"
        ]
        whole = _trimmed(before, after, Changed(start + made[-1][2], whole.stop, begin + made[-1][4], whole.until))
    return found


def unified_diff(
    before: Sequence[bytes], after: Sequence[bytes], changes: Iterable[Changed], names: tuple[bytes, bytes]
) -> Iterator[bytes]:
    """The diff of two texts as `difflib.diff_bytes` writes it."""
    hunks: list[list[Changed]] = []
    for change in changes:
        if hunks and change.start == hunks[-1][-1].stop:  # all lines that go stand before those that come
            last = hunks[-1].pop()
            hunks[-1].append(Changed(last.start, change.stop, last.begin, change.until))
        elif hunks and change.start - hunks[-1][-1].stop <= 2 * _CONTEXT:
            hunks[-1].append(change)
        else:
            hunks.append([change])
    if hunks:
        yield from (b"--- " + names[0] + b"\n", b"+++ " + names[1] + b"\n")
    for hunk in hunks:
        above = min(_CONTEXT, hunk[0].start)
        first, end = hunk[0].start - above, min(hunk[-1].stop + _CONTEXT, len(before))
        new = _span(hunk[0].begin - above, hunk[-1].until + end - hunk[-1].stop)
        yield f"@@ -{_span(first, end)} +{new} @@\n".encode()
        for change in hunk:
            yield from (b" " + line for line in before[first : change.start])
            yield from (b"-" + line for line in before[change.start : change.stop])
            yield from (b"+" + line for line in after[change.begin : change.until])
            first = change.stop
        yield from (b" " + line for line in before[first:end])


def _trimmed(before: Sequence[Line], after: Sequence[Line], changed: Changed) -> Changed | None:
    """``changed`` without what is the same at both ends; None where nothing is left."""
    start, stop, begin, until = changed
    stop, until = min(stop, len(before)), min(until, len(after))
    while start < stop and begin < until and before[start] == after[begin]:
        start, begin = start + 1, begin + 1
    while start < stop and begin < until and before[stop - 1] == after[until - 1]:
        stop, until = stop - 1, until - 1
    return Changed(start, stop, begin, until) if start < stop or begin < until else None


def _span(start: int, stop: int) -> str:
    """Lines as a hunk names them, which count from 1."""
    size = stop - start
    return str(start + 1) if size == 1 else f"{start + 1 if size else start},{size}"
