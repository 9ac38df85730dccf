"""Puts the index of all data into the wheel, so that the first lookup or scan after an installation need not build it.

The records of single calls come in a third less than in the checkout, where each edit has to pack and unpack them quickly.
"""

from __future__ import annotations

import gzip
import lzma
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class DataHook(BuildHookInterface):  # type: ignore[misc]
    """Builds the index from the data beside this file, and packs the records."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the index and the records to the wheel. In an editable installation the data change, and none is kept."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        try:
            from apidiff.lookup.cache import SHIPPED, write_shipped
        finally:
            sys.path.remove(self.root)
        self._folder = tempfile.TemporaryDirectory()
        path = Path(self._folder.name) / SHIPPED.name
        write_shipped(path)
        build_data["force_include"][str(path)] = f"apidiff/data/{SHIPPED.name}"
        for record in sorted((Path(self.root) / "apidiff" / "data" / "runs").glob("*/*.json.gz")):
            packed = Path(self._folder.name) / record.with_suffix(".xz").name
            packed.write_bytes(lzma.compress(gzip.decompress(record.read_bytes()), preset=9))
            build_data["force_include"][str(packed)] = record.relative_to(self.root).with_suffix(".xz").as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - of hatch
        """Remove what was built."""
        if version != "editable":
            self._folder.cleanup()
