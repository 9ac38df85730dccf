"""Collects what is known of the calls of a source API: what a scan of code judges each call by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from fnmatch import fnmatchcase

import msgspec

from apidiff.database import Data
from apidiff.database.signatures import newest_first
from apidiff.derive.code_renames import recommended_names, renamed_samples
from apidiff.derive.difference_subjects import claim_subjects, difference_subjects, needed_arguments, spelled_ways
from apidiff.judge.pairs import PairVerdicts, judge_target, unsupported_by
from apidiff.messages.agreements import NO_KERNEL, verdict_risk, way_to_differ
from apidiff.messages.headlines import row_headline, sample_headline
from apidiff.model.agreement import Agreement, Facet, FacetVerdict
from apidiff.model.call_facts import (
    CallFacts,
    DeviceFact,
    DifferenceFact,
    Form,
    MemberFact,
    OtherwiseFacts,
    ProblemFact,
    RangeFact,
    SampleFact,
    TargetFacts,
)
from apidiff.model.claim import Claim, ClaimKind
from apidiff.model.mapping import Api, Target
from apidiff.model.mapping import Mapping as ApiMapping
from apidiff.model.rule import WritingRule
from apidiff.model.sample import Arguments, SampleArgument, SampleForm, SampleInput, resolve_sample
from apidiff.model.sample_calls import called_by_rule, rule_of, source_call
from apidiff.model.signature import Signature, SignatureFile
from apidiff.model.verdict import Outcome
from apidiff.model.views import DifferenceEntry, Entry, ObservedSummary, ParameterEntry, TargetEntry
from apidiff.model.vocabulary import ApiKind, DifferenceKind, Execution, Reach, Relation, Risk

_CLASSES = {ApiKind.CLASS, ApiKind.MODULE, ApiKind.PRIMITIVE}
_UNSEEN = {Agreement.ERROR, Agreement.TIMEOUT, Agreement.CRASH, Agreement.FLAKY, Agreement.NOT_RUN}


def call_facts(data: Data, entries: Mapping[str, Entry]) -> dict[str, CallFacts]:
    """Collect the facts of every mapping. ``entries``: what is shown of each, by ID."""
    collector = _Collector(data)
    return {key: collector.facts(mapping, entries[key]) for key, mapping in data.mappings.items()}


class _Collector:
    """Collects facts from data read once."""

    def __init__(self, data: Data) -> None:
        self._files = newest_first(data.signatures, "torch")
        self._subjects = claim_subjects(data.mappings.values())
        self._traces = data.traces()
        self._target_files = newest_first(data.signatures, "mindspore")
        self._rules, self._names = data.rules, recommended_names(data.mappings.values())
        self._unsupported = unsupported_by(data.devices)

    def facts(self, mapping: ApiMapping, entry: Entry) -> CallFacts:
        source = mapping.source
        pairs = zip(mapping.targets, entry.targets, strict=True)
        return CallFacts(
            mapping=mapping.id,
            source=source.name,
            is_class=source.kind in _CLASSES or any(target.members for target in mapping.targets),
            single=mapping.execution is Execution.SINGLE,
            ways=self._ways(source.name, self._files),
            needed=needed_arguments(told) if (told := self._told(source.name, self._files)) is not None else [],
            targets=[self._target(mapping, entry, target, shown) for target, shown in pairs],
            otherwise=[
                OtherwiseFacts(
                    answer=one.answer, since=one.since, until=one.until, risk=one.risk, headline=one.instead or one.why
                )
                for one in entry.otherwise
            ],
            help=entry.official.get(source.name),
            guide=self._guide(source.name),
            stand_in=self._rules.stand_ins.get(mapping.id),
        )

    def _guide(self, name: str) -> str | None:
        """The section of the guide about ``name``."""
        return next((section for pattern, section in self._rules.guides.items() if fnmatchcase(name, pattern)), None)

    def _ways(self, name: str, files: Sequence[SignatureFile]) -> list[list[str]]:
        told = self._told(name, files)
        return spelled_ways(told) if told is not None else []

    @staticmethod
    def _told(name: str, files: Sequence[SignatureFile]) -> Signature | None:
        """The newest signature of an API that tells its parameters."""
        return next((file.apis[name] for file in files if file.tells_parameters(name)), None)

    def _written(self, mapping: ApiMapping, target: Target) -> str:
        """How code names ``target``: by a rule that samples follow, or as samples of code show."""
        if mapping.execution is not Execution.SINGLE or ApiKind.CONSTANT in {mapping.source.kind, target.api.kind}:
            return "call" if mapping.source.kind is target.api.kind else ""
        if called_by_rule(mapping, target) or renamed_samples(mapping, target, self._names):
            return "call"
        return "annotation" if mapping.category == "dtype" and target.api.kind is ApiKind.CLASS else ""

    def _target(self, mapping: ApiMapping, entry: Entry, target: Target, shown: TargetEntry) -> TargetFacts:
        problems: list[ProblemFact] = []
        samples = list(self._samples(mapping, target, problems))
        written = {difference.id for difference in (*mapping.caveats, *target.differences)}
        rule = self._rules.targets.get(mapping.id, {}).get(target.api.name, WritingRule())
        rule = msgspec.structs.replace(rule, fill={**target.fill, **rule.fill})
        renamed = {**rule_of(target).keywords, **rule.keywords}
        summaries = {claim.id: claim.summary for claim in entry.claims}
        return TargetFacts(
            name=shown.name,
            note=shown.note,
            ways=self._ways(target.api.name, self._target_files),
            written="call" if rule != WritingRule() else self._written(mapping, target),
            rule=rule,
            left_out=self._rules.left_out,
            ranges=[RangeFact(since=one.since, until=one.until, status=one.status) for one in shown.ranges],
            renamed=renamed,
            missing=[
                row.source
                for row in shown.parameters
                if row.source and row.target is None and row.source not in renamed
            ],
            differences=[
                self._difference(mapping, target, shown, one, summaries)
                for one in shown.differences
                if one.kind != DifferenceKind.MEMBER.value and _is_told(one, written)
            ],
            members={row.source: _member(row) for row in shown.members if row.source},
            samples=samples,
            problems=problems,
            devices={one.device: DeviceFact(documented=one.documented, outcomes=one.outcomes) for one in shown.runs_on},
        )

    def _difference(
        self,
        mapping: ApiMapping,
        target: Target,
        shown: TargetEntry,
        one: DifferenceEntry,
        summaries: Mapping[str, list[ObservedSummary]],
    ) -> DifferenceFact:
        about, always = difference_subjects(
            one, [*shown.parameters, *shown.members], mapping.source.name, self._subjects
        )
        claims = {
            f"{api.name}#{claim.id}": (claim, api) for api in (mapping.source, target.api) for claim in api.claims
        }
        cited = [claims[name] for name in one.claims if name in claims]
        return DifferenceFact(
            id=one.id,
            kind=one.kind,
            risk=one.risk,
            reach=one.reach,
            headline=one.headline or one.text,
            about=about,
            always=always,
            when=[] if one.parameter else one.when,  # of parameters `about` says it
            devices=_devices(one, shown),
            extracted=one.repeat is not None,
            alike=_alike_at(cited, summaries, target.api),
        )

    def _samples(self, mapping: ApiMapping, target: Target, problems: list[ProblemFact]) -> Iterator[SampleFact]:
        """The samples with what runs show of each; ``problems`` gets the ways in which they differ."""
        numbers: dict[tuple[str, ...], int] = {}
        shown: dict[str, dict[str, dict[str, list[int]]]] = {}
        for found in judge_target(mapping, target, self._traces, self._unsupported):
            by_sample: dict[str, list[FacetVerdict]] = {}
            for verdict in found.verdicts:
                by_sample.setdefault(verdict.sample, []).append(verdict)
            for sample, verdicts in by_sample.items():
                if any(one.agreement in _UNSEEN for one in verdicts):
                    continue
                numbered = [_number(mapping, one, found, numbers, problems) for one in verdicts if _is_problem(one)]
                shown.setdefault(sample, {}).setdefault(found.target_version, {})[found.device] = sorted(set(numbered))
        written = self._written_samples(mapping, target)
        for sample in mapping.samples:
            yield SampleFact(form=_form(mapping, sample), shown=shown.get(sample, {}) if sample in written else {})

    def _written_samples(self, mapping: ApiMapping, target: Target) -> set[str]:
        """The samples that show what the rule of ``target`` writes: not those of code that is written in another way."""
        rule = self._rules.targets.get(mapping.id, {}).get(target.api.name)
        if rule is not None and rule.samples:
            return set(rule.samples)
        coded = {name for name in mapping.samples if resolve_sample(mapping.samples, name).code is not None}
        renamed = set(renamed_samples(mapping, target, self._names))
        constant = ApiKind.CONSTANT in {mapping.source.kind, target.api.kind}
        return set(mapping.samples) - (coded - renamed if renamed and not constant else set())


def _is_told(difference: DifferenceEntry, written: Set[str]) -> bool:
    """Whether a difference is told as such; those of the samples of the record itself are told sample by sample."""
    if difference.repeat is not None:
        return difference.repeat.inputs == "extracted"
    return bool(difference.id in written or difference.parameter or difference.claims)


def _is_problem(verdict: FacetVerdict) -> bool:
    """Whether a facet differs, or has no kernel; that is told by the error alone, not by what it hides."""
    hides = verdict.agreement is Agreement.UNSUPPORTED
    return verdict.agreement is Agreement.DIFFERS or (hides and verdict.facet is Facet.ERROR)


def _number(
    mapping: ApiMapping,
    verdict: FacetVerdict,
    found: PairVerdicts,
    numbers: dict[tuple[str, ...], int],
    problems: list[ProblemFact],
) -> int:
    """The place of a way to differ in ``problems``, to which it is added the first time."""
    kernel = verdict.agreement is Agreement.UNSUPPORTED
    kind = NO_KERNEL if kernel else verdict.facet.value
    code, detail = way_to_differ(verdict)
    key = kind, code.value, detail, found.device
    if key not in numbers:
        numbers[key] = len(problems)
        risk = verdict_risk(verdict)
        # Ported code runs in PyNative mode until somebody compiles it.
        in_use = risk is not Risk.NONE and verdict.facet is not Facet.GRAPH
        usual = in_use and verdict.sample == next(iter(mapping.samples))
        problems.append(
            ProblemFact(
                id="-".join([kind, code.value, found.device]).replace("_", "-"),
                kind=kind,
                risk=risk.value,
                reach=(Reach.EVERYDAY if usual else Reach.EDGE).value,
                headline=sample_headline(verdict.facts[0], found.device, everywhere=False, facet=verdict.facet),
                kernel=kernel,
            )
        )
    return numbers[key]


def _form(mapping: ApiMapping, sample: str) -> Form | None:
    """How a sample calls the source, as code would be written."""
    call = source_call(mapping, sample)
    if call.form is SampleForm.CODE:
        return None
    given = call.constructor if call.form is SampleForm.MODULE else call.given
    return _form_of(given)


def _form_of(given: Arguments) -> Form:
    return Form(
        args=[_written(value) for value in given.args.values()],
        keywords={name: _written(value) for name, value in given.kwargs.items()},
    )


def _written(value: SampleArgument) -> str:
    if not isinstance(value, SampleInput):
        return f"={value!r}"
    if value.is_tensor:
        return "tensor"
    if value.framework_dtype is not None:
        return f":torch.{value.framework_dtype}"
    items = value.tuple if value.tuple is not None else value.list or []
    if any(isinstance(item, SampleInput) for item in items):
        return "tuple" if value.tuple is not None else "list"
    return f"={tuple(items) if value.tuple is not None else list(items)!r}"


def _member(row: ParameterEntry) -> MemberFact:
    differs = row.relations != [Relation.SAME.value]
    headline = row_headline(row, "member") if differs else None
    return MemberFact(target=row.target, versions=row.target_range, risk=row.risk, headline=headline)


def _devices(difference: DifferenceEntry, shown: TargetEntry) -> list[str]:
    """The devices that a difference in support is about: those on which runs of the target did not end well."""
    if difference.kind != DifferenceKind.BACKEND_SUPPORT.value:
        return []
    return [one.device for one in shown.runs_on if one.outcomes and next(iter(one.outcomes.values())) != "holds"]


def _alike_at(
    cited: Sequence[tuple[Claim, Api]], summaries: Mapping[str, list[ObservedSummary]], target: Api
) -> list[str]:
    """The versions of the target at which what is claimed of it holds as the same does of the source."""
    source = {claim.kind for claim, api in cited if api is not target and _hold(summaries[f"{api.name}#{claim.id}"])}
    mine = [(claim, summaries[f"{api.name}#{claim.id}"]) for claim, api in cited if api is target]
    if not mine or any(claim.kind is not ClaimKind.COMPLETES or claim.kind not in source for claim, _ in mine):
        return []
    versions = {row.framework_version for _, rows in mine for row in rows}
    return sorted(version for version in versions if all(_hold(rows, version) for _, rows in mine))


def _hold(rows: Sequence[ObservedSummary], version: str | None = None) -> bool:
    """Whether all runs, of ``version`` or of any, show that a claim holds."""
    outcomes = {row.outcome for row in rows if version is None or row.framework_version == version}
    return outcomes == {Outcome.HOLDS.value}
