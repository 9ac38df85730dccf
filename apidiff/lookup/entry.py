"""Builds entries: the authored, extracted and measured layers brought together, one entry per mapping."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping as AbstractMapping
from collections.abc import Sequence
from typing import Literal

import msgspec

from apidiff.database import Data
from apidiff.database.backends import Backend
from apidiff.database.documented import documented_points
from apidiff.database.examples import Example, readable_examples
from apidiff.database.odd_records import naming_the_record
from apidiff.database.paths import examples_folder
from apidiff.derive.answers import everyday_risk, met_at
from apidiff.derive.api_history import SIGNATURES, STUBS, telling_files
from apidiff.derive.beside_ours import BesideOurs
from apidiff.derive.call_conditions import of_claims
from apidiff.derive.calls import call
from apidiff.derive.copied_runs import copied_runs
from apidiff.derive.official_documents import official_addresses
from apidiff.derive.reach import Cited, alike_versions, frequent_first, is_alike
from apidiff.derive.rows import Files, row_facts, with_positions
from apidiff.derive.rule_labels import rule_entries
from apidiff.derive.runs_on import runs_on
from apidiff.derive.sample_code import is_composed, ordinary_code
from apidiff.derive.shown_sample import ShownSample, places_that_took_a_call, places_without_kernel, shown_sample
from apidiff.derive.statements import contradicted
from apidiff.derive.sweeps import swept
from apidiff.derive.versions_run import versions_run
from apidiff.errors import DataError
from apidiff.judge import make_context, observe
from apidiff.judge.pairs import judge_target, unsupported_by
from apidiff.messages.agreements import Elsewhere, agreement_entries, facet_differences
from apidiff.messages.differences import (
    composed_difference,
    difference_entry,
    parameter_entry,
    row_difference,
    without_repeats,
    worst_first,
)
from apidiff.messages.evidence import observed_entry
from apidiff.messages.extracted_differences import extracted_differences
from apidiff.messages.first_screen import refused_text
from apidiff.messages.history import history_entries
from apidiff.messages.labels import filled
from apidiff.messages.phrases import clause_text, sentence
from apidiff.messages.sweep_differences import sweep_differences
from apidiff.messages.verdict_text import summarise
from apidiff.messages.version_changes import change_entries, confirmation_entries, dispute_entries
from apidiff.model.base import Text
from apidiff.model.claim import Claim, Stated
from apidiff.model.mapping import Api, Document, Mapping, Otherwise, ParameterRow, Target, TargetRange
from apidiff.model.ranges import between, first_shown
from apidiff.model.sample import SampleForm
from apidiff.model.sample_calls import ordinary_calls, samples_of, target_call, with_extracted
from apidiff.model.signature import Limit, Signature, SignatureFile
from apidiff.model.verdict import Observation
from apidiff.model.version import Version
from apidiff.model.views import (
    ClaimEntry,
    DifferenceEntry,
    DocumentEntry,
    Entry,
    ExampleEntry,
    OtherwiseEntry,
    ParameterEntry,
    RangeEntry,
    StatedEntry,
    TargetEntry,
)
from apidiff.model.vocabulary import Execution, Risk

_RISKS = [risk.value for risk in Risk]


class Builder:
    """Builds entries from data read once. ``backends``: those described; ``examples``: the scripts by path."""

    def __init__(self, data: Data, backends: Sequence[Backend], examples: Sequence[Example]) -> None:
        self.data, self.backends, self.examples = data, backends, examples
        self.context = make_context(backends, examples, data.signatures, data.signed)
        self._copies = copied_runs([*data.runs, *data.signed_runs], data.signed)
        self._traces = data.traces()
        self._unsupported = unsupported_by(data.devices)
        self._beside = BesideOurs(data, self._unsupported, self._traces)
        self._files = _newest_first(data.signatures)
        self._known = {name: [release.version for release in found] for name, found in data.frameworks.items()}
        newest_first = self._known.get("mindspore", [])[::-1]
        self._first = first_shown(newest_first, versions_run(data).get("mindspore", []))
        self._documented = documented_points(data.listings, data.documents)
        self._pages: dict[str, dict[str, Document]] = {}  # upstream's pages on differences, by source
        for row in data.pages:
            self._pages.setdefault(row.source, {})[row.key] = row.document
        self._clauses: dict[str, Text] = {}  # claims as parts of sentences, by ID

    def entry(self, mapping: Mapping) -> Entry:
        """Everything shown about one mapping. Raises DataError where it is unlike any that was thought of."""
        with naming_the_record(self.data.path_of(mapping.id)):
            return self._entry(mapping)

    def _entry(self, mapping: Mapping) -> Entry:
        source = {claim.id: self._claim(claim, mapping.source, "source") for claim in frequent_first(mapping.source)}
        claims = list(source.values())
        targets = []
        for target in mapping.targets:
            mine = {claim.id: self._claim(claim, target.api, "target") for claim in frequent_first(target.api)}
            claims.extend(mine.values())
            targets.append(self._target(mapping, target, source, mine))
        otherwise = [self._otherwise(mapping, answer, source) for answer in mapping.otherwise]
        documents = {stated.document for claim in claims for stated in claim.stated}
        documents |= {stated.document for answer in otherwise for stated in answer.stated}
        apis = [mapping.source.name, *(target.api.name for target in mapping.targets)]
        history = history_entries(apis, self._files, self._documented)
        told = {key for change in history for key in (change.evidence, change.after_evidence) if key}
        documents |= told - {SIGNATURES, STUBS}
        pages = self._pages.get(mapping.source.name, {})
        known = {**pages, **self.data.documents}
        recipes = {answer.recipe.path for answer in otherwise if answer.recipe}
        return Entry(
            id=mapping.id,
            category=mapping.category,
            summary=mapping.summary,
            execution=mapping.execution.value,
            aliases=mapping.aliases,
            source=mapping.source.name,
            signatures=self._signature_texts(mapping.source),
            risk=_risk(targets, otherwise),
            targets=targets,
            otherwise=otherwise,
            claims=claims,
            examples=[
                self._example(example, claims)
                for example in self.examples
                if example.api == mapping.id and example.path not in recipes
            ],
            documents={key: DocumentEntry.of(known[key]) for key in sorted({*documents, *pages})},
            history=history,
            official=official_addresses(
                [mapping.source, *(target.api for target in mapping.targets)], self.data.documents, self.data.addresses
            ),
            uses=self.data.uses.of(mapping.id),
            unread={name: versions for name in apis if (versions := self._unread(name))},
        )

    def _signature(self, api: Api) -> Signature | None:
        return next((file.apis[api.name] for file in self._files_of(api.name) if api.name in file.apis), None)

    def _signatures(self, api: Api) -> dict[str, Signature]:
        return {file.version: file.apis[api.name] for file in self._files_of(api.name) if api.name in file.apis}

    def _limits(self, api: Api) -> list[Limit]:
        signature = self._signature(api)
        return signature.limits if signature else []

    def _signature_texts(self, api: Api) -> dict[str, str]:
        name = api.name
        return {file.version: file.apis[name].text(name) for file in self._files_of(name) if name in file.apis}

    def _unread(self, name: str) -> list[str]:
        """The versions whose signatures were read without looking for the API."""
        files = self._files_of(name)
        telling = telling_files(name, files)
        return [file.version for file in files if file not in telling]

    def _files_of(self, name: str) -> list[SignatureFile]:
        return self._files.get(name.partition(".")[0], [])

    def _claim(self, claim: Claim, api: Api, side: str) -> ClaimEntry:
        ours, by_signers, unsigned = (
            sorted(
                (seen for run_id, record in runs for seen in observe(claim, api, run_id, record, self.context)),
                key=_order,
            )
            for runs in (self.data.runs, self.data.signed_runs, self.data.unsigned_runs)
        )
        observed = sorted([*ours, *by_signers], key=_order)
        signature = self._signature(api)
        key = f"{api.name}#{claim.id}"
        self._clauses[key] = clause_text(claim, api)
        summary = summarise(ours)
        documents = [self.data.documents[statement.document] for statement in claim.stated]
        return ClaimEntry(
            id=key,
            subject=api.name,
            side=side,
            kind=claim.kind.value,
            text=sentence(self._clauses[key]),
            stated=_stated(claim.stated),
            observed=[observed_entry(seen) for seen in observed],
            contradicted=contradicted(summary, [document.speaks_of for document in documents]),
            unsigned=[observed_entry(seen) for seen in unsigned],
            summary=summary,
            aside=summarise(by_signers),
            changes=change_entries(ours, self._known),
            disputes=dispute_entries([*observed, *unsigned]),
            confirmations=confirmation_entries(seen for seen in observed if seen.run not in self._copies),
            not_run=self._not_run(_framework(claim, api), ours),
            call=[call(api, probe, signature) for probe in claim.probes],
            reason=claim.reason,
            swept=swept(claim, api),
        )

    def _not_run(self, framework: str, observed: list[Observation]) -> list[Text]:
        seen = {(observation.backend, observation.device) for observation in observed}
        missing = [
            backend
            for backend in self.backends
            if backend.framework == framework and (backend.name, backend.device) not in seen
        ]
        return [self._why_not(backend) for backend in missing]

    def _why_not(self, backend: Backend) -> Text:
        """That a backend gives no verdict; where it ran with one rank only, that this is why."""
        place = backend.framework, backend.name, backend.device
        sizes = {run.world_size for _, run in self.data.runs if (run.framework, run.backend, run.device) == place}
        key = "verdict.backend_with_one_rank" if sizes == {1} else "verdict.backend_not_run"
        return filled(key, backend=backend.name, device=backend.device)

    def _refuse_repeated(self, mapping: Mapping, differences: Sequence[DifferenceEntry]) -> None:
        """Raises DataError where a written difference has the ID of one that is made: links and tables name it by that."""
        for name, count in Counter(one.id for one in differences).items():
            if count > 1:
                found = f"the difference {name!r} is called as one that is made of a parameter or of runs"
                raise DataError(self.data.path_of(mapping.id), None, found, "Give the one that is written another ID.")

    def _target(
        self, mapping: Mapping, target: Target, source: dict[str, ClaimEntry], mine: dict[str, ClaimEntry]
    ) -> TargetEntry:
        sides = [(api.name, self._files_of(api.name)) for api in (mapping.source, target.api)]
        pairs = list(judge_target(mapping, target, self._traces, self._unsupported))
        taken = places_that_took_a_call(pairs)
        sample, shown_of = shown_sample(mapping, target, pairs), mapping
        told_rows = with_positions(
            _rows_told(mapping, target),
            self._signature(mapping.source),
            self._signature(target.api),
            _passed_by_position(mapping, target, sample),
        )
        parameters = row_entries(told_rows, "parameter", sides[0], sides[1])
        members = row_entries(target.members, "member", sides[0], sides[1])
        before, after = mapping.source.canonical, target.api.canonical
        left, right = _cited(mapping.source, source), _cited(target.api, mine)
        named = {row.target: row.source for row in target.parameters if row.source and row.target}
        written = []
        for difference in [*mapping.caveats, *target.differences]:
            cited = [left[name] for name in difference.source_claims] + [
                right[name] for name in difference.target_claims
            ]
            if not is_alike(difference, cited, left, right):
                alike = alike_versions(difference, cited, left, right)
                told_entry = difference_entry(
                    difference, cited, self._clauses, before or "", self.data.documents, alike
                )
                about = [(cited_claim.claim, cited_claim.api) for cited_claim in cited]
                when = of_claims(about, mapping.source, named) or of_claims(about, target.api, named)
                written.append((msgspec.structs.replace(told_entry, when=when), cited))
        of_rows = [(row, made) for row in parameters if (made := row_difference(row, "parameter", before or ""))]
        of_rows += [(row, made) for row in members if (made := row_difference(row, "member", before or ""))]
        differences = without_repeats(written, of_rows)
        differences += sweep_differences(list(source.values()), list(mine.values()))
        sampled = with_extracted(mapping, self.data.extracted)
        found = []
        if sampled is not None and target in sampled.targets:
            overridden = self.data.extracted[mapping.source.name].tolerances
            found = list(judge_target(sampled, target, self._traces, self._unsupported, overridden))
        told = facet_differences(mapping, target, pairs, Elsewhere(sampled, found) if sampled is not None else None)
        beside = self._beside.said(mapping, target, pairs)
        agreements = agreement_entries(mapping, pairs, self.data.signed, beside.disputes)
        aside = agreement_entries(mapping, beside.elsewhere, self.data.signed, {})
        if sampled is not None and target in sampled.targets:
            written_samples = Elsewhere(mapping, pairs)
            told += extracted_differences(sampled, target, found, [*differences, *told], written_samples)
            beside = self._beside.said(sampled, target, found, overridden)
            agreements += agreement_entries(sampled, found, self.data.signed, beside.disputes, "extracted")
            aside += agreement_entries(sampled, beside.elsewhere, self.data.signed, {}, "extracted")
            taken = {*taken, *places_that_took_a_call(found)}
            if sample is not None and sample.refused and (other := shown_sample(sampled, target, found)) is not None:
                sample, shown_of = (sample, mapping) if other.refused else (other, sampled)
        composed = False
        if sample is not None:
            # What is shown as running there is the call that is shown.
            taken = {*taken} - {*places_without_kernel(pairs if shown_of is mapping else found, sample.name)}
            plain = ordinary_calls(shown_of, target, sample.name)
            before, after = map(ordinary_code, plain)
            composed = is_composed(*plain)
        differences = worst_first([*differences, *told, *([composed_difference()] if composed else [])])
        self._refuse_repeated(mapping, differences)
        return TargetEntry(
            name=target.api.name,
            kind=target.api.kind.value,
            composed=composed,
            ranges=[range_entry(span) for span in target.ranges],
            parameters=parameters,
            members=members,
            differences=differences,
            risk=everyday_risk(met_at(differences, self._first)),
            limits=[limit.value for limit in self._limits(target.api)],
            runs_on=runs_on(target.api, self._signatures(target.api), mine, agreements, taken),
            signatures=self._signature_texts(target.api),
            before=before if before and after else "",
            after=after if before and after else "",
            refused=refused_text(sample.refused, sample.version, sample.device) if sample and sample.refused else None,
            note=target.note,
            defined_in=target.api.defined_in,
            agreements=agreements,
            aside=aside,
            rules=rule_entries(agreements, after if before and after else ""),
        )

    def _otherwise(self, mapping: Mapping, answer: Otherwise, source: dict[str, ClaimEntry]) -> OtherwiseEntry:
        recipe = next((example for example in self.examples if example.path == answer.recipe), None)
        left = _cited(mapping.source, source)
        differences = worst_first(
            [
                difference_entry(
                    caveat,
                    [left[name] for name in caveat.source_claims],
                    self._clauses,
                    documents=self.data.documents,
                )
                for caveat in mapping.caveats
            ]
        )
        return OtherwiseEntry(
            answer=answer.answer.value,
            since=answer.since,
            until=answer.until,
            range=between(answer.since, answer.until),
            why=answer.why,
            instead=answer.instead,
            recipe=self._example(recipe, list(source.values())) if recipe else None,
            before=mapping.source.canonical or "",
            after=recipe.snippet if recipe else "",
            uses=answer.uses,
            stated=_stated(answer.stated),
            differences=differences,
            # Nothing replaces the API, so the call has to be edited whatever else is to be minded.
            risk=min(Risk.REWRITE.value, everyday_risk(differences), key=_RISKS.index),
        )

    def _example(self, example: Example, claims: list[ClaimEntry]) -> ExampleEntry:
        prints = next((claim.id for claim in claims if claim.kind == "prints" and example.path in claim.text.en), None)
        return ExampleEntry(
            framework=example.framework,
            path=example.path,
            command=example.command,
            code=example.code,
            expected="\n".join(example.expected),
            claim=prints,
        )


def _cited(api: Api, claims: AbstractMapping[str, ClaimEntry]) -> dict[str, Cited]:
    """The claims of ``api`` by ID, with their entries."""
    return {claim.id: Cited(claim, api, claims[claim.id]) for claim in api.claims}


def row_entries(
    rows: Sequence[ParameterRow],
    what: Literal["parameter", "member"],
    source: tuple[str, Files],
    target: tuple[str, Files],
) -> list[ParameterEntry]:
    """The rows of one target in words. ``source`` and ``target``: the API's name and the files to read of it."""
    facts = row_facts(rows, what, source, target)
    return [
        parameter_entry(row, known.defaults, known.ranges, known.changing)
        for row, known in zip(rows, facts, strict=True)
    ]


