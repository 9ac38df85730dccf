"""The page of one mapping: its differences first, then everything they rest on."""

from __future__ import annotations

from collections.abc import Iterator

from docutils import nodes

from apidiff.model import Version
from apidiff.model.entry import DifferenceEntry, Entry, EvidenceEntry, ExampleEntry, TargetEntry
from apidiff.sphinxext.answers import answer_at, answer_box, current_target, otherwise_section, versions_table
from apidiff.sphinxext.claims import claims_section, outcome_badges, refuted_section, run_part
from apidiff.sphinxext.nodes import (
    Builder,
    Cell,
    Inline,
    anchor,
    block,
    code,
    folded,
    joined,
    literal,
    paragraph,
    table,
)
from apidiff.sphinxext.repeat import repeat_section
from apidiff.sphinxext.rows import members_table, parameters_table
from apidiff.sphinxext.timeline import timeline_section

# Kinds of claims that say what a call gives back and what it does to its arguments.
_RETURN_KINDS = ("returns", "result", "writes", "keeps", "aliases")


def mapping_section(make: Builder, entry: Entry, newest: str) -> nodes.section:
    """The whole page. ``newest``: the newest known MindSpore version."""
    current = current_target(entry, newest)
    # Files list targets by age; a reader wants the one to use, then the newest.
    targets = entry.targets[::-1]
    targets.sort(key=lambda target: target is not current)
    return make.section(
        anchor(entry.id),
        [literal(entry.source)],
        paragraph(*make.text(entry.summary), classes=["apidiff-summary"]),
        *_aliases(make, entry),
        answer_box(make, entry, newest),
        make.section("differences", make.word("differences"), *_top_differences(make, entry, newest)),
        make.section("versions", make.word("versions"), versions_table(make, entry)),
        *(_target(make, entry, target, target is current) for target in targets),
        *(otherwise_section(make, entry, answer) for answer in reversed(entry.otherwise)),
        make.section("returns", make.word("returns"), *_returns(make, entry)),
        make.section("examples", make.word("examples"), *_examples(make, entry)),
        timeline_section(make, entry),
        claims_section(make, entry),
        refuted_section(make, entry),
        repeat_section(make, entry, newest),
    )


def _aliases(make: Builder, entry: Entry) -> list[nodes.Node]:
    if not entry.aliases:
        return []
    names = joined([[literal(name)] for name in entry.aliases], make.word("site.comma"))
    return [make.term("also_written", *names)]


def _top_differences(make: Builder, entry: Entry, newest: str) -> Iterator[nodes.Node]:
    current = current_target(entry, newest)
    _, _, differences = answer_at(entry, newest)
    if not differences:
        yield paragraph(nodes.Text(make.word("differences.none")))
        return
    if current:
        yield paragraph(*make.phrase("differences.from", current.name))
    else:
        yield paragraph(nodes.Text(make.word("differences.of_source")))
    for difference in differences:
        yield difference_block(make, difference, "difference")


def difference_block(make: Builder, difference: DifferenceEntry, prefix: str) -> block:
    """One difference: risk, kind, text, evidence and the claims it rests on."""
    head = [
        make.badge("risk", difference.risk),
        nodes.Text(" "),
        nodes.strong("", make.word(f"difference.{difference.kind}")),
    ]
    if difference.parameter:
        head += [nodes.Text(" "), literal(difference.parameter)]
    children: list[nodes.Node] = [paragraph(*head), paragraph(*make.text(difference.text))]
    if difference.evidence:
        items = [nodes.list_item("", paragraph(*_evidence(make, one))) for one in difference.evidence]
        children += [make.term("evidence"), nodes.bullet_list("", *items, classes=["apidiff-evidence"])]
    if difference.claims:
        links = [[make.ref("claim", claim)] for claim in difference.claims]
        children.append(make.term("rests_on", *joined(links, make.word("site.comma"))))
    found = block(
        "",
        *children,
        ids=[anchor(f"{prefix}-{difference.id}")],
        classes=["apidiff-difference", f"apidiff-edge-{difference.risk}"],
    )
    make.document.note_explicit_target(found)
    return found


def _evidence(make: Builder, one: EvidenceEntry) -> list[nodes.Node]:
    shown = [
        make.ref("claim", one.claim),
        nodes.Text(": "),
        *make.text(one.text),
        nodes.Text(" ["),
        make.ref("run", one.run, part=run_part(one.claim.partition("#")[0])),
    ]
    return [*shown, nodes.Text("]")]


