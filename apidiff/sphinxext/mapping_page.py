"""Builds the page of one mapping: the answer for the chosen versions. What it rests on stands on its evidence page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docutils import nodes

from apidiff.derive.answers import Answer, Beside, answers, targets_beside
from apidiff.messages.first_screen import record_texts, standing_key, where_text
from apidiff.model.version import Version
from apidiff.model.views import Entry, TargetEntry
from apidiff.model.vocabulary import Execution
from apidiff.sphinxext.answers import (
    answer_boxes,
    answer_section,
    code_pair,
    first_shown_answer,
    otherwise_section,
    titled_code,
    versions_table,
)
from apidiff.sphinxext.difference_section import (
    AnswerDifferences,
    difference_anchor,
    differences_section,
    source_only_lid,
)
from apidiff.sphinxext.evidence_links import evidence_links
from apidiff.sphinxext.nodes import Inline, block, code, external, joined, literal, paragraph
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.parameter_tables import tables_of_target
from apidiff.sphinxext.signature_section import official_link, signature_pair, source_notices
from apidiff.sphinxext.versions import carry, custom_element, marked_section
from apidiff.writers.exports.address import anchor, answer_anchor


def mapping_section(
    make: PageBuilder, entry: Entry, *, pictured: bool = False, beside: Sequence[str] = ()
) -> nodes.section:
    """Build the whole page, for the first pair of ``make.releases`` until a reader chooses another.

    Args:
        make: builds its nodes.
        entry: what is known of the mapping.
        pictured: whether its evidence page has a picture.
        beside: IDs of the mappings that a reader may look for next.
    """
    found = answers(entry, make.releases.known["mindspore"])
    told: set[str] = set()
    leading, *others = _answer_sections(make, entry, found, told)
    return make.section(
        anchor(entry.id),
        [literal(entry.source)],
        paragraph(*make.text(entry.summary), classes=["apidiff-summary"]),
        *_aliases(make, entry),
        *answer_boxes(make, entry),
        *source_notices(make, entry),
        *_run_notices(make, entry),
        leading,
        *others,
        *source_only_lid(make, entry, _differences_by_answer(make, entry, found), told),
        make.lid("versions", make.word("versions"), versions_table(make, entry)),
        *_opener(make, entry),
        evidence_links(make, entry, pictured=pictured),
        *_see_also(make, entry, beside),
    )


def _see_also(make: PageBuilder, entry: Entry, beside: Sequence[str]) -> list[nodes.Node]:
    """Link the mappings beside this one, and upstream's page on the difference.

    Where no signature stands on the page, the source's official documentation, too.
    """
    links: list[Inline] = [[make.ref("mapping", mapping)] for mapping in beside]
    if not entry.targets and entry.source in entry.official:
        links.append(official_link(make, entry, entry.source, "torch"))
    links += [
        external(
            document.address(make.language),
            nodes.Text(f"{document.name(make.language)} (MindSpore {document.version})"),
        )
        for document in entry.documents.values()
        if "/pytorch_diff/" in document.url
    ]
    return [make.term("see_also", *joined(links, make.word("site.comma")))] if links else []


def _aliases(make: PageBuilder, entry: Entry) -> list[nodes.Node]:
    if not entry.aliases:
        return []
    names = joined([[literal(name)] for name in entry.aliases], make.word("site.comma"))
    return [make.term("also_written", *names)]


def _run_notices(make: PageBuilder, entry: Entry) -> Iterator[nodes.Node]:
    """Name for each framework the versions that were run, where the chosen one was not."""
    rows = [row for claim in entry.claims for row in claim.summary]
    for framework in ("torch", "mindspore"):
        run = {row.framework_version for row in rows if row.framework == framework}
        name: Inline = [nodes.Text(make.framework(framework))]
        if run:
            newest_first = sorted(run, key=Version, reverse=True)
            versions: Inline = [nodes.Text(make.listed(newest_first))]
            chosen = make.chosen(framework)
            words = make.filled("runs.other_versions", framework=name, version=chosen, versions=versions)
            notice = block("", paragraph(*words, classes=["apidiff-aside"]))
            yield make.only_in(notice, framework, make.releases.others(framework, run))
        elif any(claim.subject.startswith(f"{framework}.") for claim in entry.claims):
            yield paragraph(*make.filled("runs.no_version", framework=name), classes=["apidiff-aside"])


def _answer_sections(
    make: PageBuilder, entry: Entry, all_answers: list[Answer], told: set[str]
) -> Iterator[nodes.Node]:
    """Build a section per target and per other answer: first that of the version shown first, then the others by age.

    Those that are not the answer for the chosen version are closed, and step back behind one line, which brings them forth.
    ``told``: is given every sentence that their differences say.
    """
    leading = first_shown_answer(make, all_answers)
    answered = {answer.target.name: answer.releases for answer in all_answers if answer.target}
    sections: list[tuple[bool, marked_section]] = []
    for target in reversed(entry.targets):
        leads = target is leading.target
        section = _target(make, entry, target, leads=leads, told=told)
        sections.append((leads, _other(make, section, answered.get(target.name, []))))
    for otherwise in reversed(entry.otherwise):
        releases = next((answer.releases for answer in all_answers if answer.otherwise is otherwise), [])
        leads = otherwise is leading.otherwise
        sections.append(
            (leads, _other(make, otherwise_section(make, entry, otherwise, leads=leads, told=told), releases))
        )
    sections.sort(key=lambda section: not section[0])
    if leading.target is None and leading.otherwise is None:
        nothing = make.sentence("differences.none")
        yield make.section("differences", make.word("differences"), nothing)
    yield from (section for _, section in sections)


def _opener(make: PageBuilder, entry: Entry) -> list[nodes.Node]:
    """Make the line that brings forth the answers for other versions, where there are some."""
    if len(entry.targets) + len(entry.otherwise) < 2:
        return []
    keys = [f"others.{name}" for name in ("hidden", "hidden_one", "shown", "show", "hide")]
    opener = custom_element("", name="apidiff-others")
    carry(opener, data_words=make.words_for(*keys))
    return [opener]


def _differences_by_answer(make: PageBuilder, entry: Entry, all_answers: list[Answer]) -> list[AnswerDifferences]:
    """List the differences of every answer, first those of the one shown first."""
    leading = first_shown_answer(make, all_answers)
    told = [
        AnswerDifferences(
            anchor(target.name),
            target.differences,
            next((answer.releases for answer in all_answers if answer.target is target), []),
            target is leading.target,
        )
        for target in reversed(entry.targets)
    ]
    told += [
        AnswerDifferences(
            answer_anchor(otherwise.since),
            otherwise.differences,
            next((answer.releases for answer in all_answers if answer.otherwise is otherwise), []),
            otherwise is leading.otherwise,
        )
        for otherwise in reversed(entry.otherwise)
    ]
    return sorted(told, key=lambda answer: not answer.leads)


def _other(make: PageBuilder, section: marked_section, releases: list[str]) -> marked_section:
    """Mark the section of an answer with the releases it answers for; a page without script names all of them."""
    make.only(section, mindspore=releases, hide=False)
    carry(section, data_other="")
    return section


def _beside(make: PageBuilder, beside: Beside) -> list[nodes.Node]:
    """Show what to write on devices where the target to use has no kernel."""
    devices = make.word("site.comma").join(make.word(f"on_device.{device}") for device in beside.devices)
    link = nodes.reference("", "", literal(beside.target.name), refid=anchor(beside.target.name))
    heading = nodes.strong("", make.word("screen.beside", devices=devices))
    note = [paragraph(*make.text(beside.target.note))] if beside.target.note else []
    facts = [nodes.list_item("", paragraph(*make.text(row.headline or row.text))) for row in beside.watch]
    watch = [nodes.bullet_list("", *facts)] if facts else []
    return [paragraph(heading, link), code(beside.code, "python"), *note, *watch]


def _target(make: PageBuilder, entry: Entry, target: TargetEntry, *, leads: bool, told: set[str]) -> marked_section:
    """Show all about one target: what a porter types, where it runs, what to mind; then, closed, both sides' details."""
    name = anchor(target.name)
    badges: list[Inline] = [
        [
            nodes.Text(make.span(span.range) + " "),
            make.badge(*standing_key(span.status, composed=target.composed).split(".")),
        ]
        for span in target.ranges
    ]
    children: list[nodes.Node] = [paragraph(*joined(badges, " · "), classes=["apidiff-ranges"])]
    if target.before and target.after:
        before = titled_code(make.phrase("code.before", entry.source), target.before)
        after = titled_code(make.phrase("code.after", target.name), target.after)
        children.append(code_pair(make, f"{name}--code", before, after))
    if target.refused:
        children.append(paragraph(nodes.strong("", "", *make.text(target.refused))))
    if leads:
        for beside in targets_beside(entry, target, make.releases.first("mindspore")):
            children += _beside(make, beside)
    if places := where_text(target.runs_on, target.limits):
        children.append(make.term("screen.where", *make.text(places)))
    for text in record_texts(entry.claims, target.agreements, target.aside, entry.source, target.name):
        part = f"{name}--agreement" if entry.execution == Execution.SINGLE.value else "claims"
        proof = make.ref("evidence", entry.id, nodes.Text(make.word("evidence")), part=part)
        children.append(paragraph(*make.text(text), make.between_sentences(), proof, classes=["apidiff-aside"]))
    if target.note:
        children.append(paragraph(*make.text(target.note)))
    if entry.execution == Execution.SINGLE.value:
        seen = "agreement.about" if target.differences or target.refused else "agreement.same"
        about = seen if target.agreements else "agreement.none"
        compared = make.ref("evidence", entry.id, nodes.Text(make.word("agreement")), part=f"{name}--agreement")
        children.append(
            paragraph(nodes.Text(make.word(about)), make.between_sentences(), compared, classes=["apidiff-aside"])
        )
    rows = {f"parameter-{(row.source or row.target or '').replace('_', '-')}": row for row in target.parameters}
    rows |= {f"member-{(row.source or row.target or '').replace('_', '-')}": row for row in target.members}
    children.append(differences_section(make, entry, name, None, target.differences, rows, leads=leads, told=told))
    if leads:
        goals = {
            id(rows[told_there]): difference_anchor(name, difference, leads=leads)
            for difference in target.differences
            for told_there in (difference.id, *difference.covers)
            if told_there in rows
        }
        children += tables_of_target(make, target, goals)
        children.append(make.lid(f"{name}--signatures", make.word("signatures"), signature_pair(make, entry, target)))
    else:  # a page with the tables of every target would be too heavy
        parts = {"parameters": target.parameters, "members": target.members, "signatures": [target]}
        links: list[Inline] = [
            [make.ref("evidence", entry.id, nodes.Text(make.word(part)), part=f"{name}--{part}")]
            for part, rows_of_it in parts.items()
            if rows_of_it
        ]
        children.append(paragraph(*joined(links, " · ")))
    return answer_section(make, name, [literal(target.name)], children, leads=leads)