def _rows_told(mapping: Mapping, target: Target) -> Sequence[ParameterRow]:
    """The rows of parameters; of a target that samples name in code alone, those that a person says something of.

    Such code calls the target in a way of its own, so that its parameters do not stand beside those of the source.
    """
    if mapping.execution is not Execution.SINGLE:
        return target.parameters
    calls = [target_call(mapping, target, sample) for sample in samples_of(mapping, target)]
    if any(call.form is not SampleForm.CODE for call in calls):
        return target.parameters
    return [row for row in target.parameters if row.note or row.headline]


def _passed_by_position(mapping: Mapping, target: Target, sample: ShownSample | None) -> int:
    """How many arguments a sample that both sides took passes by position."""
    if sample is None or sample.refused:
        return 0
    call = target_call(mapping, target, sample.name)
    return len(call.given.args) if call.form in {SampleForm.FUNCTION, SampleForm.METHOD} else 0


def range_entry(span: TargetRange) -> RangeEntry:
    """A version range with its text: ``2.4 – 2.8``, ``≤ 2.3``, ``≥ 2.9``, ``2.4``."""
    return RangeEntry(
        since=span.since, until=span.until, range=between(span.since, span.until), status=span.status.value
    )


def _stated(stated: Sequence[Stated]) -> list[StatedEntry]:
    return [StatedEntry(document=statement.document, part=statement.part, text=statement.text) for statement in stated]


