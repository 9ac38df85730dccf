"""The page that goes from MindSpore to PyTorch: every communication API with the sources it serves."""

from __future__ import annotations

from docutils import nodes

from apidiff.model import AnswerKind
from apidiff.model.views import CounterpartEntry, ServedEntry
from apidiff.sphinxext.builder import Builder
from apidiff.sphinxext.nodes import Cell, Inline, anchor, block, external, joined, literal, paragraph, table

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
    header = [make.word(f"column.{name}") for name in ("mindspore_api", "serves")]
    sections: list[nodes.Node] = []
    for module, members in by_module.items():
        if members:
            rows = [_row(make, one) for one in members]
            shown = table(header, rows, classes=["apidiff-stacked"])
            sections.append(make.section(f"module-{module}", [literal(module)], shown))
    if not sections:
        return [paragraph(nodes.Text(make.word("index.empty")))]
    return [block("", filter=make.word("index.filter")), *sections]


def module_of(name: str) -> str:
    """The module of the page that an API is listed under."""
    return next(module for module in _MODULES if name.startswith(f"{module}."))


def _row(make: Builder, one: CounterpartEntry) -> list[Cell]:
    name = nodes.inline("", "", literal(one.name), ids=[anchor(one.name)])
    make.document.note_explicit_target(name)
    if one.serves:
        return [[name], [paragraph(*_source(make, one, served)) for served in one.serves]]
    if one.why is None:
        return [[name], make.word("serves.unnamed")]
    gap = nodes.Text(" " if make.language == "en" else "")
    said: list[nodes.Node] = [paragraph(nodes.Text(make.word("serves.none")), gap, *make.text(one.why))]
    comma = make.word("site.comma")
    if one.nearest:
        links = [[make.ref("mapping", mapping)] for mapping in one.nearest]
        said.append(make.term("nearest", *joined(links, comma)))
    if one.documents:
        places = [external(document.url, nodes.Text(document.title)) for document in one.documents]
        said.append(make.term("claim.stated", *joined(places, comma)))
    return [[name], said]


def _source(make: Builder, one: CounterpartEntry, served: ServedEntry) -> list[nodes.Node]:
    """The source, and in which versions it is answered so: 'torch.distributed.reduce ≥ 2.5 current'."""
    kind = "status" if served.role == "target" else "answer"
    part = anchor(one.name) if served.role == "target" else ""
    spans: list[Inline] = [
        [nodes.Text(make.span(found.range) + " "), make.badge(kind, found.status)] for found in served.ranges
    ]
    link = make.ref("mapping", served.id, literal(served.source), part=part)
    shown = [link, nodes.Text(" "), *joined(spans, " · ")]
    if any(found.status == AnswerKind.NO_COUNTERPART.value for found in served.ranges):
        shown.append(nodes.Text(make.word("serves.nearest")))
    return shown
