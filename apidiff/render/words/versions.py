"""Choosing versions, and what a page shows of each."""

from __future__ import annotations

from apidiff.model.base import Text

WORDS: dict[str, Text] = {}
