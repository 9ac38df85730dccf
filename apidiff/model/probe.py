"""Probes: one call, with its inputs, made on every rank.

A probe's arguments are data. Every tensor is filled from its rank so that a reader sees in a number where it came from:
element ``i`` (counted over all tensors of one argument) of rank ``r`` holds ``(i + 1) * 10**r``. A sum over ranks 0 and 2
of first elements reads 101. In worlds of more than 6 ranks, where such sums would leave the integers that float32 holds exactly,
it is ``i + 1 + 1000 * (r + 1)``. Output buffers are filled with -1 so that a write shows. Where a tensor is a view of a larger
one, the rest of that holds negative numbers, others on each rank.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Annotated

import msgspec

from apidiff.model.base import Record, Seconds, Slug
from apidiff.model.dtypes import DtypeName

# An API that a probe calls; in a profile '$module' may stand for the module of the API that is probed.
Called = Annotated[
    str, msgspec.Meta(pattern=r"^(\$module|[A-Za-z_]\w*)(\.[A-Za-z_]\w*)+$(?!\n)", description="full dotted name")
]
# A dimension: a number, or a multiple of the world size ("2*world").
Dimension = (
    Annotated[int, msgspec.Meta(ge=0, le=2**20)] | Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,4}\*world$(?!\n)")]
)
MAX_DIMENSIONS = 32  # of an array of NumPy
LARGEST_WORLD_SIZE = 64  # ranks are processes of one machine: more than any has use for
MAX_ELEMENTS = 1000  # of the tensors of one argument in the largest world; the numbers of two ranks stand so far apart


class Fill(Enum):
    """What a tensor holds before the call."""

    RANK = "rank"  # (i + 1) * 10**rank; with more than 6 ranks i + 1 + 1000 * (rank + 1)
    SMALL = (
        "small"  # (i + 1) * 2**rank, exact in every dtype; times 1-2j if complex, true for i = rank modulo 4 if bool
    )
    SENTINEL = "sentinel"  # -1 everywhere: an output buffer


class Layout(Enum):
    """How a tensor lies in memory. All but the first are made from a larger tensor of the framework, called f or m here."""

    CONTIGUOUS = "contiguous"
    STRIDED = "strided"  # f[..., ::2]: every second element of a buffer twice as long in the last dimension
    SLICE = "slice"  # f[n:2*n]: from the middle of dimension 0
    HEAD = "head"  # f[0:n]: from the beginning of dimension 0
    ROW = "row"  # m[1]
    FIRST_ROW = "first-row"  # m[0]
    CHUNK = "chunk"  # chunk(f, 3)[1]
    TRANSPOSED = "transposed"  # m.T: without gaps, in another order
    HEAD_CONTIGUOUS = "head-contiguous"  # f[0:n].contiguous()
    SLICE_COPIED = "slice-copied"  # f[n:2*n].clone(), in MindSpore f[n:2*n].copy()
    # Of several tensors in one argument: all are parts of the same larger one.
    CHUNKS = "chunks"  # list(f.chunk(n)), n the number of tensors
    ROWS = "rows"  # [m[i] for i in range(n)], where m has a row more


# Layouts that the tensors of one argument have together.
PARTS_OF_ONE = frozenset({Layout.CHUNKS, Layout.ROWS})


class Sweep(Enum):
    """What a family of probes runs through, one probe for each value; a reader is shown a table of them."""

    DTYPE = "dtype"
    VIEW = "view"  # layouts


class Input(Record, frozen=True, kw_only=True):
    """An argument that is made on each rank. Exactly one of the keys marked with (*) is present.

    ``shape`` (*): a tensor of this shape on the backend's device, of ``dtype``, ``fill`` and ``layout``.
    ``each`` (*): a list with one element per rank of the world, each made as said.
    ``list`` (*): a list written out; ``[]`` is the empty list; with ``as_tuple`` a tuple of the same.
    ``tuple`` (*): a tuple of numbers, e.g. a shape.
    ``reduce_op`` (*): ``ReduceOp.<name>`` of the framework that runs the probe.
    ``group`` (*): the group of the ranks listed (``[]``: all), created beforehand on every rank, passed as the framework's
    own group (torch: the object, MindSpore: the name); with ``by_name`` as a string on either framework, with ``timeout``
    made with a time-out of so many seconds.
    ``text`` (*): a string in which ``{rank}`` and ``{world}`` are replaced, e.g. an object that every rank sends.
    ``none`` (*): true for None, where an argument is needed inside a list.
    ``rank_plus`` (*): the number of the rank that comes so many after this one, modulo the world size.
    ``seconds`` (*): a ``datetime.timedelta``.
    ``api`` (*): the object of a dotted name itself, e.g. a function that is passed as an argument.
    ``call`` (*): what a call of an API returns, e.g. a P2POp.
    """

    shape: Annotated[Sequence[Dimension], msgspec.Meta(max_length=MAX_DIMENSIONS)] | None = None
    dtype: DtypeName = "float32"
    fill: Fill = Fill.RANK
    layout: Layout = Layout.CONTIGUOUS
    each: Input | None = None
    list: Sequence[Argument] | None = None
    as_tuple: bool = False
    tuple: Sequence[Dimension] | None = None
    reduce_op: str | None = None
    group: Sequence[int] | None = None
    by_name: bool = False
    timeout: Seconds | None = None
    text: str | None = None
    none: bool | None = None
    rank_plus: int | None = None
    seconds: Seconds | None = None
    api: Called | None = None
    call: Call | None = None

    def __post_init__(self) -> None:
        keys = (
            *("shape", "each", "list", "tuple", "reduce_op", "group"),
            *("text", "none", "rank_plus", "seconds", "api", "call"),
        )
        present = [key for key in keys if getattr(self, key) is not None]
        if len(present) != 1:
            raise ValueError(f"an argument needs exactly one of {', '.join(keys)}, got {present or 'none'}")
        if self.values > MAX_ELEMENTS:
            raise ValueError(
                f"an argument has at most {MAX_ELEMENTS} elements in a world of {LARGEST_WORLD_SIZE} ranks, got {self.values}"
            )

    @property
    def values(self) -> int:
        """How many values the argument holds in the largest world: elements of tensors, and whatever is no tensor."""
        if self.shape is not None:
            return math.prod(max(1, _largest(size)) for size in self.shape)
        if self.each is not None:
            return self.each.values * LARGEST_WORLD_SIZE
        inner = self.list or self.tuple or (self.call.set.values() if self.call else ())
        return max(1, sum(item.values if isinstance(item, Input) else 1 for item in inner))


def _largest(size: int | str) -> int:
    return size if isinstance(size, int) else int(size.removesuffix("*world")) * LARGEST_WORLD_SIZE


Argument = Input | int | float | bool | str | None


def tensors_in(value: Argument) -> Iterator[Input]:
    """Finds the tensors in an argument, those inside lists and calls included; of one per rank of the world the first."""
    if not isinstance(value, Input):
        return
    if value.shape is not None:
        yield value
    inner = [
        *(value.list or ()),
        *([value.each] if value.each else ()),
        *(value.call.set.values() if value.call else ()),
    ]
    for item in inner:
        yield from tensors_in(item)


class Call(Record, frozen=True, kw_only=True):
    """A call whose result is an argument: ``api`` with the arguments ``set``."""

    api: Called
    set: dict[str, Argument] = {}


OneOrOthers = Annotated[str, msgspec.Meta(pattern=r"^(others|[0-9]{1,5})$(?!\n)", description="a rank, or 'others'")]


class Partner(Record, frozen=True, kw_only=True):
    """The call that answers a probe's: ``api`` with the arguments ``set``, made on ``ranks`` instead of the probe's."""

    api: Called
    ranks: Annotated[list[int], msgspec.Meta(min_length=1)]
    set: dict[str, Argument] = {}


class Probe(Record, frozen=True, kw_only=True):
    """One call of one API on every rank.

    ``like`` names another probe of the same API whose arguments are taken first; ``set`` replaces or adds arguments on
    every rank; ``drop`` removes them; ``on_rank`` replaces arguments on single ranks (key: the rank, or ``others`` for every
    rank but the root). ``world_sizes`` limits where it runs (faults need not run everywhere). ``ranks``: those that make the
    call, all if empty; ``partner``: what the other end does meanwhile. Ranks that neither names do nothing. ``sweep``: the
    family of which the probe is one; it is made only where the probe that it is like raises nothing.
    ``code``: what every rank executes instead of one call, with what ``set`` makes as variables. ``environment``: variables
    that are set before the ranks start. With these, or with code other than the canonical call's, which may leave the ranks
    with other groups than they had, the probe is made in ranks of its own.
    """

    like: Slug | None = None
    set: dict[str, Argument] = {}
    drop: list[str] = []
    on_rank: dict[OneOrOthers, dict[str, Argument]] = {}
    world_sizes: list[Annotated[int, msgspec.Meta(ge=1, le=LARGEST_WORLD_SIZE)]] = []
    ranks: list[int] = []
    partner: Partner | None = None
    sweep: Sweep | None = None
    inplace_switch: bool | None = (
        None  # MindSpore: value for set_comm_ops_inplace around the call; None leaves it alone
    )
    code: str | None = None
    environment: dict[str, str] = {}


class Situation(Enum):
    """What is so of a process, beside what a call passes."""

    BEFORE_INIT = "before-init"  # communication was never initialised
    MADE_AGAIN = "made-again"  # the world is made again afterwards


class Described(Probe, frozen=True, kw_only=True):
    """A call that nobody makes here: what a claim without probes speaks of. ``situation``: what no argument says."""

    situation: Situation | None = None
