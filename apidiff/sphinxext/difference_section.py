"""Shows the differences of an answer on the page of a mapping; what each rests on stands on the evidence page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from docutils import nodes
from msgspec.structs import replace

from apidiff.derive.answers import met_at
from apidiff.messages.differences import text_of
from apidiff.messages.first_screen import first_screen
from apidiff.messages.headlines import lacking_headline, left_of_note
from apidiff.messages.labels import filled
from apidiff.model.views import DifferenceEntry, DifferencePart, Entry, ParameterEntry
from apidiff.model.vocabulary import Relation
from apidiff.sphinxext.nodes import block, folded, paragraph
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.parameter_tables import where_present
from apidiff.sphinxext.versions import marked_section
from apidiff.writers.exports.address import anchor


class AnswerDifferences(NamedTuple):
    """The differences of one answer: its anchor, the MindSpore releases it answers for, whether it is the one shown first."""

    name: str
    differences: Sequence[DifferenceEntry]
    releases: Sequence[str]
    leads: bool


def differences_section(
    make: PageBuilder,
    entry: Entry,
    name: str,
    intro: nodes.Node | None,
    differences: Sequence[DifferenceEntry],
    rows: Mapping[str, ParameterEntry] | None = None,
    *,
    leads: bool,
    told: set[str],
) -> marked_section:
    """List the differences of the answer ``name`` (an anchor): what must change, what to watch; edge cases are folded.

    Facts about PyTorch alone are those of every answer: `source_only_lid` shows them. ``intro``: comes before them, if any.
    ``rows``: the rows of parameters and members by the ID of the difference that they make; it is shown where they are.
    ``leads``: whether this is the answer on the version shown first. Its differences are ``difference-…``, those of all
    others have the answer's anchor before that. ``told``: is given every sentence that is said here.
    """
    screen = first_screen(differences)
    shown: list[nodes.Node] = []
    said: set[str] = set()
    alike = _by_headline([*screen.must, *screen.watch, *screen.edge], rows or {})

    def blocks(listed: Sequence[DifferenceEntry], *, close: bool) -> list[block]:
        return [
            difference_block(make, [member(each) for each in alike[difference.id]], close=close)
            for difference in listed
            if difference.id in alike
        ]

    def member(difference: DifferenceEntry) -> Member:
        row = rows.get(difference.id) if rows else None
        parts = sentences(difference)
        if row and difference.headline:
            # What names and defaults of a parameter tell stands in the table of parameters: the note is left to say.
            left = left_of_note(row)
            parts = [DifferencePart(text=left, note=True)] if left else _left_out(row)
        goal = difference_anchor(name, difference, leads=leads)
        return Member(difference, goal, unsaid(make, parts, said), _proof_link(make, entry, difference, goal), row)

    for key, everyday in (("screen.must", screen.must), ("screen.watch", screen.watch)):
        if everyday:
            caption = block("", paragraph(nodes.strong("", make.word(key)), classes=["apidiff-caption"]))
            shown += [_where_met(make, caption, everyday), *blocks(everyday, close=True)]
    spared = [release for release in _known(make) if not met_at([*screen.must, *screen.watch], release)]
    if not differences:
        shown.append(make.sentence("differences.none"))
    elif spared:
        nothing = make.sentence("screen.nothing")
        shown.append(make.only(block("", nothing), mindspore=spared) if screen.must or screen.watch else nothing)
    if (screen.must or screen.watch) and intro:
        shown.insert(0, intro)
    if screen.edge:
        count = len(met_at(screen.edge, make.releases.first("mindspore"))) or len(screen.edge)
        lid = folded(make.counted("screen.edge", count), *blocks(screen.edge, close=False))
        shown.append(_where_met(make, block("", lid), screen.edge) if _gone(screen.edge) else lid)
    told |= said
    section = make.section(f"{name}--differences", make.word("differences"), *shown)
    if leads:
        section["ids"].append("differences")
    return section


def _known(make: PageBuilder) -> Sequence[str]:
    return make.releases.known.get("mindspore", [])


def _gone(differences: Sequence[DifferenceEntry]) -> bool:
    """Tell whether some release has none of the differences."""
    return all(difference.alike for difference in differences)


def _where_met(make: PageBuilder, part: block, differences: Sequence[DifferenceEntry]) -> block:
    """Mark a part of a page to be shown for the releases that have one of the differences it speaks of."""
    return make.only(part, mindspore=[release for release in _known(make) if met_at(differences, release)])


def source_only_lid(
    make: PageBuilder, entry: Entry, answers: Sequence[AnswerDifferences], told: set[str]
) -> list[nodes.Node]:
    """Fold the facts about PyTorch alone, each once, shown for the versions of the answers that name it.

    ``told``: the sentences that the answers say, which are not said again.
    """
    alike: dict[tuple[str, str], list[AnswerDifferences]] = {}
    facts: dict[tuple[str, str], DifferenceEntry] = {}
    for answer in answers:
        for difference in first_screen(answer.differences).source_only:
            key = (difference.id, difference.text.en)
            facts.setdefault(key, difference)
            alike.setdefault(key, []).append(answer)
    blocks: list[nodes.Node] = []
    said = set(told)
    for key, difference in facts.items():
        goals = [difference_anchor(answer.name, difference, leads=answer.leads) for answer in alike[key]]
        proof = _proof_link(make, entry, difference, goals[0])
        only = Member(difference, goals[0], unsaid(make, sentences(difference), said), proof, None)
        shown = difference_block(make, [only], close=False)
        shown["ids"] += goals[1:]
        releases = {release for answer in alike[key] for release in answer.releases}
        blocks.append(make.only(shown, mindspore=releases) if len(alike[key]) < len(answers) else shown)
    return [folded(make.counted("screen.source_only", len(blocks)), *blocks)] if blocks else []


def difference_anchor(name: str, difference: DifferenceEntry, *, leads: bool) -> str:
    """Name the anchor of a difference of the answer ``name``; those of the answer shown first have the plain one."""
    prefix = "difference" if leads else f"{name}--difference"
    return anchor(f"{prefix}-{difference.id}")


def _by_headline(
    differences: Sequence[DifferenceEntry], rows: Mapping[str, ParameterEntry]
) -> dict[str, list[DifferenceEntry]]:
    """Put differences of one headline together: by the ID of the first of them. What is only to be left out is one, too."""
    first: dict[str, str] = {}
    groups: dict[str, list[DifferenceEntry]] = {}
    for difference in differences:
        headline = difference.headline.en if difference.headline else difference.id
        row = rows.get(difference.id)
        if row and _left_out(row):
            headline = f"{difference.kind} {difference.risk} {difference.reach} {row.source_range}"
        groups.setdefault(first.setdefault(headline, difference.id), []).append(difference)
    return groups


def sentences(difference: DifferenceEntry) -> list[DifferencePart]:
    """List the sentences of a difference's text, without one that the headline says already."""
    parts = difference.parts or [DifferencePart(text=difference.text)]
    return [part for part in parts if difference.headline is None or part.text != difference.headline]


