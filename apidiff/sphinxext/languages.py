"""Keeps the two languages of the site in step: which one a build makes, and anchors that are the same in both."""

from __future__ import annotations

import re
from gettext import GNUTranslations
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message
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

_HEADER = "Content-Type: text/plain; charset=UTF-8\nLanguage: zh_CN\n"
_MARKS = re.compile(
    r"%\(\w*\)\w|%[-#0 +]*[\d.]*[\w%]|\{[^}]*\}|<[^>]*>|[\x00-\x1f\\\"'&<>{}%\u200b-\u202e\u2060-\u206f\ufeff]"
)
"""What of a message a theme or Sphinx does not take as words: markup, what is filled in, what is not seen."""

_CHINESE = re.compile("[一-鿿\u3000-〿＀-￯“”‘’]")


def language_of(config: Config) -> SiteLanguage:
    """Return the language that a build makes: English where Sphinx is set to one that the site does not have."""
    return next((language for language in LANGUAGES if language.sphinx == config.language), LANGUAGES[0])


def use_theme_words(file: Path = THEME_WORDS) -> None:
    """Have Sphinx translate with ``file`` before its own catalogue and the theme's, which it reads after its configuration.

    Of a folder in ``locale_dirs`` Sphinx would compile the catalogue in place, and go on with what a killed build left of it.
    Raises ConfigError, which names the file and the remedy, where that cannot be read.
    """
    compiled, words = BytesIO(), _PlainWords("zh_CN")
    try:
        PoFileParser(words, abort_invalid=True).parse(StringIO(read_text(file)))
        write_mo(compiled, words)
        compiled.seek(0)
        translations = GNUTranslations(compiled)
    except (OSError, ValueError, LookupError, PoFileError) as error:
        found = error.strerror if isinstance(error, OSError) else error
        remedy = "Correct it, or bring it back with `git checkout`"
        raise ConfigError(f"{file}: cannot be read as a catalogue ({found}). {remedy}.") from error
    translators["general", "sphinx"] = translations


class _PlainWords(Catalog):
    """A catalogue of which each message is words alone: a theme writes them into pages as they are."""

    def __setitem__(self, id: Any, message: Message) -> None:  # noqa: A002 - the name that Babel gave it
        """Add a message. Raises ValueError where it is more than words, or the header another than this project's."""
        if id == "":
            if message.string != _HEADER:
                raise ValueError(f"its header is not {_HEADER!r}")
        elif not isinstance(id, str) or not isinstance(message.string, str):
            raise ValueError(f"line {message.lineno}: a message has plural forms")
        elif _marks(id) != _marks(message.string) or len(message.string) > 2 * len(id) + 20:
            raise ValueError(
                f"line {message.lineno}: {typed(message.string)} is longer than {typed(id)}, or has other markup or placeholders"
            )
        super().__setitem__(id, message)


def _marks(message: str) -> tuple[list[str], list[str]]:
    """The marks of a message, and those of them that are filled in by their order."""
    found = _MARKS.findall(message)
    return sorted(found), [mark for mark in found if mark.startswith("%") and not mark.startswith("%(")]


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
