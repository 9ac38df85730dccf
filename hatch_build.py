"""Puts the index of all data into the wheel, so that the first lookup or scan after an installation need not build it."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class IndexHook(BuildHookInterface):  # type: ignore[misc]
    """Builds the index from the data beside this file."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the index to the files of the wheel. In an editable installation the data change, and none is kept."""
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

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - of hatch
        """Remove what was built."""
        if version != "editable":
            self._folder.cleanup()
