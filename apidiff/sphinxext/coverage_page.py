"""Builds the dashboard: what was run and what was not, with the numbers behind every bar."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from docutils import nodes

from apidiff.derive.coverage import OUTCOMES
from apidiff.derive.statements import Standing
from apidiff.model.agreement import Agreement
from apidiff.model.coverage import (
    ApiCount,
    Coverage,
    NeverRun,
    NotRun,
    PlaceCoverage,
    VersionChange,
    WithoutRun,
)
from apidiff.sphinxext.long_lists import divisible
from apidiff.sphinxext.nodes import Cell, Inline, block, folded, joined, literal, paragraph, table
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.writers.exports.address import anchor

_REASONS = [reason.value for reason in NotRun if reason is not NotRun.NO_DEVICE]
_WIDTH = 1000


def coverage_sections(make: PageBuilder, coverage: Coverage) -> list[nodes.Node]:
    """Build the whole page below its title."""
    if not coverage.runs:
        return [make.sentence("runs.empty")]
    totals = make.word("coverage.totals", mappings=coverage.mappings, claims=coverage.claims, judged=coverage.judged)
    return [
        paragraph(nodes.Text(totals), classes=["apidiff-summary"]),
        make.sentence("coverage.about"),
        make.section("outcomes", make.word("coverage.outcomes"), *_outcomes(make, coverage)),
        make.section("sizes", make.word("coverage.sizes"), *_sizes(make, coverage)),
        make.section("samples", make.word("coverage.samples"), *_samples(make, coverage)),
        make.section("never-run", make.word("coverage.never_run"), *_never_run(make, coverage)),
        make.section("refuted-statements", make.word("coverage.refuted"), *_refuted(make, coverage)),
        make.section("unsupported", make.word("coverage.unsupported"), *_unsupported(make, coverage)),
        make.section("changes", make.word("coverage.changes"), *_changes(make, coverage)),
        make.section("without-run", make.word("coverage.without_run"), *_without_run(make, coverage)),
        make.section("records", make.word("coverage.records"), *_records(make, coverage)),
    ]


def _name(make: PageBuilder, framework: str, version: str, backend: str, device: str) -> str:
    name = make.framework(framework)
    return make.word("coverage.place", framework=name, version=version, backend=backend, device=device)


def _place(make: PageBuilder, place: PlaceCoverage) -> str:
    return _name(make, place.framework, place.framework_version, place.backend, place.device)


def _outcomes(make: PageBuilder, coverage: Coverage) -> list[nodes.Node]:
    children: list[nodes.Node] = [_bar(make, place) for place in coverage.places]
    used = [value for value in OUTCOMES if any(place.outcomes.get(value) for place in coverage.places)]
    reasons = [value for value in _REASONS if any(place.not_run.get(value) for place in coverage.places)]
    header = [make.word("coverage.column.place"), *(make.word(f"outcome.{value}") for value in used)]
    header += [make.word(f"not_run.{value}") for value in reasons] + [make.word("column.claims")]
    rows: list[list[Cell]] = [
        [
            _place(make, place),
            *(str(place.outcomes.get(value, 0)) for value in used),
            *(str(place.not_run.get(value, 0)) for value in reasons),
            str(place.claims),
        ]
        for place in coverage.places
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


def _bar(make: PageBuilder, place: PlaceCoverage) -> block:
    parts = [(value, make.word(f"outcome.{value}"), place.outcomes.get(value, 0)) for value in OUTCOMES]
    parts += [(value, make.word(f"not_run.{value}"), place.not_run.get(value, 0)) for value in _REASONS]
    legend: list[Inline] = []
    for value, words, number in parts:
        if number:
            key = nodes.inline("", "", classes=["apidiff-key", f"apidiff-fill-{value.replace(' ', '-')}"])
            legend.append([nodes.inline("", "", key, nodes.Text(f"{words} {number}"), classes=["apidiff-legend"])])
    return block(
        "",
        paragraph(nodes.Text(_place(make, place)), classes=["apidiff-caption"]),
        bar("", parts=parts),
        paragraph(*joined(legend, " ")),
        classes=["apidiff-coverage"],
    )


def _sizes(make: PageBuilder, coverage: Coverage) -> list[nodes.Node]:
    used = [v for v in OUTCOMES if any(size.outcomes.get(v) for place in coverage.places for size in place.sizes)]
    header = [make.word("coverage.column.place"), make.word("run.world_size")]
    header += [make.word(f"outcome.{value}") for value in used] + [make.word("coverage.other_sizes")]
    rows: list[list[Cell]] = []
    for place in coverage.places:
        for size in place.sizes:
            link: Inline = [make.ref("run", size.runs[0], nodes.Text(str(size.world_size)))]
            counts = [str(size.outcomes.get(value, 0)) for value in used]
            rows.append([_place(make, place), link, *counts, str(size.not_run)])
    words = make.sentence("coverage.sizes_about")
    return [words, table(header, rows, classes=["apidiff-numbers"])]


def _samples(make: PageBuilder, coverage: Coverage) -> list[nodes.Node]:
    if not coverage.pairs:
        return [make.sentence("agreement.none")]
    used = [value.value for value in Agreement if any(pair.agreements.get(value.value) for pair in coverage.pairs)]
    header = [make.word("coverage.column.place"), *(make.word(f"outcome.{value}") for value in used)]
    header += [make.word("outcome.not run"), make.word("coverage.compared")]
    rows: list[list[Cell]] = [
        [
            make.word("coverage.place_alone", version=pair.framework_version, device=pair.device),
            *(str(pair.agreements.get(value, 0)) for value in used),
            str(pair.not_run),
            str(pair.targets),
        ]
        for pair in coverage.pairs
    ]
    return [make.sentence("coverage.samples_about"), table(header, rows, classes=["apidiff-numbers"])]


def _never_run(make: PageBuilder, coverage: Coverage) -> list[nodes.Node]:
    if not coverage.never_run:
        return [make.sentence("coverage.never_run_none")]
    children: list[nodes.Node] = [make.sentence("coverage.never_run_about")]
    header = [make.word(f"column.{name}") for name in ("backend", "framework", "device", "claims")]
    rows: list[list[Cell]] = [
        [[literal(waiting.backend)], make.framework(waiting.framework), waiting.device, str(waiting.claims)]
        for waiting in coverage.never_run
    ]
    children.append(table(header, rows, classes=["apidiff-last-number"]))
    return children + [_waiting(make, waiting) for waiting in coverage.never_run]


def _waiting(make: PageBuilder, waiting: NeverRun) -> nodes.section:
    name = make.framework(waiting.framework)
    title = make.word("coverage.waiting", framework=name, backend=waiting.backend, device=waiting.device)
    looks = make.term("coverage.looks_for", *make.text(waiting.looks_for))
    count = make.word("coverage.claims_of_apis", claims=waiting.claims, apis=len(waiting.apis))
    goal = anchor(f"never-run--{waiting.framework}-{waiting.backend}-{waiting.device}")
    return make.section(goal, title, looks, folded(count, *_api_list(make, waiting.apis)))


def _api_list(make: PageBuilder, apis: list[ApiCount]) -> list[nodes.Node]:
    items = []
    for api in apis:
        link = make.ref("evidence", api.mapping, literal(api.api), part=anchor(f"claims--{api.api}"))
        items.append(nodes.list_item("", paragraph(link, nodes.Text(f" {len(api.ids)}"))))
    return list(divisible(items, classes=["apidiff-glance"]))


def _refuted(make: PageBuilder, coverage: Coverage) -> list[nodes.Node]:
    refuted = [statement for statement in coverage.refuted if statement.standing == Standing.REFUTED.value]
    others = len(coverage.refuted) - len(refuted)
    words = make.word("coverage.refuted_about", refuted=len(refuted), others=others, stated=coverage.stated)
    by_mapping: dict[str, list[str]] = {}
    for statement in coverage.refuted:
        by_mapping.setdefault(statement.mapping, []).append(statement.claim)
    items = []
    for mapping, claims in by_mapping.items():
        link = make.ref("evidence", mapping, literal(mapping), part="refuted")
        items.append(nodes.list_item("", paragraph(link, nodes.Text(f" {len(claims)}"))))
    page = nodes.reference("", make.word("coverage.refuted_page"), refuri="statements.html", internal=True)
    children: list[nodes.Node] = [paragraph(nodes.Text(words), page)]
    if items:
        children.append(folded(make.counted("column.api", len(items)), *divisible(items, classes=["apidiff-glance"])))
    return children


def _unsupported(make: PageBuilder, coverage: Coverage) -> list[nodes.Node]:
    if not coverage.unsupported:
        return [make.sentence("coverage.unsupported_none")]
    children: list[nodes.Node] = [make.sentence("coverage.unsupported_about")]
    for place in coverage.unsupported:
        name = _name(make, place.framework, place.framework_version, place.backend, place.device)
        count = make.word("coverage.claims_of_apis", claims=place.claims, apis=len(place.apis))
        title = f"{name}{make.word('site.colon')}{count}"
        children.append(folded(title, *_api_list(make, place.apis)))
    return children


def _changes(make: PageBuilder, coverage: Coverage) -> list[nodes.Node]:
    if not coverage.changes:
        return [make.sentence("coverage.changes_none")]
    page = nodes.reference("", make.word("coverage.changed_page"), refuri="new.html", internal=True)
    items = [nodes.list_item("", paragraph(nodes.Text(_change(make, change)))) for change in coverage.changes]
    return [nodes.bullet_list("", *items), paragraph(page)]


def _change(make: PageBuilder, change: VersionChange) -> str:
    return make.word(
        "coverage.changed",
        framework=make.framework(change.framework),
        backend=change.backend,
        device=change.device,
        before=change.before,
        after=change.after,
        changed=change.changed,
        compared=change.compared,
    )


def _without_run(make: PageBuilder, coverage: Coverage) -> list[nodes.Node]:
    if not coverage.without_run:
        return [make.sentence("coverage.without_run_none")]
    by_reason: dict[tuple[str, str], list[WithoutRun]] = {}
    for claim in coverage.without_run:
        by_reason.setdefault((claim.why, claim.reason.en if claim.reason else ""), []).append(claim)
    rows: list[list[Cell]] = []
    for (why, _), claims in sorted(by_reason.items()):
        reason = claims[0].reason
        said = list(make.text(reason)) if reason else [nodes.Text(make.word(f"not_run_meaning.{why}"))]
        links = [nodes.list_item("", paragraph(make.ref("claim", claim.claim))) for claim in claims]
        rows.append(
            [make.word(f"not_run.{why}"), said, [folded(make.word("fold.claims", count=len(links)), *divisible(links))]]
        )
    header = [make.word("outcome.not run"), make.word("column.why"), make.word("column.claims")]
    words = make.word("coverage.without_run_about", count=len(coverage.without_run))
    return [paragraph(nodes.Text(words)), table(header, rows, classes=["apidiff-wrapped", "apidiff-stacked"])]


def _records(make: PageBuilder, coverage: Coverage) -> list[nodes.Node]:
    rows: list[list[Cell]] = []
    for run in coverage.runs:
        name = _name(make, run.framework, run.framework_version, run.backend, run.device)
        newer = make.listed(run.newer) or make.word("coverage.newest")
        link = make.ref("run", run.id, nodes.Text(str(run.world_size)))
        rows.append([name, [link], [make.date(run.date)], newer])
    header = [make.word("coverage.column.place"), make.word("run.world_size")]
    header += [make.word("run.date"), make.word("coverage.newer")]
    return [make.sentence("coverage.records_about"), table(header, rows)]


class bar(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes in lower case
    """``parts``: (value that names the colour, words, number), in the order they are drawn."""

    def astext(self) -> str:
        """Return nothing: the numbers stand elsewhere."""
        return ""


def widths(numbers: Sequence[int], whole: int = _WIDTH) -> list[int]:
    """Scale ``numbers`` to whole numbers that add up to ``whole``; what is not zero is at least 2 wide."""
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
