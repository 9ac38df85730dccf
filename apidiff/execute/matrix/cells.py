"""The cells of a matrix, and which of them are recorded."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from apidiff.database import ApidiffError, Data
from apidiff.database.backends import Backend, called
from apidiff.execute.matrix.file import Block, described
from apidiff.execute.plan import make_plan
from apidiff.execute.record_coverage import lacking
from apidiff.judge import Context
from apidiff.model import RunRecord


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
    """Every cell of the blocks; only those of ``names`` of backends, of world ``sizes``, of a ``framework``.

    Raises ApidiffError where there is none.
    """
    wanted = None if names is None else [one for name in names for one in called(backends, name)]
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
            f"{what} {', '.join(map(str, sorted(found)))}"
            for what, found in (
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


def standing(cell: Cell, data: Data, context: Context, measured_by: str | None) -> Standing:
    """Whether the cell has a whole record of this measurer in which every probe was asked as it is today."""
    found = list(_records(cell, data, measured_by))
    if not found:
        return Standing(None, "no record")
    plan = make_plan(data, cell.backend, cell.version, cell.world_size, context)
    faults = []
    for key, record in found:
        missing = lacking(record, plan)
        if not missing and not record.stopped:
            return Standing(key, "recorded")
        of = len(plan.steps) + len(plan.apis)
        faults.append(
            "its record stopped half-way"
            if record.stopped
            else f"its record lacks {missing} of {of} probes and signatures"
        )
    return Standing(None, faults[-1])


def _records(cell: Cell, data: Data, measured_by: str | None) -> Iterator[tuple[str, RunRecord]]:
    wanted = cell.block.name, cell.version, cell.backend.name, cell.backend.device, cell.world_size, measured_by
    for key, one in data.runs:
        is_of = one.framework, one.framework_version, one.backend, one.device, one.world_size, one.measured_by
        if is_of == wanted:
            yield key, one
