"""Shows claims on a mapping's page: what each says, who states it, and what runs showed."""

from __future__ import annotations

from docutils import nodes
from sphinx import addnodes

from apidiff.derive.statements import refuted_claims
from apidiff.messages.cited_parts import part_text
from apidiff.messages.version_changes import Maker, makers_of, measurer
from apidiff.model.trace import backend_name
from apidiff.model.verdict import WORST_FIRST, Observation, Outcome, worst_outcome
from apidiff.model.views import ClaimEntry, DocumentEntry, Entry, ObservedEntry, ObservedSummary, StatedEntry
from apidiff.sphinxext.nodes import (
    Cell,
    Inline,
    block,
    code,
    folded,
    joined,
    literal,
    paragraph,
    table,
    table_row,
)
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.run_page import changes_list, dispute_block, run_part
from apidiff.sphinxext.versions import carry, marked_inline, marked_item
from apidiff.writers.exports.address import anchor

# How many lines of evidence a table shows of one run; the run record has them all.
_EVIDENCE_LINES = 4
# The fewest ranks on which a partial result can be told from a whole one.
_TELLING_WORLD_SIZE = 3
# Kinds of claims that say what a call gives back and what it does to its arguments.
_RETURN_KINDS = ("returns", "result", "writes", "keeps", "aliases")


def claims_section(make: PageBuilder, entry: Entry) -> nodes.section:
    """List every claim of the mapping, by API: first what it returns and writes, then the rest."""
    told = [claim for claim in entry.claims if claim.swept is None]  # the others stand in tables
    subjects = list(dict.fromkeys(claim.subject for claim in told))
    groups = [_group(make, entry, subject, leads=subject == subjects[0]) for subject in subjects]
    section = make.section("claims", make.word("claims"), *groups)
    if not any(claim.kind in _RETURN_KINDS and claim.subject == subjects[0] for claim in entry.claims):
        section["ids"].append("returns")
    return section


def _group(make: PageBuilder, entry: Entry, subject: str, *, leads: bool) -> nodes.section:
    mine = [claim for claim in entry.claims if claim.subject == subject and claim.swept is None]
    returning = [claim for claim in mine if claim.kind in _RETURN_KINDS]
    children: list[nodes.Node] = []
    if returning:
        head = block("", paragraph(nodes.strong("", make.word("returns"))), ids=["returns"] if leads else [])
        children += [head, *(_claim(make, entry, claim) for claim in returning)]
    if rest := [claim for claim in mine if claim not in returning]:
        children += [paragraph(nodes.strong("", make.word("claims.rest")))] if returning else []
        children += [_claim(make, entry, claim) for claim in rest]
    summary_line = [nodes.Text(make.word("fold.claims", count=len(mine)) + " "), *_outcomes_of_all(make, subject, mine)]
    for key, count in (
        ("changed", sum(bool(claim.changes) for claim in mine)),
        ("disputed", sum(any(dispute.vouched_for for dispute in claim.disputes) for claim in mine)),
    ):
        summary_line += [nodes.Text(" · " + make.word(f"fold.{key}", count=count))] if count else []
    title = make.phrase("claims.about", subject)
    return make.section(f"claims--{anchor(subject)}", title, folded(summary_line, *children))


def _outcomes_of_all(make: PageBuilder, subject: str, claims: list[ClaimEntry]) -> list[nodes.Node]:
    """Show how many claims have which outcome, worst first, for the chosen version of the subject's framework."""
    framework = subject.partition(".")[0]
    run = {row.framework_version for claim in claims for row in claim.summary if row.framework == framework}
    by_counts: dict[tuple[tuple[Outcome, int], ...], list[str]] = {}
    for version in make.releases.known.get(framework, [""]):
        counts = _counts(claims, framework, version if version in run else "")
        by_counts.setdefault(tuple(counts.items()), []).append(version)
    if len(by_counts) == 1:
        return _counted(make, dict(*by_counts))
    return [
        make.only_in(marked_inline("", "", *_counted(make, dict(counts))), framework, versions)
        for counts, versions in by_counts.items()
    ]


