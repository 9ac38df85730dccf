"""Tells on which devices a target runs: what MindSpore's documents list, and what runs of its ordinary call showed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from msgspec.structs import replace

from apidiff.model.agreement import Agreement, Facet
from apidiff.model.claim import CANONICAL_CLAIM, ClaimKind
from apidiff.model.mapping import Api
from apidiff.model.signature import Signature
from apidiff.model.verdict import Outcome
from apidiff.model.version import Version
from apidiff.model.views import AgreementEntry, ClaimEntry, ObservedSummary, RunsOnEntry

# Devices in the order a porter asks for them, as documents write them.
DEVICES = {"npu": "Ascend", "cuda": "GPU", "cpu": "CPU"}
_COMPARED = {"agrees", "differs"}
# The best first: one that holds shows that the call can be made.
_OUTCOMES = ("holds", "unsupported", "error", "refuted", "flaky", "timeout", "crash")


def runs_on(
    api: Api,
    signatures: Mapping[str, Signature],
    claims: Mapping[str, ClaimEntry],
    agreements: Iterable[AgreementEntry] = (),
    taken: Collection[tuple[str, str]] = (),
) -> list[RunsOnEntry]:
    """One entry per device.

    Args:
        api: the target.
        signatures: of it, by version.
        claims: those of it, by ID.
        agreements: of its samples.
        taken: the versions and devices on which it ended some sample without an exception.
    """
    rows = [*_of_ordinary_call(api, claims), *_of_samples(agreements, taken)]
    return [_on(device, name, signatures, rows) for device, name in DEVICES.items()]


def outcomes_on(device: str, rows: Iterable[ObservedSummary]) -> dict[str, str]:
    """Return for each version that was run on ``device`` the best outcome, newest version first."""
    seen: dict[str, list[str]] = {}
    for row in rows:
        if row.device == device and row.outcome in _OUTCOMES:
            seen.setdefault(row.framework_version, []).append(row.outcome)
    return {version: min(seen[version], key=_OUTCOMES.index) for version in _newest_first(seen)}


def _of_ordinary_call(api: Api, claims: Mapping[str, ClaimEntry]) -> Iterable[ObservedSummary]:
    """Read how the canonical call ended; where that was not run, how the plain one did."""
    canonical = claims.get(CANONICAL_CLAIM)
    if canonical is not None and canonical.summary:
        return [_ending(row, ClaimKind.COMPLETES) for row in canonical.summary]
    plain = api.collective.plain_probe if api.collective else None
    told = [claim for claim in api.claims if plain in claim.probes and claim.kind is not ClaimKind.RAISES]
    return [_ending(row, claim.kind) for claim in told for row in claims[claim.id].summary]


def _ending(row: ObservedSummary, kind: ClaimKind) -> ObservedSummary:
    """Read from a verdict how the call ended: what refutes that it completes raised, what refutes anything else came back."""
    if row.outcome != Outcome.REFUTED.value:
        return row
    ended = Outcome.ERROR if kind is ClaimKind.COMPLETES else Outcome.HOLDS
    return replace(row, outcome=ended.value)


def _of_samples(agreements: Iterable[AgreementEntry], taken: Collection[tuple[str, str]]) -> Iterable[ObservedSummary]:
    """Read how samples ended: one that could be compared was run, whether or not both sides agree.

    What is returned tells it, where something is: that both refuse a call shows no kernel. Where the target refuses every
    sample, it fails. Where a kernel is missing for the samples of the record, those taken from PyTorch's tests tell nothing:
    padding by nothing needs no kernel.
    """
    rows = list(agreements)
    lacking = _places(row for row in rows if not row.inputs and Agreement.UNSUPPORTED.value in row.counts)
    lacking -= _places(
        row
        for row in rows
        if not row.inputs and row.facet == Facet.STRUCTURE.value and _COMPARED.intersection(row.counts)
    )
    rows = [row for row in rows if not row.inputs or (row.framework_version, row.device) not in lacking]
    taken = set(taken) - lacking
    returned = [row for row in rows if row.facet == Facet.STRUCTURE.value]
    seen = {(row.framework_version, row.device) for row in returned}
    for agreement in [*returned, *(row for row in rows if (row.framework_version, row.device) not in seen)]:
        compared = _COMPARED.intersection(agreement.counts)
        refused = Outcome.UNSUPPORTED if Agreement.UNSUPPORTED.value in agreement.counts else Outcome.ERROR
        ended = Outcome.HOLDS if (agreement.framework_version, agreement.device) in taken else refused
        yield ObservedSummary(
            outcome=ended.value if compared else agreement.agreement,
            framework="mindspore",
            framework_version=agreement.framework_version,
            backend="",
            device=agreement.device,
            world_sizes=[],
            runs=agreement.runs,
        )


def _places(rows: Iterable[AgreementEntry]) -> set[tuple[str, str]]:
    return {(row.framework_version, row.device) for row in rows}


def _on(device: str, name: str, signatures: Mapping[str, Signature], rows: Iterable[ObservedSummary]) -> RunsOnEntry:
    documented_in = [version for version in _newest_first(signatures) if name in signatures[version].platforms]
    outcomes = outcomes_on(device, rows)
    outcome = next(iter(outcomes.values()), "not run")
    return RunsOnEntry(
        device=device,
        documented=documented_in[:1] == _newest_first(signatures)[:1] != [],
        documented_in=documented_in,
        outcome=outcome,
        versions=[version for version, other in outcomes.items() if other == outcome],
        outcomes=outcomes,
    )


def _newest_first(versions: Iterable[str]) -> list[str]:
    return sorted(versions, key=Version, reverse=True)
