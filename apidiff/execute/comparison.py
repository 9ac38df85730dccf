"""One run of chosen claims beside the record that it is compared with: what pytest's items are judged from."""

from __future__ import annotations

from collections.abc import Collection

from apidiff.database import Data
from apidiff.execute.compare import Change, base_record, compare, observations
from apidiff.execute.plan import apis_for
from apidiff.judge import Context
from apidiff.model import Outcome, RunRecord
from apidiff.model.trace import backend_name


class Comparison:
    """A run and its record. ``claims``: the IDs of those that count; a run makes all probes of a mapping.

    ``text``: one line that says what was compared with what. ``changes``: the verdicts that are not what is recorded.
    ``stopped``: why the run ended before its last probe, or None.
    """

    def __init__(self, data: Data, run: RunRecord, context: Context, claims: Collection[str]) -> None:
        apis = list(apis_for(data, run.framework, run.framework_version))
        base = base_record(data.runs, run)
        backend = backend_name(run.backend, run.device)
        self._where = f"{run.framework} {run.framework_version} on {backend} with {run.world_size} ranks"
        self._apis, self._base, self._context, self._claims = apis, base, context, claims
        self._names = {api.name for api in apis}
        self._judged = {f"{api.name}#{claim.id}" for api, claim, _ in observations(apis, "this run", run, context)}
        self._recorded = (
            {f"{api.name}#{claim.id}" for api, claim, _ in observations(apis, *base, context)} if base else set()
        )
        self.changes = self._compare(run)
        self._version = base[1].framework_version if base else None
        self._same_version = self._version == run.framework_version
        self.stopped = f"{self._where} stopped early: {run.stopped}" if run.stopped else None
        self.text = f"{self._where}: {len(run.probes)} probes, compared with {base[0] if base else 'nothing'}"
        if base and not self._same_version:
            self.text += f" (nothing is recorded for {run.framework} {run.framework_version})"

    def _compare(self, run: RunRecord) -> list[Change]:
        found = compare(self._apis, self._base, run, self._context)
        return [change for change in found if change.claim in self._claims]

    def unsteady(self) -> set[str]:
        """The claims whose verdict was recorded and came out flaky now: the machine may have been too busy."""
        return {one.claim for one in self.changes if _is_unsteady(one)}

    def settle(self, again: RunRecord) -> list[str]:
        """Takes back the flaky verdicts that are as recorded in ``again``, and returns their claims."""
        still = {(one.claim, one.now.probe) for one in self._compare(again)}
        settled = [one for one in self.changes if _is_unsteady(one) and (one.claim, one.now.probe) not in still]
        self.changes = [one for one in self.changes if one not in settled]
        return list(dict.fromkeys(one.claim for one in settled))

    def outcome(self, api: str, claim: str) -> list[Change] | str:
        """The changed verdicts on the claim ``claim``, an ID, of ``api``, or why there is nothing to compare."""
        if api not in self._names:
            return f"the mapping has no {api} for {self._where.partition(' on ')[0]}"
        if claim not in self._judged:
            return f"no probe of it gives a verdict for {self._where}"
        if self._base is None:
            return f"nothing is recorded for {self._where}; record it with: apidiff verify --record"
        if not self._same_version and claim not in self._recorded:
            return f"{self._version}, which {self._where} is compared with, has no verdict on it"
        return [change for change in self.changes if change.claim == claim]


def _is_unsteady(change: Change) -> bool:
    return change.now.outcome is Outcome.FLAKY and change.before is not None
