"""The dashboard: what was run and what was not, with the numbers behind every bar."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from docutils import nodes

from apidiff.derive.coverage import OUTCOMES
from apidiff.model.coverage import (
    ApiCount,
    Coverage,
    NeverRun,
    NotRun,
    PlaceCoverage,
    VersionChange,
    WithoutRun,
)
from apidiff.sphinxext.nodes import Cell, Inline, block, folded, joined, literal, paragraph, table
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.writers.exports.address import anchor

_REASONS = [reason.value for reason in NotRun if reason is not NotRun.NO_DEVICE]
_WIDTH = 1000


def coverage_sections(make: PageBuilder, found: Coverage) -> list[nodes.Node]:
    """The whole page below its title."""
    if not found.runs:
        return [paragraph(nodes.Text(make.word("runs.empty")))]
    totals = make.word("coverage.totals", mappings=found.mappings, claims=found.claims, judged=found.judged)
    return [
        paragraph(nodes.Text(totals), classes=["apidiff-summary"]),
        paragraph(nodes.Text(make.word("coverage.about"))),
        make.section("outcomes", make.word("coverage.outcomes"), *_outcomes(make, found)),
        make.section("sizes", make.word("coverage.sizes"), *_sizes(make, found)),
        make.section("never-run", make.word("coverage.never_run"), *_never_run(make, found)),
        make.section("refuted-statements", make.word("coverage.refuted"), *_refuted(make, found)),
        make.section("unsupported", make.word("coverage.unsupported"), *_unsupported(make, found)),
        make.section("changes", make.word("coverage.changes"), *_changes(make, found)),
        make.section("without-run", make.word("coverage.without_run"), *_without_run(make, found)),
        make.section("records", make.word("coverage.records"), *_records(make, found)),
    ]


def _name(make: PageBuilder, framework: str, version: str, backend: str, device: str) -> str:
    name = make.word(f"framework.{framework}")
    return make.word("coverage.place", framework=name, version=version, backend=backend, device=device)


def _place(make: PageBuilder, one: PlaceCoverage) -> str:
    return _name(make, one.framework, one.framework_version, one.backend, one.device)


def _outcomes(make: PageBuilder, found: Coverage) -> list[nodes.Node]:
    children: list[nodes.Node] = [_bar(make, one) for one in found.places]
    used = [value for value in OUTCOMES if any(one.outcomes.get(value) for one in found.places)]
    reasons = [value for value in _REASONS if any(one.not_run.get(value) for one in found.places)]
    header = [make.word("coverage.column.place"), *(make.word(f"outcome.{value}") for value in used)]
    header += [make.word(f"not_run.{value}") for value in reasons] + [make.word("column.claims")]
    rows: list[list[Cell]] = [
        [
            _place(make, one),
            *(str(one.outcomes.get(value, 0)) for value in used),
            *(str(one.not_run.get(value, 0)) for value in reasons),
            str(one.claims),
        ]
        for one in found.places
    ]
    children.append(table(header, rows, classes=["apidiff-numbers", "apidiff-dense"]))
    meanings = [
        nodes.list_item("", paragraph(nodes.strong("", make.word(f"not_run.{value}")), _meaning(make, value)))
        for value in reasons
    ]
    if meanings:
        children.append(nodes.bullet_list("", *meanings))
    return children


def _meaning(make: PageBuilder, value: str) -> nodes.Text:
    return nodes.Text(make.word("site.colon") + make.word(f"not_run_meaning.{value}"))


def _bar(make: PageBuilder, one: PlaceCoverage) -> block:
    parts = [(value, make.word(f"outcome.{value}"), one.outcomes.get(value, 0)) for value in OUTCOMES]
    parts += [(value, make.word(f"not_run.{value}"), one.not_run.get(value, 0)) for value in _REASONS]
    legend: list[Inline] = []
    for value, words, number in parts:
        if number:
            key = nodes.inline("", "", classes=["apidiff-key", f"apidiff-fill-{value.replace(' ', '-')}"])
            legend.append([nodes.inline("", "", key, nodes.Text(f"{words} {number}"), classes=["apidiff-legend"])])
    return block(
        "",
        paragraph(nodes.Text(_place(make, one)), classes=["apidiff-caption"]),
        bar("", parts=parts),
        paragraph(*joined(legend, " ")),
        classes=["apidiff-coverage"],
    )


def _sizes(make: PageBuilder, found: Coverage) -> list[nodes.Node]:
    used = [v for v in OUTCOMES if any(size.outcomes.get(v) for one in found.places for size in one.sizes)]
    header = [make.word("coverage.column.place"), make.word("run.world_size")]
    header += [make.word(f"outcome.{value}") for value in used] + [make.word("coverage.other_sizes")]
    rows: list[list[Cell]] = []
    for one in found.places:
        for size in one.sizes:
            link: Inline = [make.ref("run", size.runs[0], nodes.Text(str(size.world_size)))]
            counts = [str(size.outcomes.get(value, 0)) for value in used]
            rows.append([_place(make, one), link, *counts, str(size.not_run)])
    words = paragraph(nodes.Text(make.word("coverage.sizes_about")))
    return [words, table(header, rows, classes=["apidiff-numbers"])]


def _never_run(make: PageBuilder, found: Coverage) -> list[nodes.Node]:
    if not found.never_run:
        return [paragraph(nodes.Text(make.word("coverage.never_run_none")))]
    children: list[nodes.Node] = [paragraph(nodes.Text(make.word("coverage.never_run_about")))]
    header = [make.word(f"column.{name}") for name in ("backend", "framework", "device", "claims")]
    rows: list[list[Cell]] = [
        [[literal(one.backend)], make.word(f"framework.{one.framework}"), one.device, str(one.claims)]
        for one in found.never_run
    ]
    children.append(table(header, rows, classes=["apidiff-last-number"]))
    return children + [_waiting(make, one) for one in found.never_run]


def _waiting(make: PageBuilder, one: NeverRun) -> nodes.section:
    name = make.word(f"framework.{one.framework}")
    title = make.word("coverage.waiting", framework=name, backend=one.backend, device=one.device)
    looks = make.term("coverage.looks_for", *make.text(one.looks_for))
    count = make.word("coverage.claims_of_apis", claims=one.claims, apis=len(one.apis))
    goal = anchor(f"never-run--{one.framework}-{one.backend}-{one.device}")
    return make.section(goal, title, looks, folded(count, _api_list(make, one.apis)))


def _api_list(make: PageBuilder, apis: list[ApiCount]) -> nodes.bullet_list:
    items = []
    for one in apis:
        link = make.ref("mapping", one.mapping, literal(one.api), part=anchor(f"claims--{one.api}"))
        items.append(nodes.list_item("", paragraph(link, nodes.Text(f" {len(one.ids)}"))))
    return nodes.bullet_list("", *items, classes=["apidiff-glance"])


def _refuted(make: PageBuilder, found: Coverage) -> list[nodes.Node]:
    words = make.word("coverage.refuted_about", refuted=len(found.refuted), stated=found.stated)
    by_mapping: dict[str, list[str]] = {}
    for one in found.refuted:
        by_mapping.setdefault(one.mapping, []).append(one.claim)
    items = []
    for mapping, claims in by_mapping.items():
        link = make.ref("mapping", mapping, part="refuted")
        items.append(nodes.list_item("", paragraph(link, nodes.Text(f" {len(claims)}"))))
    page = nodes.reference("", make.word("coverage.refuted_page"), refuri="refuted.html", internal=True)
    children: list[nodes.Node] = [paragraph(nodes.Text(words), page)]
    if items:
        children.append(nodes.bullet_list("", *items, classes=["apidiff-glance"]))
    return children


def _unsupported(make: PageBuilder, found: Coverage) -> list[nodes.Node]:
    if not found.unsupported:
        return [paragraph(nodes.Text(make.word("coverage.unsupported_none")))]
    children: list[nodes.Node] = [paragraph(nodes.Text(make.word("coverage.unsupported_about")))]
    for one in found.unsupported:
        name = _name(make, one.framework, one.framework_version, one.backend, one.device)
        count = make.word("coverage.claims_of_apis", claims=one.claims, apis=len(one.apis))
        title = f"{name}{make.word('site.colon')}{count}"
        children.append(folded(title, _api_list(make, one.apis)))
    return children


def _changes(make: PageBuilder, found: Coverage) -> list[nodes.Node]:
    if not found.changes:
        return [paragraph(nodes.Text(make.word("coverage.changes_none")))]
    page = nodes.reference("", make.word("coverage.changed_page"), refuri="changed.html", internal=True)
    items = [nodes.list_item("", paragraph(nodes.Text(_change(make, one)))) for one in found.changes]
    return [nodes.bullet_list("", *items), paragraph(page)]


def _change(make: PageBuilder, one: VersionChange) -> str:
    return make.word(
        "coverage.changed",
        framework=make.word(f"framework.{one.framework}"),
        backend=one.backend,
        device=one.device,
        before=one.before,
        after=one.after,
        changed=one.changed,
        compared=one.compared,
    )


def _without_run(make: PageBuilder, found: Coverage) -> list[nodes.Node]:
    if not found.without_run:
        return [paragraph(nodes.Text(make.word("coverage.without_run_none")))]
    by_reason: dict[tuple[str, str], list[WithoutRun]] = {}
    for one in found.without_run:
        by_reason.setdefault((one.why, one.reason.en if one.reason else ""), []).append(one)
    rows: list[list[Cell]] = []
    for (why, _), claims in sorted(by_reason.items()):
        reason = claims[0].reason
        said = list(make.text(reason)) if reason else [nodes.Text(make.word(f"not_run_meaning.{why}"))]
        links = [nodes.list_item("", paragraph(make.ref("claim", one.claim))) for one in claims]
        rows.append([make.word(f"not_run.{why}"), said, [nodes.bullet_list("", *links)]])
    header = [make.word("outcome.not run"), make.word("column.why"), make.word("column.claims")]
    words = make.word("coverage.without_run_about", count=len(found.without_run))
    return [paragraph(nodes.Text(words)), table(header, rows, classes=["apidiff-wrapped", "apidiff-stacked"])]


def _records(make: PageBuilder, found: Coverage) -> list[nodes.Node]:
    rows: list[list[Cell]] = []
    for one in found.runs:
        name = _name(make, one.framework, one.framework_version, one.backend, one.device)
        newer = make.word("site.comma").join(one.newer) or make.word("coverage.newest")
        link = make.ref("run", one.id, nodes.Text(str(one.world_size)))
        rows.append([name, [link], [make.date(one.date)], newer])
    header = [make.word("coverage.column.place"), make.word("run.world_size")]
    header += [make.word("run.date"), make.word("coverage.newer")]
    return [paragraph(nodes.Text(make.word("coverage.records_about"))), table(header, rows)]


class bar(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes in lower case
    """``parts``: (value that names the colour, words, number), in the order they are drawn."""

    def astext(self) -> str:
        """Nothing: the numbers stand elsewhere."""
        return ""


def widths(numbers: Sequence[int], whole: int = _WIDTH) -> list[int]:
    """Whole numbers in proportion to ``numbers`` that add up to ``whole``; what is not zero is at least 2 wide."""
    total = sum(numbers)
    if not total:
        return [0 for _ in numbers]
    shown = [max(2, round(whole * number / total)) if number else 0 for number in numbers]
    shown[max(range(len(shown)), key=lambda index: shown[index])] += whole - sum(shown)
    return shown


def _open(self: Any, node: nodes.Element) -> None:
    parts: list[tuple[str, str, int]] = node["parts"]
    self.body.append(
        f'<svg class="apidiff-bar" viewBox="0 0 {_WIDTH} 24" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
    )
    at = 0
    for (value, words, number), width in zip(parts, widths([number for _, _, number in parts]), strict=True):
        if width:
            title = f"<title>{escape(words)} {number}</title>"
            fill = f"apidiff-fill-{escape(value.replace(' ', '-'))}"
            self.body.append(f'<rect class="{fill}" x="{at}" y="0" width="{width}" height="24">{title}</rect>')
        at += width
    self.body.append("</svg>\n")
    raise nodes.SkipNode


def _close(self: Any, node: nodes.Element) -> None:
    pass


BAR_NODES: dict[type[nodes.Element], tuple[Any, Any]] = {bar: (_open, _close)}
