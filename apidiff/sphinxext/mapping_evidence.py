"""Builds the evidence page of one mapping: claims and who states them, runs, sweeps, examples, changes, how to repeat it all."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from docutils import nodes

from apidiff.derive.answers import answers
from apidiff.derive.api_history import SIGNATURES, STUBS
from apidiff.messages.code_comments import commented
from apidiff.model.picture import Picture
from apidiff.model.views import DifferenceEntry, Entry, EvidenceEntry, ExampleEntry, HistoryEntry
from apidiff.model.vocabulary import Execution
from apidiff.sphinxext.agreement_section import agreement_section
from apidiff.sphinxext.answers import example_anchor, first_shown_answer
from apidiff.sphinxext.claims import claims_section, refuted_section
from apidiff.sphinxext.contribute import contribute_section
from apidiff.sphinxext.difference_section import difference_anchor, difference_head, is_proven, proof_anchor
from apidiff.sphinxext.nodes import Cell, Inline, block, code, folded, joined, literal, paragraph, table
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.parameter_tables import tables_of_target
from apidiff.sphinxext.picture import picture_section
from apidiff.sphinxext.repeat import repeat_section
from apidiff.sphinxext.repository import Repository
from apidiff.sphinxext.run_page import run_part
from apidiff.sphinxext.signature_section import all_signatures
from apidiff.sphinxext.sweep_section import sweeps_section
from apidiff.writers.exports.address import anchor, answer_anchor


def mapping_evidence_section(
    make: PageBuilder, entry: Entry, picture: Picture | None = None, repository: Repository | None = None
) -> nodes.section:
    """Build the whole page.

    Args:
        make: builds its nodes.
        entry: what is known of the mapping.
        picture: what every rank held before and after the plain call, where that was recorded.
        repository: where corrections go, where one is known.
    """
    first = make.releases.first("mindspore")
    targets = reversed(entry.targets) if entry.execution == Execution.SINGLE.value else ()
    newest = {framework: make.releases.first(framework) for framework in ("torch", "mindspore")}
    return make.section(
        anchor(f"evidence--{entry.id}"),
        make.phrase("mapping_evidence.title", entry.source),
        make.term("evidence.mapping", make.ref("mapping", entry.id)),
        *picture_section(make, entry, picture, first),
        *proofs_section(make, entry),
        *(agreement_section(make, anchor(target.name), target) for target in targets),
        *sweeps_section(make, entry),
        make.section("examples", make.word("examples"), *_examples(make, entry)),
        *([claims_section(make, entry), refuted_section(make, entry)] if _has_claims(entry) else []),
        *_other_tables(make, entry),
        make.section("signatures", make.word("signatures"), *all_signatures(make, entry)),
        timeline_section(make, entry),
        repeat_section(make, entry, first),
        contribute_section(make, entry, newest, repository),
    )


def _other_tables(make: PageBuilder, entry: Entry) -> list[nodes.Node]:
    """Show the parameters and members of the targets whose tables do not stand on the mapping's page."""
    leading = first_shown_answer(make, answers(entry, make.releases.known["mindspore"]))
    children: list[nodes.Node] = []
    for target in reversed(entry.targets):
        if target is not leading.target and (lids := tables_of_target(make, target)):
            children += [paragraph(literal(target.name), classes=["apidiff-caption"]), *lids]
    return [make.section("parameters", make.word("parameters"), *children)] if children else []


def _has_claims(entry: Entry) -> bool:
    """Tell whether to show claims: of calls in a single process there may be none, since samples show the same."""
    return bool(entry.claims) or entry.execution == Execution.COLLECTIVE.value


def proofs_section(make: PageBuilder, entry: Entry) -> list[nodes.Node]:
    """Build the section with what differences rest on, by target; nothing where no difference has a run or a claim."""
    leading = first_shown_answer(make, answers(entry, make.releases.known["mindspore"]))
    blocks: list[nodes.Node] = []
    for target in reversed(entry.targets):
        name, leads = anchor(target.name), target is leading.target
        blocks += _proofs(make, [literal(target.name)], name, target.differences, leads=leads)
    for answer in reversed(entry.otherwise):
        name, leads = answer_anchor(answer.since), answer is leading.otherwise
        title = [nodes.Text(make.word(f"answer.{answer.answer}"))]
        blocks += _proofs(make, title, name, answer.differences, leads=leads)
    return [make.section("proofs", make.word("differences"), *blocks)] if blocks else []


