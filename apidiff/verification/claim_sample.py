"""Chooses the mappings whose claims are run today: a part that turns with the date, and all that no record shows."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata

from apidiff.database import Data
from apidiff.database.backends import Backend
from apidiff.execute.plan import WORLD_SIZES, lacking, make_plan
from apidiff.judge.recorded_inputs import given_otherwise
from apidiff.model.claim_probes import Examples
from apidiff.model.trace import RunRecord
from apidiff.model.vocabulary import Execution


@dataclass(frozen=True)
class Sample:
    """One of ``parts`` equal parts of the mappings, numbered from 1."""

    part: int
    parts: int

    @classmethod
    def parse(cls, text: str, today: datetime.date) -> Sample:
        """Reads ``10``, today's part of ten, or ``3/10``, the third of ten.

        Raises ValueError for anything else.
        """
        part, slash, parts = text.rpartition("/")
        if not all(one.isascii() and one.isdigit() and len(one) < 5 for one in ([part, parts] if slash else [parts])):
            raise ValueError(text)
        count = int(parts)
        chosen = int(part) if slash else today.toordinal() % max(count, 1) + 1
        if not 1 <= chosen <= count:
            raise ValueError(text)
        return cls(chosen, count)

    def holds(self, mapping: str) -> bool:
        """Whether the mapping of this ID is in this part. Which part that is stays the same on every machine."""
        return int.from_bytes(hashlib.sha256(mapping.encode()).digest()[:8]) % self.parts == self.part - 1


def unrecorded(data: Data, backends: Sequence[Backend], sizes: Sequence[int] | None, examples: Examples) -> set[str]:
    """Finds the mappings of which a run here would ask what no record of the installed versions that decides has asked.

    ``backends``: where the run is made; one whose framework is not installed asks nothing. ``sizes``: numbers of ranks, or
    None for the usual ones. Returns IDs of mappings.
    """
    found = set()
    asked = [key for key, mapping in data.mappings.items() if mapping.execution is Execution.COLLECTIVE]
    for backend in backends:
        try:
            version = metadata.version(backend.framework).partition("+")[0]
        except metadata.PackageNotFoundError:
            continue
        for size in sizes or WORLD_SIZES:
            place = (backend.framework, version, backend.name, backend.device, size)
            records = [record for _, record in data.runs if _place(record) == place]
            for key in asked:
                plan = make_plan(data, backend, version, size, examples, {key})
                if plan.steps and all(lacking(record, plan, given_otherwise) for record in records):
                    found.add(key)
    return found


def _place(record: RunRecord) -> tuple[str, str, str, str, int]:
    return record.framework, record.framework_version, record.backend, record.device, record.world_size
