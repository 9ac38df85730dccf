"""Reads a matrix such as ``conf/matrix.toml``, lists its cells (version × backend × world size), and tells which are recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from apidiff.database import ApidiffError, Data, DataError, InvalidData
from apidiff.database.backends import Backend, find_backends
from apidiff.database.process_settings import Seconds
from apidiff.database.toml import line_of, read_toml
from apidiff.errors import decoding_fault
from apidiff.execute.plan import GivenOtherwise, lacking, make_plan
from apidiff.execute.record import runs_of
from apidiff.model.base import NonEmpty, Record
from apidiff.model.claim_probes import Examples
from apidiff.model.trace import RunRecord

_Release = Annotated[
    str, Meta(pattern=r"^[0-9]{1,5}\.[0-9]{1,5}\.[0-9]{1,5}\Z", description="a release such as 2.10.0")
]
_Python = Annotated[str, Meta(pattern=r"^3\.[0-9]{1,5}\Z")]
# What pip installs by name: no option and no path, which would mean another thing on another machine.
_Requirement = Annotated[
    str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*( *(\[|[<>=!~@;])[^\x00-\x1f\x7f]*)?\Z", max_length=1000)
]
_Size = Annotated[int, Meta(ge=1, le=64)]
_MOST_CELLS = 5000
_MOST_TOLD = 20  # faults: each is looked for in the whole file
_MOST = 100  # of anything that is listed
_Some = Meta(min_length=1, max_length=_MOST)
_REMEDY = "apidiff/execute/matrix/cells.py describes the keys, conf/matrix.toml is an example."


class Deadlines(Record, frozen=True, kw_only=True):
    """Seconds: to make an environment, and for the run of one cell."""

    environment: Seconds
    run: Seconds


class Block(Record, frozen=True, kw_only=True):
    """Versions of a framework with all that is the same for them.

    ``python``: the versions of Python that an environment may be made with, the first one found. ``requires``: what pip
    installs beside the framework.
    """

    name: Literal["torch", "mindspore"]
    versions: Annotated[list[_Release], _Some]
    python: Annotated[list[_Python], _Some]
    backends: Annotated[list[NonEmpty], _Some]
    world_sizes: Annotated[list[_Size], _Some]
    requires: Annotated[list[_Requirement], Meta(max_length=_MOST)] = []
    deadlines: Deadlines


class _File(Record, frozen=True, kw_only=True):
    framework: Annotated[list[Block], _Some]


def read_matrix(path: Path, backends: Collection[Backend]) -> list[Block]:
    """The blocks in ``path``. Raises DataError or InvalidData, with the line, for a file that is not read whole."""

    def broken(text: str, error: msgspec.ValidationError) -> DataError:
        return DataError(path, line_of(text, str(error)), f"is no matrix: {decoding_fault(error)}", _REMEDY)

    blocks = read_toml(path, _File, broken, unreadable="Name a file that can be read.").framework
    text = path.read_text(encoding="utf-8")
    errors = [
        DataError(path, line_of(text, f"$.framework[{number}].{key}"), found, remedy)
        for number, key, found, remedy in islice(_faults(blocks, backends), _MOST_TOLD)
    ]
    if errors:
        raise InvalidData(errors)
    cells = sum(len(one.versions) * len(one.backends) * len(one.world_sizes) for one in blocks)
    if cells > _MOST_CELLS:
        raise DataError(path, None, f"has {cells} cells; at most {_MOST_CELLS} are possible", "Write several files.")
    return blocks


def described(block: Block, backends: Collection[Backend]) -> list[Backend]:
    """Finds the backends that the block names. Raises ApidiffError for a name that means none of its framework."""
    return [backend for name in block.backends for backend in find_backends(backends, name, block.name)]


def _faults(blocks: list[Block], backends: Collection[Backend]) -> Iterator[tuple[int, str, str, str]]:
    """Finds what does not fit: for each fault the block's number, the key, what was found, and the remedy."""
    seen: set[tuple[str, str]] = set()
    for number, block in enumerate(blocks):
        try:
            meant = [backend.full_name for backend in described(block, backends)]
        except ApidiffError as error:
            yield number, "backends", "names no backend", str(error)
        else:
            if len(set(meant)) < len(meant):
                yield number, "backends", "one of backends stands here twice", "Leave one of them."
        versions = Counter((block.name, version) for version in block.versions)
        if twice := next((key for key, count in versions.items() if count > 1 or key in seen), None):
            yield number, "versions", f"{' '.join(twice)} stands here twice", "Leave one of them."
        seen |= versions.keys()
        if len(set(block.world_sizes)) < len(block.world_sizes):
            yield number, "world_sizes", "one of world_sizes stands here twice", "Leave one of them."


