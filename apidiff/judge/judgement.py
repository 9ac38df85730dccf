"""A claim together with what it is judged from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from apidiff.model import Api, Claim, Outcome, ProbeRun, RankTrace, RunRecord

Verdict = tuple[Outcome, list[str]]
_EVIDENCE_LINES = 4


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


def error_text(trace: RankTrace) -> str:
    """The type and the first line of a trace's error, at most 240 characters; empty where there is none."""
    if trace.error is None:
        return ""
    first = next((line.strip() for line in trace.error.message.splitlines() if line.strip(" -")), "")
    return f"{trace.error.type}: {first}"[:240]


def cut(lines: list[str]) -> list[str]:
    """At most four lines of evidence; the last says how many there are in all."""
    return lines if len(lines) <= _EVIDENCE_LINES else [*lines[: _EVIDENCE_LINES - 1], f"… {len(lines)}"]
