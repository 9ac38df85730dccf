"""Claims on a mapping's page: what each says, who states it, what runs showed, and the statements that runs refute."""

from __future__ import annotations

from docutils import nodes

from apidiff.model import Observation, Outcome, worst_outcome
from apidiff.model.entry import ClaimEntry, DocumentEntry, Entry, ObservedSummary, StatedEntry
from apidiff.sphinxext.nodes import (
    Builder,
    Cell,
    Inline,
    anchor,
    block,
    code,
    external,
    folded,
    joined,
    literal,
    paragraph,
    table,
)

# How many lines of evidence a table shows of one run; the run record has them all.
_EVIDENCE_LINES = 4


def claims_section(make: Builder, entry: Entry) -> nodes.section:
    """Every claim of the mapping, by API."""
    subjects = list(dict.fromkeys(claim.subject for claim in entry.claims))
    groups = []
    for subject in subjects:
        claims = [_claim(make, entry, claim) for claim in entry.claims if claim.subject == subject]
        groups.append(make.section(f"claims--{anchor(subject)}", make.phrase("claims.about", subject), *claims))
    return make.section("claims", make.word("claims"), *groups)


def refuted_section(make: Builder, entry: Entry) -> nodes.section:
    """What documents state and runs refute."""
    found = refuted_claims(entry)
    if not found:
        return make.section("refuted", make.word("refuted"), paragraph(nodes.Text(make.word("refuted.none"))))
    children: list[nodes.Node] = [paragraph(nodes.Text(make.word("refuted.intro")))]
    children += [refuted_block(make, entry, claim) for claim in found]
    return make.section("refuted", make.word("refuted"), *children)


def refuted_claims(entry: Entry) -> list[ClaimEntry]:
    """Claims that a document states and at least one run refutes."""
    return [
        claim for claim in entry.claims if claim.stated and any(found.outcome == "refuted" for found in claim.summary)
    ]


def refuted_block(make: Builder, entry: Entry, claim: ClaimEntry) -> block:
    """One refuted statement, with the documents and the runs against it."""
    against = [found for found in claim.summary if found.outcome == Outcome.REFUTED.value]
    rest = [found for found in claim.summary if found.outcome != Outcome.REFUTED.value]
    head = paragraph(
        make.badge("outcome", "refuted"),
        nodes.Text(" "),
        literal(claim.subject),
        nodes.Text(" "),
        *make.text(claim.text),
    )
    link = paragraph(make.ref("claim", claim.id), classes=["apidiff-claim-id"])
    children = [head, link, *_stated(make, entry.documents, claim.stated), _observed(make, claim, against + rest)]
    return block("", *children, classes=["apidiff-claim", "apidiff-edge-refuted"])


def outcome_badges(make: Builder, claim: ClaimEntry) -> list[nodes.Node]:
    """Every outcome the claim has, worst first; 'not run' where no run speaks of it."""
    found = {Outcome(summary.outcome) for summary in claim.summary} or {Outcome.NOT_RUN}
    ordered = []
    while found:
        ordered.append(worst := worst_outcome(found))
        found.discard(worst)
    return joined([[make.badge("outcome", outcome.value)] for outcome in ordered], " ")


def _claim(make: Builder, entry: Entry, claim: ClaimEntry) -> block:
    link = nodes.reference("", "", literal(claim.id), refid=anchor(claim.id), reftitle=make.word("claim.link"))
    head = [*make.text(claim.text), nodes.Text(" "), *outcome_badges(make, claim)]
    children: list[nodes.Node] = [paragraph(link, classes=["apidiff-claim-id"])]
    if claim.call:
        children += [make.term("claim.call"), code("\n".join(claim.call))]
    children += _stated(make, entry.documents, claim.stated)
    if claim.summary:
        children += [make.term("claim.observed"), _observed(make, claim, claim.summary)]
    if claim.not_run:
        texts: list[Inline] = [make.text(text) for text in claim.not_run]
        children.append(make.term("claim.not_run", *joined(texts, make.word("site.semicolon"))))
    if claim.reason:
        children.append(make.term("claim.reason", *make.text(claim.reason)))
    found = block("", folded(head, *children), ids=[anchor(claim.id)], classes=["apidiff-claim"])
    make.document.note_explicit_target(found)
    return found


def _stated(make: Builder, documents: dict[str, DocumentEntry], stated: list[StatedEntry]) -> list[nodes.Node]:
    if not stated:
        return [make.term("claim.stated", nodes.Text(make.word("claim.stated_nowhere")))]
    return [make.term("claim.stated"), stated_places(make, documents, stated)]


def stated_places(make: Builder, documents: dict[str, DocumentEntry], stated: list[StatedEntry]) -> nodes.bullet_list:
    """The places in documents that state something, with what they say where that is more."""
    items = [nodes.list_item("", *_place(make, documents, place)) for place in stated]
    return nodes.bullet_list("", *items, classes=["apidiff-stated"])


def _place(make: Builder, documents: dict[str, DocumentEntry], place: StatedEntry) -> list[nodes.Node]:
    document = documents.get(place.document)
    words: list[nodes.Node] = [literal(place.document)]
    if document:
        words = external(document.url, nodes.Text(document.title))
        framework = make.word(f"framework.{document.framework}")
        words.append(nodes.Text(make.word("stated.version", framework=framework, version=document.version)))
    words += [nodes.Text(make.word("stated.part")), literal(place.part)]
    children: list[nodes.Node] = [paragraph(*words)]
    if place.text:
        children.append(paragraph(*make.text(place.text), classes=["apidiff-quote"]))
    return children


def _observed(make: Builder, claim: ClaimEntry, summaries: list[ObservedSummary]) -> nodes.table:
    columns = ("outcome", "framework", "backend", "device", "ranks", "evidence")
    rows = [_observed_row(make, claim, found) for found in summaries]
    return table([make.word(f"column.{name}") for name in columns], rows)


def _observed_row(make: Builder, claim: ClaimEntry, summary: ObservedSummary) -> list[Cell]:
    shown = _shown(claim, summary)
    links: list[Inline] = []
    for run in summary.runs:
        found = next((one for one in shown if one.run == run), None)
        size = str(found.world_size) if found else run
        part = run_part(claim.subject, found.probe) if found else ""
        links.append([make.ref("run", run, nodes.Text(size), part=part)])
    evidence: list[nodes.Node] = []
    for one in shown:
        if one.evidence:
            lines = one.evidence[:_EVIDENCE_LINES] + (["…"] if len(one.evidence) > _EVIDENCE_LINES else [])
            where = make.word("evidence.of", size=one.world_size, probe=one.probe)
            evidence += [paragraph(nodes.Text(where)), *make.evidence(lines)]
    return [
        [make.badge("outcome", summary.outcome)],
        f"{make.word(f'framework.{summary.framework}')} {summary.framework_version}",
        summary.backend,
        summary.device,
        joined(links, make.word("site.comma")),
        evidence,
    ]


def _shown(claim: ClaimEntry, summary: ObservedSummary) -> list[Observation]:
    """The observation that speaks for each run of a row: the first of its outcome, if there is one with evidence."""
    found = []
    for run in summary.runs:
        same = [one for one in claim.observed if one.run == run and one.outcome.value == summary.outcome]
        found += [one for one in same if one.evidence][:1] or same[:1]
    return found


def run_part(api: str, probe: str = "") -> str:
    """The name of a probe, or of all of an API, within a run record; also its anchor on the record's page."""
    return anchor(f"{api}--{probe}" if probe else f"api--{api}")
