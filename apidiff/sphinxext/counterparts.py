"""The page that goes from MindSpore to PyTorch: every communication API with the sources it serves."""

from __future__ import annotations

from docutils import nodes

from apidiff.model.entry import CounterpartEntry, ServedEntry
from apidiff.sphinxext.nodes import Builder, Cell, Inline, anchor, block, literal, paragraph, table

# Modules in the order of the page; an API belongs to the first that its name begins with.
_MODULES = (
    "mindspore.mint.distributed",
    "mindspore.ops.communication",
    "mindspore.communication.comm_func",
    "mindspore.communication",
    "mindspore.ops",
    "mindspore",
)


def counterpart_sections(make: Builder, found: list[CounterpartEntry]) -> list[nodes.Node]:
    """One section a module, with one row an API."""
    by_module: dict[str, list[CounterpartEntry]] = {module: [] for module in _MODULES}
    for one in found:
        by_module[module_of(one.name)].append(one)
    header = [make.word(f"column.{name}") for name in ("mindspore_api", "serves", "range", "status")]
    sections: list[nodes.Node] = []
    for module, members in by_module.items():
        if members:
            rows = [row for one in members for row in _rows(make, one)]
            shown = block("", table(header, rows, classes=["apidiff-stacked"]), filter=make.word("index.filter"))
            sections.append(make.section(f"module-{module}", [literal(module)], shown))
    return sections or [paragraph(nodes.Text(make.word("index.empty")))]


def module_of(name: str) -> str:
    """The module of the page that an API is listed under."""
    return next(module for module in _MODULES if name.startswith(f"{module}."))


def _rows(make: Builder, one: CounterpartEntry) -> list[list[Cell]]:
    name = nodes.inline("", "", literal(one.name), ids=[anchor(one.name)])
    make.document.note_explicit_target(name)
    if not one.serves:
        said: list[nodes.Node] = [nodes.Text(make.word("serves.unnamed"))]
        if one.why:
            said = [nodes.Text(make.word("serves.none") + (" " if make.language == "en" else "")), *make.text(one.why)]
        return [[[name], said, "", ""]]
    rows: list[list[Cell]] = []
    for index, served in enumerate(one.serves):
        first: Cell = [name] if index == 0 else [literal(one.name)]
        rows.append([first, _source(make, one, served), *_standing(make, served)])
    return rows


def _source(make: Builder, one: CounterpartEntry, served: ServedEntry) -> Inline:
    if served.role == "target":
        return [make.ref("mapping", served.id, literal(served.source), part=anchor(one.name))]
    link = make.ref("mapping", served.id, literal(served.source))
    return [
        link,
        nodes.Text(f" ({make.word('role.used')})" if make.language == "en" else f"（{make.word('role.used')}）"),
    ]


def _standing(make: Builder, served: ServedEntry) -> list[Cell]:
    kind = "status" if served.role == "target" else "answer"
    spans = [paragraph(nodes.Text(one.range)) for one in served.ranges]
    badges = [paragraph(make.badge(kind, one.status)) for one in served.ranges]
    return [spans, badges]
