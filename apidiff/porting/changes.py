"""What a port does with a piece of code: its changes, their edits, and which of them overlap."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence

import msgspec

from apidiff.messages.labels import filled
from apidiff.model.base import Language, Text
from apidiff.porting.code_text import Edit
from apidiff.porting.judgement import Label


class PortOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How to port. ``unsafe``: edits with conditions too; ``language``: that of comments; ``site``: the address of its pages."""

    unsafe: bool = False
    language: Language = "en"
    site: str = ""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What is done with a place that names an API of PyTorch.

    ``state``: ``made`` (edited), ``kept`` (right as it stands), ``left`` (an edit with conditions that was not asked for) or
    ``manual``. ``why``: what has to be so for the edit to be right, or why there is none. ``edits``: those that were made,
    or would be. Lines and columns count from 1, columns in characters, the end is exclusive.
    """

    source: str
    target: str | None
    label: str
    state: str
    line: int
    column: int
    end_line: int
    end_column: int
    why: list[Text] = []
    edits: list[Edit] = []
    help: Text | None = None
    guide: str | None = None


class Ported(msgspec.Struct, frozen=True):
    """Ported code. ``edits``: all of them, imports and comments too, as bytes of the text that was given."""

    text: str
    changes: list[Change]
    edits: list[Edit]

    def count(self, state: str, label: str | None = None) -> int:
        """How many places are in ``state``, of all labels or of one."""
        return sum(one.state == state and label in {None, one.label} for one in self.changes)

    @property
    def is_partial(self) -> bool:
        """Whether some of what the text names of PyTorch is ported, and some stays."""
        staying = self.count("left") + self.count("manual") + self.count("kept", "unknown")
        return bool(self.count("made") and staying)


class Repair(msgspec.Struct, frozen=True):
    """A change that can be made by itself, or with others only: ``along``.

    ``edits``: theirs, those of the imports that they need, and their comments, as bytes of the text.
    """

    change: Change
    edits: list[Edit]
    along: list[Change] = []


def without_overlaps(changes: Iterable[Change]) -> list[Change]:
    """The changes; one whose edits overlap those of an earlier one is left to the reader."""
    taken = _Taken()
    found = []
    for one in changes:
        if one.state == "made" and any(taken.meets(edit) for edit in one.edits):
            why = [filled("porting.within"), *one.why]
            one = msgspec.structs.replace(one, state="manual", label=Label.MANUAL.value, edits=[], why=why)
        elif one.state == "made":
            taken.add(one.edits)
        found.append(one)
    return found


class _Taken:
    """The bytes that edits have taken: ranges that are replaced, in order, and places at which text is put in."""

    def __init__(self) -> None:
        self._ranges: list[tuple[int, int]] = []
        self._places: list[int] = []

    def meets(self, edit: Edit) -> bool:
        """Whether an edit overlaps one of those that were added; edits that only touch do not."""
        number = bisect_left(self._ranges, (edit.start, edit.end))
        near = self._ranges[max(0, number - 1) : number + 1]
        if any(edit.start < end and start < edit.end for start, end in near):
            return True
        return bisect_right(self._places, edit.start) < bisect_left(self._places, edit.end)

    def add(self, edits: Sequence[Edit]) -> None:
        """Take the bytes of edits, which do not overlap those before."""
        for edit in edits:
            if edit.start == edit.end:
                insort(self._places, edit.start)
            else:
                insort(self._ranges, (edit.start, edit.end))
