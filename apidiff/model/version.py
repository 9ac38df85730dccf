"""Framework versions: ordered, and comparable at the precision a reader types ("2.10" covers "2.10.0")."""

from __future__ import annotations

import re
from functools import lru_cache

import packaging.version

_RELEASE = re.compile(r"[0-9]{1,5}(\.[0-9]{1,5}){0,2}")


class VersionError(ValueError):
    """A string that is no release version such as '2.10' or '2.7.1'."""


class Version(packaging.version.Version):
    """A release version of one to three numbers, e.g. ``Version("2.10")``; ``text`` is how it was written.

    Missing numbers compare as zero, so ``Version("2.10") == Version("2.10.0")``. Local and pre-release parts
    ("+cpu", "rc1") are refused with VersionError: records name releases.
    """

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        if not _RELEASE.fullmatch(text):
            raise VersionError(f"Expected a release version such as 2.10 or 2.7.1 but got {text[:40]!r}")
        super().__init__(text)
        self.text = text

    @property
    def parts(self) -> tuple[int, int, int]:
        """The three numbers."""
        return self.major, self.minor, self.micro

    def covers(self, release: Version) -> bool:
        """Whether ``release`` is this version at the precision it was written: 2.7 covers 2.7.0, 2.7.1 and 2.7.2."""
        return release.parts[: len(self.release)] == self.release

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Version({self.text!r})"


@lru_cache(maxsize=1000)
def read_version(text: str) -> Version:
    """Read a version once: the same few stand in thousands of ranges and signatures. Raises what `Version` does."""
    return Version(text)


def is_recordable(text: str) -> bool:
    """Whether runs of a build are recorded: a release, or somebody's build of the code of one ('2.7.0a0+5228986c39.nv25.05').

    A nightly build or a release candidate is neither. What follows the '+' is anybody's.
    """
    return re.fullmatch(r"\d+(\.\d+){1,2}(\+.+|a0\+.+)?", text) is not None


def release_of(text: str) -> str:
    """The release that a build belongs to: '2.16.0' of '2.16.0.dev20261120+cpu' or '2.16.0rc1'. Raises VersionError for none."""
    found = re.match(r"\d+(\.\d+){0,2}(?!\d)", text)
    if found is None:
        raise VersionError(f"Expected a version that begins with a release such as 2.10 but got {text[:40]!r}")
    return found[0]
