"""Index pages: mappings by category and by risk, what the words there mean, run records, and what runs refute."""

from __future__ import annotations

from collections.abc import Iterable

from docutils import nodes

from apidiff.derive.verdicts_by_run import measurer
from apidiff.execute.submissions.signed import State
from apidiff.messages.signed_words import signed_words
from apidiff.model import AnswerKind, Risk
from apidiff.model.categories import CATEGORIES
from apidiff.model.views import ClaimEntry, DifferenceEntry, Entry
from apidiff.sphinxext.answers import MAPS_TO, answer_at, current_answer, current_target
from apidiff.sphinxext.build_cache import MappingPage, RunLine
from apidiff.sphinxext.builder import Builder
from apidiff.sphinxext.nodes import Cell, Inline, anchor, block, joined, literal, paragraph, table
from apidiff.sphinxext.refuted import refuted_block, refuted_claims
from apidiff.sphinxext.run_page import run_title


def _by_category(pages: list[MappingPage]) -> list[tuple[str, list[MappingPage]]]:
    """The mappings of each category that has any, in the order of the categories."""
    found = [(category, [page for page in pages if page.entry.category == category]) for category in CATEGORIES]
    return [(category, members) for category, members in found if members]


def _pair(make: Builder, entry: Entry, newest: str) -> list[nodes.Node]:
    """The source, and below it what answers it on the MindSpore version ``newest``."""
    found = [paragraph(make.ref("mapping", entry.id))]
    if current := current_target(entry, newest):
        link = make.ref("mapping", entry.id, literal(current.name), part=anchor(current.name))
        found.append(paragraph(nodes.Text("→ "), link))
    elif (answer := current_answer(entry, newest)) and answer.uses:
        names: list[Inline] = [[literal(name)] for name in answer.uses]
        found.append(paragraph(nodes.Text("→ "), *joined(names, make.word("site.comma")), classes=["apidiff-wrap"]))
    return list(found)


def by_category(make: Builder, pages: list[MappingPage], newest: str) -> list[nodes.Node]:
    """All mappings at a glance: one section a category, with the names and what is not simply a target."""
    if not pages:
        return [paragraph(nodes.Text(make.word("index.empty")))]
    sections: list[nodes.Node] = []
    for category, found in _by_category(pages):
        items = [nodes.list_item("", paragraph(*_glance(make, page.entry, newest))) for page in found]
        names = nodes.bullet_list("", *items, classes=["apidiff-glance"])
        sections.append(make.section(f"category-{category}", make.word(f"category.{category}"), names))
    return sections


def _glance(make: Builder, entry: Entry, newest: str) -> Inline:
    kind, risk, _ = answer_at(entry, newest)
    link: list[nodes.Node] = [make.ref("mapping", entry.id)]
    if kind and kind != MAPS_TO:
        return [*link, nodes.Text(" "), make.badge("answer", kind)]
    return [*link, nodes.Text(" "), make.badge("risk", risk)] if risk else link


def by_risk(make: Builder, pages: list[MappingPage], newest: str) -> list[nodes.Node]:
    """One section a risk, worst first, with every difference of that risk that the newest MindSpore makes."""
    return [_risk_section(make, risk.value, pages, newest) for risk in Risk]


def _risk_section(make: Builder, risk: str, pages: list[MappingPage], newest: str) -> nodes.section:
    rows = [
        _difference_row(make, page.entry, difference, newest)
        for page in pages
        for difference in answer_at(page.entry, newest)[2]
        if difference.risk == risk
    ]
    title = [make.badge("risk", risk)]
    meaning = paragraph(nodes.Text(make.word(f"risk_meaning.{risk}")))
    if not rows:
        return make.section(risk, title, meaning, paragraph(nodes.Text(make.word("index.risk_empty"))))
    header = [
        make.word("column.api_and_target", version=newest),
        make.word("column.kind"),
        make.word("column.difference"),
    ]
    return make.section(risk, title, meaning, table(header, rows, classes=["apidiff-stacked", "apidiff-findings"]))


def _difference_row(make: Builder, entry: Entry, difference: DifferenceEntry, newest: str) -> list[Cell]:
    kind = make.ref(
        "mapping", entry.id, nodes.Text(make.word(f"difference.{difference.kind}")), part=f"difference-{difference.id}"
    )
    return [_pair(make, entry, newest), [kind], make.text(difference.text)]


def meanings(make: Builder) -> list[nodes.Node]:
    """What the words of risks and of answers mean, and how the two go together."""
    risks = [("risk", risk.value) for risk in Risk]
    answers = [("answer", kind.value) for kind in AnswerKind]
    return [
        paragraph(nodes.Text(make.word("meanings.risk"))),
        _meanings(make, risks),
        paragraph(nodes.Text(make.word("meanings.answer"))),
        _meanings(make, answers),
    ]


def _meanings(make: Builder, words: Iterable[tuple[str, str]]) -> nodes.bullet_list:
    items = []
    for kind, value in words:
        text = nodes.Text(" " + make.word(f"{kind}_meaning.{value}"))
        items.append(nodes.list_item("", paragraph(make.badge(kind, value), text)))
    return nodes.bullet_list("", *items, classes=["apidiff-meanings"])


def refuted_statements(make: Builder, pages: list[MappingPage]) -> list[nodes.Node]:
    """Every refuted statement, by mapping; that of a target which several mappings share stands once."""
    sections: list[nodes.Node] = []
    for page in pages:
        found = [claim for claim in refuted_claims(page.entry) if _belongs(page.entry, claim)]
        if found:
            link = make.ref("mapping", page.entry.id)
            blocks = [refuted_block(make, page.entry, claim) for claim in found]
            sections.append(make.section(page.entry.id, [link], *blocks))
    return sections or [paragraph(nodes.Text(make.word("refuted_index.empty")))]


def _belongs(entry: Entry, claim: ClaimEntry) -> bool:
    """Whether the claim is one of this mapping, not of another that it shares a target with."""
    return not any(target.name == claim.subject and target.defined_in for target in entry.targets)


def runs(make: Builder, lines: Iterable[RunLine]) -> list[nodes.Node]:
    """One row a run record."""
    rows: list[list[Cell]] = []
    for line in lines:
        title = run_title(make, line.framework, line.framework_version, line.backend, line.device, line.world_size)
        ends = [[nodes.Text(f"{count} "), make.badge("end", end)] for end, count in line.ends.items()]
        if line.stopped:
            ends.append([nodes.Text(f"· {make.word('run.stopped_short')}")])
        name = [paragraph(make.ref("run", line.id, nodes.Text(title)))]
        if line.measured_by:
            name.append(paragraph(make.lead("run.measured_by"), nodes.Text(measurer(line.measured_by, make.language))))
        if line.signed.state is not State.UNSIGNED:
            name.append(paragraph(nodes.Text(signed_words(line.signed, make.language))))
        rows.append([name, [make.date(line.date)], joined(ends, " "), [literal(line.id)]])
    if not rows:
        return [paragraph(nodes.Text(make.word("runs.empty")))]
    header = [make.word("column.run"), make.word("run.date"), make.word("run.count"), make.word("run.id")]
    return [block("", table(header, rows))]
