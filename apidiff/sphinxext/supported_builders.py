"""Tells which of Sphinx' builders writes the extension's pages, and refuses them to one that writes pages in another way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.errors import ExtensionError

AddToPage = Callable[[Sphinx, str, str, dict[str, Any], nodes.document | None], None]
# They write no pages, or whatever nodes there are.
_WRITE_ANYTHING = {"", "xml", "pseudoxml"}


def writes_site(builder: Builder) -> TypeGuard[StandaloneHTMLBuilder]:
    """Tell whether the builder is ``html``: links, scripts and the writer are made for where it puts pages, and how."""
    return isinstance(builder, StandaloneHTMLBuilder) and builder.name == "html"


def on_site(add: AddToPage) -> AddToPage:
    """Return what does as ``add`` does to the pages of a site and leaves those of other builders as Sphinx makes them."""

    def add_there(
        app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: nodes.document | None
    ) -> None:
        if writes_site(app.builder):
            add(app, pagename, template, context, doctree)

    return add_there


class Refusal:
    """Refuses pages that hold one of ``kinds`` of nodes to builders that cannot write them."""

    def __init__(self, *kinds: type[nodes.Element]) -> None:
        self._kinds = kinds

    def __call__(self, app: Sphinx, doctree: nodes.document, docname: str) -> None:
        """Raise ExtensionError, which names the page and the builder."""
        if writes_site(app.builder) or app.builder.format in _WRITE_ANYTHING:
            return
        if any(isinstance(node, self._kinds) for node in doctree.findall()):
            found = f"{docname}: holds what apidiff writes for the builder html alone, not for {app.builder.name}"
            remedy = "Build with -b html, or leave such pages out by exclude_patterns"
            raise ExtensionError(f"{found}. {remedy}.")
