"""Keeps expanded mappings for the next build of the site: expanding takes most of reading, and few records change at once."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Collection
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from apidiff.atomic_write import write_file
from apidiff.database.expansion import Expander, Origins
from apidiff.database.expansion.origins import Origin
from apidiff.database.kept_files import read_sealed, sealed
from apidiff.database.paths import PACKAGE, conf_file
from apidiff.database.regular_files import read_regular
from apidiff.database.scope import FILE as SCOPE_FILE
from apidiff.errors import DataError
from apidiff.folder_walk import visible_files
from apidiff.model.mapping import Mapping

# The layers that expand records.
_MAKERS = ("model", "database", "signatures")
_MAX_BYTES = 5 * 2**20  # of a larger file nothing is made
_encode = msgspec.msgpack.Encoder(enc_hook=str).encode


class _Kept(NamedTuple):
    """A mapping, where its parts were written, and which profiles, notes and probes of profiles it names."""

    mapping: Mapping
    origins: list[tuple[tuple[str | int, ...], str, int | None, str]]
    profiles: list[str]
    observed: list[tuple[str, int | None, str]]
    notes: list[str]


class KeptMappings:
    """Expands records, and takes over what ``folder`` has of those that are the same.

    The digest of a mapping is that of everything it is made from: its record, all profiles, notes, documents, signatures and
    names of scripts, and the code. A record in which something is wrong is expanded each time, for its errors.
    """

    def __init__(self, folder: Path, expander: Expander, root: Path) -> None:
        self.folder, self.expander = folder, expander
        try:
            self._shared: bytes | None = _digest_of_shared(expander, root)
        except (DataError, OSError):  # then nothing is taken over, nor kept
            self._shared = None
        self._decoder = msgspec.msgpack.Decoder(_Kept)
        self._path = cache(Path)  # a few thousand, named by each of the parts that were written there

    def expand(self, path: Path, name: str) -> tuple[Mapping, Origins]:
        """What `Expander.expand` returns. Raises DataError as it does."""
        try:
            record = str(path).encode() + b"\0" + read_regular(path, _MAX_BYTES)
        except (OSError, ValueError):  # the expander tells why it cannot be read
            record = None
        if self._shared is None or record is None:
            return self.expander.expand(path, name)
        digest = hashlib.sha256(self._shared + record).digest()
        file = self.folder / f"{name}.msgpack"
        kept = self._read(file, digest)
        if kept is None:
            kept, faultless = self._made(path, name)
            if faultless:
                with suppress(OSError):  # then it is made anew the next time
                    file.parent.mkdir(parents=True, exist_ok=True)
                    write_file(file, sealed(digest, _encode(kept)))
        profiles, notes = self.expander.profiles, self.expander.notes
        profiles.used.update(kept.profiles)
        profiles.observed.update((self._path(where), line, probe) for where, line, probe in kept.observed)
        notes.used.update(kept.notes)
        return kept.mapping, {at: Origin(self._path(where), line, what) for at, where, line, what in kept.origins}

    def forget_all_but(self, names: Collection[str]) -> None:
        """Remove what is kept of mappings that are gone."""
        known = {self.folder / f"{name}.msgpack" for name in names}
        for stale in set(self.folder.glob("*.msgpack")) - known:
            stale.unlink(missing_ok=True)

    def _read(self, file: Path, digest: bytes) -> _Kept | None:
        try:
            return self._decoder.decode(read_sealed(file, digest))
        except (OSError, ValueError, RecursionError):
            return None  # none is kept, or it is of something else, or broken

    def _made(self, path: Path, name: str) -> tuple[_Kept, bool]:
        """The mapping made anew, and whether nothing in its record is wrong or could go."""
        profiles, notes = self.expander.profiles, self.expander.notes
        before = profiles.used, profiles.observed, notes.used
        told = len(profiles.unneeded)
        profiles.used, profiles.observed, notes.used = set(), set(), set()
        try:
            mapping, origins = self.expander.expand(path, name)
            return _Kept(
                mapping,
                [(at, str(one.path), one.line, one.what) for at, one in origins.items()],
                sorted(profiles.used),
                [(str(where), line, probe) for where, line, probe in profiles.observed],
                sorted(notes.used),
            ), len(profiles.unneeded) == told
        finally:
            profiles.used, profiles.observed, notes.used = (
                before[0] | profiles.used,
                before[1] | profiles.observed,
                before[2] | notes.used,
            )


def _digest_of_shared(expander: Expander, root: Path) -> bytes:
    """The digest of what all mappings are made from, beside their records."""
    digest = hashlib.sha256(repr((sys.version, msgspec.__version__)).encode())
    digest.update(_encode([expander.documents, expander.signatures.torch, expander.signatures.mindspore]))
    notes = [root / "notes.yaml"] if os.path.lexists(root / "notes.yaml") else []
    for file in [*notes, *visible_files(root / "profiles", "*.yaml"), conf_file(SCOPE_FILE), *_code_files()]:
        digest.update(str(file).encode() + b"\0" + read_regular(file, _MAX_BYTES))
    scripts = [str(file) for file in visible_files(expander.examples, "*/*.py")]
    digest.update("\n".join(scripts).encode())
    return digest.digest()


def _code_files() -> list[Path]:
    return sorted(file for folder in _MAKERS for file in visible_files(PACKAGE / folder, "**/*.py"))
