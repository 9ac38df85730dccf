"""Builds the parts of the home page: a box to search in, what real code uses most, what was measured last, figures."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from html import escape

from docutils import nodes

from apidiff.derive.evidence import RunHead, SingleHead
from apidiff.derive.index_rows import Index, IndexRow
from apidiff.derive.runs_on import DEVICES
from apidiff.messages.labels import label
from apidiff.model.base import Language
from apidiff.model.coverage import Coverage
from apidiff.model.vocabulary import AnswerKind, Risk
from apidiff.sphinxext.news_page import measured
from apidiff.sphinxext.nodes import Cell, literal, markup, paragraph, relative, table
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.page_context import search_words
from apidiff.writers.exports.address import anchor
from apidiff.writers.exports.feed import NAME as FEED

_MOST_USED = 12
_MEASURED = 5


def search_box(make: PageBuilder) -> nodes.Node:
    """Build the box of every page's header, larger. Without script it is a form that leads to the search page."""
    words = {name: escape(text) for name, text in _box_words(make.language).items()}
    return markup(
        "",
        html=f'<apidiff-search class="apidiff-search-home" data-words="{words["all"]}">'
        f'<form class="apidiff-search-form" action="{relative(make.docname, "search.html")}" method="get" role="search">'
        f'<input type="search" class="form-control" name="q" placeholder="{words["hint"]}" aria-label="{words["hint"]}"'
        ' autocomplete="off" autocorrect="off" autocapitalize="off" spellcheck="false"/>'
        f'<button type="submit" class="btn">{words["search"]}</button></form></apidiff-search>\n',
    )


def _box_words(language: Language) -> dict[str, str]:
    return {
        "all": json.dumps(search_words(language), ensure_ascii=False),
        "hint": label("home.search_hint", language),
        "search": label("site.search", language),
    }


def most_used(make: PageBuilder, index: Index) -> list[nodes.Node]:
    """List the APIs that real code uses most, with what answers each on the newest MindSpore version."""
    used = [row for row in index.rows if row.uses][:_MOST_USED]
    if not used:
        return [make.sentence("index.empty")]
    packages = make.listed(f"{name} {version}" for name, version in index.packages.items())
    about = make.sentence("home.most_used", packages=packages, version=next(iter(index.mindspore), ""))
    header = [make.word(f"table.column.{name}") for name in ("api", "target", "risk", "uses")]
    rows = [_used(make, row) for row in used]
    legend: list[nodes.Node] = [make.lead("table.column.risk")]
    for risk in Risk:
        legend += [make.badge("risk", risk.value), nodes.Text(f" {make.word(f'risk_meaning.{risk.value}')} ")]
    return [
        about,
        paragraph(*legend),
        table(header, rows, classes=["apidiff-wrapped", "apidiff-last-number", "apidiff-used"]),
    ]


def _used(make: PageBuilder, row: IndexRow) -> list[Cell]:
    answer = row.answers[0]
    target: Cell = "–"
    if answer.target:
        target = [make.ref("mapping", row.id, literal(answer.target), part=anchor(answer.target))]
    elif answer.status:
        target = [make.badge("answer", answer.status)]
    risk: Cell = [make.badge("risk", answer.risk)] if answer.risk else "–"
    return [[make.ref("mapping", row.id)], target, risk, str(row.uses)]


def measured_last(make: PageBuilder, runs: Iterable[RunHead], singles: Iterable[SingleHead]) -> list[nodes.Node]:
    """List the last runs, and lead to the page that has all of them and to the feed."""
    news = nodes.reference("", make.word("home.news"), refuri=relative(make.docname, "new.html"), internal=True)
    feed = nodes.reference("", make.word("news.feed"), refuri=relative(make.docname, FEED), internal=True)
    return [measured(make, runs, singles, _MEASURED), paragraph(news, nodes.Text(" · "), feed)]


def figures(make: PageBuilder, coverage: Coverage, index: Index) -> list[nodes.Node]:
    """Count what the database holds and what was run, device by device."""
    others = Counter(answer.status for row in index.rows if (answer := row.answers[0]).target is None)
    needless, missing = others[AnswerKind.NOT_NEEDED.value], others[AnswerKind.NO_COUNTERPART.value]
    answered = len(index.rows) - others.total() + others[AnswerKind.COMPOSED.value]
    apis = make.word("home.mappings", answered=answered, not_needed=needless, no_counterpart=missing)
    numbers = [(coverage.mappings, apis)]
    numbers += [(coverage.claims, make.word("home.claims")), (coverage.judged, make.word("home.judged"))]
    numbers += [(len(coverage.runs), make.word("home.runs"))]
    items = [
        nodes.list_item("", paragraph(nodes.strong("", f"{number:,}"), nodes.Text(" " + words)))
        for number, words in numbers
    ]
    ran: dict[str, set[str]] = {}
    for place in coverage.places:
        ran.setdefault(place.device, set()).add(place.framework)
    devices = [_on_device(make, device, ran.get(device, set())) for device in DEVICES]
    more = nodes.reference(
        "", make.word("home.coverage"), refuri=relative(make.docname, "coverage.html"), internal=True
    )
    said = make.word("site.semicolon").join(devices) + make.word("site.semicolon")
    return [
        nodes.bullet_list("", *items, classes=["apidiff-figures"]),
        paragraph(nodes.Text(said), more),
    ]


def _on_device(make: PageBuilder, device: str, frameworks: set[str]) -> str:
    name = make.word(f"device.{device}")
    if not frameworks:
        return make.word("home.device_not_run", device=name)
    names = [make.framework(framework) for framework in sorted(frameworks, reverse=True)]
    return make.word("home.device_run", device=name, frameworks=make.listed(names))
