"""Makes all observations on a claim that recorded runs give."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from apidiff.database.backends import Backend
from apidiff.database.examples import Example, shown_by_path
from apidiff.judge.correspondence import Signatures, judge_correspondence
from apidiff.judge.outcome import SIGNATURE_KINDS, judge_claim
from apidiff.model.claim import Claim, ClaimKind
from apidiff.model.claim_probes import Examples, framework_of, spec_of, wanted_probes
from apidiff.model.mapping import Api
from apidiff.model.signature import is_absent
from apidiff.model.signed import Signed
from apidiff.model.trace import RunRecord
from apidiff.model.trust import Trust
from apidiff.model.verdict import Observation, Outcome

_ON_SIGNATURES = {*SIGNATURE_KINDS, ClaimKind.CORRESPONDS}
_UNSIGNED = Signed()


@dataclass(frozen=True)
class Context:
    """What verdicts need beside claims and runs.

    ``unsupported``: for each (backend, framework, device), the patterns of messages that say a kernel is missing.
    ``examples``: for each example path, its text and the lines its docstring shows. ``signatures``: those read from the
    frameworks' packages; what upstream's table says of a pair is judged where they are given. ``signed``: who vouches for
    records, by ID.
    """

    unsupported: Mapping[tuple[str, str, str], Sequence[re.Pattern[str]]] = field(default_factory=dict)
    examples: Examples = field(default_factory=dict)
    signatures: Signatures = field(default_factory=dict)
    signed: Mapping[str, Signed] = field(default_factory=dict)


def make_context(
    backends: Sequence[Backend],
    examples: Sequence[Example],
    signatures: Signatures | None = None,
    signed: Mapping[str, Signed] = MappingProxyType({}),
) -> Context:
    """Gathers what records are judged with.

    Args:
        backends: by name, framework and device.
        examples: by path.
        signatures: by version.
        signed: who vouches for records, by ID.

    """
    return Context(
        unsupported={
            (backend.name, backend.framework, backend.device): backend.unsupported_patterns for backend in backends
        },
        examples=shown_by_path(examples),
        signatures=signatures or {},
        signed=signed,
    )


def observe(claim: Claim, api: Api, run_id: str, record: RunRecord, context: Context) -> Iterator[Observation]:
    """The verdicts that one run record gives on ``claim``, one per probe.

    Probes that the record lacks, or that were recorded when the probe called something else, give none; nor does a release
    that does not have the API: that is no error of a device.
    """
    if framework_of(claim, api) != record.framework:
        return
    if is_absent(context.signatures, record.framework, record.framework_version, api.name):
        return
    patterns = context.unsupported.get((record.backend, record.framework, record.device), ())
    signed = context.signed.get(run_id, _UNSIGNED)
    signature_claim = claim.kind in _ON_SIGNATURES
    for probe in ["signature"] if signature_claim else wanted_probes(claim):
        run = record.run_of.get((api.name, probe))
        if not signature_claim and (run is None or run.spec != spec_of(api, probe, context.examples)):
            continue
        expected = context.examples.get(probe.removeprefix("example:"), ("", ()))[1]
        if claim.corresponds:
            outcome, facts = judge_correspondence(claim, api.name, record, context.signatures)
        else:
            outcome, facts = judge_claim(claim, api, probe, run, patterns, record, expected)
        if outcome is Outcome.NOT_RUN:
            continue
        yield Observation(
            outcome=outcome,
            framework=record.framework,
            framework_version=record.framework_version,
            backend=record.backend,
            device=record.device,
            world_size=record.world_size,
            probe=probe,
            run=run_id,
            facts=facts,
            measured_by=record.measured_by,
            trust=signed.trust,
            signer=signed.signer if signed.trust is Trust.SIGNED else "",
        )
