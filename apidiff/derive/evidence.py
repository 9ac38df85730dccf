"""The evidence behind verdicts, as a reader opens it: what one framework version did with one API on one backend.

A run record holds hundreds of probes. Here they stand by API, with the runs at all world sizes side by side, what each
probe calls as code, and the verdicts that rest on it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from collections.abc import Mapping as Dictionary

from apidiff.database import Data
from apidiff.database.examples import readable_examples
from apidiff.database.paths import examples_folder
from apidiff.derive.calls import call, written_argument
from apidiff.judge import Context, make_context
from apidiff.model.base import Record
from apidiff.model.claim_probes import example_probe, spec_of
from apidiff.model.mapping import Api
from apidiff.model.probe import Argument
from apidiff.model.probe_resolution import (
    caller_ranks,
    collective_of,
    digest_text,
    inplace_switch,
    partner,
    resolve,
    variables,
)
from apidiff.model.sample_run import SingleRecord
from apidiff.model.signature import Signature
from apidiff.model.signed import Signed
from apidiff.model.trace import ProbeRun, RunRecord, SignatureDump
from apidiff.model.trust import OWN, Trust
from apidiff.model.version import Version
from apidiff.model.views import ChangeEntry, ClaimEntry, DisputeEntry, Entry

# The name under which claims about parameters and members point at the signature of a run.
SIGNATURE = "signature"
_PLAIN = re.compile(r"\w[\w.-]*", re.ASCII)
_DOTTED = re.compile(r"\w+(\.\w+)*", re.ASCII)


class ProbeCall(Record, frozen=True, kw_only=True):
    """What a probe calls, as code, and the digest of it."""

    code: str
    spec: str


Calls = Dictionary[str, Dictionary[str, ProbeCall]]  # by API, then by probe


class RunHead(Record, frozen=True, kw_only=True):
    """A run record without its traces. ``ends``: how many probes ended how."""

    id: str
    framework: str
    framework_version: str
    backend: str
    device: str
    world_size: int
    date: str
    os: str
    python: str
    machine: str
    cores: int
    measured_by: str | None = None
    stopped: str | None = None
    signed: Signed = Signed()
    ends: dict[str, int] = {}


class SingleHead(Record, frozen=True, kw_only=True):
    """A record of calls in a single process without its traces. ``ends``: how many samples ended how."""

    id: str
    framework: str
    framework_version: str
    device: str
    date: str
    measured_by: str | None = None
    stopped: str | None = None
    signed: Signed = Signed()
    ends: dict[str, int] = {}


class Verdict(Record, frozen=True, kw_only=True):
    """What the trial says of a claim."""

    claim: str
    outcome: str


class Trial(Record, frozen=True, kw_only=True):
    """A probe as one run made it. ``current``: it called what the probe calls today; only then do verdicts rest on it."""

    run: str
    world_size: int
    current: bool
    traces: ProbeRun
    verdicts: list[Verdict] = []


class ProbeEvidence(Record, frozen=True, kw_only=True):
    """A probe with its trials by world size. ``call`` is empty where the probe is no longer there."""

    name: str
    call: str
    trials: list[Trial]


class SignatureEvidence(Record, frozen=True, kw_only=True):
    """A signature, the runs that saw it, and the verdicts that rest on it: those of the first of ``runs``."""

    signature: SignatureDump
    runs: list[str]
    verdicts: list[Verdict] = []


class ApiEvidence(Record, frozen=True, kw_only=True):
    """All that runs of one framework version on one backend and device recorded of an API.

    ``runs``: all of this place, which the APIs of a record share.
    ``mapping``: the mapping that holds the API's claims, None where no mapping does any more. ``changes``: claims that other
    versions of the framework judge otherwise on this backend; ``disputes``: those on which these runs disagree.
    """

    key: str
    api: str
    mapping: str | None
    runs: list[RunHead]
    signatures: list[SignatureEvidence]
    probes: list[ProbeEvidence]
    changes: dict[str, list[ChangeEntry]] = {}
    disputes: dict[str, list[DisputeEntry]] = {}


def _first_shown(run: RunRecord, signed: Signed | None) -> tuple[bool, bool, int, str]:
    """This project's runs, known signers', unsigned ones, each by world size: a link to a trial has to lead to ours."""
    trust = (signed or Signed()).trust
    return trust not in OWN, trust is Trust.UNSIGNED, run.world_size, run.date


def evidence_key(run: RunHead | RunRecord, api: str) -> str:
    """The place of an API's evidence among all: ``torch-2.13.0/gloo-cpu/torch.distributed.reduce``.

    It names a file and a page, and a record may name anything: of a name that is no dotted one a digest stands there.
    """
    places = (f"{run.framework}-{run.framework_version}", f"{run.backend}-{run.device}")
    named = [place if _PLAIN.fullmatch(place) else f"x-{digest_text(place)}" for place in places]
    return "/".join([*named, api if _DOTTED.fullmatch(api) else f"x-{digest_text(api)}"])


def place_of(key: str) -> str:
    """The part of an evidence key that all APIs share which the same runs recorded: ``torch-2.13.0/gloo-cpu``."""
    return key.rpartition("/")[0]


def _place(run: RunRecord) -> tuple[str, ...]:
    return run.framework, run.framework_version, run.backend, run.device


def head_of(run_id: str, run: RunRecord, signed: Signed | None = None) -> RunHead:
    """The record's head."""
    facts = {name: getattr(run, name) for name in RunHead.__struct_fields__ if name not in {"id", "signed", "ends"}}
    ends = dict(sorted(Counter(probe.end for probe in run.probes).items()))
    return RunHead(id=run_id, signed=signed or Signed(), ends=ends, **facts)


