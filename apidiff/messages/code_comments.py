"""Shows the comments of scripts in the reader's language; the scripts themselves stay as they run."""

from __future__ import annotations

import re

from apidiff.messages.labels import LABELS
from apidiff.model.base import Language

_COMMENT = re.compile(r"(?<![^\s])# (?P<words>.+)$", re.MULTILINE)
_DOCSTRING_LINE = re.compile(r'^(?P<before> *(?:""")?)(?P<words>[A-Z].*?)(?P<after>(?:""")?)$', re.MULTILINE)


def _names(prefix: str) -> list[str]:
    return [key.removeprefix(prefix) for key in LABELS if key.startswith(prefix)]


CHINESE = {text.en: text.zh for text in (LABELS[f"comment.{name}"] for name in _names("comment."))}
CHINESE_DOCSTRINGS = {text.en: text.zh for text in (LABELS[f"docstring.{name}"] for name in _names("docstring."))}


def commented(code: str, language: Language) -> str:
    """``code`` with its comments and docstrings in ``language``; a line that is not on record stays as it is."""
    if language == "en":
        return code
    told = _COMMENT.sub(lambda comment: f"# {CHINESE.get(comment['words'], comment['words'])}", code)
    return _DOCSTRING_LINE.sub(
        lambda line: line["before"] + CHINESE_DOCSTRINGS.get(line["words"], line["words"]) + line["after"], told
    )