def _risk(targets: Sequence[TargetEntry], otherwise: Sequence[OtherwiseEntry]) -> str:
    """The risk of what stands without an end: a current target, or the answer instead of one."""
    open_ended = [
        target.risk for target in targets if any(row.status == "current" and not row.until for row in target.ranges)
    ]
    return next(iter([*open_ended, *(answer.risk for answer in otherwise if not answer.until)]), Risk.NONE.value)


def _framework(claim: Claim, api: Api) -> str:
    """The framework whose runs speak of the claim: of an example, the one its file is named after."""
    if claim.prints:
        return claim.prints.example.rpartition("/")[2].partition("_")[0]
    return api.name.partition(".")[0]


def _order(seen: Observation) -> tuple[object, ...]:
    return ([-part for part in Version(seen.framework_version).parts], seen.backend, seen.world_size, seen.probe)


def _newest_first(files: AbstractMapping[tuple[str, str], SignatureFile]) -> dict[str, list[SignatureFile]]:
    """The signature files of each framework, newest version first."""
    found: dict[str, list[SignatureFile]] = {}
    for (framework, _), file in sorted(files.items(), key=lambda item: Version(item[0][1]), reverse=True):
        found.setdefault(framework, []).append(file)
    return found


def entries(data: Data) -> dict[str, Entry]:
    """The entry of every mapping, by ID, with the backends and examples that the project describes. Raises DataError."""
    builder = Builder(data, data.backends, readable_examples(examples_folder()))
    return {key: builder.entry(mapping) for key, mapping in data.mappings.items()}
