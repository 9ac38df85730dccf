"""Errors a user can meet. ``str(error)`` is one sentence: where, what was found, what to do."""

from __future__ import annotations

from pathlib import Path


class ApidiffError(Exception):
    """The base of all errors that are told to the user as one sentence; the command ends with exit code 2."""


class DataError(ApidiffError):
    """A data file that cannot be used: names file and line, what was found, and the remedy."""

    def __init__(self, path: Path | str, line: int | None, found: str, remedy: str) -> None:
        self.path, self.line, self.found, self.remedy = Path(path), line, found, remedy
        place = f"{path}:{line}" if line else str(path)
        super().__init__(f"{place}: {found.rstrip('.')}. {remedy}")


class InvalidData(ApidiffError):
    """Several data errors found in one pass; lists them all, one a line."""

    def __init__(self, errors: list[DataError]) -> None:
        self.errors = errors
        super().__init__("\n".join(str(error) for error in errors))
