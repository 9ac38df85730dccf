"""Entries kept between builds: judging every claim by every run takes most of the time, and few records change at once.

An entry is kept under the digest of everything it is made from: its mapping as it is in memory, which holds what other
files define of it, all data beside the mappings, backends, examples, and the code that makes it. Whatever of these
changes, the digest is another and the entry is made anew, so a kept one is never out of date.
"""

from __future__ import annotations

import dataclasses
import hashlib
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from apidiff.examples import Example, load_examples
from apidiff.model import Mapping
from apidiff.model.entry import Entry
from apidiff.render.entry import Builder
from apidiff.sphinxext.content import write_if_changed
from apidiff.store import Data
from apidiff.store.backends import Backend, load_backends
from apidiff.store.paths import PACKAGE, examples_folder

# What makes an entry.
_CODE = ("model", "store", "judge", "history", "render", "context.py", "examples.py")
_encode = msgspec.msgpack.Encoder(enc_hook=str).encode
_decoder = msgspec.msgpack.Decoder(Entry)


def kept_entries(data: Data, folder: Path) -> dict[str, Entry]:
    """What `apidiff.render.entries` gives; entries that ``folder`` holds are read from it, all others are put there."""
    backends, examples = load_backends(), load_examples(examples_folder())
    builder = Builder(data, backends, examples)
    shared = _digest_of_shared(data, backends, examples)
    _forget(folder, data.mappings)
    found: dict[str, Entry] = {}
    for key, mapping in data.mappings.items():
        file, digest = folder / f"{key}.msgpack", _digest(shared, mapping)
        entry = _read(file, digest)
        if entry is None:
            entry = builder.entry(mapping)
            write_if_changed(file, digest + _encode(entry))
        found[key] = entry
    return found


def _digest(shared: bytes, mapping: Mapping) -> bytes:
    return hashlib.sha256(shared + _encode(mapping)).digest()


def _digest_of_shared(data: Data, backends: Sequence[Backend], examples: Sequence[Example]) -> bytes:
    """The digest of what every entry is made from, beside its mapping."""
    found = hashlib.sha256(repr((sys.version, msgspec.__version__)).encode())
    # All of the data, so that nothing an entry comes to be made from can be missed.
    for name in sorted({field.name for field in dataclasses.fields(data)} - {"root", "mappings", "lines"}):
        found.update(_encode(getattr(data, name)))
    found.update(_encode(backends) + _encode(examples))
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


def _forget(folder: Path, known: Iterable[str]) -> None:
    """Remove the entries of mappings that are gone."""
    for file in set(folder.glob("*.msgpack")) - {folder / f"{key}.msgpack" for key in known}:
        file.unlink(missing_ok=True)
