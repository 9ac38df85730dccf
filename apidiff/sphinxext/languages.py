"""One site in two languages: where the same page is in the other one, and anchors that are the same in both."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from apidiff.messages.labels import Language, label
from apidiff.sphinxext.nodes import relative
from apidiff.sphinxext.search_index import search_words

# Sphinx' language, the folder of the site, the tag for HTML, the name in the language itself.
_CHINESE = re.compile("[一-鿿\u3000-〿＀-￯“”‘’]")
LANGUAGES = (("en", "en", "en", "English"), ("zh_CN", "zh-cn", "zh-CN", "简体中文"))


class ExplicitAnchors(SphinxTransform):
    """Give every labelled section the label as its only ID.

    docutils numbers the IDs of headings that have no ASCII letters (``id1``), so a Chinese page would answer to other
    anchors than its English twin. A section without a label keeps what docutils gave it.
    """

    default_priority = 270  # after PropagateTargets (260) has moved labels onto the sections they stand before

    def apply(self, **_kwargs: Any) -> None:
        """Rewrite the IDs of this document's sections."""
        document = self.document
        for section in document.findall(nodes.section):
            explicit = [name for name in section["names"] if document.nametypes.get(name)]
            ids = [document.nameids[name] for name in explicit if document.nameids.get(name) in section["ids"]]
            if not ids:
                continue
            for name in section["names"]:
                document.nameids[name] = document.nameids[name] if name in explicit else ids[0]
            section["ids"] = ids


class ChineseLineBreaks(SphinxTransform):
    """Join lines of Chinese prose without a space: browsers show the line break of the source as one."""

    default_priority = 271

    def apply(self, **_kwargs: Any) -> None:
        """Empty the line breaks that stand between two Chinese characters or marks."""
        if not self.config.language.startswith("zh"):
            return
        for paragraph in self.document.findall(nodes.paragraph):
            texts = list(paragraph.findall(nodes.Text))
            for before, text, after in zip(texts, texts[1:], texts[2:], strict=False):
                if text == "\n" and _CHINESE.match(before[-1:]) and _CHINESE.match(after[:1]):
                    text.parent.replace(text, nodes.Text(""))


def add_language_context(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None
) -> None:
    """Tell templates where the page is in every language and give them the words of the site's shell."""
    uri = app.builder.get_target_uri(pagename)
    context["apidiff_languages"] = [
        {
            "href": relative(pagename, f"../{folder}/{uri}"),
            "tag": tag,
            "name": name,
            "current": app.config.language == language,
        }
        for language, folder, tag, name in LANGUAGES
    ]
    # Sphinx writes no page again because a neighbour came or went, so a link to the neighbour would go stale.
    context["prev"] = context["next"] = None
    context["rellinks"] = []
    words: Language = "zh" if app.config.language.startswith("zh") else "en"
    context["apidiff_word"] = lambda key: label(f"site.{key}", words)
    context["apidiff_search_words"] = search_words(words)