def unsaid(make: PageBuilder, parts: Sequence[DifferencePart], said: set[str]) -> list[DifferencePart]:
    """List those sentences that were not ``said`` before, and note them as said."""
    left: list[DifferencePart] = []
    for part in parts:
        if make.pick(part.text) not in said:
            said.add(make.pick(part.text))
            left.append(part)
    return left


def _left_out(row: ParameterEntry) -> list[DifferencePart]:
    """What to do about a row that PyTorch alone has, of which nothing else is said."""
    if row.note or row.headline or row.relations != [Relation.ONLY_IN_SOURCE.value]:
        return []
    return [DifferencePart(text=filled("difference_text.leave_out"), note=True)]


def is_proven(difference: DifferenceEntry) -> bool:
    """Tell whether the evidence page shows what a difference rests on."""
    return bool(difference.claim_evidence or difference.claims or difference.repeat)


def _proof_link(make: PageBuilder, entry: Entry, difference: DifferenceEntry, name: str) -> list[nodes.Node]:
    """Link to what the difference at the anchor ``name`` rests on, where that is known."""
    if not is_proven(difference):
        return []
    return [make.ref("evidence", entry.id, nodes.Text(make.word("evidence")), part=proof_anchor(name))]


class Member(NamedTuple):
    """One of the differences under a headline: its anchor, what is left to say of it, the link to its proof, its row."""

    difference: DifferenceEntry
    goal: str
    parts: Sequence[DifferencePart]
    proof: Sequence[nodes.Node]
    row: ParameterEntry | None


def difference_block(make: PageBuilder, members: Sequence[Member], *, close: bool) -> block:
    """Show the risk and the headline of differences above what they say.

    ``close``: whether advice alone stands there, and what runs show opens on demand.
    """
    difference = members[0].difference
    left_out = [member.row.source or "" for member in members if member.row and _left_out(member.row)]
    if len(left_out) > 1:
        difference = replace(difference, headline=lacking_headline(difference.kind, left_out))
    head = difference_head(make, difference)
    seen = [part for member in members if (part := _seen(make, member, advice=not close)).children]
    advice = [part for member in members if close and (part := _advice(make, member)).children]
    shown: list[nodes.Node] = [paragraph(*head), *seen, *advice]
    if close and seen:
        shown = [folded(head, *seen), *advice]
    classes = ["apidiff-difference", f"apidiff-edge-{difference.risk}"]
    whole = block("", *shown, ids=[member.goal for member in members], classes=classes)
    make.document.note_explicit_target(whole)
    rows = [member.row for member in members]
    if _gone([member.difference for member in members]):
        _where_met(make, whole, [member.difference for member in members])
    return where_present(make, whole, rows[0]) if len(rows) == 1 and rows[0] else whole


def _seen(make: PageBuilder, member: Member, *, advice: bool) -> block:
    """Write what runs show of a difference, and with ``advice`` what to do, with the link to what that rests on."""
    parts = [part for part in member.parts if advice or not part.note]
    words = make.text(text_of(parts)) if parts else []
    words += [make.between_sentences(), *member.proof] if words and member.proof else member.proof
    return _of_row(make, member, block("", *([paragraph(*words)] if words else [])))


def _advice(make: PageBuilder, member: Member) -> block:
    parts = [part for part in member.parts if part.note]
    return _of_row(make, member, block("", *([paragraph(*make.text(text_of(parts)))] if parts else [])))


def _of_row(make: PageBuilder, member: Member, part: block) -> block:
    return where_present(make, part, member.row) if member.row else part


def difference_head(make: PageBuilder, difference: DifferenceEntry) -> list[nodes.Node]:
    """Show the risk of a difference and its headline."""
    fact = (
        make.text(difference.headline)
        if difference.headline
        else [nodes.Text(make.word(f"difference.{difference.kind}"))]
    )
    return [make.badge("risk", difference.risk), nodes.Text(" "), nodes.strong("", "", *fact)]


def proof_anchor(name: str) -> str:
    """Name the anchor, on the evidence page, of what the difference at the anchor ``name`` rests on."""
    return f"proof--{name}"
