"""Shows the comments of scripts in the reader's language; the scripts themselves stay as they run."""

from __future__ import annotations

import re

from apidiff.messages.labels import LABELS, Language

_PREFIX = "comment."
_COMMENT = re.compile(r"(?<![^\s])# (?P<words>.+)$", re.MULTILINE)
_NAMES = [key.removeprefix(_PREFIX) for key in LABELS if key.startswith(_PREFIX)]
CHINESE = {text.en: text.zh for text in (LABELS[f"comment.{name}"] for name in _NAMES)}


def commented(code: str, language: Language) -> str:
    """``code`` with its comments in ``language``; one that is not on record stays as it is."""
    if language == "en":
        return code
    return _COMMENT.sub(lambda comment: f"# {CHINESE.get(comment['words'], comment['words'])}", code)
