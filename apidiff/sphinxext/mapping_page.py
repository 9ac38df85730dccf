"""The page of one mapping: the answer for the chosen versions first, then everything it rests on."""

from __future__ import annotations

from collections.abc import Iterator

from docutils import nodes

from apidiff.model import Version
from apidiff.model.picture import Picture
from apidiff.model.views import Entry, ExampleEntry, TargetEntry
from apidiff.sphinxext.answers import Answer, answer_boxes, answers, otherwise_section, versions_table
from apidiff.sphinxext.builder import Builder
from apidiff.sphinxext.claims import claims_section
from apidiff.sphinxext.differences import differences_section
from apidiff.sphinxext.nodes import Inline, anchor, block, code, folded, joined, literal, paragraph
from apidiff.sphinxext.picture import picture_section
from apidiff.sphinxext.refuted import refuted_section
from apidiff.sphinxext.repeat import repeat_section
from apidiff.sphinxext.rows import members_table, parameters_table
from apidiff.sphinxext.signatures import signature_pair, source_notices
from apidiff.sphinxext.timeline import timeline_section
from apidiff.sphinxext.version_visibility import carry, custom_element, marked_section


def mapping_section(make: Builder, entry: Entry, picture: Picture | None = None) -> nodes.section:
    """The whole page, for the newest pair of ``make.releases`` until a reader chooses another."""
    leading, *others = _answer_sections(make, entry, answers(entry, make.releases.known["mindspore"]))
    return make.section(
        anchor(entry.id),
        [literal(entry.source)],
        paragraph(*make.text(entry.summary), classes=["apidiff-summary"]),
        *_aliases(make, entry),
        *answer_boxes(make, entry),
        *source_notices(make, entry),
        *_run_notices(make, entry),
        leading,
        *picture_section(make, entry, picture, make.releases.newest("mindspore")),
        *others,
        make.section("versions", make.word("versions"), versions_table(make, entry)),
        make.section("examples", make.word("examples"), *_examples(make, entry)),
        claims_section(make, entry),
        refuted_section(make, entry),
        timeline_section(make, entry),
        repeat_section(make, entry, make.releases.newest("mindspore")),
    )


def _aliases(make: Builder, entry: Entry) -> list[nodes.Node]:
    if not entry.aliases:
        return []
    names = joined([[literal(name)] for name in entry.aliases], make.word("site.comma"))
    return [make.term("also_written", *names)]


def _run_notices(make: Builder, entry: Entry) -> Iterator[nodes.Node]:
    """For each framework the versions that were run, where the chosen one was not."""
    rows = [row for claim in entry.claims for row in claim.summary]
    for framework in ("torch", "mindspore"):
        found = {row.framework_version for row in rows if row.framework == framework}
        run = sorted(found, key=Version, reverse=True)
        name: Inline = [nodes.Text(make.word(f"framework.{framework}"))]
        if run:
            versions: Inline = [nodes.Text(make.word("site.comma").join(run))]
            chosen = make.chosen(framework)
            words = make.filled("runs.other_versions", framework=name, version=chosen, versions=versions)
            notice = block("", paragraph(*words, classes=["apidiff-aside"]))
            yield make.only_in(notice, framework, make.releases.others(framework, run))
        elif any(claim.subject.startswith(f"{framework}.") for claim in entry.claims):
            yield paragraph(*make.filled("runs.no_version", framework=name), classes=["apidiff-aside"])


def _answer_sections(make: Builder, entry: Entry, found: list[Answer]) -> Iterator[nodes.Node]:
    """A section for each target and each other answer: first that of the newest release, then the others by age.

    Those that are not the answer for the chosen version step back behind one line, which brings them forth.
    """
    leading = found[0] if found else Answer([], None, None)
    answered = {one.target.name: one.releases for one in found if one.target}
    sections: list[tuple[bool, marked_section]] = []
    for target in reversed(entry.targets):
        leads = target is leading.target
        section = _target(make, entry, target, leads=leads)
        sections.append((leads, _other(make, section, answered.get(target.name, []))))
    for otherwise in reversed(entry.otherwise):
        releases = next((one.releases for one in found if one.otherwise is otherwise), [])
        leads = otherwise is leading.otherwise
        sections.append((leads, _other(make, otherwise_section(make, entry, otherwise, leads=leads), releases)))
    sections.sort(key=lambda one: not one[0])
    if leading.target is None and leading.otherwise is None:
        nothing = paragraph(nodes.Text(make.word("differences.none")))
        yield make.section("differences", make.word("differences"), nothing)
    yield from (section for _, section in sections)
    if len(sections) > 1:
        keys = [f"others.{name}" for name in ("hidden", "hidden_one", "shown", "show", "hide")]
        lid = custom_element("", name="apidiff-others")
        carry(lid, data_words=make.words_for(*keys))
        yield lid


