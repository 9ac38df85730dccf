"""What ``conf/single.toml`` and ``conf/backends.toml`` set for the processes that make calls, and how the two are read."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from apidiff.database.toml import line_of, read_toml
from apidiff.errors import Damage, DataError, decoding_fault
from apidiff.model.base import Record

# Arguments and variables are handed to processes, which can be given no NUL and no more than 128 KiB in one.
Code = Annotated[str, msgspec.Meta(pattern=r"^[^\x00]*\Z", max_length=10_000)]
BACKEND = r"[A-Za-z0-9_]{1,16}"
"""What a backend is called, in settings and in records: pages show it bare, and a longer name could be a sentence."""
BackendName = Annotated[str, msgspec.Meta(pattern=rf"^{BACKEND}\Z")]
Word = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_]+\Z", max_length=100)]
Seconds = Annotated[float, msgspec.Meta(ge=0.1, le=30 * 24 * 3600)]
Gibibytes = Annotated[float, msgspec.Meta(ge=0.1, le=2**16)]
Environment = Annotated[
    dict[
        Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*\Z", max_length=100)],
        Annotated[str, msgspec.Meta(pattern=r"^[^\x00]*\Z", max_length=4000)],
    ],
    msgspec.Meta(max_length=100),
]
_REMEDY = "Correct it; the comment at the head of the file says what each key is."
T = TypeVar("T")
_SEARCHED = 2000  # characters of an error message: what is wrong stands at its head
# What has no say in how often a pattern can be tried: what is escaped, and sets of characters.
_ONE_CHARACTER = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_MOST_CHOICES = 4  # with which one repeated part is searched for in a second at worst


class ProcessSettings(Record, frozen=True, kw_only=True, dict=True, gc=True):
    """What is set for processes of one framework on one device.

    ``environment``: variables set for them. ``unsupported``: regular expressions over error messages by which what is called
    says that it has no kernel.
    """

    framework: Word
    device: Word
    environment: Environment = {}
    unsupported: Annotated[list[Annotated[str, msgspec.Meta(max_length=1000)]], msgspec.Meta(max_length=32)] = []

    def __post_init__(self) -> None:
        """Raises ValueError for a pattern that cannot be compiled, or that could be searched for without end."""
        _ = self.unsupported_patterns

    @cached_property
    def unsupported_patterns(self) -> list[re.Pattern[str]]:
        """``unsupported``, compiled."""
        return [_compiled(pattern) for pattern in self.unsupported]


def refuse_repeated(table: str, keys: Iterable[tuple[str, ...]]) -> None:
    """Raises ValueError, which names the place, where two tables ``[[table]]`` describe the same: one would count for both."""
    places: dict[tuple[str, ...], int] = {}
    for place, key in enumerate(keys):
        if (before := places.setdefault(key, place)) != place:
            raise ValueError(f"`$.{table}[{place}]` describes {' '.join(key)} again, as number {before + 1} does")


def says_unsupported(message: str, patterns: Iterable[re.Pattern[str]]) -> bool:
    """Whether an error message says by one of ``patterns`` that there is no kernel."""
    return _says(message[:_SEARCHED], tuple(patterns))


@lru_cache(maxsize=2**14)
def _says(message: str, patterns: tuple[re.Pattern[str], ...]) -> bool:
    """Searched for once: many runs end with the same message."""
    return any(pattern.search(message) for pattern in patterns)


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        with warnings.catch_warnings(action="ignore"):  # of signs that may mean something else one day
            compiled = re.compile(pattern)
    except (
        re.error,
        OverflowError,
        RecursionError,
    ) as error:  # the last two of repetitions and groups beyond any bound
        raise ValueError(f"`unsupported` has {pattern[:100]!r}, which is no regular expression: {error}") from error
    if not _is_quick(pattern):
        raise ValueError(f"`unsupported` has {pattern[:100]!r}, which could be searched for without end")
    return compiled


def _is_quick(pattern: str) -> bool:
    """Whether a search tries few ways: what is repeated in a repeated group, say, can be divided in too many."""
    signs = _ONE_CHARACTER.sub("", pattern)
    repeats, choices = (sum(map(signs.count, some)) for some in ("*+{", "?|"))
    return repeats <= (0 if "(" in signs else 1) and choices <= _MOST_CHOICES and "(?" not in signs


def read_settings(path: Path, kind: type[T]) -> T:
    """The record of type ``kind`` in ``path``. Raises DataError, with the line where it can be told, for a broken file."""

    def broken(text: str, error: msgspec.ValidationError) -> DataError:
        return DataError(
            path, line_of(text, str(error)), f"cannot be used: {decoding_fault(error)}", _REMEDY, Damage.FORM
        )

    return read_toml(path, kind, broken)
