"""Builds the page of one mapping: the answer for the chosen versions first, then everything it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from docutils import nodes

from apidiff.derive.answers import Answer, answers
from apidiff.derive.api_history import SIGNATURES, STUBS
from apidiff.messages.code_comments import commented
from apidiff.messages.first_screen import where_text
from apidiff.model.picture import Picture
from apidiff.model.version import Version
from apidiff.model.views import Entry, ExampleEntry, HistoryEntry, ParameterEntry, TargetEntry
from apidiff.model.vocabulary import Execution
from apidiff.sphinxext.agreement_section import agreement_section
from apidiff.sphinxext.answers import (
    answer_boxes,
    differences_section,
    otherwise_section,
    versions_table,
    where_present,
)
from apidiff.sphinxext.claims import claims_section, refuted_section
from apidiff.sphinxext.nodes import (
    Cell,
    Inline,
    block,
    code,
    external,
    folded,
    joined,
    literal,
    paragraph,
    table,
    table_row,
)
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.picture import picture_section
from apidiff.sphinxext.repeat import repeat_section
from apidiff.sphinxext.sweep_section import sweeps_section
from apidiff.sphinxext.versions import Releases, carry, custom_element, marked_inline, marked_section
from apidiff.writers.exports.address import anchor


def mapping_section(
    make: PageBuilder, entry: Entry, picture: Picture | None = None, beside: Sequence[str] = ()
) -> nodes.section:
    """Build the whole page, for the newest pair of ``make.releases`` until a reader chooses another.

    ``beside``: IDs of the mappings that a reader may look for next.
    """
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
        *see_also(make, entry, beside),
        *sweeps_section(make, entry),
        make.section("versions", make.word("versions"), versions_table(make, entry)),
        make.section("examples", make.word("examples"), *_examples(make, entry)),
        *([claims_section(make, entry), refuted_section(make, entry)] if _has_claims(entry) else []),
        timeline_section(make, entry),
        repeat_section(make, entry, make.releases.newest("mindspore")),
    )


def see_also(make: PageBuilder, entry: Entry, beside: Sequence[str]) -> list[nodes.Node]:
    """Link the mappings beside this one and, where no signature stands on the page, the source's official documentation."""
    links: list[Inline] = [[make.ref("mapping", mapping)] for mapping in beside]
    if not entry.targets and entry.source in entry.official:
        links.append(_official_link(make, entry, entry.source, "torch"))
    return [make.term("see_also", *joined(links, make.word("site.comma")))] if links else []


def _official_link(make: PageBuilder, entry: Entry, name: str, framework: str) -> Inline:
    words = make.word("official_documentation", framework=make.framework(framework))
    return external(make.pick(entry.official[name]), nodes.Text(words))


def _has_claims(entry: Entry) -> bool:
    """Tell whether to show claims: of calls in a single process there may be none, since samples show the same."""
    return bool(entry.claims) or entry.execution == Execution.COLLECTIVE.value


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


def _answer_sections(make: PageBuilder, entry: Entry, all_answers: list[Answer]) -> Iterator[nodes.Node]:
    """Build a section per target and per other answer: first that of the newest release, then the others by age.

    Those that are not the answer for the chosen version step back behind one line, which brings them forth.
    """
    leading = all_answers[0] if all_answers else Answer([], None, None)
    answered = {answer.target.name: answer.releases for answer in all_answers if answer.target}
    sections: list[tuple[bool, marked_section]] = []
    for target in reversed(entry.targets):
        leads = target is leading.target
        section = _target(make, entry, target, leads=leads)
        sections.append((leads, _other(make, section, answered.get(target.name, []))))
    for otherwise in reversed(entry.otherwise):
        releases = next((answer.releases for answer in all_answers if answer.otherwise is otherwise), [])
        leads = otherwise is leading.otherwise
        sections.append((leads, _other(make, otherwise_section(make, entry, otherwise, leads=leads), releases)))
    sections.sort(key=lambda section: not section[0])
    if leading.target is None and leading.otherwise is None:
        nothing = make.sentence("differences.none")
        yield make.section("differences", make.word("differences"), nothing)
    yield from (section for _, section in sections)
    if len(sections) > 1:
        keys = [f"others.{name}" for name in ("hidden", "hidden_one", "shown", "show", "hide")]
        opener = custom_element("", name="apidiff-others")
        carry(opener, data_words=make.words_for(*keys))
        yield opener


