"""Makes entries, and takes over those that were made of the same things before.

Judging claims by runs takes long, and few records change at once.
"""

from __future__ import annotations

import dataclasses
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec
import numpy

from apidiff.database import Data
from apidiff.database.examples import readable_examples
from apidiff.database.paths import PACKAGE, examples_folder
from apidiff.errors import Damage, DataError
from apidiff.folder_walk import visible_files
from apidiff.lookup.entry import Builder
from apidiff.lookup.index import LONGEST
from apidiff.model.views import Entry

# The layers that make entries, and their words.
_MAKERS = ("model", "database", "signatures", "execute", "judge", "derive", "messages", "lookup", "data/messages")
# What no entry is made from: where files are, and what is wrong with those that were passed over.
_TOLD_APART = {"root", "mappings", "origins", "unneeded", "unused", "damaged", "broken", "passed_over", "taken_room"}
_encode = msgspec.msgpack.Encoder(enc_hook=str).encode
_encode_entry = msgspec.msgpack.Encoder().encode
_LONGEST_OF_ALL = 200 * 2**20  # bytes of all entries; they have half of that


def made_entries(
    data: Data, former: Callable[[str, bytes], Entry | None], failing: dict[str, DataError]
) -> Iterator[tuple[str, bytes, Entry, bool]]:
    """Make the entry of every mapping, in their order, or take over the former one.

    The digest of an entry is that of everything it is made from: its mapping as it is in memory, which holds what other files
    define of it, all data beside the mappings, examples, and the code and words that make it. Where any of these
    changes the digest is another, so what is taken over is never out of date.

    Args:
        data: the validated data.
        former: gives the entry that was made of a mapping with a digest, None where there is none.
        failing: gets why no entry can be made of a mapping, by ID; it is passed over.

    Yields:
        The mapping's ID, the digest, the entry, and whether it was made anew.
    """
    examples = readable_examples(examples_folder())
    shared, builder = digest_of_shared(data, examples), Builder(data, data.backends, examples)
    whole = 0
    for key, mapping in data.mappings.items():
        digest = hashlib.sha256(shared + _encode(mapping)).digest()
        entry = former(key, digest)
        try:
            made = entry or builder.entry(mapping)
        except DataError as error:
            failing[key] = error.without_frames()
            continue
        length = len(_encode_entry(made))
        if length > LONGEST or whole + length > _LONGEST_OF_ALL:
            failing[key] = _too_long(data.path_of(key), length, whole)
            continue
        whole += length
        yield key, digest, made, entry is None


def _too_long(path: Path, length: int, before: int) -> DataError:
    found = f"makes an entry of {length // 2**20} MiB, where {LONGEST // 2**20} are the most"
    if length <= LONGEST:
        found = (
            f"makes an entry with which all have more than {_LONGEST_OF_ALL // 2**20} MiB, after {before // 2**20} MiB"
        )
    return DataError(
        path, None, found, "Write fewer and shorter texts, here, in a profile or in documented.yaml.", Damage.SIZE
    )


def digest_of_shared(data: Data, examples: object) -> bytes:
    """Return the digest of what every entry is made from, beside its mapping."""
    digest = hashlib.sha256(repr((sys.version, msgspec.__version__, numpy.__version__)).encode())
    # All of the data, so that nothing an entry comes to be made from can be missed.
    for name in sorted({field.name for field in dataclasses.fields(data)} - _TOLD_APART):
        digest.update(_encode(getattr(data, name)))
    digest.update(_encode(examples))
    for file in code_files():
        digest.update(file.read_bytes())
    return digest.digest()


def code_files(folders: Iterable[str] = _MAKERS) -> list[Path]:
    """List every file of the code and words in ``folders`` of the package, by default of what makes entries.

    What Python compiles of it is left out: it comes and goes.
    """
    files = (file for folder in folders for file in visible_files(PACKAGE / folder, "**/*"))
    return sorted(file for file in files if file.parent.name != "__pycache__" and file.is_file())