def _counts(claims: list[ClaimEntry], framework: str, version: str) -> dict[Outcome, int]:
    """Count the claims of each outcome: by runs of ``version``, or by all runs where a claim was not run on it."""
    counts: dict[Outcome, int] = {}
    for claim in claims:
        of_it = [row for row in claim.summary if (row.framework, row.framework_version) == (framework, version)]
        for outcome in {Outcome(row.outcome) for row in of_it or claim.summary} or {Outcome.NOT_RUN}:
            counts[outcome] = counts.get(outcome, 0) + 1
    return {outcome: counts[outcome] for outcome in _worst_first(set(counts))}


def _counted(make: PageBuilder, counts: dict[Outcome, int]) -> list[nodes.Node]:
    badges = [[make.badge("outcome", outcome.value), nodes.Text(f" {counts[outcome]}")] for outcome in counts]
    return joined(badges, " ")


def outcome_badges(make: PageBuilder, claim: ClaimEntry) -> list[nodes.Node]:
    """Show every outcome of the claim, worst first, with the versions of which a run says so.

    Where the chosen version was run only its own are shown. 'not run' where no run speaks of the claim.
    """
    if not claim.summary:
        return [make.badge("outcome", Outcome.NOT_RUN.value)]
    framework, run = claim.summary[0].framework, versions_run(claim)
    by_outcomes: dict[tuple[Outcome, ...], list[str]] = {}
    for version in run:
        seen = {Outcome(row.outcome) for row in claim.summary if row.framework_version == version}
        by_outcomes.setdefault(tuple(_worst_first(seen)), []).append(version)
    parts: list[nodes.Node] = []
    for shown, versions in by_outcomes.items():
        badges = joined([[make.badge("outcome", outcome.value)] for outcome in shown], " ")
        told = nodes.Text(f" {make.listed(versions)} ")
        words = marked_inline("", "", *badges, told, classes=["apidiff-outcomes"])
        parts.append(make.only_in(words, framework, [*versions, *make.releases.others(framework, run)]))
    return parts


def _worst_first(outcomes: set[Outcome]) -> list[Outcome]:
    ordered = []
    while outcomes:
        ordered.append(worst := worst_outcome(outcomes))
        outcomes = outcomes - {worst}
    return ordered


def versions_run(claim: ClaimEntry) -> list[str]:
    """List the framework versions of which runs speak of the claim, newest first."""
    return list(dict.fromkeys(row.framework_version for row in claim.summary))


def _claim(make: PageBuilder, entry: Entry, claim: ClaimEntry) -> block:
    link = nodes.reference("", "", literal(claim.id), refid=anchor(claim.id), reftitle=make.word("claim.link"))
    head = [*outcome_badges(make, claim), nodes.Text(" "), *make.text(claim.text)]
    children: list[nodes.Node] = [paragraph(link, classes=["apidiff-claim-id"])]
    if claim.call:
        children += [make.term("claim.call"), code("\n".join(claim.call))]
    children += stated_part(make, entry.documents, claim.stated)
    if rows := [*claim.summary, *claim.aside]:
        children += [make.term("claim.observed"), observed_part(make, claim, rows)]
    makers = makers_of([*claim.observed, *claim.unsigned])
    children += [dispute_block(make, claim.subject, dispute, makers) for dispute in claim.disputes]
    if claim.confirmations:
        agreeing = [nodes.list_item("", paragraph(*make.text(confirmed.text))) for confirmed in claim.confirmations]
        children += [make.term("claim.confirmed"), nodes.bullet_list("", *agreeing)]
    children += _unsigned(make, claim)
    if claim.changes:
        children += [make.term("claim.changed"), changes_list(make, claim.subject, claim.changes)]
    if claim.not_run:
        texts: list[Inline] = [make.text(text) for text in claim.not_run]
        children.append(make.term("claim.not_run", *joined(texts, make.word("site.semicolon"))))
    if claim.reason:
        children.append(make.term("claim.reason", *make.text(claim.reason)))
    shown = block("", folded(head, *children), ids=[anchor(claim.id)], classes=["apidiff-claim"])
    make.document.note_explicit_target(shown)
    return shown


