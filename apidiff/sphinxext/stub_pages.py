"""Writes one stub page per mapping, run and API's evidence into the source folder, beside the pages that users write there.

A record that is gone takes its stub with it, and Sphinx then forgets the page.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from sphinx.errors import ExtensionError

from apidiff.atomic_write import remove_left
from apidiff.database.regular_files import read_regular
from apidiff.database.runs import short_id
from apidiff.ending_signals import ending_in_order
from apidiff.folder_walk import visible_files
from apidiff.sphinxext.build_cache import Outline
from apidiff.sphinxext.run_addresses import run_pages
from apidiff.writers.exports.files import write_if_changed

# Verdicts lead there, no table of contents does: it would list hundreds of pages.
_ORPHAN = "---\norphan: true\n---\n\n"
_STUB = re.compile(
    rf"({_ORPHAN})?```{{apidiff-(?P<kind>mapping|run|evidence|mapping-evidence)}} (?P<key>\S+)\n```\n".encode()
)

_LONGEST = 2**16  # bytes of a stub: of a user's page, which may be as long as it likes, no more is read


def write_stubs(srcdir: Path, outline: Outline, evidence_keys: Iterable[str] = ()) -> None:
    """Write the stubs below ``srcdir``; up-to-date ones and all other pages are kept.

    Raises ExtensionError where a page that is no stub stands in the way of one, and where one cannot be written.
    """
    mappings = {key: f"```{{apidiff-mapping}} {key}\n```\n" for key in outline.mappings}
    runs = {
        page.removeprefix("runs/"): f"```{{apidiff-run}} {key}\n```\n" for key, page in run_pages(outline.runs).items()
    }
    shown = {key: f"{_ORPHAN}```{{apidiff-evidence}} {key}\n```\n" for key in evidence_keys}
    shown |= {key: f"{_ORPHAN}```{{apidiff-mapping-evidence}} {key}\n```\n" for key in outline.mappings}
    for name, stubs in (("mappings", mappings), ("runs", runs), ("evidence", shown)):
        folder = srcdir / name
        try:
            # Sphinx leaves signals as they are, and these are thousands of files among the user's.
            with ending_in_order():
                _replace_stubs(folder, {folder / f"{key}.md": text.encode() for key, text in stubs.items()})
        except OSError as error:
            found = f"{error.filename or folder}: a page cannot be written ({error.strerror})"
            raise ExtensionError(f"{found}. Make {folder} a folder that can be written to.") from error


def _replace_stubs(folder: Path, stubs: Mapping[Path, bytes]) -> None:
    remove_left(folder)
    there = {path for path in visible_files(folder, "**/*.md", []) if _is_stub(path, folder)}
    for path in stubs:
        # Another build of the same sources may have written it meanwhile.
        if path not in there and os.path.lexists(path) and not _is_stub(path, folder):
            found = f"{path}: is no page that apidiff wrote, and stands in the way of one"
            raise ExtensionError(f"{found}. Give it another name, or delete it.")
    for stale in there.difference(stubs):
        stale.unlink(missing_ok=True)
    for path, text in stubs.items():
        write_if_changed(path, text)


def _is_stub(path: Path, folder: Path) -> bool:
    """Whether a page has the exact form of a stub, and the name that it is given."""
    content = read_regular(path, _LONGEST + 1) if path.is_file() else b""
    stub = _STUB.fullmatch(content)
    if stub is None or len(content) > _LONGEST:
        return False
    key = stub["key"].decode(errors="replace")
    name = path.relative_to(folder).as_posix().removesuffix(".md")
    return name == (short_id(key) if stub["kind"] == b"run" else key)
