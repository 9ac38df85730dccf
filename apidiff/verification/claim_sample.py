"""Chooses the mappings whose claims are run today: a part that turns with the date, and all that no record shows."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from importlib import metadata

from apidiff.database import Data
from apidiff.database.backends import Backend
from apidiff.execute.plan import WORLD_SIZES, apis_for, lacking, make_plan
from apidiff.judge import Context
from apidiff.judge.recorded_inputs import given_otherwise
from apidiff.model.mapping import Api
from apidiff.model.trace import RunRecord
from apidiff.model.vocabulary import Execution
from apidiff.verification.verdict_changes import observations


@dataclass(frozen=True)
class Sample:
    """One of ``parts`` parts of the mappings, numbered from 1. They differ by one mapping at most."""

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

    def of(self, mappings: Collection[str]) -> set[str]:
        """Picks the mappings in this part, by ID: at least one, where there are any, and the same ones on every machine."""
        count = min(self.parts, len(mappings))
        dealt = sorted(mappings, key=lambda key: hashlib.sha256(key.encode()).digest())
        return {key for index, key in enumerate(dealt) if index % count == (self.part - 1) % count}


def recorded(data: Data, backends: Sequence[Backend], sizes: Sequence[int] | None, context: Context) -> dict[str, bool]:
    """Tells of each mapping with something for a run here to show whether a record that decides has asked all of it.

    ``backends``: where the run is made; one whose framework is not installed asks nothing. Records of other versions than
    the installed one do not count. ``sizes``: numbers of ranks, or None for the usual ones. Returns the answers by the IDs
    of mappings. Those whose records give no verdict on a claim of their own are left out: nothing could be compared.
    """
    found: dict[str, bool] = {}
    judged: set[str] = set()
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
                plan = make_plan(data, backend, version, size, context.examples, {key})
                if plan.steps:
                    whole = [record for record in records if not lacking(record, plan, given_otherwise)]
                    found[key] = found.get(key, True) and bool(whole)
                    own = [api for api in apis_for(data, backend.framework, version, {key}) if not api.defined_in]
                    if any(_has_verdict(own, record, context) for record in whole):
                        judged.add(key)
    return {key: whole for key, whole in found.items() if key in judged or not whole}


def _has_verdict(apis: Sequence[Api], record: RunRecord, context: Context) -> bool:
    return any(True for _ in observations(apis, "", record, context))


def _place(record: RunRecord) -> tuple[str, str, str, str, int]:
    return record.framework, record.framework_version, record.backend, record.device, record.world_size
