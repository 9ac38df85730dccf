"""Resolves the links in nodes that only the writer sees, which Sphinx' own resolver does not reach."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

from apidiff.sphinxext.nodes import every, late

_logger = logging.getLogger(__name__)


class ResolveLate(SphinxPostTransform):
    """Replace every reference in `late` nodes by its link; warn of one that leads nowhere, as Sphinx does."""

    default_priority = 10  # that of Sphinx' own

    def run(self, **_kwargs: Any) -> None:
        """Resolve those of this page."""
        for holder in self.document.findall(late):
            for child in holder["content"]:
                for reference in list(every(child, addnodes.pending_xref)):
                    reference.replace_self(self._resolved(reference))

    def _resolved(self, reference: addnodes.pending_xref) -> list[nodes.Node]:
        domain = self.env.get_domain(reference["refdomain"])
        kind, target, words = reference["reftype"], reference["reftarget"], reference.children
        shown = nodes.inline("", "", *words) if len(words) != 1 else words[0]
        link = domain.resolve_xref(self.env, self.env.docname, self.app.builder, kind, target, reference, shown)  # type: ignore[arg-type]
        if link is not None:
            return [link]
        if not reference.get("apidiff_optional"):
            text = domain.dangling_warnings[kind] % {"target": target}
            _logger.warning(text, location=reference, type="ref", subtype=kind)
        return [shown]
