"""Joins the words by which kinds of behaviour are found, in both languages: their labels, and what else people call them."""

from __future__ import annotations

from apidiff.database.scope import load_scope
from apidiff.messages.labels import LABELS


def words_of(enumeration: str, value: str) -> str:
    """The words of one value of an enumeration, or of a category: ``words_of("difference", "in_place")``."""
    label = load_scope().categories[value] if enumeration == "category" else LABELS[f"{enumeration}.{value}"]
    synonyms = LABELS.get(f"synonyms.{value}")
    return " ".join([value, label.en, label.zh, *([synonyms.en, synonyms.zh] if synonyms else [])])