def _other(make: PageBuilder, section: marked_section, releases: list[str]) -> marked_section:
    """Mark the section of an answer with the releases it answers for; a page without script shows all of them."""
    make.only(section, mindspore=releases, hide=False)
    carry(section, data_other="")
    return section


def _target(make: PageBuilder, entry: Entry, target: TargetEntry, *, leads: bool) -> marked_section:
    """Show all about one target: first what a porter types, then what to mind, then the details of both sides."""
    name = anchor(target.name)
    badges: list[Inline] = [
        [nodes.Text(make.span(span.range) + " "), make.badge("status", span.status)] for span in target.ranges
    ]
    children: list[nodes.Node] = [paragraph(*joined(badges, " · "), classes=["apidiff-ranges"])]
    if places := where_text(target.runs_on, target.limits):
        children.append(make.term("screen.where", *make.text(places)))
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
    if entry.execution == Execution.SINGLE.value:
        children.append(agreement_section(make, name, target))
    parameters = [*_defaults_of(make, entry, target), parameters_table(make, target.parameters)]
    children.append(make.section(f"{name}--parameters", make.word("parameters"), *parameters))
    if target.members:
        members = members_table(make, target.members)
        children.append(make.section(f"{name}--members", make.word("members"), members))
    pair_of_signatures = signature_pair(make, entry, target)
    children.append(make.section(f"{name}--signatures", make.word("signatures"), pair_of_signatures))
    return make.section(name, [literal(target.name)], *children)


def _defaults_of(make: PageBuilder, entry: Entry, target: TargetEntry) -> list[nodes.Node]:
    """Say for which versions the defaults of the table stand, where other versions have other signatures."""
    read = {"torch": entry.signatures, "mindspore": target.signatures}
    if not target.parameters or all(len(set(texts.values())) < 2 for texts in read.values()):
        return []
    newest = [f"{make.framework(framework)} {max(texts, key=Version)}" for framework, texts in read.items() if texts]
    words = make.word("parameters.defaults", versions=make.listed(newest))
    return [paragraph(nodes.Text(words), classes=["apidiff-aside"])]


def _titled_code(make: PageBuilder, key: str, name: str, text: str) -> block:
    return block("", paragraph(*make.phrase(key, name), classes=["apidiff-caption"]), code(text))


def _examples(make: PageBuilder, entry: Entry) -> list[nodes.Node]:
    if not entry.examples:
        return [make.sentence("examples.none")]
    return [_example(make, example) for example in entry.examples]


def _example(make: PageBuilder, example: ExampleEntry) -> nodes.section:
    children: list[nodes.Node] = [make.term("example.run"), code(example.command, "bash")]
    children.append(
        folded(make.filled("fold.script", path=[literal(example.path)]), code(commented(example.code, make.language)))
    )
    children += [make.term("example.output"), code(example.expected, "text")]
    if example.claim:
        children.append(make.term("example.checked", make.ref("claim", example.claim)))
    return make.section(anchor(f"example--{example.path}"), make.framework(example.framework), *children)


def parameters_table(make: PageBuilder, rows: list[ParameterEntry]) -> nodes.Node:
    """Show one row per parameter, with the defaults of both sides, each for the versions that have it."""
    if not rows:
        return make.sentence("parameters.none")
    columns = ("source", "source_default", "target", "target_default", "relation", "risk", "remark")
    cells: list[nodes.row] = []
    for row in rows:
        source, target, *rest = _shared(make, row, "absent")
        defaults = [_default(make, row.source, row.source_default), _default(make, row.target, row.target_default)]
        cells.append(where_present(make, table_row([source, defaults[0], target, defaults[1], *rest]), row))
    return table([make.word(f"column.{name}") for name in columns], cells)