def single_head_of(run_id: str, run: SingleRecord, signed: Signed | None = None) -> SingleHead:
    """The head of a record of calls in a single process."""
    facts = {name: getattr(run, name) for name in SingleHead.__struct_fields__ if name not in {"id", "signed", "ends"}}
    ends = dict(sorted(Counter(sample.end for sample in run.samples).items()))
    return SingleHead(id=run_id, signed=signed or Signed(), ends=ends, **facts)


def evidence(
    runs: Dictionary[str, RunRecord],
    entries: Dictionary[str, Entry],
    calls: Calls,
    signed: Dictionary[str, Signed],
) -> Iterator[ApiEvidence]:
    """The evidence of every API that a run recorded, by framework version, backend and API.

    ``signed``: what the signatures of runs say, by ID.
    """
    groups: dict[tuple[str, ...], dict[str, RunRecord]] = {}
    for run_id, run in runs.items():
        groups.setdefault(_place(run), {})[run_id] = run
    holders = holding_mappings(entries)
    verdicts = _verdicts(entries)
    by_subject: dict[str, list[ClaimEntry]] = {}
    for claim in distinct_claims(entries).values():
        by_subject.setdefault(claim.subject, []).append(claim)
    for found in groups.values():
        ordered = dict(sorted(found.items(), key=lambda item: _first_shown(item[1], signed.get(item[0]))))
        heads = [head_of(run_id, run, signed.get(run_id)) for run_id, run in ordered.items()]
        by_id = {head.id: head for head in heads}
        signatures: dict[str, list[tuple[str, SignatureDump]]] = {}
        probes: dict[str, dict[str, list[tuple[str, ProbeRun]]]] = {}
        for run_id, run in ordered.items():
            for signature in run.signatures:
                signatures.setdefault(signature.api, []).append((run_id, signature))
            for probe in run.probes:
                probes.setdefault(probe.api, {}).setdefault(probe.probe, []).append((run_id, probe))
        for api in sorted(signatures.keys() | probes.keys()):
            yield ApiEvidence(
                key=evidence_key(heads[0], api),
                api=api,
                mapping=holders.get(api),
                runs=heads,
                signatures=_signatures(api, signatures.get(api, []), verdicts),
                probes=[
                    _probe(api, name, trials, by_id, calls.get(api, {}), verdicts)
                    for name, trials in probes.get(api, {}).items()
                ],
                changes=_changes(by_subject.get(api, []), heads[0]),
                disputes=_disputes(by_subject.get(api, []), heads[0]),
            )


def _changes(claims: Iterable[ClaimEntry], here: RunHead) -> dict[str, list[ChangeEntry]]:
    place = (here.framework, here.backend, here.device)
    found = {
        claim.id: [change for change in claim.changes if (change.framework, change.backend, change.device) == place]
        for claim in claims
    }
    return {key: changes for key, changes in found.items() if changes}


def _disputes(claims: Iterable[ClaimEntry], here: RunHead) -> dict[str, list[DisputeEntry]]:
    place = (here.framework, here.framework_version, here.backend, here.device)
    found = {
        claim.id: [
            dispute
            for dispute in claim.disputes
            if (dispute.framework, dispute.framework_version, dispute.backend, dispute.device) == place
        ]
        for claim in claims
    }
    return {key: disputes for key, disputes in found.items() if disputes}


_Verdicts = Dictionary[tuple[str, str, str], list[Verdict]]  # by run, API and probe


