"""Shows on a mapping's page what its APIs do with every dtype and with parts of larger tensors: a table of each."""

from __future__ import annotations

from docutils import nodes

from apidiff.derive.sweeps import Cell, Effect, Place, SweepTable, sweep_tables
from apidiff.model.probe import Layout, Sweep
from apidiff.model.verdict import Outcome
from apidiff.model.views import Entry
from apidiff.sphinxext.nodes import block, joined, literal, paragraph, portion, prose, table, table_row
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.run_page import run_part
from apidiff.sphinxext.versions import marked_inline
from apidiff.writers.exports.address import anchor

# The colour of an effect is that of an outcome.
_COLOURS = {
    Effect.WORKS: Outcome.HOLDS,
    Effect.WRONG: Outcome.REFUTED,
    Effect.SPILLS: Outcome.REFUTED,
    Effect.REFUSED: Outcome.ERROR,
    Effect.HANGS: Outcome.TIMEOUT,
    Effect.CRASHES: Outcome.CRASH,
    Effect.FLAKY: Outcome.FLAKY,
}


def sweeps_section(make: PageBuilder, entry: Entry) -> list[nodes.Node]:
    """Show a table per sweep; nothing where no claim is of one."""
    if not any(claim.swept for claim in entry.claims):
        return []
    children: list[nodes.Node] = []
    tables = sweep_tables(entry.claims)
    for swept in tables:
        about = make.word(f"sweep.{swept.sweep.value}")
        rows = portion("", _table(make, swept), title=about.replace("`", ""))
        children += [paragraph(*prose(about)), rows]
    shown = {claim for swept in tables for row in swept.rows.values() for cell in row for claim in cell.claims}
    left = [claim for claim in entry.claims if claim.swept and claim.id not in shown]
    if left:
        apis = dict.fromkeys(claim.subject for claim in left)
        names = joined([[literal(api)] for api in apis], make.word("site.comma"))
        skipped = block(
            "", paragraph(*make.filled("sweep.skipped", apis=names)), ids=[anchor(claim.id) for claim in left]
        )
        make.document.note_explicit_target(skipped)
        # Its anchors, one for every claim, weigh more than what it says.
        children.append(portion("", skipped, title=make.word("sweeps.skipped", count=len(left))))
    return [make.section("sweeps", make.word("sweeps"), *children)]


def _table(make: PageBuilder, swept: SweepTable) -> nodes.table:
    first = make.word("column.dtype" if swept.sweep is Sweep.DTYPE else "column.layout")
    header = [first, *(f"`{api}`" + (f" `{argument}`" if argument else "") for api, argument in swept.columns)]
    rows = []
    for value, cells in swept.rows.items():
        name = [literal(value)] if swept.sweep is Sweep.DTYPE else prose(make.word(f"layout.{Layout(value).value}"))
        rows.append(table_row([name, *([_cell(make, cell)] for cell in cells)]))
    return table(header, rows, classes=["apidiff-sweep"])


def _cell(make: PageBuilder, cell: Cell) -> block:
    """Show the effects with the versions of which runs show them, where these are not all alike."""
    by_effect: dict[tuple[Effect, str, str], list[Place]] = {}
    for place, effect in cell.effects.items():
        by_effect.setdefault((effect, place.backend, place.device), []).append(place)
    several = len({(place.backend, place.device) for place in cell.effects}) > 1
    parts: list[nodes.Node] = []
    for (effect, backend, device), places in by_effect.items():
        run, probe = cell.runs[places[0]]
        words = nodes.inline(
            "",
            make.word(f"effect.{effect.value}"),
            classes=["apidiff-badge", f"apidiff-outcome-{_COLOURS[effect].value}"],
        )
        subject = cell.claims[0].partition("#")[0]
        shown: list[nodes.Node] = [make.ref("run", run, words, part=run_part(subject, probe))]
        told = [f"{backend} ({device})"] if several else []
        told += [make.listed(place.version for place in places)] if len(by_effect) > 1 else []
        shown.append(nodes.Text(f" {' '.join(told)} " if told else " "))
        part = marked_inline("", "", *shown)
        versions = [place.version for place in places]
        parts.append(make.only_in(part, places[0].framework, versions) if len(by_effect) > 1 else part)
    content = paragraph(*parts) if parts else paragraph(nodes.Text("–"))
    held = block("", content, ids=[anchor(claim) for claim in cell.claims])
    make.document.note_explicit_target(held)
    return held