def members_table(make: PageBuilder, rows: list[ParameterEntry]) -> nodes.Node:
    """Show one row per member of a class or an enumeration."""
    columns = ("source", "target", "relation", "risk", "remark")
    cells = [where_present(make, table_row(_shared(make, row, "absent_member")), row) for row in rows]
    return table([make.word(f"column.{name}") for name in columns], cells)


def _shared(make: PageBuilder, row: ParameterEntry, absent: str) -> list[Cell]:
    relations = make.listed(make.word(f"relation.{relation}") for relation in row.relations)
    return [
        _named(make, "torch", row.source, row.source_range, absent),
        _named(make, "mindspore", row.target, row.target_range, absent),
        relations,
        [make.badge("risk", row.risk)],
        make.text(row.text),
    ]


def _named(make: PageBuilder, framework: str, name: str | None, held_in: str | None, absent: str) -> Cell:
    """Show the name, with the versions that have it where not all do; a chosen version that lacks it is named."""
    if name is None:
        return [nodes.emphasis("", make.word(absent))]
    if not held_in:
        return [literal(name)]
    cell: Inline = [literal(name), nodes.Text(f" {held_in}")]
    if missing := make.releases.others(framework, make.releases.told(framework, held_in)):
        words = make.filled("cell.absent", version=make.chosen(framework))
        note = marked_inline("", "", nodes.Text(" "), nodes.strong("", "", *words))
        cell = [*cell, make.only_in(note, framework, missing)]
    return cell


def _default(make: PageBuilder, name: str | None, value: str | None) -> Cell:
    if name is None:
        return ""
    return [literal(value)] if value is not None else make.word("required")


def signature_pair(make: PageBuilder, entry: Entry, target: TargetEntry) -> block:
    """Show both signatures beside each other: of the chosen version, or of the nearest older one that was read."""
    sides = [("torch", entry.source, entry.signatures), ("mindspore", target.name, target.signatures)]
    return block("", *(_documented_side(make, entry, *side) for side in sides), classes=["apidiff-pair"])


def _documented_side(make: PageBuilder, entry: Entry, framework: str, name: str, by_version: dict[str, str]) -> block:
    """Show the signature of one side, and below it where the framework documents the API."""
    side = _side(make, entry, framework, name, by_version)
    if name in entry.official:
        side += paragraph(*_official_link(make, entry, name, framework), classes=["apidiff-official"])
    return side


def source_notices(make: PageBuilder, entry: Entry) -> list[nodes.Node]:
    """Say where the chosen version of PyTorch lacks the source, or is too old for what was read."""
    if not entry.signatures:
        return []
    releases = _telling(make, entry, "torch", entry.source)
    name, read = [literal(entry.source)], releases.read_for("torch")
    absent = {signed: told for signed, told in read.items() if signed not in entry.signatures and told}
    notices: list[nodes.Node] = []
    if absent:
        words = make.filled("source.absent", version=make.chosen("torch"), name=name)
        nearest: list[nodes.Node] = []
        for signed, told in absent.items():
            others = [version for version in told if version != signed]
            said = make.filled("nearest.signatures", nearest=[nodes.Text(signed)])
            nearest.append(make.only(marked_inline("", "", nodes.Text(" "), *said), torch=others))
        notice = block("", paragraph(*words, *nearest), classes=["apidiff-notice"])
        notices.append(make.only(notice, torch=[version for told in absent.values() for version in told]))
    if older := make.releases.others("torch", [version for told in read.values() for version in told]):
        oldest = [nodes.Text(releases.signed["torch"][-1])]
        words = make.filled("source.old", version=make.chosen("torch"), name=name, oldest=oldest)
        notices.append(make.only(block("", paragraph(*words), classes=["apidiff-notice"]), torch=older))
    return notices


