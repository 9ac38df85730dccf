"""The agreed translations of ``conf/terms.yaml``, and what people type for them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated

import msgspec

from apidiff.database.paths import conf_file
from apidiff.database.yaml import read_yaml
from apidiff.errors import Damage, DataError
from apidiff.model.base import Record

_MOST_WORDS = 1_500  # each is looked for in each text; there are a fifth of that
_SEPARATOR = re.compile(r"[\s_-]+")


Words = Annotated[list[str], msgspec.Meta(max_length=100)]  # each of some is looked up with each of others


class Term(Record, frozen=True, kw_only=True):
    """An English term, the Chinese for it, and words of either language that must not be used for it.

    ``apis``: names of APIs, or words of them, that who searches for the term means, the plainest first. ``also``: what
    else people type for it, in either language.
    """

    en: str
    zh: str
    avoid: Words = []
    avoid_en: Words = []
    also: Words = []
    apis: Words = []
    note: str | None = None


def load_terms() -> list[Term]:
    """All terms; raises DataError where the file is broken."""
    path = conf_file("terms.yaml")
    terms, lines = read_yaml(path, list[Term])
    words = 0
    for place, term in enumerate(terms):
        words += len(term.avoid) + len(term.avoid_en) + len(term.also) + len(term.apis)
        if words > _MOST_WORDS:
            found = f"has more than {_MOST_WORDS} words up to {term.en!r}"
            raise DataError(path, lines.get((place,)), found, "Take out those that nobody writes.", Damage.SIZE)
        if term.also and not term.apis:
            found = f"`also` of {term.en!r} leads nowhere: there are no `apis`"
            raise DataError(path, lines.get((place, "also")), found, "Name the APIs that are meant, or drop it.")
    return terms


def everyday_names(terms: Iterable[Term]) -> dict[str, list[str]]:
    """What people type, as `everyday` writes it, with the words of API names that they mean by it."""
    found: dict[str, dict[str, None]] = {}
    for term in terms:
        for name in (term.en, term.zh, *term.avoid, *term.also):
            if term.apis and name not in term.apis:  # the name itself needs no other
                found.setdefault(everyday(name), {}).update(dict.fromkeys(term.apis))
    return {name: [*apis] for name, apis in found.items()}


def everyday(name: str) -> str:
    """``name`` as it is compared: 'Point-to-point' as 'point to point'."""
    return _SEPARATOR.sub(" ", name).strip().lower()
