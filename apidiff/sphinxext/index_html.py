"""The index of all mappings as one HTML table, complete without script; ``<apidiff-table>`` filters and sorts it.

It is written as text, not as a tree of nodes: thousands of rows cost Sphinx seconds otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from html import escape

from apidiff.model import AnswerKind, Risk, Status
from apidiff.model.categories import CATEGORIES
from apidiff.model.verdict import WORST_FIRST
from apidiff.render.index_rows import AnswerRow, Index, IndexRow
from apidiff.render.labels import Language, label
from apidiff.sphinxext.nodes import anchor

COLUMNS = ("api", "target", "category", "risk", "status", "backends", "verdict")
_WORDS = ("text", "any", "reset", "mindspore", "torch", "shown", "none", "filters")
_ANSWERS = {kind.value for kind in AnswerKind}

_BREAK = re.compile("(?<=[._])")

# From a mapping's ID and an anchor on its page (or "") to an address.
Link = Callable[[str, str], str]


def table_html(index: Index, language: Language, link: Link) -> str:
    """The table inside its element, with the words and the values that can be chosen."""
    words = {name: label(f"table.{name}", language) for name in _WORDS}
    words |= {f"column.{name}": label(f"table.column.{name}", language) for name in COLUMNS}
    facets = {name: [[value, text] for value, text in values] for name, values in _facets(index, language).items()}
    head = "".join(f'<th scope="col">{escape(label(f"table.column.{name}", language))}</th>' for name in COLUMNS)
    rows = "".join(_row(row, language, link) for row in index.rows)
    return (
        f'<apidiff-table data-words="{_json(words)}" data-facets="{_json(facets)}">\n'
        f'<table class="table apidiff-table apidiff-index">\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}</tbody>\n</table>\n</apidiff-table>\n"
    )


def _json(value: object) -> str:
    return escape(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _facets(index: Index, language: Language) -> dict[str, list[tuple[str, str]]]:
    """The values of each facet that any row has, with their words, in the order in which they sort."""
    answers = [answer for row in index.rows for answer in row.answers]

    def named(prefix: str, values: Iterable[str], used: set[str | None]) -> list[tuple[str, str]]:
        return [(value, label(f"{prefix}.{value}", language)) for value in values if value in used]

    statuses = {answer.status for answer in answers}
    backends = sorted({backend for row in index.rows for backend in row.backends})
    return {
        "category": named("category", CATEGORIES, {row.category for row in index.rows}),
        "risk": named("risk", [risk.value for risk in Risk], {answer.risk for answer in answers}),
        "status": [
            *named("status", [status.value for status in Status], statuses),
            *named("answer", [kind.value for kind in AnswerKind], statuses),
        ],
        "backend": [(backend, backend) for backend in backends],
        "verdict": named("outcome", [outcome.value for outcome in WORST_FIRST], {row.verdict for row in index.rows}),
        "mindspore": [(version, version) for version in index.mindspore],
        "torch": [(version, version) for version in index.torch],
    }


def _row(row: IndexRow, language: Language, link: Link) -> str:
    facts = {"category": row.category, "backends": " ".join(row.backends), "verdict": row.verdict}
    facts["in-torch"] = " ".join(row.torch)
    attributes = "".join(f' data-{name}="{escape(value)}"' for name, value in facts.items())
    runs = escape(label("site.comma", language).join(row.backends))
    return (
        f'<tr{attributes}><th scope="row"><a href="{escape(link(row.id, ""))}">{_code(row.id)}</a></th>'
        f"{_cell('target', row.answers, lambda one: one.target or ' '.join(one.uses), _target(row, language, link))}"
        f"<td>{escape(label(f'category.{row.category}', language))}</td>"
        f"{_cell('risk', row.answers, lambda one: one.risk or '', lambda one: _badge('risk', one.risk, language))}"
        f"{_cell('status', row.answers, lambda one: one.status or '', lambda one: _standing(one, language))}"
        f'<td class="apidiff-index-runs" data-label="{escape(label("table.column.backends", language))}">{runs}</td>'
        f'<td class="apidiff-index-runs" data-label="{escape(label("table.column.verdict", language))}">'
        f"{_badge('outcome', row.verdict, language)}</td></tr>\n"
    )


def _cell(
    name: str, answers: list[AnswerRow], value: Callable[[AnswerRow], str], show: Callable[[AnswerRow], str]
) -> str:
    """A cell that holds what each release has, all but the newest hidden; without spans where all have the same."""
    kept: dict[str, list[AnswerRow]] = {}
    for answer in answers:
        kept.setdefault(value(answer), []).append(answer)
    if len(kept) == 1:
        (only,) = kept
        return f'<td data-{name}="{escape(only)}">{show(answers[0])}</td>'
    parts = []
    for number, (one, members) in enumerate(kept.items()):
        spans = " ".join(member.spans for member in members)
        hidden = " hidden" if number else ""
        parts.append(f'<span data-mindspore="{spans}" data-{name}="{escape(one)}"{hidden}>{show(members[0])}</span>')
    return f"<td>{''.join(parts)}</td>"


def _target(row: IndexRow, language: Language, link: Link) -> Callable[[AnswerRow], str]:
    def show(answer: AnswerRow) -> str:
        if answer.target:
            address = escape(link(row.id, anchor(answer.target)))
            return f'<a href="{address}">{_code(answer.target)}</a>'
        return escape(label("site.comma", language)).join(_code(name) for name in answer.uses)

    return show


def _code(name: str) -> str:
    """A name, which may break after its dots and underscores."""
    return f"<code>{_BREAK.sub('<wbr>', escape(name))}</code>"


def _standing(answer: AnswerRow, language: Language) -> str:
    return _badge("answer" if answer.status in _ANSWERS else "status", answer.status, language)


def _badge(kind: str, value: str | None, language: Language) -> str:
    if value is None:
        return ""
    name = value.replace(" ", "-")
    words = escape(label(f"{kind}.{value}", language))
    return f'<span class="apidiff-badge apidiff-{kind}-{name}">{words}</span>'
