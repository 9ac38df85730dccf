"""Writes the index of all mappings as one HTML table, complete without script; ``<apidiff-table>`` filters and sorts it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from apidiff.database.scope import load_scope
from apidiff.derive.index_rows import FRAMEWORKS, AnswerRow, Index, IndexRow, RowRuns
from apidiff.messages.labels import Language, between_sentences, label
from apidiff.model.ranges import spans
from apidiff.model.verdict import WORST_FIRST, Outcome, worst_outcome
from apidiff.model.vocabulary import AnswerKind, Risk, Status
from apidiff.writers.exports.address import anchor

COLUMNS = ("api", "target", "category", "risk", "status", "backends", "verdict")
_WORDS = ("text", "any", "reset", "in_torch", "shown", "none", "filters", "about", "not_run", "other_runs")
_ANSWERS = {kind.value for kind in AnswerKind}
_BREAK = re.compile("(?<=[._])")
# From a mapping's ID and an anchor on its page (or "") to an address.
Link = Callable[[str, str], str]


class index_table(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes in lower case
    """All mappings as rows: ``index`` holds them, ``language`` is the page's."""

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
    builder, here = self.builder, self.builder.current_docname

    def link(mapping_id: str, part: str) -> str:
        address = builder.get_relative_uri(here, f"mappings/{mapping_id}")
        return f"{address}#{part}" if part else str(address)

    self.body.append(table_html(node["index"], node["language"], link))
    raise nodes.SkipNode


def _close(self: Any, node: nodes.Element) -> None:
    pass


TABLE_NODES: dict[type[nodes.Element], tuple[Any, Any]] = {index_table: (_write, _close)}


def table_html(index: Index, language: Language, link: Link) -> str:
    """Write the table inside its element, with the words and the values that can be chosen."""
    words = {name: label(f"table.{name}", language) for name in _WORDS}
    words |= {f"column.{name}": label(f"table.column.{name}", language) for name in COLUMNS}
    words |= {framework: label(f"framework.{framework}", language) for framework in FRAMEWORKS}
    words["space"] = between_sentences(language)
    words["comma"] = label("site.comma", language)
    words |= {f"outcome.{outcome.value}": label(f"outcome.{outcome.value}", language) for outcome in WORST_FIRST}
    facets = {name: [[value, text] for value, text in values] for name, values in _facets(index, language).items()}
    head = "".join(f'<th scope="col">{escape(label(f"table.column.{name}", language))}</th>' for name in COLUMNS)
    rows = "".join(_row(index, row, language, link) for row in index.rows)
    return (
        f'<apidiff-table data-words="{_json(words)}" data-facets="{_json(facets)}" data-run="{_json(index.run)}">\n'
        f'<p class="apidiff-table-about">{escape(_about(index, words, language))}</p>\n'
        f'<table class="table apidiff-table apidiff-index">\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}</tbody>\n</table>\n</apidiff-table>\n"
    )


def _about(index: Index, words: dict[str, str], language: Language) -> str:
    """Say what the table is about before another version is chosen; `element.ts` says the same of the chosen ones."""
    mindspore, torch = index.newest.get("mindspore", ""), index.newest.get("torch", "")
    said = [words["about"].format(version=mindspore)]
    if mindspore not in index.run.get("mindspore", []):
        said.append(words["not_run"].format(framework=words["mindspore"], version=mindspore))
    run = index.run.get("torch", [])
    if run and torch and torch not in run:
        versions = words["comma"].join(run)
        said.append(words["other_runs"].format(framework=words["torch"], version=torch, versions=versions))
    return between_sentences(language).join(said)


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
    runs = [run for row in index.rows for run in row.runs]
    backends = sorted({run.backend for run in runs})
    verdicts = {run.outcome for run in runs} | {Outcome.NOT_RUN.value}
    return {
        "category": [(key, scope.category_name(key, language)) for key in scope.categories if key in categories],
        "risk": named("risk", [risk.value for risk in Risk], {answer.risk for answer in answers}),
        "status": [
            *named("status", [status.value for status in Status], statuses),
            *named("answer", [kind.value for kind in AnswerKind], statuses),
        ],
        "backend": [(backend, backend) for backend in backends],
        "verdict": named("outcome", [outcome.value for outcome in WORST_FIRST], {*verdicts}),
        "torch": [(version, version) for version in index.torch],
    }


def _row(index: Index, row: IndexRow, language: Language, link: Link) -> str:
    facts = {"category": row.category, "runs": ";".join(_run(index, run) for run in row.runs)}
    facts["in-torch"] = " ".join(row.torch)
    attributes = "".join(f' data-{name}="{escape(value)}"' for name, value in facts.items())
    newest_runs = index.runs_of(row, index.newest)
    runs = escape(label("site.comma", language).join(sorted({run.backend for run in newest_runs})))
    verdict = worst_outcome(Outcome(run.outcome) for run in newest_runs).value
    about = _badge("outcome", verdict, language)
    return (
        f'<tr{attributes}><th scope="row"><a href="{escape(link(row.id, ""))}">{_code(row.id)}</a></th>'
        f"{_cell('target', row.answers, lambda answer: answer.target or ' '.join(answer.uses), _target(row, language, link))}"
        f"<td>{escape(load_scope().category_name(row.category, language))}</td>"
        f"{_cell('risk', row.answers, lambda answer: answer.risk or '', lambda answer: _badge('risk', answer.risk, language))}"
        f"{_cell('status', row.answers, lambda answer: answer.status or '', lambda answer: _standing(answer, language))}"
        f'<td class="apidiff-index-runs" data-label="{escape(label("table.column.backends", language))}">{runs}</td>'
        f'<td class="apidiff-index-runs" data-label="{escape(label("table.column.verdict", language))}">'
        f"{about}</td></tr>\n"
    )


def _run(index: Index, runs: RowRuns) -> str:
    """Write ``framework backend outcome spans``; spaces within an outcome become underscores."""
    known = {"mindspore": index.mindspore}.get(runs.framework) or runs.versions
    return f"{runs.framework} {runs.backend} {runs.outcome.replace(' ', '_')} {spans(known, runs.versions)}"


def _cell(
    name: str, answers: list[AnswerRow], value: Callable[[AnswerRow], str], show: Callable[[AnswerRow], str]
) -> str:
    """Write a cell that holds what each release has, all but the newest hidden; without spans where all have the same."""
    kept: dict[tuple[str, str], list[AnswerRow]] = {}
    for answer in answers:
        kept.setdefault((value(answer), show(answer)), []).append(answer)
    if len(kept) == 1:
        ((only, shown),) = kept
        return f'<td data-{name}="{escape(only)}">{shown}</td>'
    parts = []
    for number, ((held_value, shown), members) in enumerate(kept.items()):
        held = " ".join(member.spans for member in members)
        hidden = " hidden" if number else ""
        parts.append(f'<span data-mindspore="{held}" data-{name}="{escape(held_value)}"{hidden}>{shown}</span>')
    return f"<td>{''.join(parts)}</td>"


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
