"""A claim together with what it is judged from: the traces, the ranks that count, and the rank at the other end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from apidiff.judge.recorded_values import Operand, argument_of, at, plain, steps_of
from apidiff.model.claim import Claim, Formula, Result
from apidiff.model.mapping import Api
from apidiff.model.probe import Argument, Input
from apidiff.model.probe_resolution import PEERS, callers, partners, resolve, root_rank
from apidiff.model.trace import ProbeRun, RankTrace, RunRecord, SignatureDump
from apidiff.model.verdict import Evidence, EvidenceCode, Outcome, evidence

Verdict = tuple[Outcome, list[Evidence]]
_MOST_FACTS = 4
LONGEST = 240  # characters of what a framework said


@dataclass(frozen=True)
class Case:
    """A claim with all that is needed to judge it. ``ranks``: those it speaks of; ``group``: those that take part."""

    claim: Claim
    api: Api
    probe: str
    run: ProbeRun
    record: RunRecord
    unsupported: Sequence[re.Pattern[str]]
    ranks: list[int]
    group: list[int]
    expected: Sequence[str]

    @property
    def traces(self) -> list[RankTrace]:
        """The traces of the ranks that the claim speaks of; ranks that never answered have none."""
        return [trace for trace in self.run.ranks if trace.rank in self.ranks]

    def group_of(self, rank: int) -> list[int]:
        """The ranks whose inputs go into the result of ``rank``: those of its group."""
        among = self.claim.result.among if self.claim.result else []
        return next((group for group in among if rank in group), []) if among else self.group


def error_text(trace: RankTrace) -> str:
    """The type and the first telling line of a trace's error, at most 240 characters; empty where there is none."""
    if trace.error is None:
        return ""
    return f"{trace.error.type}: {trace.error.first_line}"[:LONGEST]


def raised(trace: RankTrace) -> Evidence:
    """The fact that a rank raised what it raised."""
    return evidence(EvidenceCode.RAISED, trace.rank, error=error_text(trace))


def signature_fact(signature: SignatureDump) -> Evidence:
    """The signature that a run recorded, as a fact: ``reduce(tensor, dst)``."""
    return evidence(EvidenceCode.SIGNATURE, signature=f"{signature.api.rpartition('.')[2]}{signature.text}")


def no_signature(signature: SignatureDump, record: RunRecord) -> Evidence:
    """Why a run recorded no signature of an API: what looking it up raised, or that the version lacks it."""
    if signature.error:
        return evidence(EvidenceCode.SIGNATURE_ERROR, error=signature.error)
    version = record.framework_version
    return evidence(EvidenceCode.NOT_IN_VERSION, api=signature.api, framework=record.framework, version=version)


def cut(facts: list[Evidence]) -> list[Evidence]:
    """At most four facts; the last of more says how many there are in all."""
    if len(facts) <= _MOST_FACTS:
        return facts
    return [*facts[: _MOST_FACTS - 1], evidence(EvidenceCode.MORE, count=len(facts))]


def input_of(body: Result, trace: RankTrace) -> Operand:
    """What a rank's input is to the formula; None where it has none. A tensor that sizes go with is a list of its parts."""
    value = at(trace, body.of, before=True) if body.of else None
    sizes = at(trace, body.sizes, before=True) if body.sizes else None
    operand, numbers = (None if item is None else plain(item) for item in (value, sizes))
    lengths = [number for number in numbers if isinstance(number, int)] if isinstance(numbers, list) else []
    if not isinstance(operand, np.ndarray) or not operand.ndim or not lengths or min(lengths) < 0:
        return operand
    if sum(lengths) != len(operand):
        return operand
    return [*np.split(operand, np.cumsum(lengths[:-1]))]


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