def _telling(make: PageBuilder, entry: Entry, framework: str, name: str) -> Releases:
    """Return the releases without those whose signatures were read without looking for the API."""
    return make.releases.without(framework, entry.unread.get(name, []))


def _side(make: PageBuilder, entry: Entry, framework: str, name: str, by_version: dict[str, str]) -> block:
    if not by_version:
        return block("", paragraph(literal(name)), make.sentence("signature.missing"))
    texts: dict[str, list[str]] = {}
    for version in sorted(by_version, key=Version, reverse=True):
        texts.setdefault(by_version[version], []).append(version)
    releases = _telling(make, entry, framework, name)
    read = releases.read_for(framework)
    if not read:
        return block("", *_listed(make, framework, texts))
    children: list[nodes.Node] = []
    for text, versions in texts.items():
        captions = [_caption(make, framework, version, read[version]) for version in versions]
        shown = block("", *captions, code(text))
        children.append(make.only_in(shown, framework, [release for version in versions for release in read[version]]))
    children += _gaps(make, releases, framework, name, by_version, read)
    if len(texts) > 1:
        children.append(folded(make.word("signature.all"), *_listed(make, framework, texts)))
    return block("", *children)


def _caption(make: PageBuilder, framework: str, version: str, told: list[str]) -> block:
    """Name the version that was read, and for which chosen one it stands in."""
    near = marked_inline("", "", *make.filled("signature.nearest", version=make.chosen(framework)))
    make.only_in(near, framework, [release for release in told if release != version])
    words = [nodes.Text(f"{make.framework(framework)} {version}"), nodes.Text(make.word("site.comma")), near]
    if near.get("carried"):  # the comma belongs to what follows it
        near.insert(0, words.pop(1))
    caption = block("", paragraph(*words, classes=["apidiff-caption"]))
    return make.only_in(caption, framework, told)


def _gaps(
    make: PageBuilder,
    releases: Releases,
    framework: str,
    name: str,
    by_version: dict[str, str],
    read: dict[str, list[str]],
) -> Iterable[nodes.Node]:
    """Say which versions lack the API, and which are older than all that were read."""
    title = [nodes.Text(make.framework(framework))]
    lacking = [version for signed, told in read.items() if signed not in by_version for version in told]
    said = {"framework": title, "version": make.chosen(framework)}
    if lacking:
        words = paragraph(*make.filled("signature.absent", name=[literal(name)], **said))
        yield make.only_in(block("", words), framework, lacking)
    if older := make.releases.others(framework, [version for told in read.values() for version in told]):
        oldest = [nodes.Text(releases.signed[framework][-1])]
        words = paragraph(*make.filled("signature.old", oldest=oldest, **said))
        yield make.only_in(block("", words), framework, older)


def _listed(make: PageBuilder, framework: str, texts: dict[str, list[str]]) -> list[nodes.Node]:
    """List every signature with the versions that have it."""
    shown: list[nodes.Node] = []
    for text, versions in texts.items():
        caption = f"{make.framework(framework)} {make.listed(versions)}"
        shown += [paragraph(nodes.Text(caption), classes=["apidiff-caption"]), code(text)]
    return shown


def timeline_section(make: PageBuilder, entry: Entry) -> nodes.section:
    """Show one row per change: of the source first, then of each target, the newest change of each first."""
    return make.section("timeline", make.word("timeline"), *_rows(make, entry))


def _rows(make: PageBuilder, entry: Entry) -> list[nodes.Node]:
    if not entry.history:
        return [make.sentence("timeline.none")]
    header = [make.word(f"column.{name}") for name in ("api", "version", "change", "evidence")]
    rows: list[list[Cell]] = [
        [[literal(change.api)], change.version, make.text(change.text), _evidence(make, entry, change)]
        for change in entry.history
    ]
    title = make.word("fold.changes", count=len(rows))
    return [folded(title, make.sentence("timeline.about"), table(header, rows))]


def _evidence(make: PageBuilder, entry: Entry, change: HistoryEntry) -> list[nodes.Node]:
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
