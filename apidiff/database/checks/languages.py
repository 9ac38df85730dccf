"""Text in two languages: both name the same identifiers and numbers, and the Chinese keeps to the agreed terms."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from apidiff.database.checks.subject import Place, Subject
from apidiff.database.terms import Term
from apidiff.errors import DataError
from apidiff.model.base import Text

_IDENTIFIER = re.compile(r"`([^`]+)`")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)*")


def languages_agree(subject: Subject, terms: list[Term]) -> Iterator[DataError]:
    """Every text of the mapping, against itself and ``terms``."""
    for at, text in texts(subject.mapping, ()):
        for found, remedy in text_faults(text, terms):
            yield subject.error(at, found, remedy)


def text_faults(text: Text, terms: list[Term]) -> Iterator[tuple[str, str]]:
    """What is wrong with one text, each with its remedy."""
    named = [set(_IDENTIFIER.findall(one)) for one in (text.en, text.zh)]
    counted = [set(_NUMBER.findall(_IDENTIFIER.sub("", one))) for one in (text.en, text.zh)]
    for what, (en, zh) in (("identifiers", named), ("numbers", counted)):
        if en != zh:
            yield f"en and zh name different {what}: {', '.join(sorted(en ^ zh))}", "Name the same in both."
    for term in terms:
        for avoided in term.avoid:
            if avoided in text.zh:
                yield f"zh says {avoided!r} for {term.en!r}", f"Write {term.zh!r} (conf/terms.yaml)."


def texts(value: object, at: Place) -> Iterator[tuple[Place, Text]]:
    """Every text in ``value`` with its path of keys and indexes, which begins with ``at``."""
    if isinstance(value, Text):
        yield at, value
    elif isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            yield from texts(getattr(value, field), (*at, field))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from texts(item, (*at, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from texts(item, (*at, index))
