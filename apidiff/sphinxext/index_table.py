"""Writes the index of all mappings as an HTML table; ``<apidiff-table>`` filters and sorts it.

The page holds the APIs that real code uses most; the rest stands in portions, by category, that a heavy page moves away.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from apidiff.database.scope import load_scope
from apidiff.derive.index_rows import AnswerRow, Index, IndexRow, OnDevice
from apidiff.derive.runs_on import DEVICES
from apidiff.messages.labels import between_sentences, filled, label
from apidiff.model.base import Language
from apidiff.model.vocabulary import AnswerKind, Risk, Status
from apidiff.sphinxext.nodes import relative
from apidiff.sphinxext.page_parts import END, part_mark
from apidiff.writers.exports.address import anchor

COLUMNS = ("api", "target", *DEVICES, "risk", "status", "uses")
_WORDS = (
    "text",
    "any",
    "all",
    "reset",
    "category",
    "devices",
    "in_torch",
    "shown",
    "none",
    "filters",
    "about",
    "not_run",
)
# Rows of the page itself, and of a portion.
_SHOWN = 24
_PORTION = 32
_STANDINGS = ("documented", "run", "failed")
_ANSWERS = {kind.value for kind in AnswerKind}
_BREAK = re.compile("(?<=[._])")
# From a mapping's ID and an anchor on its page (or "") to an address.
Link = Callable[[str, str], str]


class index_table(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes in lower case
    """All mappings as rows: ``html`` is the table. Its page is written more often than read: for each that it leads to."""

    def astext(self) -> str:
        """Return nothing: what is in the rows is found on the pages that they lead to."""
        return ""


def add_table_script(
    app: Sphinx, _pagename: str, _template: str, _context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Load the element's script on pages with a table."""
    if doctree is not None and next(iter(doctree.findall(index_table)), None) is not None:
        app.add_js_file("elements/table.js", loading_method="defer")


def _write(self: Any, node: nodes.Element) -> None:
    self.body.append(node["html"])
    raise nodes.SkipNode


def _close(self: Any, node: nodes.Element) -> None:
    pass


TABLE_NODES: dict[type[nodes.Element], tuple[Any, Any]] = {index_table: (_write, _close)}


def table_of(index: Index, language: Language, page: str) -> index_table:
    """Make the table of a page."""

    def link(mapping_id: str, part: str) -> str:
        address = f"{relative(page, f'mappings/{mapping_id}')}.html"
        return f"{address}#{part}" if part else address

    return index_table("", html=table_html(index, language, link))


def table_html(index: Index, language: Language, link: Link) -> str:
    """Write the table inside its element, with the words and the values that can be chosen."""
    words = {name: label(f"table.{name}", language) for name in _WORDS}
    words |= {f"column.{name}": _title(name, language) for name in COLUMNS}
    words["space"] = between_sentences(language)
    facets = {name: [[value, text] for value, text in values] for name, values in _facets(index, language).items()}
    first = _table(index.rows[:_SHOWN], language, link)
    rest = "".join(_portions(index.rows[_SHOWN:], language, link))
    return (
        f'<apidiff-table data-words="{_json(words)}" data-facets="{_json(facets)}" data-run="{_json(index.run)}">\n'
        f'<p class="apidiff-table-about">{escape(_about(index, language))}</p>\n{first}{rest}'
        f'<p class="apidiff-table-legend">{escape(_legend(index, language))}</p>\n</apidiff-table>\n'
    )


def _table(rows: Iterable[IndexRow], language: Language, link: Link) -> str:
    head = "".join(_head(name, language) for name in COLUMNS)
    body = "".join(_row(row, language, link) for row in rows)
    return (
        f'<table class="table apidiff-table apidiff-index">\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}</tbody>\n</table>\n"
    )