def _other(make: Builder, section: marked_section, releases: list[str]) -> marked_section:
    """The section of an answer, marked with the releases it answers for; a page without script shows all of them."""
    make.only(section, mindspore=releases, hide=False)
    carry(section, data_other="")
    return section


def _target(make: Builder, entry: Entry, target: TargetEntry, *, leads: bool) -> marked_section:
    """All about one target: first what a porter types, then what to mind, then the details of both sides."""
    name = anchor(target.name)
    badges: list[Inline] = [
        [nodes.Text(make.span(found.range) + " "), make.badge("status", found.status)] for found in target.ranges
    ]
    children: list[nodes.Node] = [paragraph(*joined(badges, " · "), classes=["apidiff-ranges"])]
    if target.note:
        children.append(paragraph(*make.text(target.note)))
    if target.before and target.after:
        pair = [_titled_code(make, "code.before", entry.source, target.before)]
        pair.append(_titled_code(make, "code.after", target.name, target.after))
        children.append(make.section(f"{name}--code", make.word("code"), block("", *pair, classes=["apidiff-pair"])))
    rows = {f"parameter-{(row.source or row.target or '').replace('_', '-')}": row for row in target.parameters}
    rows |= {f"member-{(row.source or row.target or '').replace('_', '-')}": row for row in target.members}
    intro = paragraph(*make.phrase("differences.from", target.name))
    children.append(differences_section(make, name, intro, target.differences, rows, leads=leads))
    parameters = [*_defaults_of(make, entry, target), parameters_table(make, target.parameters)]
    children.append(make.section(f"{name}--parameters", make.word("parameters"), *parameters))
    if target.members:
        members = members_table(make, target.members)
        children.append(make.section(f"{name}--members", make.word("members"), members))
    pair_of_signatures = signature_pair(make, entry, target)
    children.append(make.section(f"{name}--signatures", make.word("signatures"), pair_of_signatures))
    return make.section(name, [literal(target.name)], *children)


def _defaults_of(make: Builder, entry: Entry, target: TargetEntry) -> list[nodes.Node]:
    """For which versions the defaults of the table stand, where other versions have other signatures."""
    read = {"torch": entry.signatures, "mindspore": target.signatures}
    if not target.parameters or all(len(set(texts.values())) < 2 for texts in read.values()):
        return []
    newest = [
        f"{make.word(f'framework.{framework}')} {max(texts, key=Version)}" for framework, texts in read.items() if texts
    ]
    words = make.word("parameters.defaults", versions=make.word("site.comma").join(newest))
    return [paragraph(nodes.Text(words), classes=["apidiff-aside"])]


def _titled_code(make: Builder, key: str, name: str, text: str) -> block:
    return block("", paragraph(*make.phrase(key, name), classes=["apidiff-caption"]), code(text))


def _examples(make: Builder, entry: Entry) -> list[nodes.Node]:
    if not entry.examples:
        return [paragraph(nodes.Text(make.word("examples.none")))]
    return [_example(make, example) for example in entry.examples]


def _example(make: Builder, example: ExampleEntry) -> nodes.section:
    children: list[nodes.Node] = [make.term("example.run"), code(example.command, "bash")]
    children.append(folded(make.filled("fold.script", path=[literal(example.path)]), code(example.code)))
    children += [make.term("example.output"), code(example.expected, "text")]
    if example.claim:
        children.append(make.term("example.checked", make.ref("claim", example.claim)))
    return make.section(anchor(f"example--{example.path}"), make.word(f"framework.{example.framework}"), *children)
