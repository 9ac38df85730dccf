"""What is published for programs, and what pages say of themselves to other sites."""

from __future__ import annotations

from apidiff.model.base import Text

WORDS: dict[str, Text] = {}