def stated_part(make: PageBuilder, documents: dict[str, DocumentEntry], stated: list[StatedEntry]) -> list[nodes.Node]:
    """Show who states a claim, or that nobody does."""
    if not stated:
        return [make.term("claim.stated", nodes.Text(make.word("claim.stated_nowhere")))]
    return [make.term("claim.stated"), stated_places(make, documents, stated)]


def stated_places(
    make: PageBuilder, documents: dict[str, DocumentEntry], stated: list[StatedEntry]
) -> nodes.bullet_list:
    """List the places in documents that state something, with what they say where that is more."""
    items = [nodes.list_item("", *_place(make, documents, place)) for place in stated]
    return nodes.bullet_list("", *items, classes=["apidiff-stated"])


def _place(make: PageBuilder, documents: dict[str, DocumentEntry], place: StatedEntry) -> list[nodes.Node]:
    document = documents.get(place.document)
    words: list[nodes.Node] = [literal(place.document)]
    if document:
        words = make.document_link(document)
        framework = make.framework(document.framework)
        words.append(nodes.Text(make.word("stated.version", framework=framework, version=document.version)))
    words += [nodes.Text(make.word("stated.part")), *make.text(part_text(place.part))]
    children: list[nodes.Node] = [paragraph(*words)]
    if place.text:
        children.append(paragraph(*make.text(place.text), classes=["apidiff-quote"]))
    return children


def observed_part(make: PageBuilder, claim: ClaimEntry, summaries: list[ObservedSummary]) -> block:
    """Show a row per verdict; versions of which runs show the same share one. Only the chosen version's rows, if it was run."""
    framework, run = summaries[0].framework, versions_run(claim)
    rest = make.releases.others(framework, run)
    columns = ("outcome", "framework", "backend", "device", "ranks", "evidence")
    rows: list[nodes.row] = []
    for alike in _alike(claim, summaries):
        versions = [summary.framework_version for summary in alike]
        rows.append(make.only_in(table_row(_observed_row(make, claim, alike)), framework, [*versions, *rest]))
    part = block("", table([make.word(f"column.{name}") for name in columns], rows, classes=["apidiff-stacked"]))
    if rest:
        names = [nodes.Text(make.listed(run))]
        words = make.filled("claim.other_versions", version=make.chosen(framework), versions=names)
        part.insert(0, make.only_in(block("", paragraph(*words, classes=["apidiff-aside"])), framework, rest))
    return part


def _alike(claim: ClaimEntry, summaries: list[ObservedSummary]) -> list[list[ObservedSummary]]:
    """Group the rows: those of versions that differ in nothing that is shown."""
    groups: dict[object, list[ObservedSummary]] = {}
    for summary in summaries:
        shown = tuple((seen.world_size, seen.probe, tuple(seen.facts)) for seen in _told(claim, summary))
        key = (
            summary.outcome,
            summary.trust,
            summary.signer,
            summary.framework,
            summary.backend,
            summary.device,
            *summary.world_sizes,
            shown,
        )
        groups.setdefault(key, []).append(summary)
    return list(groups.values())


