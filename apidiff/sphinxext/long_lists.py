"""Shows lists that grow with the database: what is used most at once, the rest in portions that a heavy page moves away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from apidiff.messages.labels import label
from apidiff.sphinxext.languages import language_of
from apidiff.sphinxext.nodes import cut, portion
from apidiff.sphinxext.page_builder import PageBuilder

T = TypeVar("T")
_SHOWN = 40
_PORTION = 60

Shown = TypeVar("Shown", bound=nodes.Node)


def portions(
    make: PageBuilder,
    items: Sequence[tuple[str, Shown]],
    wrap: Callable[[Sequence[Shown]], Sequence[nodes.Node]] = list,
    shown: int = _SHOWN,
) -> list[nodes.Node]:
    """Show the first items, then the rest in the order of their names, in portions called by their first and last name.

    Args:
        make: builds the page's nodes.
        items: each with its name, those used most first.
        wrap: makes of several items what is shown; they stand beside each other without it.
        shown: how many items every reader sees at once.
    """
    first = [node for _, node in items[:shown]]
    rest = sorted(items[shown:], key=lambda item: item[0])
    children: list[nodes.Node] = [*wrap(first)] if first else []
    for some in _cut(rest, _PORTION):
        title = make.word("index.portion", first=some[0][0], last=some[-1][0], count=len(some))
        children.append(portion("", *wrap([node for _, node in some]), title=title))
    return children


def divisible(items: Sequence[nodes.list_item], classes: Sequence[str] = ()) -> Iterator[nodes.Node]:
    """Make a bullet list that may be divided between pages, where it stands under a lid."""
    for number, some in enumerate(_cut(items, 3 * _PORTION)):
        if number:
            yield cut()
        yield nodes.bullet_list("", *some, classes=list(classes))


def hold_members(app: Sphinx, doctree: nodes.document) -> None:
    """Make of the members of each class on a page of this project's interface a portion."""
    if not app.env.docname.startswith("api/"):
        return
    language = language_of(app.config).words
    for described in list(doctree.findall(addnodes.desc)):
        content = described.next_node(addnodes.desc_content)
        members = [child for child in content.children if isinstance(child, addnodes.desc)] if content else []
        if content is None or not members:
            continue
        signature = next(described.findall(addnodes.desc_signature))
        name = signature["ids"][0].rpartition(".")[2] if signature["ids"] else ""
        held = portion("", title=label("index.members", language, name=name, count=len(members)))
        content.insert(content.index(members[0]), held)
        for member in members:
            content.remove(member)
            held += member


def _cut(items: Sequence[T], size: int) -> list[Sequence[T]]:
    return [items[start : start + size] for start in range(0, len(items), size)]