@dataclass(frozen=True)
class Cell:
    """One version of a framework on one backend at one world size."""

    block: Block
    version: str
    backend: Backend
    world_size: int

    @property
    def name(self) -> str:
        """Such as ``mindspore-2.8.0/mccl-cpu-2``: how the cell's record is called, without digest."""
        return f"{self.block.name}-{self.version}/{self.backend.full_name}-{self.world_size}"


def cells_of(
    blocks: Sequence[Block],
    backends: Collection[Backend],
    names: Collection[str] | None = None,
    sizes: Collection[int] | None = None,
    framework: str | None = None,
) -> list[Cell]:
    """Lists every cell of the blocks; only those of ``names`` of backends, of world ``sizes``, of a ``framework``.

    Raises ApidiffError where there is none.
    """
    wanted = None if names is None else [backend for name in names for backend in find_backends(backends, name)]
    every = [
        Cell(block, version, backend, size)
        for block in blocks
        for version in block.versions
        for backend in described(block, backends)
        for size in block.world_sizes
    ]
    chosen = [
        cell
        for cell in every
        if (wanted is None or cell.backend in wanted)
        and (sizes is None or cell.world_size in sizes)
        and framework in {None, cell.block.name}
    ]
    if not chosen:
        there = "; ".join(
            f"{what} {', '.join(sorted(values))}"
            for what, values in (
                ("frameworks", {cell.block.name for cell in every}),
                ("backends", {cell.backend.full_name for cell in every}),
                ("world sizes", {str(cell.world_size) for cell in every}),
            )
        )
        raise ApidiffError(f"verify: the matrix has no such cell. It has {there}.")
    return chosen


@dataclass(frozen=True)
class Standing:
    """What there is of a cell: the ID of its record, or None; and why that is, or is not, enough."""

    record: str | None
    text: str


def standing(
    cell: Cell, data: Data, examples: Examples, measured_by: str | None, given_otherwise: GivenOtherwise
) -> Standing:
    """Tells whether the cell has a whole record of this measurer in which every probe was asked as it is today.

    ``given_otherwise`` finds what was asked with other inputs.
    """
    records = list(_records(cell, data, measured_by))
    if not records:
        return Standing(None, "no record")
    plan = make_plan(data, cell.backend, cell.version, cell.world_size, examples)
    faults = []
    for run_id, record in records:
        missing = lacking(record, plan, given_otherwise)
        if not missing and not record.stopped:
            return Standing(run_id, "recorded")
        of = len(plan.steps) + len(plan.apis)
        faults.append(
            "its record stopped half-way"
            if record.stopped
            else f"its record lacks {missing} of {of} probes and signatures"
        )
    return Standing(None, faults[-1])


def _records(cell: Cell, data: Data, measured_by: str | None) -> Iterator[tuple[str, RunRecord]]:
    """The cell's records of this measurer; none that only says so."""
    wanted = cell.block.name, cell.version, cell.backend.name, cell.backend.device, cell.world_size, measured_by
    for run_id, run in runs_of(data, measured_by):
        place = run.framework, run.framework_version, run.backend, run.device, run.world_size, run.measured_by
        if place == wanted:
            yield run_id, run