def _target(make: Builder, entry: Entry, target: TargetEntry, is_current: bool) -> nodes.section:
    name = anchor(target.name)
    badges: list[Inline] = [
        [nodes.Text(make.span(found.range) + " "), make.badge("status", found.status)] for found in target.ranges
    ]
    children: list[nodes.Node] = [paragraph(*joined(badges, " · "), classes=["apidiff-ranges"])]
    if target.note:
        children.append(paragraph(*make.text(target.note)))
    children += [
        make.section(f"{name}--signatures", make.word("signatures"), *_signatures(make, entry, target)),
        make.section(f"{name}--parameters", make.word("parameters"), parameters_table(make, target.parameters)),
    ]
    if target.members:
        members = members_table(make, target.members)
        children.append(make.section(f"{name}--members", make.word("members"), members))
    differences = _differences(make, target, is_current)
    children.append(make.section(f"{name}--differences", make.word("differences"), *differences))
    if target.before or target.after:
        pair = [_titled_code(make, "code.before", entry.source, target.before)]
        pair.append(_titled_code(make, "code.after", target.name, target.after))
        children.append(make.section(f"{name}--code", make.word("code"), block("", *pair, classes=["apidiff-pair"])))
    return make.section(name, [literal(target.name)], *children)


def _titled_code(make: Builder, key: str, name: str, text: str) -> block:
    return block("", paragraph(*make.phrase(key, name), classes=["apidiff-caption"]), code(text))


def _differences(make: Builder, target: TargetEntry, is_current: bool) -> list[nodes.Node]:
    if not target.differences:
        return [paragraph(nodes.Text(make.word("differences.none")))]
    if not is_current:
        return [difference_block(make, found, f"{anchor(target.name)}--difference") for found in target.differences]
    items = []
    for found in target.differences:
        title = make.word(f"difference.{found.kind}") + (f" {found.parameter}" if found.parameter else "")
        link = nodes.reference("", title, refid=anchor(f"difference-{found.id}"))
        items.append(nodes.list_item("", paragraph(make.badge("risk", found.risk), nodes.Text(" "), link)))
    return [paragraph(nodes.Text(make.word("differences.above"))), nodes.bullet_list("", *items)]


def _signatures(make: Builder, entry: Entry, target: TargetEntry) -> list[nodes.Node]:
    sides = [("torch", entry.source, entry.signatures), ("mindspore", target.name, target.signatures)]
    return [block("", *(_signature(make, *side) for side in sides), classes=["apidiff-pair"])]


def _signature(make: Builder, framework: str, name: str, by_version: dict[str, str]) -> block:
    versions = sorted(by_version, key=Version, reverse=True)
    if not versions:
        return block("", paragraph(literal(name)), paragraph(nodes.Text(make.word("signature.missing"))))
    newest = by_version[versions[0]]
    same = [version for version in versions if by_version[version] == newest]
    caption = paragraph(nodes.Text(_versions_of(make, framework, same)), classes=["apidiff-caption"])
    children: list[nodes.Node] = [caption, code(newest)]
    others: dict[str, list[str]] = {}
    for version in versions:
        if by_version[version] != newest:
            others.setdefault(by_version[version], []).append(version)
    if others:
        older: list[nodes.Node] = []
        for text, found in others.items():
            older += [
                paragraph(nodes.Text(_versions_of(make, framework, found)), classes=["apidiff-caption"]),
                code(text),
            ]
        children.append(folded(make.word("signature.other"), *older))
    return block("", *children)


def _versions_of(make: Builder, framework: str, versions: list[str]) -> str:
    return f"{make.word(f'framework.{framework}')} {make.word('site.comma').join(versions)}"


def _returns(make: Builder, entry: Entry) -> list[nodes.Node]:
    children: list[nodes.Node] = []
    by_api: dict[tuple[str, str], list[list[Cell]]] = {}
    for claim in entry.claims:
        if claim.kind in _RETURN_KINDS:
            link = nodes.reference("", "", *outcome_badges(make, claim), refid=anchor(claim.id))
            row: list[Cell] = [make.word(f"claim.{claim.kind}"), make.text(claim.text), [link]]
            by_api.setdefault((claim.side, claim.subject), []).append(row)
    header = [make.word(f"column.{name}") for name in ("kind", "claim", "outcomes")]
    for (side, subject), rows in by_api.items():
        children += [make.term(f"side.{side}", literal(subject)), table(header, rows)]
    return children or [paragraph(nodes.Text(make.word("returns.none")))]


def _examples(make: Builder, entry: Entry) -> list[nodes.Node]:
    if not entry.examples:
        return [paragraph(nodes.Text(make.word("examples.none")))]
    return [_example(make, example) for example in entry.examples]


def _example(make: Builder, example: ExampleEntry) -> nodes.section:
    children: list[nodes.Node] = [make.term("example.run"), code(example.command, "bash")]
    children += [make.term("example.script", literal(example.path)), code(example.code)]
    children += [make.term("example.output"), code(example.expected, "text")]
    if example.claim:
        children.append(make.term("example.checked", make.ref("claim", example.claim)))
    return make.section(anchor(f"example--{example.path}"), make.word(f"framework.{example.framework}"), *children)
