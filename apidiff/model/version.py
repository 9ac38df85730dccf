"""Framework versions: ordered, and comparable at the precision a reader types ("2.10" covers "2.10.0")."""

from __future__ import annotations

import re
from functools import total_ordering


class VersionError(ValueError):
    """A string that is no release version such as '2.10' or '2.7.1'."""


@total_ordering
class Version:
    """A release version of one to three numbers, e.g. ``Version("2.10")``.

    Missing numbers compare as zero, so ``Version("2.10") == Version("2.10.0")``. Local and pre-release parts
    ("+cpu", "rc1") are refused: records name releases.
    """

    __slots__ = ("parts", "text")

    def __init__(self, text: str) -> None:
        pieces = text.split(".")
        if not 1 <= len(pieces) <= 3 or not all(
            piece.isascii() and piece.isdigit() and len(piece) < 6 for piece in pieces
        ):
            raise VersionError(f"Expected a release version such as 2.10 or 2.7.1 but got {text!r}")
        self.text = text
        numbers = [int(piece) for piece in pieces]
        self.parts = tuple(numbers + [0] * (3 - len(numbers)))

    def covers(self, release: Version) -> bool:
        """Whether ``release`` is this version at the precision it was written: 2.7 covers 2.7.0, 2.7.1 and 2.7.2."""
        count = len(self.text.split("."))
        return self.parts[:count] == release.parts[:count]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self.parts == other.parts

    def __lt__(self, other: Version) -> bool:
        return self.parts < other.parts

    def __hash__(self) -> int:
        return hash(self.parts)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Version({self.text!r})"


def is_recordable(text: str) -> bool:
    """Whether runs of a build are recorded: a release, or somebody's build of the code of one ('2.7.0a0+5228986c39.nv25.05').

    A nightly build or a release candidate is neither. What follows the '+' is anybody's.
    """
    return re.fullmatch(r"\d+(\.\d+){1,2}(\+.+|a0\+.+)?", text) is not None


def release_of(text: str) -> str:
    """The release that a build belongs to: '2.16.0' of '2.16.0.dev20261120+cpu' or '2.16.0rc1'. Raises VersionError for none."""
    found = re.match(r"\d+(\.\d+){0,2}(?!\d)", text)
    if found is None:
        raise VersionError(f"Expected a version that begins with a release such as 2.10 but got {text!r}")
    return found[0]
