"""What is made of each mapping, kept between builds: judging claims by runs takes long, and few records change at once.

It is kept under the digest of everything it is made from: its mapping as it is in memory, which holds what other files
define of it, all data beside the mappings, backends, examples, and the code that makes it. Whatever of these changes,
the digest is another and it is made anew, so what is kept is never out of date.
"""

from __future__ import annotations

import dataclasses
import hashlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from apidiff.database import Data
from apidiff.database.backends import Backend, load_backends
from apidiff.database.examples import Example, load_examples
from apidiff.database.paths import PACKAGE, examples_folder
from apidiff.derive.entry import Builder
from apidiff.model import Mapping
from apidiff.model.views import Entry
from apidiff.sphinxext.build_cache import write_if_changed

# What makes entries.
_CODE = ("model", "database", "judge", "derive", "messages")
_encode = msgspec.msgpack.Encoder(enc_hook=str).encode
T = TypeVar("T")


class Keeper:
    """What ``folder`` keeps of the mappings of ``data``, as `each` was asked for it before."""

    def __init__(self, data: Data, folder: Path) -> None:
        self.data, self.folder = data, folder
        self.backends, self.examples = load_backends(), load_examples(examples_folder())
        shared = _digest_of_shared(data, self.backends, self.examples)
        self._digests = {
            key: hashlib.sha256(shared + _encode(mapping)).digest() for key, mapping in data.mappings.items()
        }

    def entries(self) -> dict[str, Entry]:
        """What `apidiff.derive.entries` gives."""
        return self.each("entries", Entry, Builder(self.data, self.backends, self.examples).entry)

    def each(self, name: str, kind: Any, make: Callable[[Mapping], T]) -> dict[str, T]:
        """For every mapping by ID, what ``make`` makes of it: a value of the type ``kind``, read where it is kept.

        ``make`` may use the mapping, the rest of the data, backends and examples, and no other mapping.
        """
        folder, decoder = self.folder / name, msgspec.msgpack.Decoder(kind)
        known = {key: folder / f"{key}.msgpack" for key in self.data.mappings}
        for file in set(folder.glob("*.msgpack")) - set(known.values()):
            file.unlink(missing_ok=True)
        found: dict[str, T] = {}
        for key, mapping in self.data.mappings.items():
            digest = self._digests[key]
            try:
                content = known[key].read_bytes()
                if content.startswith(digest):
                    found[key] = decoder.decode(content[len(digest) :])
                    continue
            except (OSError, msgspec.MsgspecError):
                pass  # none is kept, or it is broken
            found[key] = make(mapping)
            write_if_changed(known[key], digest + _encode(found[key]))
        return found


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
    return sorted(file for name in _CODE for file in (PACKAGE / name).rglob("*.py"))
