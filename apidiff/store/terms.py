"""The agreed translations of ``conf/terms.yaml``."""

from __future__ import annotations

from apidiff.model.base import Record
from apidiff.store.paths import conf_file
from apidiff.store.yaml import read_yaml


class Term(Record, frozen=True, kw_only=True):
    """An English term, the Chinese for it, and Chinese words that must not be used for it."""

    en: str
    zh: str
    avoid: list[str] = []
    note: str | None = None


def load_terms() -> list[Term]:
    """All terms; raises DataError where the file is broken."""
    terms, _ = read_yaml(conf_file("terms.yaml"), list[Term])
    return terms
