"""Writes the Markdown of all mappings, taking over what an earlier build left of entries that are the same.

Nearly all of a build's Markdown is that of the build before, and writing it takes longer than everything else for programs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from apidiff.database.kept_files import read_sealed, sealed
from apidiff.database.paths import PACKAGE
from apidiff.folder_walk import visible_files
from apidiff.lookup.made_entries import code_files
from apidiff.model.base import Language, Record
from apidiff.model.views import Entry
from apidiff.writers.exports.files import write_if_changed
from apidiff.writers.markdown import MappingText


class _Kept(Record, frozen=True):
    """A text with the digest of what it was made from."""

    digest: bytes
    text: MappingText


def digests_of(entries: Mapping[str, Entry]) -> dict[str, bytes]:
    """Return for each entry the digest of what its texts are made from: the entry and the code that writes them."""
    code = hashlib.sha256()
    for file in [*code_files(), *visible_files(PACKAGE / "writers", "**/*.py")]:
        code.update(file.read_bytes())
    digests: dict[str, bytes] = {}
    for key, entry in entries.items():
        made_from = code.copy()
        made_from.update(msgspec.msgpack.encode(entry))
        digests[key] = made_from.digest()
    return digests


def mapping_texts(
    entries: Mapping[str, Entry], digests: Mapping[str, bytes], language: Language, keep: Path | None
) -> dict[str, MappingText]:
    """Write the Markdown of every entry.

    Args:
        entries: by mapping.
        digests: of the entries, as `digests_of` returns them.
        language: of the text.
        keep: a file where the texts are kept for the next build; None where they are not.
    """
    stamp = language.encode()  # of which no digest of an entry tells
    former = _read(keep, stamp)
    kept: dict[str, _Kept] = {}
    for key, entry in entries.items():
        digest = digests[key]
        before = former.get(key)
        text = before.text if before and before.digest == digest else MappingText.made(entry, language)
        kept[key] = _Kept(digest, text)
    if keep:
        write_if_changed(keep, sealed(stamp, msgspec.msgpack.encode(kept)))
    return {key: written.text for key, written in kept.items()}


def _read(keep: Path | None, stamp: bytes) -> dict[str, _Kept]:
    try:
        return msgspec.msgpack.decode(read_sealed(keep, stamp), type=dict[str, _Kept]) if keep else {}
    except (OSError, ValueError, RecursionError):
        return {}  # none is kept, or they are broken
