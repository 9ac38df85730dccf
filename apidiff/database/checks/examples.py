"""Scripts that claims name are there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from apidiff.database.checks.subject import Subject
from apidiff.errors import DataError


def examples_exist(subject: Subject, folder: Path) -> Iterator[DataError]:
    """The script a ``prints`` claim names is there, below ``folder``."""
    for place, api in subject.apis():
        for index, claim in enumerate(api.claims):
            if claim.prints and not (folder / claim.prints.example).is_file():
                found = f"example {claim.prints.example!r} is not there"
                yield subject.error((*place, "claims", index), found, f"Add it below {folder}.")
