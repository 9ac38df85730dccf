"""Text in two languages: both name the same identifiers and numbers, and the Chinese keeps to the agreed terms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path

import msgspec

from apidiff.database.checks.subject import Place, Subject
from apidiff.database.terms import Term
from apidiff.database.yaml import read_yaml
from apidiff.errors import DataError
from apidiff.folder_walk import visible_files
from apidiff.model.base import Text

_IDENTIFIER = re.compile(r"`([^`]+)`")
# A half-width sign after a Chinese character, or a space beside a full-width one.
_AMISS = re.compile(r"[一-鿿][,;:?!](?=\s|$|[一-鿿])|[，。；：、？！（“] \S|(?<=[一-鿿\w`]) [，。；：、？！）”]")
# Chinese that touches a Latin letter, a digit or code.
_CLOSE = re.compile(r"[一-鿿][A-Za-z0-9`]|[A-Za-z0-9`][一-鿿]")
# The file of messages that holds what people type, old words among it.
SEARCHED_WORDS = "synonyms.yaml"
_WORD = re.compile(r"\w+")
_HOLDERS = (msgspec.Struct, dict, list)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)*")


def languages_agree(subject: Subject, faults: Callable[[Text], list[tuple[str, str]]]) -> Iterator[DataError]:
    """Every text of the mapping. ``faults``: what is wrong with one, as `text_faults` tells it; many have the same."""
    for at, text in texts(subject.mapping, ()):
        for found, remedy in faults(text):
            yield subject.error(at, found, remedy)


def text_faults(text: Text, terms: list[Term]) -> Iterator[tuple[str, str]]:
    """What is wrong with one text, each with its remedy."""
    named = [set(_IDENTIFIER.findall(words)) for words in (text.en, text.zh)]
    counted = [set(_NUMBER.findall(_IDENTIFIER.sub("", words))) for words in (text.en, text.zh)]
    for what, (en, zh) in (("identifiers", named), ("numbers", counted)):
        if en != zh:
            yield f"en and zh name different {what}: {', '.join(sorted(en ^ zh))}", "Name the same in both."
    yield from word_faults(text, terms)


def word_faults(text: Text, terms: list[Term]) -> Iterator[tuple[str, str]]:
    """A text without words, words that are not the agreed ones, and Chinese that is set amiss, each with its remedy."""
    for language in ("en", "zh"):
        if not getattr(text, language).strip():
            yield f"{language} holds nothing but white space", "Write the text, or leave it out in both languages."
    said = {word for word in {word for term in terms for word in term.avoid_en} if _says(text.en, word)}
    for term in terms:
        for language, agreed, avoided in (
            ("zh", term.zh, [word for word in term.avoid if word in text.zh]),
            ("en", term.en, [word for word in term.avoid_en if word in said]),
        ):
            for word in avoided:
                yield f"{language} says {word!r} for {term.en!r}", f"Write {agreed!r} (conf/terms.yaml)."
    zh = _IDENTIFIER.sub("`x`", text.zh)
    if amiss := _AMISS.search(zh):
        yield f"zh sets punctuation amiss: {amiss.group()!r}", "Write full-width punctuation without spaces around it."
    if close := _CLOSE.search(zh):
        near = zh[max(0, close.start() - 4) : close.end() + 4]
        yield f"zh lacks a space: {near!r}", "Set one between Chinese and Latin letters, digits or code."


def _says(text: str, word: str) -> bool:
    """Whether English says what is agreed not to be said, and no longer word."""
    return word in text and _words_in(word) <= _words_in(text) and _as_word(word).search(text) is not None


@lru_cache(maxsize=4096)
def _words_in(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text))


@cache  # hundreds of words are looked for in each text, more than Python keeps patterns of
def _as_word(word: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(word)}\b")


def messages_keep_to_terms(folder: Path, terms: list[Term]) -> Iterator[DataError]:
    """Every message in the files of ``folder``, but for what people type when they search."""
    for path in visible_files(folder, "*.yaml"):
        if path.name != SEARCHED_WORDS:
            messages, lines = read_yaml(path, dict[str, Text])
            for key, text in messages.items():
                for found, remedy in word_faults(text, terms):
                    yield DataError(path, lines.get((key,)), f"{key}: {found}", remedy)


def texts(value: object, at: Place) -> Iterator[tuple[Place, Text]]:
    """Every text in ``value`` with its path of keys and indexes, which begins with ``at``."""
    if isinstance(value, Text):
        yield at, value
        return
    for key, item in _items(value):
        if isinstance(item, _HOLDERS):
            yield from texts(item, (*at, key))


def _items(value: object) -> Iterable[tuple[str | int, object]]:
    if isinstance(value, msgspec.Struct):
        return ((field, getattr(value, field)) for field in value.__struct_fields__)
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()
