"""Index pages: mappings by API and by risk, run records, and what runs refute."""

from __future__ import annotations

from collections.abc import Iterable

from docutils import nodes

from apidiff.model import Risk
from apidiff.model.entry import DifferenceEntry, Entry, TargetEntry
from apidiff.sphinxext.claims import refuted_block, refuted_claims
from apidiff.sphinxext.content import MappingPage, RunLine
from apidiff.sphinxext.mapping_page import current_target
from apidiff.sphinxext.nodes import Builder, Cell, anchor, block, joined, literal, paragraph, table
from apidiff.sphinxext.run_page import run_title


def by_api(make: Builder, pages: list[MappingPage], newest: str) -> list[nodes.Node]:
    """One row a mapping, by name."""
    if not pages:
        return [paragraph(nodes.Text(make.word("index.empty")))]
    header = [
        make.word("column.risk"),
        make.word("column.api_and_target", version=newest),
        *(make.word(f"column.{name}") for name in ("worst", "claims")),
    ]
    rows = [_api_row(make, page.entry, current_target(page.entry, newest)) for page in pages]
    return [block("", table(header, rows, classes=["apidiff-stacked"]), filter=make.word("index.filter"))]


def _api_row(make: Builder, entry: Entry, current: TargetEntry | None) -> list[Cell]:
    worst = current.differences[0] if current and current.differences else None
    return [
        [make.badge("risk", current.risk)] if current else "",
        _pair(make, entry, current),
        make.text(worst.text) if worst else "",
        make.word("index.claims", claims=len(entry.claims), refuted=len(refuted_claims(entry))),
    ]


def _pair(make: Builder, entry: Entry, current: TargetEntry | None) -> list[nodes.Node]:
    source = paragraph(make.ref("mapping", entry.id))
    if current is None:
        return [source]
    return [
        source,
        paragraph(nodes.Text("→ "), make.ref("mapping", entry.id, literal(current.name), part=anchor(current.name))),
    ]


def by_risk(make: Builder, pages: list[MappingPage], newest: str) -> list[nodes.Node]:
    """One section a risk, worst first, with every difference of that risk from a current target."""
    return [_risk_section(make, risk.value, pages, newest) for risk in Risk]


def _risk_section(make: Builder, risk: str, pages: list[MappingPage], newest: str) -> nodes.section:
    rows: list[list[Cell]] = []
    for page in pages:
        current = current_target(page.entry, newest)
        found = [difference for difference in current.differences if difference.risk == risk] if current else []
        if current:
            rows += [_difference_row(make, page.entry, current, difference) for difference in found]
    title = [make.badge("risk", risk)]
    meaning = paragraph(nodes.Text(make.word(f"risk_meaning.{risk}")))
    if not rows:
        return make.section(risk, title, meaning, paragraph(nodes.Text(make.word("index.risk_empty"))))
    header = [
        make.word("column.api_and_target", version=newest),
        make.word("column.kind"),
        make.word("column.difference"),
    ]
    return make.section(risk, title, meaning, table(header, rows, classes=["apidiff-stacked"]))


def _difference_row(make: Builder, entry: Entry, target: TargetEntry, difference: DifferenceEntry) -> list[Cell]:
    kind = make.ref(
        "mapping", entry.id, nodes.Text(make.word(f"difference.{difference.kind}")), part=f"difference-{difference.id}"
    )
    return [_pair(make, entry, target), [kind], make.text(difference.text)]


def refuted_statements(make: Builder, pages: list[MappingPage]) -> list[nodes.Node]:
    """Every refuted statement, by mapping."""
    sections: list[nodes.Node] = []
    for page in pages:
        found = refuted_claims(page.entry)
        if found:
            link = make.ref("mapping", page.entry.id)
            blocks = [refuted_block(make, page.entry, claim) for claim in found]
            sections.append(make.section(page.entry.id, [link], *blocks))
    return sections or [paragraph(nodes.Text(make.word("refuted_index.empty")))]


def runs(make: Builder, lines: Iterable[RunLine]) -> list[nodes.Node]:
    """One row a run record."""
    rows: list[list[Cell]] = []
    for line in lines:
        title = run_title(make, line.framework, line.framework_version, line.backend, line.device, line.world_size)
        ends = [[nodes.Text(f"{count} "), make.badge("end", end)] for end, count in line.ends.items()]
        rows.append([[make.ref("run", line.id, nodes.Text(title))], line.date, joined(ends, " "), [literal(line.id)]])
    if not rows:
        return [paragraph(nodes.Text(make.word("runs.empty")))]
    header = [make.word("column.run"), make.word("run.date"), make.word("run.count"), make.word("run.id")]
    return [block("", table(header, rows))]
