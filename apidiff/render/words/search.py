"""Searching, and the table of all mappings."""

from __future__ import annotations

from apidiff.model.base import Text

WORDS: dict[str, Text] = {}
