"""Folders of temporary files that are gone when a command ends, by a signal too."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

from apidiff.ending_signals import held, put_away_at_end
from apidiff.process_group import remove_folder


@contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """Makes a folder of temporary files, whose name begins with ``prefix``, and removes it in the end, however deep it is.

    A signal that ends the command neither comes between its making and the block nor interrupts its removal. What cannot be
    removed stays. Raises OSError where no folder can be made.
    """
    with ExitStack() as made:
        with held():
            folder = made.enter_context(
                put_away_at_end(
                    partial(tempfile.TemporaryDirectory, prefix=prefix, ignore_cleanup_errors=True), _remove
                )
            )
        try:
            yield Path(folder.name)
        finally:
            with held():
                _remove(folder)


def _remove(folder: tempfile.TemporaryDirectory[str]) -> None:
    remove_folder(folder.name)
    with suppress(RecursionError):  # what is locked it opens, one level after the other
        folder.cleanup()
    remove_folder(folder.name)
