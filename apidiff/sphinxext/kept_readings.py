"""Keeps digests of what Sphinx keeps of the pages that it read: it runs what lies there, and publishes it unread.

A build that was killed, a full or failing disk, or somebody's edit may have changed it. What is not as the former build left it
is read anew.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from sphinx.application import ENV_PICKLE_FILENAME, Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

from apidiff.errors import printable
from apidiff.sphinxext.file_digests import file_digest, read_note
from apidiff.sphinxext.written_files import naming_the_file
from apidiff.standard_streams import tell
from apidiff.writers.exports.files import write_if_changed

_DIGESTS = Path("apidiff", "digests_of_pages.json")


class KeptReadings:
    """The digests of one build: of what is known of all pages, and of each page."""

    def __init__(self) -> None:
        self._pages: dict[str, str] = {}

    def check(self, app: Sphinx, _config: Config) -> None:
        """Find the pages that are as the former build left them; what is known of all goes where it is not, before it is run."""
        kept = Path(app.doctreedir)
        environment = kept / ENV_PICKLE_FILENAME
        if not environment.is_file():  # all pages are read
            return
        known = read_note(kept / _DIGESTS)
        if known.pop(ENV_PICKLE_FILENAME, "") != file_digest(environment):
            _tell(f"{environment}: is not as the last build left it; all pages are read anew.")
            with naming_the_file(kept):
                environment.unlink()
            return
        digests = {name: digest for name, digest in known.items() if digest}
        self._pages = {name: digest for name, digest in digests.items() if digest == file_digest(_file(kept, name))}
        damaged = sorted(known.keys() - self._pages.keys())
        if damaged:
            more = f" and of {len(damaged) - 1} more pages" if damaged[1:] else ""
            _tell(
                f"{_file(kept, damaged[0])}: what is kept of the page{more} is not as the last build left it and is made anew."
            )

    def damaged(self, _app: Sphinx, env: BuildEnvironment, *_outdated: set[str]) -> list[str]:
        """The pages that are not as the former build left them: they are read anew."""
        return sorted(env.all_docs.keys() - self._pages.keys())

    def forget(self, _app: Sphinx, _env: BuildEnvironment, docnames: Sequence[str]) -> None:
        """Forget the digests of pages that are about to be read."""
        for name in docnames:
            self._pages.pop(name, None)

    def note(self, app: Sphinx, env: BuildEnvironment) -> None:
        """Note the digests as soon as Sphinx has kept what it read: whatever ends the build later leaves that as it is."""
        kept = Path(app.doctreedir)
        self._pages = {name: self._pages.get(name) or file_digest(_file(kept, name)) for name in sorted(env.all_docs)}
        digests = {ENV_PICKLE_FILENAME: file_digest(kept / ENV_PICKLE_FILENAME), **self._pages}
        with naming_the_file(kept):
            write_if_changed(kept / _DIGESTS, json.dumps(digests, indent=0).encode())


def _file(kept: Path, page: str) -> Path:
    return kept / f"{page}.doctree"


def _tell(line: str) -> None:
    # Not as a warning, which ends a build with -W: nothing is wrong with the pages.
    tell(f"{printable(line)}\n")
