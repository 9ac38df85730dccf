"""What answers a source at each MindSpore version: the target to use, or what people do where there is none."""

from __future__ import annotations

from docutils import nodes

from apidiff.model import Status, Version
from apidiff.model.entry import DifferenceEntry, Entry, OtherwiseEntry, TargetEntry
from apidiff.model.ranges import holds
from apidiff.sphinxext.claims import stated_places
from apidiff.sphinxext.nodes import Builder, Cell, anchor, block, code, joined, literal, paragraph, table

_STATUSES = [status.value for status in Status]
MAPS_TO = "maps_to"


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


def answer_box(make: Builder, entry: Entry, newest: str) -> block:
    """The answer on the newest MindSpore version, at a glance."""
    if target := current_target(entry, newest):
        link = nodes.reference("", "", literal(target.name), refid=anchor(target.name))
        return block(
            "",
            paragraph(nodes.Text(make.word("box.current", version=newest))),
            paragraph(
                link, nodes.Text(" "), make.badge("status", Status.CURRENT.value), classes=["apidiff-box-target"]
            ),
            make.term("worst_risk", make.badge("risk", target.risk)),
            classes=["apidiff-box"],
        )
    answer = current_answer(entry, newest)
    if answer is None:
        return block("", paragraph(nodes.Text(make.word("box.no_current", version=newest))), classes=["apidiff-box"])
    link = nodes.reference("", "", make.badge("answer", answer.answer), refid=answer_anchor(answer))
    children = [
        paragraph(nodes.Text(make.word("box.answer", version=newest))),
        paragraph(link, classes=["apidiff-box-target"]),
        paragraph(*make.text(answer.why)),
    ]
    if answer.instead:
        children.append(make.term("instead", *make.text(answer.instead)))
    children.append(make.term("worst_risk", make.badge("risk", answer.risk)))
    return block("", *children, classes=["apidiff-box"])


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


def otherwise_section(make: Builder, entry: Entry, answer: OtherwiseEntry) -> nodes.section:
    """One answer without a target: why, what to do, with which APIs, and the recipe as it runs."""
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
    if answer.stated:
        children += [make.term("claim.stated"), stated_places(make, entry.documents, answer.stated)]
    if answer.after:
        pair = [
            _titled_code(make.phrase("code.before", entry.source), answer.before),
            _titled_code([nodes.Text(make.word("code.recipe"))], answer.after),
        ]
        children.append(block("", *pair, classes=["apidiff-pair"]))
    if answer.recipe:
        children += [make.term("example.script", literal(answer.recipe.path)), code(answer.recipe.code)]
        children += [make.term("example.run"), code(answer.recipe.command, "bash")]
        children += [make.term("example.output"), code(answer.recipe.expected, "text")]
        if answer.recipe.claim:
            children.append(make.term("example.checked", make.ref("claim", answer.recipe.claim)))
    title = make.word("otherwise.title", answer=make.word(f"answer.{answer.answer}"), range=make.span(answer.range))
    return make.section(answer_anchor(answer), title, *children)


def _titled_code(title: list[nodes.Node], text: str) -> block:
    return block("", paragraph(*title, classes=["apidiff-caption"]), code(text))
