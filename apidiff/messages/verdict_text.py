"""Says in both languages what runs showed: outcomes by framework version, backend and world size, and their evidence."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from apidiff.derive.statements import standing
from apidiff.derive.verdicts_by_run import EVIDENCE_LINES, by_run, telling_observation
from apidiff.messages.agreement_lines import signed_by
from apidiff.messages.evidence import evidence_lines
from apidiff.messages.labels import LABELS, filled, joined
from apidiff.model.base import Text
from apidiff.model.mapping import Document
from apidiff.model.trace import backend_name
from apidiff.model.trust import MOST_TRUSTED, Trust
from apidiff.model.verdict import Evidence, Observation, Outcome
from apidiff.model.version import Version
from apidiff.model.views import ClaimEntry, EvidenceEntry, ObservedSummary


def summarise(observed: Sequence[Observation]) -> list[ObservedSummary]:
    """One row per framework version, backend, device, outcome and trust: the worst over a record's probes, by world size.

    Newest version first. World sizes with the same outcome share a row, if whoever is trusted most of those that say so is
    trusted alike; records that disagree have one each, and so has each known signer where signers alone say so. The runs of
    who is trusted most come first.
    """
    rows = []
    makers = {seen.run: (seen.trust, seen.signer) for seen in observed}
    for (framework, version, backend, device), by_size in by_run(observed).items():
        sizes: dict[tuple[Outcome, Trust, str], list[int]] = {}
        runs: dict[tuple[Outcome, Trust, str], list[str]] = {}
        for size, outcomes in by_size.items():
            for row, saying in _saying(outcomes, makers):
                sizes.setdefault(row, []).append(size)
                runs.setdefault(row, []).extend(saying)
        rows += [
            ObservedSummary(
                outcome=outcome.value,
                framework=framework,
                framework_version=version,
                backend=backend,
                device=device,
                world_sizes=world_sizes,
                runs=sorted(runs[outcome, trust, signer], key=lambda run: (MOST_TRUSTED.index(makers[run][0]), run)),
                trust=trust.value,
                signer=signer,
            )
            for (outcome, trust, signer), world_sizes in sizes.items()
        ]
    return sorted(rows, key=_newest_first)


def _saying(
    outcomes: Mapping[str, Outcome], makers: Mapping[str, tuple[Trust, str]]
) -> Iterator[tuple[tuple[Outcome, Trust, str], list[str]]]:
    """Groups the records of one world size: by outcome, and by signer where known signers alone vouch for it."""
    for outcome in dict.fromkeys(outcomes.values()):
        saying = [run for run, said in outcomes.items() if said is outcome]
        trust = min((makers[run][0] for run in saying), key=MOST_TRUSTED.index)
        if trust is not Trust.SIGNED:
            yield (outcome, trust, ""), saying
            continue
        by_signer: dict[str, list[str]] = {}
        for run in saying:
            if makers[run][0] is Trust.SIGNED:
                by_signer.setdefault(makers[run][1], []).append(run)
        yield from (((outcome, trust, signer), runs) for signer, runs in by_signer.items())


def _newest_first(row: ObservedSummary) -> tuple[object, ...]:
    return row.framework, [-part for part in Version(row.framework_version).parts], row.backend, row.device


def verdict_text(row: ObservedSummary) -> Text:
    """``refuted on gloo (PyTorch 2.13.0, world size 3, 4)`` in both languages."""
    return _verdict_text(row, [row.framework_version])


def _verdict_text(
    row: ObservedSummary, versions: Sequence[str], documents: Collection[Document] = (), *, of_calls: bool = False
) -> Text:
    outcome = f"outcome.{row.outcome}"
    if documents and row.outcome == Outcome.REFUTED.value:
        outcome = f"statement.{standing(row, [document.speaks_of for document in documents]).value}"
    elif of_calls and row.outcome == Outcome.HOLDS.value:
        outcome = "verdict.works"
    return filled(
        "verdict.where",
        outcome=LABELS[outcome],
        backend=backend_name(row.backend, row.device),
        framework=LABELS[f"framework.{row.framework}"],
        versions=joined("site.comma", versions),
        ranks=_ranks(row),
    )


def _ranks(row: ObservedSummary) -> Text:
    """The numbers of ranks, and which known signer alone ran it with them, where that is so."""
    ranks = number_of_ranks(row.world_sizes)
    if not row.signer:
        return ranks
    return joined("site.semicolon", [ranks, Text(en=signed_by(row.signer, "en"), zh=signed_by(row.signer, "zh"))])


def number_of_ranks(world_sizes: Sequence[int]) -> Text:
    """``1 rank``, ``2, 4 ranks``, ``2–5 ranks``: three or more that follow one another by the first and the last."""
    first, last = world_sizes[0], world_sizes[-1]
    if list(world_sizes) == [1]:
        return LABELS["verdict.one_rank"]
    if len(world_sizes) > 2 and list(world_sizes) == list(range(first, last + 1)):
        return filled("verdict.ranks", sizes=filled("verdict.sizes", first=first, last=last))
    return filled("verdict.ranks", sizes=joined("site.comma", map(str, world_sizes)))


def places(rows: Iterable[ObservedSummary]) -> Text:
    """Where one thing was seen: backends, versions and world sizes, those that differ in nothing but the version as one."""
    merged: dict[tuple[object, ...], tuple[ObservedSummary, list[str]]] = {}
    for row in rows:
        key = (row.framework, row.backend, row.device, row.signer, *row.world_sizes)
        merged.setdefault(key, (row, []))[1].append(row.framework_version)
    return joined(
        "site.semicolon",
        [
            filled(
                "verdict.place",
                backend=backend_name(row.backend, row.device),
                framework=LABELS[f"framework.{row.framework}"],
                versions=joined("site.comma", versions),
                ranks=_ranks(row),
            )
            for row, versions in merged.values()
        ],
    )


def verdicts(
    rows: Iterable[ObservedSummary], documents: Collection[Document] = (), *, of_calls: bool = False
) -> Text | None:
    """All rows of a claim, joined, those that differ in nothing but the version as one; None where there is none.

    ``documents``: those whose statement the rows judge, if any. ``of_calls``: whether they tell where a call works.
    """
    merged: dict[tuple[object, ...], tuple[ObservedSummary, list[str]]] = {}
    speak_of = [document.speaks_of for document in documents]
    for row in rows:
        said = standing(row, speak_of) if speak_of and row.outcome == Outcome.REFUTED.value else row.outcome
        key = (said, row.framework, row.backend, row.device, row.signer, *row.world_sizes)
        merged.setdefault(key, (row, []))[1].append(row.framework_version)
    texts = [_verdict_text(row, versions, documents, of_calls=of_calls) for row, versions in merged.values()]
    return joined("site.semicolon", texts) if texts else None


def evidence(claim: ClaimEntry) -> list[EvidenceEntry]:
    """For the summary rows of a claim: the verdict, the first lines that show it, and the runs they come from.

    Rows that differ in nothing but the version are told as one, those of known signers apart. ``holds`` rows are told where
    another row says otherwise, so that a reader sees on which world size which is true.
    """
    alike: dict[tuple[tuple[object, ...], tuple[Evidence, ...]], list[tuple[ObservedSummary, str]]] = {}
    for row in claim.summary:
        telling = telling_observation(claim, row)
        facts = tuple(telling.facts[:EVIDENCE_LINES]) if telling else ()
        same = (row.outcome, row.framework, row.backend, row.device, row.signer, *row.world_sizes)
        alike.setdefault((same, facts), []).append((row, telling.run if telling else row.runs[0]))
    return [_told(claim, facts, rows) for (_, facts), rows in alike.items()]


def _told(claim: ClaimEntry, facts: Sequence[Evidence], rows: list[tuple[ObservedSummary, str]]) -> EvidenceEntry:
    first = rows[0][0]
    versions = [row.framework_version for row, _ in rows]
    text = _verdict_text(first, versions)
    if facts:
        lines = [
            Text(en=en, zh=zh) for en, zh in zip(evidence_lines(facts, "en"), evidence_lines(facts, "zh"), strict=True)
        ]
        text = filled("verdict.with_facts", verdict=text, facts=joined("site.semicolon", lines))
    runs = [run for _, run in rows]
    return EvidenceEntry(
        claim=claim.id, run=runs[0], text=text, framework=first.framework, versions=versions, runs=runs
    )
