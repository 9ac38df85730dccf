"""Sphinx' writer of HTML: what cannot be seen is shown, and names in headings and links break behind their dots."""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.writers.html5 import HTML5Translator

from apidiff.messages.escape_invisible import escapes

# Behind a dot, an underscore or the sign before a claim; not in a version or a number.
_JOINT = re.compile(r"(?<=\w)(?:[._#](?=[A-Za-z])|_(?=\w))")


class Translator(HTML5Translator):
    """The writer of the site's pages."""

    special_characters = {**HTML5Translator.special_characters, **escapes()}

    def visit_Text(self, node: nodes.Text) -> None:  # noqa: N802 - the name docutils looks for
        """Write a text; a narrow window may break a name in a heading or a link at its joints, not within a word."""
        before = len(self.body)
        super().visit_Text(node)
        if isinstance(node.parent, nodes.literal) and isinstance(node.parent.parent, nodes.title | nodes.reference):
            self.body[before:] = [_JOINT.sub(r"\g<0><wbr>", piece) for piece in self.body[before:]]
