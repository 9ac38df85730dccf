"""Keeps what was derived from a record for as long as the record is among the last ones asked about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Subject = TypeVar("Subject")
Derived = TypeVar("Derived")


class KeptFor(Generic[Subject, Derived]):
    """Derives something once for each of the last few objects, and returns it again while they are asked about.

    Objects are told apart by identity, since records hold dictionaries and cannot be hashed. None of them may be changed.
    """

    def __init__(self, derive: Callable[[Subject], Derived], most: int = 64) -> None:
        self._derive, self._most = derive, most
        self._kept: dict[int, tuple[Subject, Derived]] = {}

    def __call__(self, subject: Subject) -> Derived:
        """Return what is derived from ``subject``."""
        kept = self._kept.get(id(subject))
        if kept is None:  # what is kept holds its object, whose identity is no other's therefore
            if len(self._kept) >= self._most:
                self._kept.clear()
            kept = self._kept[id(subject)] = subject, self._derive(subject)
        return kept[1]
