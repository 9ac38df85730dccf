"""Shows what answers a source at each MindSpore version: the target to use, or what people do where there is none."""

from __future__ import annotations

from collections.abc import Sequence

from docutils import nodes

from apidiff.derive.answers import Answer, answer_ranges, answers, edge_risk, everyday_risk, met_at
from apidiff.messages.code_comments import commented
from apidiff.messages.first_screen import first_screen, standing_key
from apidiff.model.views import DifferenceEntry, Entry, ExampleEntry, OtherwiseEntry, TargetEntry
from apidiff.model.vocabulary import Status
from apidiff.sphinxext.claims import stated_places
from apidiff.sphinxext.difference_section import differences_section
from apidiff.sphinxext.nodes import Cell, Inline, block, code, folded, joined, literal, paragraph, table
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.versions import marked_section
from apidiff.writers.exports.address import anchor, answer_anchor


def answer_boxes(make: PageBuilder, entry: Entry) -> list[nodes.Node]:
    """Build the answer at a glance, one box per answer; that for the version shown first is shown."""
    all_answers = answers(entry, make.releases.known["mindspore"])
    return [make.only(_box(make, answer), mindspore=answer.releases) for answer in all_answers]


def _box(make: PageBuilder, answer: Answer) -> block:
    version = make.chosen("mindspore")
    if answer.target:
        link = nodes.reference("", "", literal(answer.target.name), refid=anchor(answer.target.name))
        kind, standing = standing_key(Status.CURRENT.value, composed=answer.target.composed).split(".")
        status = make.badge(kind, standing)
        children: list[nodes.Node] = [
            paragraph(*make.filled("box.current", version=version)),
            paragraph(link, nodes.Text(" "), status, classes=["apidiff-box-target"]),
            *_risk_lines(make, answer.target, answer.releases),
        ]
    elif answer.otherwise:
        link = nodes.reference(
            "", "", make.badge("answer", answer.otherwise.answer), refid=answer_anchor(answer.otherwise.since)
        )
        children = [
            paragraph(*make.filled("box.answer", version=version)),
            paragraph(link, classes=["apidiff-box-target"]),
            _risk_line(make, answer.otherwise.risk, answer.otherwise.differences),
        ]
    else:
        children = [paragraph(*make.filled("box.no_current", version=version))]
    return block("", *children, classes=["apidiff-box"])


def _risk_lines(make: PageBuilder, target: TargetEntry, releases: Sequence[str]) -> list[nodes.Node]:
    """Say the risk of a target; where some releases lack a difference, for each of them."""
    by_risk: dict[tuple[str, str | None], list[str]] = {}
    for release in releases:
        met = met_at(target.differences, release)
        by_risk.setdefault((everyday_risk(met), edge_risk(met)), []).append(release)
    lines = [(_risk_line(make, risk, met_at(target.differences, some[0])), some) for (risk, _), some in by_risk.items()]
    if len(lines) == 1:
        return [lines[0][0]]
    return [make.only(block("", line), mindspore=some) for line, some in lines]


def _risk_line(make: PageBuilder, risk: str, differences: Sequence[DifferenceEntry]) -> nodes.paragraph:
    """Say the risk of everyday use, and of edge cases where that is worse."""
    edge = edge_risk(differences)
    behind = make.filled("worst_risk.edge", risk=[nodes.Text(make.word(f"risk.{edge}"))]) if edge else []
    return make.term("worst_risk", make.badge("risk", risk), *behind)


def versions_table(make: PageBuilder, entry: Entry) -> nodes.table:
    """List every range of MindSpore versions with its target or other answer, newest first."""
    rows: list[list[Cell]] = []
    for row in answer_ranges(entry):
        if row.target:
            link, kind = nodes.reference("", "", literal(row.target), refid=anchor(row.target)), "status"
        else:
            said = make.word(f"answer.{row.status}")
            link, kind = nodes.reference("", said, refid=answer_anchor(row.since)), "answer"
        rows.append([make.span(row.range), [link], [make.badge(kind, row.status)], [make.badge("risk", row.risk)]])
    header = [make.word(f"column.{name}") for name in ("range", "answer_or_target", "status", "risk")]
    return table(header, rows)


def first_shown_answer(make: PageBuilder, all_answers: Sequence[Answer]) -> Answer:
    """Find the answer for the MindSpore version that is shown first."""
    first = make.releases.first("mindspore")
    return next((answer for answer in all_answers if first in answer.releases), Answer([], None, None))


def answer_section(
    make: PageBuilder, name: str, title: str | Inline, children: Sequence[nodes.Node], *, leads: bool
) -> marked_section:
    """Build the section of an answer: that for the version shown first is open, any other opens when it is chosen."""
    if leads:
        return make.section(name, title, *children)
    return make.section(name, title, folded(make.word("others.open"), *children))


def otherwise_section(
    make: PageBuilder, entry: Entry, answer: OtherwiseEntry, *, leads: bool, told: set[str]
) -> marked_section:
    """Build the section of an answer without a target: the recipe or what to do instead, why, and with which APIs.

    ``leads``: whether it is the answer on the version shown first, whose differences have the plain anchors. ``told``: is
    given every sentence that its differences say.
    """
    name = answer_anchor(answer.since)
    badge = paragraph(
        nodes.Text(make.span(answer.range) + " "),
        make.badge("answer", answer.answer),
        nodes.Text(" "),
        make.badge("risk", answer.risk),
        classes=["apidiff-ranges"],
    )
    meaning = make.sentence(f"answer_meaning.{answer.answer}")
    # The answer shown first is named in the box above, with its risk.
    children: list[nodes.Node] = [meaning] if leads else [badge, meaning]
    if answer.after:
        before = titled_code(make.phrase("code.before", entry.source), answer.before) if answer.before else None
        after = titled_code([nodes.Text(make.word("code.recipe"))], commented(answer.after, make.language))
        children.append(code_pair(make, f"{name}--code", *([before, after] if before else [after])))
    if answer.instead:
        children.append(make.term("instead", *make.text(answer.instead)))
    children.append(make.term("column.why", *make.text(answer.why)))
    if answer.uses:
        links = [[make.ref("api", api, optional=True)] for api in answer.uses]
        children.append(make.term("uses", *joined(links, make.word("site.comma"))))
    if answer.recipe:
        script = make.ref("evidence", entry.id, literal(answer.recipe.path), part=example_anchor(answer.recipe))
        children.append(make.term("recipe", script))
    if answer.stated:
        stated = stated_places(make, entry.documents, answer.stated)
        children.append(make.lid(f"{name}--stated", make.word("claim.stated"), stated))
    screen = first_screen(answer.differences)
    told_here = [*screen.must, *screen.watch, *screen.edge]
    if told_here:
        intro = make.sentence("differences.of_source")
        section = differences_section(make, entry, name, intro, answer.differences, leads=leads, told=told)
        children.append(section)
    title = make.word("otherwise.title", answer=make.word(f"answer.{answer.answer}"), range=make.span(answer.range))
    return answer_section(make, name, title, children, leads=leads)


def example_anchor(example: ExampleEntry) -> str:
    """Name the anchor of an example on the evidence page."""
    return anchor(f"example--{example.path}")


def titled_code(title: list[nodes.Node], text: str) -> block:
    """Show code below its title."""
    return block("", paragraph(*title, classes=["apidiff-caption"]), code(text))


def code_pair(make: PageBuilder, name: str, *sides: block) -> block:
    """Put what is written before and after beside each other, under the anchor ``name``."""
    pair = block("", *sides, ids=[name], classes=["apidiff-pair"])
    make.document.note_explicit_target(pair)
    return pair
