"""Builds entries: the authored, extracted and measured layers brought together, one entry per mapping."""

from __future__ import annotations

from collections.abc import Mapping as AbstractMapping
from collections.abc import Sequence

from apidiff.context import make_context
from apidiff.examples import Example, load_examples
from apidiff.judge import observe
from apidiff.model import Api, Claim, Mapping, Observation, Risk, Target, TargetRange, Text
from apidiff.model.entry import (
    ClaimEntry,
    DocumentEntry,
    Entry,
    ExampleEntry,
    RangeEntry,
    StatedEntry,
    TargetEntry,
)
from apidiff.model.signature import Signature
from apidiff.model.version import Version
from apidiff.render.calls import call, snippet
from apidiff.render.differences import difference_entry, parameter_difference, parameter_entry, worst_first
from apidiff.render.phrases import phrase
from apidiff.render.verdict_text import summarise
from apidiff.store import Data
from apidiff.store.backends import Backend, load_backends
from apidiff.store.paths import examples_folder

_RISKS = [risk.value for risk in Risk]


class Builder:
    """Builds entries from data read once. ``backends``: those described; ``examples``: the scripts by path."""

    def __init__(self, data: Data, backends: Sequence[Backend], examples: Sequence[Example]) -> None:
        self.data, self.backends, self.examples = data, backends, examples
        self.context = make_context(backends, examples)
        self._signatures = _newest_first(data.signatures)

    def entry(self, mapping: Mapping) -> Entry:
        """Everything shown about one mapping."""
        source = {claim.id: self._claim(claim, mapping.source, "source") for claim in mapping.source.claims}
        claims = list(source.values())
        targets = []
        for target in mapping.targets:
            mine = {claim.id: self._claim(claim, target.api, "target") for claim in target.api.claims}
            claims.extend(mine.values())
            targets.append(self._target(mapping, target, source, mine))
        documents = {stated.document for claim in claims for stated in claim.stated}
        return Entry(
            id=mapping.id,
            category=mapping.category,
            summary=mapping.summary,
            aliases=mapping.aliases,
            source=mapping.source.name,
            signatures=self._signature_texts(mapping.source),
            risk=next(
                (one.risk for one in targets if any(r.status == "current" and not r.until for r in one.ranges)), "none"
            ),
            targets=targets,
            claims=claims,
            examples=[self._example(one, claims) for one in self.examples if one.api == mapping.id],
            documents={key: self._document(key) for key in sorted(documents)},
        )

    def _signature(self, api: Api) -> Signature | None:
        return next((found for _, found in self._signatures.get(api.name, [])), None)

    def _signature_texts(self, api: Api) -> dict[str, str]:
        return {version: found.text(api.name) for version, found in self._signatures.get(api.name, [])}

    def _claim(self, claim: Claim, api: Api, side: str) -> ClaimEntry:
        observed = [
            one for run_id, record in self.data.runs for one in observe(claim, api, run_id, record, self.context)
        ]
        observed.sort(key=_order)
        signature = self._signature(api)
        return ClaimEntry(
            id=f"{api.name}#{claim.id}",
            subject=api.name,
            side=side,
            kind=claim.kind.value,
            text=phrase(claim, api),
            stated=[StatedEntry(document=one.document, part=one.part, text=one.text) for one in claim.stated],
            observed=observed,
            summary=summarise(observed),
            not_run=self._not_run(api, observed),
            call=[call(api, probe, signature) for probe in claim.probes],
            reason=claim.reason,
        )

    def _not_run(self, api: Api, observed: list[Observation]) -> list[Text]:
        seen = {one.backend for one in observed}
        missing = [one for one in self.backends if api.name.startswith(f"{one.framework}.") and one.name not in seen]
        return [
            Text(en=f"{one.name} ({one.device}): not run", zh=f"{one.name}（{one.device}）：未运行") for one in missing
        ]

    def _target(
        self, mapping: Mapping, target: Target, source: dict[str, ClaimEntry], mine: dict[str, ClaimEntry]
    ) -> TargetEntry:
        defaults = [_defaults(self._signature(api)) for api in (mapping.source, target.api)]
        parameters = [
            parameter_entry(row, defaults[0].get(row.source or ""), defaults[1].get(row.target or ""))
            for row in target.parameters
        ]
        differences = [
            difference_entry(
                one, [source[name] for name in one.source_claims] + [mine[name] for name in one.target_claims]
            )
            for one in [*mapping.caveats, *target.differences]
        ]
        differences += [found for row in parameters if (found := parameter_difference(row))]
        differences = worst_first(differences)
        return TargetEntry(
            name=target.api.name,
            kind=target.api.kind.value,
            ranges=[range_entry(one) for one in target.ranges],
            parameters=parameters,
            differences=differences,
            risk=differences[0].risk if differences else Risk.NONE.value,
            signatures=self._signature_texts(target.api),
            before=self._snippet(mapping.source, source),
            after=self._snippet(target.api, mine),
            note=target.note,
        )

    def _snippet(self, api: Api, claims: dict[str, ClaimEntry]) -> str:
        """The plain call. Returned structures are taken as claimed, results only from claims that hold wherever they ran."""
        plain = next(iter(api.probes), None)
        shown = [
            one for one in api.claims if one.returns or {row.outcome for row in claims[one.id].summary} == {"holds"}
        ]
        return snippet(api, plain, shown, self._signature(api)) if plain else ""

    def _example(self, example: Example, claims: list[ClaimEntry]) -> ExampleEntry:
        prints = next((one.id for one in claims if one.kind == "prints" and example.path in one.text.en), None)
        return ExampleEntry(
            framework=example.framework,
            path=example.path,
            command=example.command,
            code=example.code,
            expected="\n".join(example.expected),
            claim=prints,
        )

    def _document(self, key: str) -> DocumentEntry:
        found = self.data.documents[key]
        return DocumentEntry(
            title=found.title,
            url=found.url,
            framework=found.framework.value,
            version=found.version,
            seed=found.seed is not None,
        )


def range_entry(one: TargetRange) -> RangeEntry:
    """A version range with its text: ``2.4 – 2.8``, ``≤ 2.3``, ``≥ 2.9``, ``2.4``."""
    match one.since, one.until:
        case None, None:
            text = "*"
        case None, until:
            text = f"≤ {until}"
        case since, None:
            text = f"≥ {since}"
        case since, until:
            text = since if since == until else f"{since} – {until}"
    return RangeEntry(since=one.since, until=one.until, range=str(text), status=one.status.value)


def _defaults(signature: Signature | None) -> dict[str, str | None]:
    return {one.name: one.default for one in signature.parameters} if signature else {}


def _order(one: Observation) -> tuple[object, ...]:
    return ([-part for part in Version(one.framework_version).parts], one.backend, one.world_size, one.probe)


def _newest_first(
    files: AbstractMapping[tuple[str, str], object],
) -> dict[str, list[tuple[str, Signature]]]:
    found: dict[str, list[tuple[str, Signature]]] = {}
    for (_, version), file in sorted(files.items(), key=lambda item: Version(item[0][1]), reverse=True):
        for name, signature in file.apis.items():  # type: ignore[attr-defined]
            found.setdefault(name, []).append((version, signature))
    return found


def entries(data: Data) -> dict[str, Entry]:
    """The entry of every mapping, by ID, with the backends and examples that the project describes."""
    builder = Builder(data, load_backends(), load_examples(examples_folder()))
    return {key: builder.entry(mapping) for key, mapping in data.mappings.items()}
