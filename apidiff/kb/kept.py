"""Entries kept between runs: judging every claim by every run takes most of the time, and few records change at once.

An entry is kept under the digest of everything it is made from: its mapping as it is in memory, runs, signatures,
documents, listings, backends, examples, and the code that makes it. Whatever of these changes, the digest is another and
the entry is made anew, so a kept one is never out of date.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from apidiff.examples import Example, load_examples
from apidiff.kb.freshness import index_file
from apidiff.model import Mapping
from apidiff.model.entry import Entry
from apidiff.render.entry import Builder, entries
from apidiff.store import Data
from apidiff.store.backends import Backend, load_backends
from apidiff.store.paths import DATA, PACKAGE, examples_folder

# What makes an entry.
_CODE = ("model", "store", "judge", "history", "render", "context.py", "examples.py")
_encode = msgspec.msgpack.Encoder().encode
_decoder = msgspec.msgpack.Decoder(Entry)


def kept_folder() -> Path:
    """Where entries are kept: beside the index of the same data and version, below the user's cache folder."""
    return Path(index_file()).with_name("entries")


def kept_entries(data: Data) -> dict[str, Entry]:
    """What `apidiff.render.entries` gives, with every entry that is kept read and every other one kept.

    Only entries of the data that ship with the package are kept. Where the folder cannot be written, none is.
    """
    if data.root != DATA:
        return entries(data)
    backends, examples = load_backends(), load_examples(examples_folder())
    builder = Builder(data, backends, examples)
    shared = _digest_of_shared(data, backends, examples)
    folder = kept_folder()
    _forget(folder, data.mappings)
    found: dict[str, Entry] = {}
    for key, mapping in data.mappings.items():
        file, digest = folder / f"{key}.msgpack", _digest(shared, mapping)
        entry = _read(file, digest)
        if entry is None:
            entry = builder.entry(mapping)
            _write(file, digest + _encode(entry))
        found[key] = entry
    return found


def _digest(shared: bytes, mapping: Mapping) -> bytes:
    return hashlib.sha256(shared + _encode(mapping)).digest()


def _digest_of_shared(data: Data, backends: Sequence[Backend], examples: Sequence[Example]) -> bytes:
    """The digest of what every entry is made from, beside its mapping."""
    found = hashlib.sha256(repr((sys.version, msgspec.__version__)).encode())
    for part in (
        list(data.signatures.items()),
        data.runs,
        data.documents,
        data.listings,
        backends,
        examples,
    ):
        found.update(_encode(part))
    for file in _code_files():
        found.update(file.read_bytes())
    return found.digest()


def _code_files() -> list[Path]:
    return sorted(
        file for name in _CODE for file in ((PACKAGE / name).rglob("*.py") if "." not in name else [PACKAGE / name])
    )


def _read(file: Path, digest: bytes) -> Entry | None:
    try:
        content = file.read_bytes()
        return _decoder.decode(content[len(digest) :]) if content.startswith(digest) else None
    except (OSError, msgspec.MsgspecError):
        return None


def _write(file: Path, content: bytes) -> None:
    """By way of a temporary file in the same folder: a reader sees the old entry or the new one."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=".")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as opened:
                opened.write(content)
            temporary.replace(file)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError:
        return


def _forget(folder: Path, known: Iterable[str]) -> None:
    """Remove entries of mappings that are gone."""
    for file in set(folder.glob("*.msgpack")) - {folder / f"{key}.msgpack" for key in known}:
        file.unlink(missing_ok=True)
