"""Keeps compiled templates for the next build, sealed: Jinja would run whatever lies there, and fail on what was cut."""

from __future__ import annotations

import platform
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

from apidiff.atomic_write import remove_left, write_file
from apidiff.database.kept_files import read_sealed, sealed
from apidiff.sphinxext.written_files import naming_the_file

_MAKERS = f"{version('jinja2')} {platform.python_implementation()} {platform.python_version()}"


class KeptTemplates(BytecodeCache):
    """Compiled templates in ``folder``, which is made. One that is damaged, or that other versions made, is compiled again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with naming_the_file(folder.parent):
            folder.mkdir(parents=True, exist_ok=True)
            remove_left(folder)

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give the bucket what is kept of its template, where that is as it was written."""
        with suppress(OSError, ValueError):
            bucket.bytecode_from_string(read_sealed(self._file(bucket), _stamp(bucket)))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled. Raises ExtensionError, which names the file, where it cannot be written."""
        with naming_the_file(self.folder.parent):
            write_file(self._file(bucket), sealed(_stamp(bucket), bucket.bytecode_to_string()))

    def _file(self, bucket: Bucket) -> Path:
        return self.folder / f"__jinja2_{bucket.key}.cache"  # Jinja's own name: files without a seal are replaced


def _stamp(bucket: Bucket) -> bytes:
    return f"{bucket.checksum} {_MAKERS}".encode()
