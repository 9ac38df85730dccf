"""Tells on which devices a target runs: what MindSpore's documents list, and what runs of its ordinary call showed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from apidiff.model.claim import CANONICAL_CLAIM, ClaimKind
from apidiff.model.mapping import Api
from apidiff.model.signature import Signature
from apidiff.model.version import Version
from apidiff.model.views import ClaimEntry, ObservedSummary, RunsOnEntry

# Devices in the order a porter asks for them, as documents write them.
DEVICES = {"npu": "Ascend", "cuda": "GPU", "cpu": "CPU"}
# The best first: one that holds shows that the call can be made.
_OUTCOMES = ("holds", "unsupported", "error", "refuted", "flaky", "timeout", "crash")


def runs_on(api: Api, signature: Signature | None, claims: Mapping[str, ClaimEntry]) -> list[RunsOnEntry]:
    """One entry per device. ``signature``: the newest; ``claims``: those of ``api``, by ID."""
    documented = signature.platforms if signature else []
    rows = list(_of_ordinary_call(api, claims))
    return [_on(device, name in documented, rows) for device, name in DEVICES.items()]


def _of_ordinary_call(api: Api, claims: Mapping[str, ClaimEntry]) -> Iterable[ObservedSummary]:
    canonical = claims.get(CANONICAL_CLAIM)
    if canonical is not None and canonical.summary:
        return canonical.summary
    plain = api.collective.plain_probe if api.collective else None
    told = [claim for claim in api.claims if plain in claim.probes and claim.kind is not ClaimKind.RAISES]
    return [row for claim in told for row in claims[claim.id].summary]


def _on(device: str, documented: bool, rows: Iterable[ObservedSummary]) -> RunsOnEntry:
    here = [row for row in rows if row.device == device and row.outcome in _OUTCOMES]
    newest = max((row.framework_version for row in here), key=Version, default="")
    outcome = min(
        (row.outcome for row in here if row.framework_version == newest), key=_OUTCOMES.index, default="not run"
    )
    versions = {row.framework_version for row in here if row.outcome == outcome}
    return RunsOnEntry(
        device=device,
        documented=documented,
        outcome=outcome,
        versions=sorted(versions, key=Version, reverse=True),
    )
