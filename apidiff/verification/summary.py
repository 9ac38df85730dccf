"""Writes what a session of claims showed as Markdown that a CI service can show on the page of a job."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from apidiff.atomic_write import refuse_irregular, refuse_unwritable, write_file
from apidiff.database import DataError
from apidiff.model.trace import backend_name
from apidiff.verification.verdict_changes import Change, told

_LONGEST = 300  # characters of evidence in a cell


def markdown(
    runs: Iterable[str], counts: Mapping[str, int], changes: Iterable[Change], lacking: Iterable[str], *, compared: bool
) -> str:
    """Lists the runs, how many claims came out how, and in a table the verdicts that are not what is recorded.

    ``lacking``: what was asked for and not done. ``compared``: whether there was any verdict to compare.
    """
    rows = [_row(change) for change in changes]
    told = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    lines = ["# Claims about PyTorch and MindSpore APIs", "", *(f"- {_text(run)}" for run in runs), ""]
    lines += [f"Claims: {told or 'none'}.", *(f"\n**{_text(line, 4 * _LONGEST)}**" for line in lacking)]
    if rows:
        title = "1 verdict changed" if len(rows) == 1 else f"{len(rows)} verdicts changed"
        lines += ["", f"## {title}", "", "| claim | where | recorded | now |", "|---|---|---|---|", *rows]
    elif compared:
        lines += ["", "Every verdict that was compared is what is recorded."]
    return "\n".join(lines) + "\n"


def _row(change: Change) -> str:
    now, before = change.now, change.before
    backend = backend_name(now.backend, now.device)
    where = f"{now.framework} {now.framework_version}, {backend}, {now.world_size} ranks, {now.probe}"
    former = "nothing" if before is None else before.outcome.value
    return f"| {' | '.join(_text(cell) for cell in (change.claim, where, former, told(now)))} |"


def _text(text: str, longest: int = _LONGEST) -> str:
    """Escapes every character that Markdown or HTML could read as more than itself."""
    cut = text if len(text) <= longest else f"{text[:longest]}…"
    return "".join(f"&#{ord(char)};" if char in "\\`*_{}[]<>()#+!|~&" else max(char, " ") for char in cut)


def check_writable(path: Path) -> None:
    """Raises DataError where ``write_summary`` could not write, so that nothing is run in vain."""
    try:
        if "\0" in str(path):  # which no call of the system takes
            raise OSError(errno.EINVAL, "a NUL is in no name of a file")
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        refuse_irregular(path)
        refuse_unwritable(path.parent)
    except OSError as error:
        raise _refused(path, error) from error


def write_summary(path: Path, text: str) -> None:
    """Writes the summary by way of a temporary file. Raises DataError where that cannot be done."""
    try:
        write_file(path, text.encode())
    except OSError as error:
        raise _refused(path, error) from error


def _refused(path: Path, error: OSError) -> DataError:
    found = f"the summary cannot be written ({error.strerror})"
    return DataError(path, None, found, "Name a file in a folder that can be written.")