def _verdicts(entries: Dictionary[str, Entry]) -> _Verdicts:
    found: dict[tuple[str, str, str], dict[str, Verdict]] = {}
    for claim in distinct_claims(entries).values():
        for seen in claim.observed:
            verdict = Verdict(claim=claim.id, outcome=seen.outcome.value)
            found.setdefault((seen.run, claim.subject, seen.probe), {})[claim.id] = verdict
    return {key: list(by_claim.values()) for key, by_claim in found.items()}


def distinct_claims(entries: Dictionary[str, Entry]) -> dict[str, ClaimEntry]:
    """Every claim once, by ID: mappings that share a target share its claims."""
    return {claim.id: claim for entry in entries.values() for claim in entry.claims}


def holding_mappings(entries: Dictionary[str, Entry]) -> dict[str, str]:
    """API → the mapping that holds its claims and probes."""
    found = {target.name: entry.id for entry in entries.values() for target in entry.targets if not target.defined_in}
    return found | {entry.source: entry.id for entry in entries.values()}


def _signatures(api: str, seen: Iterable[tuple[str, SignatureDump]], verdicts: _Verdicts) -> list[SignatureEvidence]:
    """Those that differ, each with the runs that saw it."""
    runs: dict[str, list[str]] = {}
    shown: dict[str, SignatureDump] = {}
    for run_id, signature in seen:
        key = repr(signature)
        shown[key] = signature
        runs.setdefault(key, []).append(run_id)
    return [
        SignatureEvidence(
            signature=signature,
            runs=runs[key],
            verdicts=verdicts.get((runs[key][0], api, SIGNATURE), []),
        )
        for key, signature in shown.items()
    ]


def _probe(
    api: str,
    name: str,
    trials: Iterable[tuple[str, ProbeRun]],
    heads: Dictionary[str, RunHead],
    calls: Dictionary[str, ProbeCall],
    verdicts: _Verdicts,
) -> ProbeEvidence:
    today = calls.get(name)
    return ProbeEvidence(
        name=name,
        call=today.code if today else "",
        trials=[
            Trial(
                run=run_id,
                world_size=heads[run_id].world_size,
                current=today is not None and today.spec == traces.spec,
                traces=traces,
                verdicts=verdicts.get((run_id, api, name), []),
            )
            for run_id, traces in trials
        ],
    )


def probe_calls(data: Data) -> dict[str, dict[str, ProbeCall]]:
    """What every probe and every example calls today, by API."""
    examples = readable_examples(examples_folder())
    context = make_context(data.backends, examples, data.signatures)
    signatures = _newest_signatures(data)
    found: dict[str, dict[str, ProbeCall]] = {}
    for mapping in data.mappings.values():
        for api in (mapping.source, *(target.api for target in mapping.targets)):
            mine = found.setdefault(api.name, {})
            for probe in collective_of(api).probes:
                mine[probe] = _made(probe_code(api, probe, signatures.get(api.name)), api, probe, context)
            for claim in api.claims:
                if claim.prints:
                    script = next((script for script in examples if script.path == claim.prints.example), None)
                    name = example_probe(claim.prints.example)
                    mine[name] = _made(script.command if script else "", api, name, context)
    return found


def _made(code: str, api: Api, probe: str, context: Context) -> ProbeCall:
    return ProbeCall(code=code, spec=spec_of(api, probe, context.examples) or "")


def probe_code(api: Api, probe: str, signature: Signature | None = None) -> str:
    """All that a probe does, as code: the switch it sets, the call, what single ranks pass instead, the other end's call."""
    lines = [call(api, probe, signature)]
    if (named := caller_ranks(api, probe)) or partner(api, probe):
        lines.insert(0, f"# {_ranks(named)}" if named else "# other ranks")
    if (switch := inplace_switch(api, probe)) is not None:
        lines.insert(0, f"mindspore.ops.communication.set_comm_ops_inplace({switch})")
    lines = [*(f"# {name}={value}" for name, value in variables(api, probe).items()), *lines]
    for rank, changed in resolve(api, probe)[1].items():
        where = f"rank != {collective_of(api).root}" if rank == "others" else f"rank {rank}"
        lines.append(f"# {where}: {_given(changed)}")
    if (other := partner(api, probe)) is not None:
        lines += [f"# {_ranks(other.ranks)}", f"{other.api}({_given(other.set)})"]
    return "\n".join(lines)


def _given(arguments: Dictionary[str, Argument]) -> str:
    return ", ".join(f"{name}={written_argument(name, value)}" for name, value in arguments.items())


def _ranks(ranks: Iterable[int]) -> str:
    return "rank " + ", ".join(map(str, ranks))


def _newest_signatures(data: Data) -> dict[str, Signature]:
    found: dict[str, Signature] = {}
    for _, file in sorted(data.signatures.items(), key=lambda item: Version(item[0][1])):
        found |= file.apis
    return found
