"""The fixed words of the parts of the site, one module a part; ``apidiff.messages.labels`` joins them into one table."""

from __future__ import annotations

from apidiff.model.base import Text


def both(en: str, zh: str) -> Text:
    """The same words in both languages."""
    return Text(en=en, zh=zh)
