"""Evidence, coverage, repeating runs, and correcting a record."""

from __future__ import annotations

from apidiff.model.base import Text

WORDS: dict[str, Text] = {}
