"""Folders of temporary files that are gone when a command ends, by a signal too."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from apidiff.ending_signals import held
from apidiff.process_group import remove_folder


@contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """Makes a folder of temporary files, whose name begins with ``prefix``, and removes it in the end, however deep it is.

    A signal that ends the command neither comes between its making and the block nor interrupts its removal. What cannot be
    removed stays. Raises OSError where no folder can be made.
    """
    with held():
        folder = tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True)
    try:
        yield Path(folder.name)
    finally:
        with held():
            remove_folder(folder.name)
            with suppress(RecursionError):  # what is locked it opens, one level after the other
                folder.cleanup()
            remove_folder(folder.name)
