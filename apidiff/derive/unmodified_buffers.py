"""Buffers that are documented to stay as they are: where one changed, a picture says so."""

from __future__ import annotations

import re
from collections.abc import Sequence

from apidiff.judge import judge_claim, ranks_of
from apidiff.model import Api, Outcome, ProbeRun, RankSet, RunRecord
from apidiff.model.claim import Result, Writes


class Untouched:
    """What the claims on ``api`` say of who may write what in the recorded ``run`` of one of its probes."""

    def __init__(self, api: Api, run: ProbeRun, record: RunRecord, unsupported: Sequence[re.Pattern[str]]) -> None:
        self._kept: list[tuple[str, list[int]]] = []
        self._written: list[tuple[str, list[int]]] = []
        for claim in api.claims:
            if run.probe not in claim.probes:
                continue
            outcome, _ = judge_claim(claim, api, run.probe, run, unsupported, record)
            if claim.keeps is not None and outcome is Outcome.REFUTED:
                ranks, _ = ranks_of(claim.keeps.ranks, api, run.probe, record.world_size)
                self._kept.append((claim.keeps.argument, ranks))
            if outcome is Outcome.HOLDS and (place := _written_at(claim.writes, claim.result)) is not None:
                slot, selected = place
                ranks, _ = ranks_of(selected, api, run.probe, record.world_size)
                self._written.append((slot, ranks))

    def by(self, buffer: str, rank: int) -> bool:
        """Whether ``rank`` was to leave ``buffer`` alone.

        That is so where a claim that it keeps its values is refuted, and where the ranks that write it are known and ``rank`` is
        none of them. A claim that holds and has the rank write it excuses it: some documents say both.
        """
        writers = [ranks for slot, ranks in self._written if _within(buffer, slot)]
        if any(rank in ranks for ranks in writers):
            return False
        return bool(writers) or any(rank in ranks for slot, ranks in self._kept if _within(buffer, slot))


def _written_at(writes: Writes | None, result: Result | None) -> tuple[str, RankSet] | None:
    """The slot that a claim has written and the ranks that write it; a claim that only some rank does names none."""
    if writes is not None:
        return None if writes.some else (writes.argument, writes.ranks)
    return None if result is None else (result.at, result.ranks)


def _within(buffer: str, slot: str) -> bool:
    return buffer == slot or buffer.startswith((f"{slot}[", f"{slot}."))
