"""Keeps the two languages of the site in step: which one a build makes, and anchors that are the same in both."""

from __future__ import annotations

import re
from gettext import GNUTranslations
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any, TypeVar

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, PoFileParser
from docutils import nodes
from sphinx.config import Config
from sphinx.errors import ConfigError
from sphinx.locale import translators
from sphinx.transforms import SphinxTransform

from apidiff.database.paths import PACKAGE
from apidiff.database.regular_files import read_text
from apidiff.errors import typed
from apidiff.messages.code_comments import commented
from apidiff.writers.exports.address import LANGUAGES, SiteLanguage

THEME_WORDS = PACKAGE.parent / "conf" / "locale" / "zh_CN" / "LC_MESSAGES" / "sphinx.po"
"""What the theme's own Chinese catalogue lacks or says oddly; a checkout has it."""

_T = TypeVar("_T", int, str)

_CHINESE = re.compile("[一-鿿\u3000-〿＀-￯“”‘’]")


def language_of(config: Config) -> SiteLanguage:
    """Return the language that a build makes: English where Sphinx is set to one that the site does not have."""
    return next((language for language in LANGUAGES if language.sphinx == config.language), LANGUAGES[0])


def use_theme_words(file: Path = THEME_WORDS) -> None:
    """Have Sphinx translate with ``file`` before its own catalogue and the theme's, which it reads after its configuration.

    Of a folder in ``locale_dirs`` Sphinx would compile the catalogue in place, and go on with what a killed build left of it.
    Raises ConfigError, which names the file and the remedy, where that cannot be read.
    """
    compiled, words = BytesIO(), _ChineseWords("zh_CN")
    try:
        PoFileParser(words, abort_invalid=True).parse(StringIO(read_text(file)))
        if words.charset != "utf-8":
            raise ValueError(f"its charset is {typed(words.charset)}, and not UTF-8")
        write_mo(compiled, words)
        compiled.seek(0)
        translations = GNUTranslations(compiled)
    except (OSError, ValueError, LookupError, PoFileError) as error:
        found = error.strerror if isinstance(error, OSError) else error
        remedy = "Correct it, or bring it back with `git checkout`"
        raise ConfigError(f"{file}: cannot be read as a catalogue ({found}). {remedy}.") from error
    translators["general", "sphinx"] = translations


class _ChineseWords(Catalog):
    """A catalogue with the one plural form of Chinese: of more, as a header may tell, each plural message has room for all."""

    @property
    def num_plurals(self) -> int:
        """How many plural forms there are. Raises ValueError where the header tells another number."""
        return self._of_chinese(super().num_plurals, 1)

    @property
    def plural_expr(self) -> str:
        """Which form a number has. Raises ValueError where the header tells another rule."""
        return self._of_chinese(super().plural_expr, "0")

    @staticmethod
    def _of_chinese(found: _T, known: _T) -> _T:
        if found != known:
            raise ValueError("its plural forms are not those of Chinese: nplurals=1; plural=0;")
        return known


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
            labels = [name for name in section["names"] if document.nametypes.get(name)]
            ids = [document.nameids[name] for name in labels if document.nameids.get(name) in section["ids"]]
            if not ids:
                continue
            for name in section["names"]:
                document.nameids[name] = document.nameids[name] if name in labels else ids[0]
            section["ids"] = ids


class ChineseComments(SphinxTransform):
    """Shows the comments of the scripts that a Chinese page includes in Chinese."""

    default_priority = 271

    def apply(self, **_kwargs: Any) -> None:
        """Rewrite the comments and docstrings of this document's Python code."""
        if language_of(self.config).words != "zh":
            return
        for code in self.document.findall(nodes.literal_block):
            if code.get("language") == "python":
                code.rawsource = commented(code.astext(), "zh")
                code[:] = [nodes.Text(code.rawsource)]


class ChineseLineBreaks(SphinxTransform):
    """Join lines of Chinese prose without a space: browsers show the line break of the source as one."""

    default_priority = 271

    def apply(self, **_kwargs: Any) -> None:
        """Empty the line breaks that stand between two Chinese characters or marks."""
        if language_of(self.config).words != "zh":
            return
        for paragraph in self.document.findall(nodes.paragraph):
            texts = list(paragraph.findall(nodes.Text))
            for before, text, after in zip(texts, texts[1:], texts[2:], strict=False):
                if text == "\n" and _CHINESE.match(before[-1:]) and _CHINESE.match(after[:1]):
                    # By identity: all line breaks of a paragraph are equal.
                    place = next(at for at, child in enumerate(text.parent.children) if child is text)
                    text.parent[place] = nodes.Text("")
