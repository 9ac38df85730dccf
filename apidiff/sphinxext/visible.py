"""Sphinx' writer of HTML, showing characters that nobody sees in text and in attributes."""

from __future__ import annotations

from sphinx.writers.html5 import HTML5Translator

from apidiff.render.visible import escapes


class VisibleTranslator(HTML5Translator):
    """The writer that `apidiff.render.visible` speaks of."""

    special_characters = {**HTML5Translator.special_characters, **escapes()}