def _proofs(
    make: PageBuilder, title: Inline, name: str, differences: Sequence[DifferenceEntry], *, leads: bool
) -> list[nodes.Node]:
    proven = [difference for difference in differences if is_proven(difference)]
    lids: list[nodes.Node] = [
        make.lid(
            proof_anchor(difference_anchor(name, difference, leads=leads)),
            difference_head(make, difference),
            paragraph(*make.text(difference.text)),
            *_proof(make, difference),
        )
        for difference in proven
    ]
    return [paragraph(nodes.strong("", "", *title), classes=["apidiff-caption"]), *lids] if lids else []


def _proof(make: PageBuilder, difference: DifferenceEntry) -> list[nodes.Node]:
    children: list[nodes.Node] = []
    if difference.claim_evidence:
        verdicts = groupby(difference.claim_evidence, key=lambda evidence: evidence.claim)
        items = [_claim_evidence(make, claim, list(told)) for claim, told in verdicts]
        children.append(nodes.bullet_list("", *items, classes=["apidiff-evidence"]))
    if difference.claims:
        links = [[make.ref("claim", claim)] for claim in difference.claims]
        children.append(make.term("rests_on", *joined(links, make.word("site.comma"))))
    if difference.repeat:
        children += make.command("repeat.sample", difference.repeat.command)
        children += [make.sentence("repeat.sample_script"), code(difference.repeat.script)]
    return children


def _claim_evidence(make: PageBuilder, claim: str, told: Sequence[EvidenceEntry]) -> nodes.list_item:
    """Name a claim once, with the verdicts of runs; where the chosen version was run, only those of its run."""
    part = run_part(claim.partition("#")[0])
    run = [version for evidence in told for version in evidence.versions]
    head = [make.ref("claim", claim), nodes.Text(make.word("site.colon"))]
    verdicts: list[nodes.list_item] = []
    for evidence in told:
        runs = joined([[make.ref("run", name, part=part)] for name in evidence.runs], make.word("site.comma"))
        words = [*make.text(evidence.text), nodes.Text(" ["), *runs, nodes.Text("]")]
        shown = block("", paragraph(*(words if len(told) > 1 else [*head, *words])))
        if evidence.versions:
            rest = make.releases.others(evidence.framework, run)
            make.only_in(shown, evidence.framework, [*evidence.versions, *rest])
        verdicts.append(nodes.list_item("", shown))
    if len(verdicts) == 1:
        return verdicts[0]
    return nodes.list_item("", paragraph(*head), nodes.bullet_list("", *verdicts))


def _examples(make: PageBuilder, entry: Entry) -> list[nodes.Node]:
    recipes = [answer.recipe for answer in entry.otherwise if answer.recipe]
    if not entry.examples and not recipes:
        return [make.sentence("examples.none")]
    return [_example(make, example) for example in [*entry.examples, *recipes]]


def _example(make: PageBuilder, example: ExampleEntry) -> nodes.section:
    children: list[nodes.Node] = [make.term("example.run"), code(example.command, "bash")]
    children.append(
        folded(make.filled("fold.script", path=[literal(example.path)]), code(commented(example.code, make.language)))
    )
    children += [make.term("example.output"), code(example.expected, "text")]
    if example.claim:
        children.append(make.term("example.checked", make.ref("claim", example.claim)))
    return make.section(example_anchor(example), make.framework(example.framework), *children)


def timeline_section(make: PageBuilder, entry: Entry) -> nodes.section:
    """Show one row per change: of the source first, then of each target, the newest change of each first."""
    return make.section("timeline", make.word("timeline"), *_rows(make, entry))


def _rows(make: PageBuilder, entry: Entry) -> list[nodes.Node]:
    if not entry.history:
        return [make.sentence("timeline.none")]
    header = [make.word(f"column.{name}") for name in ("api", "version", "change", "evidence")]
    rows: list[list[Cell]] = [
        [[literal(change.api)], change.version, make.text(change.text), _change_evidence(make, entry, change)]
        for change in entry.history
    ]
    title = make.word("fold.changes", count=len(rows))
    return [folded(title, make.sentence("timeline.about"), table(header, rows))]


def _change_evidence(make: PageBuilder, entry: Entry, change: HistoryEntry) -> list[nodes.Node]:
    places = _place(make, entry, change.evidence)
    if change.after_evidence and change.after_evidence != change.evidence:
        places += [nodes.Text(make.word("site.semicolon")), *_place(make, entry, change.after_evidence)]
    return places


def _place(make: PageBuilder, entry: Entry, evidence: str) -> list[nodes.Node]:
    if evidence in {SIGNATURES, STUBS}:
        return [nodes.Text(make.word("timeline.signatures" if evidence == SIGNATURES else "timeline.stubs"))]
    document = entry.documents.get(evidence)
    words = make.document_link(document) if document else [literal(evidence)]
    return [nodes.Text(make.word("timeline.documented")), *words]
