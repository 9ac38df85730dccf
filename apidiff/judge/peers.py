"""Finds the rank that a result comes from: the root, or the other end of a send."""

from __future__ import annotations

from apidiff.judge.judgement import Case
from apidiff.judge.value_paths import argument_of, steps_of
from apidiff.model import Formula, Input
from apidiff.model.probe import Argument
from apidiff.model.probe_resolution import PEERS, callers, partners, resolve, root_rank


def source_of(case: Case, formula: Formula, rank: int, slot: str) -> int | None:
    """The place in the group of the rank whose input ``formula`` looks at; 0 where it looks at all or none.

    For ``sent`` that is the partner of a caller and the caller of a partner, the first of the first and so on. Without a
    partner it is the rank that this rank's own arguments name: those of the call that is passed at ``slot``, or all.
    """
    if formula is not Formula.SENT:
        root = root_rank(case.api, case.probe) or 0
        return case.group.index(root) if root in case.group else 0
    other = _other_end(case, rank, slot)
    return case.group.index(other) if other in case.group else None


def _other_end(case: Case, rank: int, slot: str) -> int | None:
    calling = callers(case.api, case.probe, case.record.world_size)
    answering = partners(case.api, case.probe, case.record.world_size)
    if answering:
        pairs = list(zip(calling, answering, strict=False))
        return next((a if rank == b else b for a, b in pairs if rank in (a, b)), None)
    arguments, overrides = resolve(case.api, case.probe)
    mine = arguments | overrides.get(str(rank), {})
    given = _call_at(mine.get(argument_of(slot)), steps_of(slot)) or mine
    return next((_rank(given[name], rank, case.record.world_size) for name in PEERS if name in given), None)


def _call_at(value: Argument, steps: list[str]) -> dict[str, Argument] | None:
    """The arguments of the call that makes the object at a slot, or None where a call makes none."""
    for step in steps:
        if isinstance(value, Input) and value.list is not None and step.isdigit() and int(step) < len(value.list):
            value = value.list[int(step)]
    return value.call.set if isinstance(value, Input) and value.call is not None else None


def _rank(value: Argument, rank: int, world_size: int) -> int | None:
    if isinstance(value, Input) and value.rank_plus is not None:
        return (rank + value.rank_plus) % world_size
    return value if isinstance(value, int) else None