def _portions(rows: Sequence[IndexRow], language: Language, link: Link) -> Iterator[str]:
    """Write the rows by category, each portion as a table that a heavy page moves away."""
    scope = load_scope()
    for category in scope.categories:
        members = [row for row in rows if row.category == category]
        for start in range(0, len(members), _PORTION):
            some = members[start : start + _PORTION]
            name = f"{scope.category_name(category, language)} {start + 1}–{start + len(some)}"
            yield f"{part_mark(name)}{_table(some, language, link)}{END}"


def _head(name: str, language: Language) -> str:
    first = ' aria-sort="descending"' if name == "uses" else ""
    return f'<th scope="col"{first}>{escape(_title(name, language))}</th>'


def _title(column: str, language: Language) -> str:
    return label(f"device.{column}" if column in DEVICES else f"table.column.{column}", language)


def _about(index: Index, language: Language) -> str:
    """Say what the table is about before another version is chosen; `element.ts` says the same of the chosen ones."""
    newest = next(iter(index.mindspore), "")
    said = [label("table.about", language, version=newest)]
    if newest not in index.run:
        said.append(label("table.not_run", language, version=newest))
    return between_sentences(language).join(said)


def _legend(index: Index, language: Language) -> str:
    packages = label("site.comma", language).join(f"{name} {version}" for name, version in index.packages.items())
    return label("table.legend", language, packages=packages)