def _observed_row(make: PageBuilder, claim: ClaimEntry, alike: list[ObservedSummary]) -> list[Cell]:
    first, comma = alike[0], make.word("site.comma")
    name = make.framework(first.framework)
    runs: list[nodes.Node] = []
    for summary in alike:
        lead = [nodes.Text(summary.framework_version + make.word("site.colon"))] if len(alike) > 1 else []
        sizes = "runs.one_size" if summary.world_sizes == [1] else "runs.sizes"
        runs.append(paragraph(*lead, *make.filled(sizes, sizes=joined(links_to_runs(make, claim, summary), comma))))
        runs.append(paragraph(nodes.Text(_makers(make, claim, summary)), classes=["apidiff-aside"]))
    evidence: list[nodes.Node] = []
    for seen in _told(claim, first):
        if seen.facts:
            facts, more = seen.facts[:_EVIDENCE_LINES], len(seen.facts) > _EVIDENCE_LINES
            where = make.word("evidence.of", size=seen.world_size, probe=seen.probe)
            evidence += [paragraph(nodes.Text(where)), *make.evidence(facts, more=more)]
    return [
        [make.badge("outcome", first.outcome)],
        [paragraph(nodes.Text(f"{name} {summary.framework_version}")) for summary in alike],
        first.backend,
        first.device,
        runs,
        evidence,
    ]


def _makers(make: PageBuilder, claim: ClaimEntry, summary: ObservedSummary) -> str:
    """Name who made the runs of a row, and who vouches for those that are not this project's."""
    makers = dict.fromkeys(makers_of(seen for seen in claim.observed if seen.run in summary.runs).values())
    names = [measurer(made, make.language) for made in makers]
    return make.word("run.measured_by") + make.word("site.colon") + make.word("site.semicolon").join(names)


def _unsigned(make: PageBuilder, claim: ClaimEntry) -> list[nodes.Node]:
    """Show what records say for which nobody vouches; nothing where there is none."""
    if not claim.unsigned:
        return []
    by_run: dict[str, list[ObservedEntry]] = {}
    for seen in claim.unsigned:
        by_run.setdefault(seen.run, []).append(seen)
    worst = [min(shown, key=lambda seen: WORST_FIRST.index(seen.outcome)) for shown in by_run.values()]
    rows: list[list[Cell]] = [
        [
            [make.badge("outcome", seen.outcome.value)],
            f"{make.framework(seen.framework)} {seen.framework_version}",
            f"{seen.backend} ({seen.device})",
            [make.ref("run", seen.run, nodes.Text(str(seen.world_size)), part=run_part(claim.subject, seen.probe))],
            measurer(Maker(seen.measured_by, seen.trust), make.language),
        ]
        for seen in worst
    ]
    header = [make.word(f"column.{name}") for name in ("outcome", "framework", "backend", "ranks")]
    shown = table([*header, make.word("run.measured_by")], rows, classes=["apidiff-stacked"])
    title = [nodes.Text(make.word("claim.unsigned") + make.word("site.aside", text=str(len(rows))))]
    return [folded(title, make.sentence("claim.unsigned_about"), shown)]


def links_to_runs(make: PageBuilder, claim: ClaimEntry, summary: ObservedSummary) -> list[Inline]:
    """Link to each run of a row, at the probe that speaks for it, named by its number of ranks."""
    links: list[Inline] = []
    for seen, run in _shown(claim, summary):
        words = nodes.Text(str(seen.world_size) if seen else run)
        links.append([make.ref("run", run, words, part=run_part(claim.subject, seen.probe) if seen else "")])
    return links


def link_to_version(make: PageBuilder, claim: ClaimEntry, summary: ObservedSummary) -> addnodes.pending_xref:
    """Link to the first run of a row, at the probe that speaks for it, named by the framework's version."""
    seen, run = _shown(claim, summary)[0]
    part = run_part(claim.subject, seen.probe) if seen else run_part(claim.subject)
    return make.ref("run", run, nodes.Text(summary.framework_version), part=part)


def _shown(claim: ClaimEntry, summary: ObservedSummary) -> list[tuple[Observation | None, str]]:
    """Find for each run of a row the observation that speaks for it: the first of its outcome, if possible with evidence."""
    speaking: list[tuple[Observation | None, str]] = []
    for run in summary.runs:
        same = [seen for seen in claim.observed if seen.run == run and seen.outcome.value == summary.outcome]
        speaking.append((next((seen for seen in same if seen.facts), same[0] if same else None), run))
    return speaking


