"""Evidence in the reader's language: our words in it are translated, what a framework said stays as it is."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable
from functools import cache

from apidiff.judge.evidence_messages import TEMPLATES
from apidiff.messages.labels import Language, label

# Names of arguments and places in what is returned; any other text may hold anything.
_PLACES = {"slot": r"[\w.\[\]]+", "other": r"[\w.\[\]]+"}
_LINE = re.compile(r"(rank \d+): (.*)", re.DOTALL)


def in_language(lines: Iterable[str], language: Language) -> list[str]:
    """Lines of evidence as the judge wrote them, for a page in ``language``."""
    return list(lines) if language == "en" else [_translated(line, language) for line in lines]


def _translated(line: str, language: Language) -> str:
    found = _LINE.fullmatch(line)
    if found is None:
        return line
    for key, pattern in _patterns():
        if told := pattern.fullmatch(found[2]):
            return f"{found[1]}: {label(f'said.{key}', language).format(**told.groupdict())}"
    return line


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """Each template of the judge as what reads it: a name in braces stands for a place or for any text."""
    found = []
    for key, template in TEMPLATES.items():
        parts = [
            re.escape(text) + (f"(?P<{name}>{_PLACES.get(name, '.+')})" if name else "")
            for text, name, _, _ in string.Formatter().parse(template)
        ]
        found.append((key, re.compile("".join(parts), re.DOTALL)))
    return found