def _json(value: object) -> str:
    return escape(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _facets(index: Index, language: Language) -> dict[str, list[tuple[str, str]]]:
    """List the values of each facet that any row has, with their words, in the order in which they sort."""
    answers = [answer for row in index.rows for answer in row.answers]

    def named(prefix: str, values: Iterable[str], used: set[str | None]) -> list[tuple[str, str]]:
        return [(value, label(f"{prefix}.{value}", language)) for value in values if value in used]

    scope = load_scope()
    categories = {row.category for row in index.rows}
    statuses = {answer.status for answer in answers}
    places = {key for answer in answers for place in answer.devices for key in _standings(place)}
    devices = [f"{device}-{standing}" for standing in _STANDINGS for device in DEVICES]
    return {
        "category": [(key, scope.category_name(key, language)) for key in scope.categories if key in categories],
        "risk": named("risk", [risk.value for risk in Risk], {answer.risk for answer in answers}),
        "status": [
            *named("status", [status.value for status in Status], statuses),
            *named("answer", [kind.value for kind in AnswerKind], statuses),
        ],
        "device": [(key, _device_words(key, language)) for key in devices if key in places],
        "torch": [(version, version) for version in index.torch],
    }


def _device_words(key: str, language: Language) -> str:
    device, _, standing = key.partition("-")
    words = filled(f"table.device.{standing}", device=filled(f"device.{device}"))
    return words.said_in(language)


def _standings(place: OnDevice) -> list[str]:
    """Name what is known of an answer on a device, as the filter and the cells do: ``cpu-documented``, ``cpu-run``."""
    known = ["documented"] if place.documented else []
    if place.outcome != "not run":
        known.append("run" if place.outcome == "holds" else "failed")
    return [f"{place.device}-{standing}" for standing in known]


def _row(row: IndexRow, language: Language, link: Link) -> str:
    facts = {"category": row.category, "in-torch": " ".join(row.torch), "uses": str(row.uses)}
    attributes = "".join(f' data-{name}="{escape(value)}"' for name, value in facts.items())
    devices = "".join(
        _cell(
            device, row.answers, _standing_value(device), _on_device(device, language), _device_place(device, language)
        )
        for device in DEVICES
    )
    return (
        f'<tr{attributes}><th scope="row"><a href="{escape(link(row.id, ""))}">{_code(row.id)}</a></th>'
        f"{_cell('target', row.answers, lambda answer: answer.target or ' '.join(answer.uses), _target(row, language, link))}"
        f"{devices}"
        f"{_cell('risk', row.answers, lambda answer: answer.risk or '', lambda answer: _badge('risk', answer.risk, language))}"
        f"{_cell('status', row.answers, lambda answer: answer.status or '', lambda answer: _standing(answer, language))}"
        f'<td class="apidiff-uses" data-label="{escape(label("table.column.uses", language))}">{row.uses}</td></tr>\n'
    )


def _device_place(device: str, language: Language) -> str:
    return f' class="apidiff-on" data-label="{escape(_title(device, language))}"'


def _place(answer: AnswerRow, device: str) -> OnDevice:
    return next((place for place in answer.devices if place.device == device), OnDevice(device=device))


def _standing_value(device: str) -> Callable[[AnswerRow], str]:
    """Write what a device's cell is sorted and filtered by."""
    return lambda answer: " ".join(_standings(_place(answer, device)))


def _on_device(device: str, language: Language) -> Callable[[AnswerRow], str]:
    def show(answer: AnswerRow) -> str:
        place = _place(answer, device)
        lines = [("documented", label("table.documented", language))] if place.documented else []
        if place.outcome != "not run":
            kind = "run" if place.outcome == "holds" else "failed"
            lines.append((kind, label(f"table.outcome.{place.outcome}", language)))
        if not lines:
            return '<span class="apidiff-table-nothing">–</span>'
        return " ".join(f'<span class="apidiff-on-{kind}">{escape(words)}</span>' for kind, words in lines)

    return show


def _cell(
    name: str,
    answers: list[AnswerRow],
    value: Callable[[AnswerRow], str],
    show: Callable[[AnswerRow], str],
    place: str = "",
) -> str:
    """Write a cell that holds what each release has, all but the newest hidden; without spans where all have the same.

    ``place``: attributes of the cell.
    """
    kept: dict[tuple[str, str], list[int]] = {}
    for number, answer in enumerate(answers):
        kept.setdefault((value(answer), show(answer)), []).append(number)
    if len(kept) == 1:
        ((only, shown),) = kept
        return f'<td{place} data-{name}="{escape(only)}">{shown}</td>'
    parts = []
    for (held_value, shown), numbers in kept.items():
        hidden = "" if 0 in numbers else " hidden"
        held = _spans(answers, numbers)
        parts.append(f'<span data-mindspore="{held}" data-{name}="{escape(held_value)}"{hidden}>{shown}</span>')
    return f"<td{place}>{''.join(parts)}</td>"


def _spans(answers: Sequence[AnswerRow], numbers: Sequence[int]) -> str:
    """Write the releases of some of a row's answers, as ``data-mindspore`` has them; neighbours as one span."""
    spans: list[tuple[int, int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return " ".join(f"{answers[oldest].first}..{answers[newest].last}" for newest, oldest in spans)


def _target(row: IndexRow, language: Language, link: Link) -> Callable[[AnswerRow], str]:
    def show(answer: AnswerRow) -> str:
        if answer.target:
            address = escape(link(row.id, anchor(answer.target)))
            return f'<a href="{address}">{_code(answer.target)}</a>'
        if not answer.uses:
            return _nothing("no_target" if answer.status is None else "no_names", language)
        return escape(label("site.comma", language)).join(_code(name) for name in answer.uses)

    return show


def _nothing(key: str, language: Language) -> str:
    """Write words where there is nothing to name."""
    return f'<span class="apidiff-table-nothing">{escape(label(f"table.{key}", language))}</span>'


def _code(name: str) -> str:
    """Write a name, which may break after its dots and underscores."""
    return f"<code>{_BREAK.sub('<wbr>', escape(name))}</code>"


def _standing(answer: AnswerRow, language: Language) -> str:
    return _badge("answer" if answer.status in _ANSWERS else "status", answer.status, language)


def _badge(kind: str, value: str | None, language: Language) -> str:
    if value is None:
        return _nothing("not_recorded", language)
    name = value.replace(" ", "-")
    words = escape(label(f"{kind}.{value}", language))
    return f'<span class="apidiff-badge apidiff-{kind}-{name}">{words}</span>'