def _told(claim: ClaimEntry, summary: ObservedSummary) -> list[Observation]:
    """List the observations whose evidence a row shows: of all runs, or of one where the claim simply holds."""
    shown = [seen for seen, _ in _shown(claim, summary) if seen]
    if summary.outcome != Outcome.HOLDS.value:
        return shown
    return sorted(shown, key=lambda seen: seen.world_size != _TELLING_WORLD_SIZE)[:1]


def refuted_section(make: PageBuilder, entry: Entry) -> nodes.section:
    """Show in short what documents state and runs refute; the claim holds the rest."""
    claims = refuted_claims(entry)
    if not claims:
        return make.section("refuted", make.word("refuted"), make.sentence("refuted.none"))
    items = [_refuted_item(make, claim) for claim in claims]
    children = [make.sentence("refuted.intro"), nodes.bullet_list("", *items)]
    if none_left := _none_left(make, claims):
        children.append(none_left)
    return make.section("refuted", make.word("refuted"), *children)


def _refuted_item(make: PageBuilder, claim: ClaimEntry) -> marked_item:
    """Show one statement for the versions whose runs refute it or on which it was not run; without script for all."""
    item = marked_item("", *_refuted_line(make, claim))
    return make.only_in(item, claim.summary[0].framework, _refuting(make, claim), hide=False)


def _refuting(make: PageBuilder, claim: ClaimEntry) -> list[str]:
    against = [row.framework_version for row in claim.summary if row.outcome == Outcome.REFUTED.value]
    return [*against, *make.releases.others(claim.summary[0].framework, versions_run(claim))]


def _none_left(make: PageBuilder, claims: list[ClaimEntry]) -> block | None:
    """Say so for the versions that refute none of the claims; None where there is no such pair."""
    clear: dict[str, list[str]] = {}
    for framework in ("torch", "mindspore"):
        refuting = {
            version for claim in claims if claim.summary[0].framework == framework for version in _refuting(make, claim)
        }
        clear[framework] = make.releases.others(framework, refuting)
    if not all(clear.values()):
        return None
    notice = block("", make.sentence("refuted.none_chosen", count=len(claims)))
    make.only(notice, torch=clear["torch"], mindspore=clear["mindspore"], hide=False)
    carry(notice, hidden="hidden")  # without script the list is whole
    return notice


def _refuted_line(make: PageBuilder, claim: ClaimEntry) -> list[nodes.Node]:
    against = [row for row in claim.summary if row.outcome == Outcome.REFUTED.value]
    head = paragraph(
        standing_badge(make, standing_of(claim)),
        nodes.Text(" "),
        *make.text(claim.text),
        make.between_sentences(),
        make.ref("claim", claim.id),
    )
    runs = [
        paragraph(
            nodes.Text(
                f"{make.framework(row.framework)} {row.framework_version}{make.word('site.pause')}"
                f"{backend_name(row.backend, row.device)}{make.word('site.colon')}"
            ),
            *joined(links_to_runs(make, claim, row), make.word("site.comma")),
        )
        for row in against
    ]
    return [head, *runs]


def standing_of(claim: ClaimEntry) -> str:
    """Tell whether a run of a version that a document speaks of refutes the claim, or runs of other versions alone."""
    return claim.contradicted.standing if claim.contradicted else Outcome.REFUTED.value


def standing_badge(make: PageBuilder, standing: str, count: int = 1) -> nodes.inline:
    """Make a word on a colour for a statement, or for several of one standing with their number."""
    colour = "apidiff-outcome-refuted" if standing == Outcome.REFUTED.value else "apidiff-status-deprecated"
    number = f" {count}" if count > 1 else ""
    words = make.word(f"statement.{standing}") + number
    return nodes.inline("", words, classes=["apidiff-badge", colour])
