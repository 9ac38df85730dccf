"""Shows what answers a source at each MindSpore version: the target to use, or what people do where there is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from docutils import nodes

from apidiff.derive.answers import Answer, AnswerRange, answer_ranges, answers
from apidiff.messages.code_comments import commented
from apidiff.messages.first_screen import first_screen
from apidiff.model.views import DifferenceEntry, Entry, EvidenceEntry, OtherwiseEntry, ParameterEntry
from apidiff.model.vocabulary import Status
from apidiff.sphinxext.claims import stated_places
from apidiff.sphinxext.nodes import Cell, Inline, Marked, block, code, folded, joined, literal, paragraph, table
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.run_page import run_part
from apidiff.sphinxext.versions import marked_inline, marked_section
from apidiff.writers.exports.address import anchor


def answer_anchor(answer: OtherwiseEntry | AnswerRange) -> str:
    """Name the anchor of the section about an answer; ranges of a mapping do not overlap, so their starts differ."""
    return f"otherwise--{answer.since or 'first'}"


def answer_boxes(make: PageBuilder, entry: Entry) -> list[nodes.Node]:
    """Build the answer at a glance, one box per answer; the one for the newest release is shown."""
    all_answers = answers(entry, make.releases.known["mindspore"])
    return [make.only(_box(make, entry, answer), mindspore=answer.releases) for answer in all_answers]


def _box(make: PageBuilder, entry: Entry, answer: Answer) -> block:
    version = make.chosen("mindspore")
    if answer.target:
        link = nodes.reference("", "", literal(answer.target.name), refid=anchor(answer.target.name))
        status = make.badge("status", Status.CURRENT.value)
        children: list[nodes.Node] = [
            paragraph(*make.filled("box.current", version=version)),
            paragraph(link, nodes.Text(" "), status, classes=["apidiff-box-target"]),
            make.term("worst_risk", make.badge("risk", answer.target.risk)),
        ]
    elif answer.otherwise:
        badge = make.badge("answer", answer.otherwise.answer)
        link = nodes.reference("", "", badge, refid=answer_anchor(answer.otherwise))
        children = [
            paragraph(*make.filled("box.answer", version=version)),
            paragraph(link, classes=["apidiff-box-target"]),
            paragraph(*make.text(answer.otherwise.why)),
        ]
        if answer.otherwise.instead:
            children.append(make.term("instead", *make.text(answer.otherwise.instead)))
        children.append(make.term("worst_risk", make.badge("risk", answer.otherwise.risk)))
    else:
        children = [paragraph(*make.filled("box.no_current", version=version))]
    return block("", *children, *_also_there(make, entry, answer), classes=["apidiff-box"])


def _also_there(make: PageBuilder, entry: Entry, answer: Answer) -> list[nodes.Node]:
    """List the targets that exist too in one of the releases of an answer, each with its status."""
    others: list[Inline] = []
    told: set[str] = set()
    for target in reversed(entry.targets):
        for span in target.ranges:
            here = [v for v in make.releases.between("mindspore", span.since, span.until) if v in answer.releases]
            if target is answer.target or span.status == Status.REMOVED.value or not here:
                continue
            told.update(here)
            link = nodes.reference("", "", literal(target.name), refid=anchor(target.name))
            words = marked_inline(
                "", "", link, nodes.Text(" "), make.badge("status", span.status), classes=["apidiff-also"]
            )
            others.append([make.only(words, mindspore=here)])
    if not others:
        return []
    return [make.only(block("", make.term("box.also_there", *joined(others, " "))), mindspore=told)]


def versions_table(make: PageBuilder, entry: Entry) -> nodes.table:
    """List every range of MindSpore versions with its target or other answer, newest first."""
    rows: list[list[Cell]] = []
    for row in answer_ranges(entry):
        if row.target:
            link, kind = nodes.reference("", "", literal(row.target), refid=anchor(row.target)), "status"
        else:
            meaning = make.word(f"answer_meaning.{row.status}")
            link, kind = nodes.reference("", meaning, refid=answer_anchor(row)), "answer"
        rows.append([make.span(row.range), [link], [make.badge(kind, row.status)], [make.badge("risk", row.risk)]])
    header = [make.word(f"column.{name}") for name in ("range", "answer_or_target", "status", "risk")]
    return table(header, rows)


def otherwise_section(make: PageBuilder, entry: Entry, answer: OtherwiseEntry, *, leads: bool) -> marked_section:
    """Build the section of an answer without a target: why, what to do, with which APIs, and the recipe as it runs.

    ``leads``: whether it is the answer on the newest release, whose differences have the plain anchors.
    """
    badge = paragraph(
        nodes.Text(make.span(answer.range) + " "),
        make.badge("answer", answer.answer),
        nodes.Text(" "),
        make.badge("risk", answer.risk),
        classes=["apidiff-ranges"],
    )
    meaning = make.sentence(f"answer_meaning.{answer.answer}")
    children: list[nodes.Node] = [badge, meaning, make.term("column.why", *make.text(answer.why))]
    if answer.instead:
        children.append(make.term("instead", *make.text(answer.instead)))
    if answer.uses:
        links = [[make.ref("api", name, optional=True)] for name in answer.uses]
        children.append(make.term("uses", *joined(links, make.word("site.comma"))))
    if answer.after:
        pair = [_titled_code(make.phrase("code.before", entry.source), answer.before)] if answer.before else []
        pair.append(_titled_code([nodes.Text(make.word("code.recipe"))], commented(answer.after, make.language)))
        children.append(block("", *pair, classes=["apidiff-pair"]))
    if answer.recipe:
        script = make.filled("fold.script", path=[literal(answer.recipe.path)])
        children += [make.term("example.run"), code(answer.recipe.command, "bash")]
        children.append(folded(script, code(commented(answer.recipe.code, make.language))))
        children += [make.term("example.output"), code(answer.recipe.expected, "text")]
        if answer.recipe.claim:
            children.append(make.term("example.checked", make.ref("claim", answer.recipe.claim)))
    if answer.stated:
        children += [make.term("claim.stated"), stated_places(make, entry.documents, answer.stated)]
    title = make.word("otherwise.title", answer=make.word(f"answer.{answer.answer}"), range=make.span(answer.range))
    name = answer_anchor(answer)
    section = make.section(name, title, *children)
    if answer.differences or leads:
        intro = make.sentence("differences.of_source")
        section += differences_section(make, name, intro, answer.differences, leads=leads)
    return section


def _titled_code(title: list[nodes.Node], text: str) -> block:
    return block("", paragraph(*title, classes=["apidiff-caption"]), code(text))


def differences_section(
    make: PageBuilder,
    name: str,
    intro: nodes.paragraph,
    differences: Sequence[DifferenceEntry],
    rows: Mapping[str, ParameterEntry] | None = None,
    *,
    leads: bool,
) -> marked_section:
    """List the differences of the answer ``name`` (an anchor): what must change, what to watch; the others are folded.

    ``rows``: the rows of parameters and members by the ID of the difference that they make; it is shown where they are.
    ``leads``: whether this is the answer on the newest release. Its differences are ``difference-…``, those of all others
    have the answer's anchor before that.
    """
    prefix = "difference" if leads else f"{name}--difference"
    shown: list[nodes.Node] = [intro] if differences else [make.sentence("differences.none")]
    screen = first_screen(differences)

    def blocks(listed: Sequence[DifferenceEntry]) -> Iterator[block]:
        for difference in listed:
            part = difference_block(make, difference, prefix)
            if rows and (row := rows.get(difference.id)):
                where_present(make, part, row)
            yield part

    for key, everyday in (("screen.must", screen.must), ("screen.watch", screen.watch)):
        if everyday:
            shown += [paragraph(nodes.strong("", make.word(key)), classes=["apidiff-caption"]), *blocks(everyday)]
    for key, others in (("screen.edge", screen.edge), ("screen.source_only", screen.source_only)):
        if others:
            count = make.word("site.aside").format(text=len(others))
            shown.append(folded(make.word(key) + count, *blocks(others)))
    section = make.section(f"{name}--differences", make.word("differences"), *shown)
    if leads:
        section["ids"].append("differences")
    return section


def where_present(make: PageBuilder, node: Marked, row: ParameterEntry) -> Marked:
    """Mark a node to be shown where what a row is about exists: a name that one side alone has comes and goes."""
    if row.target is None and row.source_range:
        return make.only(node, torch=make.releases.told("torch", row.source_range))
    if row.source is None and row.target_range:
        return make.only(node, mindspore=make.releases.told("mindspore", row.target_range))
    return node


def difference_block(make: PageBuilder, difference: DifferenceEntry, prefix: str) -> block:
    """Show one difference: risk, headline and text; evidence and the claims it rests on are folded."""
    fact = (
        make.text(difference.headline)
        if difference.headline
        else [nodes.Text(make.word(f"difference.{difference.kind}"))]
    )
    head = [make.badge("risk", difference.risk), nodes.Text(" "), nodes.strong("", "", *fact)]
    children: list[nodes.Node] = [paragraph(*head), paragraph(*make.text(difference.text))]
    if folds := _folds(make, difference):
        children.append(folded(make.word("evidence"), *folds))
    shown = block(
        "",
        *children,
        ids=[anchor(f"{prefix}-{difference.id}")],
        classes=["apidiff-difference", f"apidiff-edge-{difference.risk}"],
    )
    make.document.note_explicit_target(shown)
    return shown


def _folds(make: PageBuilder, difference: DifferenceEntry) -> list[nodes.Node]:
    children: list[nodes.Node] = []
    if difference.evidence:
        items = [nodes.list_item("", _evidence(make, difference, evidence)) for evidence in difference.evidence]
        children.append(nodes.bullet_list("", *items, classes=["apidiff-evidence"]))
    if difference.claims:
        links = [[make.ref("claim", claim)] for claim in difference.claims]
        children.append(make.term("rests_on", *joined(links, make.word("site.comma"))))
    return children


def _evidence(make: PageBuilder, difference: DifferenceEntry, evidence: EvidenceEntry) -> block:
    """Show what runs say of a claim; where the chosen version was run, only what its run says."""
    part = run_part(evidence.claim.partition("#")[0])
    runs = joined([[make.ref("run", run, part=part)] for run in evidence.runs], make.word("site.comma"))
    claim = [make.ref("claim", evidence.claim), nodes.Text(make.word("site.colon"))]
    shown = block("", paragraph(*claim, *make.text(evidence.text), nodes.Text(" ["), *runs, nodes.Text("]")))
    run = [version for other in difference.evidence if other.claim == evidence.claim for version in other.versions]
    if evidence.versions:
        rest = make.releases.others(evidence.framework, run)
        make.only_in(shown, evidence.framework, [*evidence.versions, *rest])
    return shown
