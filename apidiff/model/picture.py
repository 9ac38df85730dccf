"""Pictures of recorded calls: what each rank's buffers held before and after, and which inputs made each value.

Derived from run records by ``apidiff.derive.picture``; the source of nothing.
"""

from __future__ import annotations

from apidiff.model.base import Record

Plain = int | float | bool | str | None


class Origin(Record, frozen=True, kw_only=True):
    """The inputs that a value is the sum of: ``element`` of ``buffer`` on each of ``ranks``; a copy where it is one rank."""

    ranks: list[int]
    buffer: str
    element: int


class Cell(Record, frozen=True, kw_only=True):
    """One value. ``origin``: the inputs that made it, None where they cannot be told.

    ``unexpected``: it changed where it is documented to stay.
    """

    value: Plain
    origin: Origin | None = None
    changed: bool = False
    unexpected: bool = False


class Buffer(Record, frozen=True, kw_only=True):
    """One buffer of a rank. ``before`` is None for one that came into being, ``after`` for one that an error left unknown.

    ``written``: its contents changed. ``fresh``: its memory is none that was passed in. ``shares``: buffers that were passed in
    and share its memory.
    """

    name: str
    dtype: str = ""
    shape: list[int] = []
    before: list[Cell] | None = None
    after: list[Cell] | None = None
    written: bool = False
    fresh: bool = False
    shares: list[str] = []

    @property
    def unexpected(self) -> bool:
        """Whether it changed where it is documented to stay."""
        return any(cell.unexpected for cell in self.after or [])


class RankPart(Record, frozen=True, kw_only=True):
    """What one rank did. ``part``: 'call', 'partner' (``calls`` names its API) or 'nothing'.

    ``error`` is the exception in one line; ``silent`` ranks never answered. ``returned``: what came back, in a word, where it
    is no buffer.
    """

    rank: int
    part: str = "call"
    calls: str = ""
    buffers: list[Buffer] = []
    returned: str = ""
    error: str = ""
    silent: bool = False


class Scene(Record, frozen=True, kw_only=True):
    """One recorded call: before it, and after it (after the wait, where it returned a handle).

    ``versions``: the framework versions whose traces are the same, newest first; ``runs``: the run record of each.
    ``asks_async``: the call says ``async_op=True``. ``handle``: the class of the handle that was waited for, if one came back.
    ``end``: completed, timeout or crash. ``unsupported``: an error says that the backend has no kernel. ``flaky``: a second
    try differed.
    """

    versions: list[str]
    runs: list[str]
    backend: str
    device: str
    world_size: int
    probe: str
    call: str
    asks_async: bool = False
    handle: str = ""
    end: str = "completed"
    unsupported: bool = False
    flaky: bool = False
    ranks: list[RankPart]


class Side(Record, frozen=True, kw_only=True):
    """An API with every scene recorded of it. ``current``: the spans of MindSpore versions in which it is the one to use.

    A span is ``FIRST..LAST``, both known versions and both included.
    """

    api: str
    framework: str
    current: list[str] = []
    scenes: list[Scene] = []


class Picture(Record, frozen=True, kw_only=True):
    """The pictures of one mapping: its source and every target."""

    source: Side
    targets: list[Side] = []
