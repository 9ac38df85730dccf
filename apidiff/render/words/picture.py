"""Pictures of what a collective does to each rank's buffers."""

from __future__ import annotations

from apidiff.model.base import Text

WORDS: dict[str, Text] = {}
