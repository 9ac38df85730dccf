"""What answers a source at each MindSpore version: the target to use, or what people do where there is none."""

from __future__ import annotations

from typing import NamedTuple

from docutils import nodes

from apidiff.model import Status, Version
from apidiff.model.ranges import holds
from apidiff.model.views import DifferenceEntry, Entry, OtherwiseEntry, TargetEntry
from apidiff.sphinxext.builder import Builder
from apidiff.sphinxext.claims import stated_places
from apidiff.sphinxext.differences import differences_section
from apidiff.sphinxext.nodes import Cell, Inline, anchor, block, code, folded, joined, literal, paragraph, table
from apidiff.sphinxext.version_visibility import marked_inline, marked_section

_STATUSES = [status.value for status in Status]
MAPS_TO = "maps_to"


class Answer(NamedTuple):
    """What answers a source in some releases: a target, or another answer, or nothing."""

    releases: list[str]
    target: TargetEntry | None
    otherwise: OtherwiseEntry | None


def current_target(entry: Entry, version: str) -> TargetEntry | None:
    """The target to use on the MindSpore ``version``, or None where no range covers it."""
    wanted = Version(version)
    return next(
        (
            target
            for target in entry.targets
            if any(one.status == Status.CURRENT.value and holds(one.since, one.until, wanted) for one in target.ranges)
        ),
        None,
    )


def current_answer(entry: Entry, version: str) -> OtherwiseEntry | None:
    """What answers the source on the MindSpore ``version`` where no target does."""
    return next((one for one in entry.otherwise if holds(one.since, one.until, Version(version))), None)


def answer_at(entry: Entry, version: str) -> tuple[str | None, str | None, list[DifferenceEntry]]:
    """The kind of answer on the MindSpore ``version``, its risk and its differences; None where there is no answer."""
    if target := current_target(entry, version):
        return MAPS_TO, target.risk, target.differences
    if answer := current_answer(entry, version):
        return answer.answer, answer.risk, answer.differences
    return None, None, []


def answer_anchor(answer: OtherwiseEntry) -> str:
    """The anchor of the section about an answer; ranges of a mapping do not overlap, so their starts differ."""
    return f"otherwise--{answer.since or 'first'}"


def answers(entry: Entry, releases: list[str]) -> list[Answer]:
    """Each answer with the releases that it answers for, in the order of ``releases``."""
    found: dict[str, Answer] = {}
    for release in releases:
        target, otherwise = current_target(entry, release), current_answer(entry, release)
        key = target.name if target else answer_anchor(otherwise) if otherwise else ""
        found.setdefault(key, Answer([], target, None if target else otherwise)).releases.append(release)
    return list(found.values())


def answer_boxes(make: Builder, entry: Entry) -> list[nodes.Node]:
    """The answer at a glance, one box for each; the one for the newest release is shown."""
    found = answers(entry, make.releases.known["mindspore"])
    return [make.only(_box(make, entry, answer), mindspore=answer.releases) for answer in found]


def _box(make: Builder, entry: Entry, answer: Answer) -> block:
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


def _also_there(make: Builder, entry: Entry, answer: Answer) -> list[nodes.Node]:
    """The targets that are there too in one of the releases of an answer, each with its standing, where it has one."""
    found: list[Inline] = []
    told: set[str] = set()
    for target in reversed(entry.targets):
        for one in target.ranges:
            here = [v for v in make.releases.between("mindspore", one.since, one.until) if v in answer.releases]
            if target is answer.target or one.status == Status.REMOVED.value or not here:
                continue
            told.update(here)
            link = nodes.reference("", "", literal(target.name), refid=anchor(target.name))
            words = marked_inline(
                "", "", link, nodes.Text(" "), make.badge("status", one.status), classes=["apidiff-also"]
            )
            found.append([make.only(words, mindspore=here)])
    if not found:
        return []
    return [make.only(block("", make.term("box.also_there", *joined(found, " "))), mindspore=told)]


def versions_table(make: Builder, entry: Entry) -> nodes.table:
    """Every range of MindSpore versions with its target or other answer, newest first."""
    rows: list[tuple[str | None, int, list[Cell]]] = []
    for target in entry.targets:
        link = nodes.reference("", "", literal(target.name), refid=anchor(target.name))
        for one in target.ranges:
            cells: list[Cell] = [make.span(one.range), [link.deepcopy()], [make.badge("status", one.status)]]
            rows.append((one.since, _STATUSES.index(one.status), [*cells, [make.badge("risk", target.risk)]]))
    for answer in entry.otherwise:
        link = nodes.reference("", make.word(f"answer_meaning.{answer.answer}"), refid=answer_anchor(answer))
        cells = [
            make.span(answer.range),
            [link],
            [make.badge("answer", answer.answer)],
            [make.badge("risk", answer.risk)],
        ]
        rows.append((answer.since, 0, cells))
    # Newest range first; where two begin together, the one to use.
    rows.sort(key=lambda row: row[1])
    rows.sort(key=lambda row: Version(row[0] or "0"), reverse=True)
    header = [make.word(f"column.{name}") for name in ("range", "answer_or_target", "status", "risk")]
    return table(header, [row[2] for row in rows])


def otherwise_section(make: Builder, entry: Entry, answer: OtherwiseEntry, *, leads: bool) -> marked_section:
    """One answer without a target: why, what to do, with which APIs, and the recipe as it runs.

    ``leads``: whether it is the answer on the newest release, whose differences have the plain anchors.
    """
    badge = paragraph(
        nodes.Text(make.span(answer.range) + " "),
        make.badge("answer", answer.answer),
        nodes.Text(" "),
        make.badge("risk", answer.risk),
        classes=["apidiff-ranges"],
    )
    meaning = paragraph(nodes.Text(make.word(f"answer_meaning.{answer.answer}")))
    children: list[nodes.Node] = [badge, meaning, make.term("column.why", *make.text(answer.why))]
    if answer.instead:
        children.append(make.term("instead", *make.text(answer.instead)))
    if answer.uses:
        links = [[make.ref("api", name, optional=True)] for name in answer.uses]
        children.append(make.term("uses", *joined(links, make.word("site.comma"))))
    if answer.after:
        pair = [_titled_code(make.phrase("code.before", entry.source), answer.before)] if answer.before else []
        pair.append(_titled_code([nodes.Text(make.word("code.recipe"))], answer.after))
        children.append(block("", *pair, classes=["apidiff-pair"]))
    if answer.recipe:
        script = make.filled("fold.script", path=[literal(answer.recipe.path)])
        children += [make.term("example.run"), code(answer.recipe.command, "bash")]
        children.append(folded(script, code(answer.recipe.code)))
        children += [make.term("example.output"), code(answer.recipe.expected, "text")]
        if answer.recipe.claim:
            children.append(make.term("example.checked", make.ref("claim", answer.recipe.claim)))
    if answer.stated:
        children += [make.term("claim.stated"), stated_places(make, entry.documents, answer.stated)]
    title = make.word("otherwise.title", answer=make.word(f"answer.{answer.answer}"), range=make.span(answer.range))
    name = answer_anchor(answer)
    found = make.section(name, title, *children)
    if answer.differences or leads:
        intro = paragraph(nodes.Text(make.word("differences.of_source")))
        found += differences_section(make, name, intro, answer.differences, leads=leads)
    return found


def _titled_code(title: list[nodes.Node], text: str) -> block:
    return block("", paragraph(*title, classes=["apidiff-caption"]), code(text))
