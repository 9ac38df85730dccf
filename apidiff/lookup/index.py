"""The index: everything that lookup and search read, in one file that is decoded piece by piece."""

from __future__ import annotations

import zlib
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

import msgspec

from apidiff.model.source_names import SourceNames
from apidiff.model.version import Version
from apidiff.model.views import CounterpartEntry, Entry, ServedEntry

if TYPE_CHECKING:
    from apidiff.errors import ApidiffError
    from apidiff.model.call_facts import CallFacts

_Kind = TypeVar("_Kind")
LONGEST = 8 * 2**20  # bytes of an entry; the longest has 2 MB


class Spelling(msgspec.Struct, frozen=True, array_like=True):
    """A spelling of an API, and the mapping it leads to (None: no entry names the API).

    ``target``: the position of the target it names, None for the source and what is used. ``far``: the target's last part
    is not the source's, so that another source may be meant first.
    """

    text: str
    rank: int
    api: str
    mapping: str | None
    target: int | None = None
    far: bool = False


def _decoded(content: bytes | memoryview, kind: type[_Kind]) -> _Kind:
    """A part of an index that is encoded, as ``kind``. Raises ApidiffError where it is none."""
    try:
        return msgspec.msgpack.decode(content, type=kind)
    except (ValueError, RecursionError) as error:
        raise broken_index() from error


def broken_index() -> ApidiffError:
    """What is said of an index that holds what none holds: one that is not as it was written is set aside."""
    from apidiff.errors import ApidiffError, printable
    from apidiff.lookup.cache import SHIPPED, index_file, is_set_aside

    path = printable(str(index_file() or SHIPPED))
    if is_set_aside():
        return ApidiffError(f"{path}: was damaged, and is set aside. Give the command again: it makes it anew.")
    return ApidiffError(f"{path}: holds what no index holds. Delete it; the next call makes it anew.")


def packed(content: bytes | memoryview) -> memoryview:
    """An encoded entry as the index holds it: compressed, since entries are most of the index, to a twelfth of their size."""
    return memoryview(zlib.compress(content, 1))


def unpacked(content: bytes | memoryview) -> bytes:
    """An encoded entry as it was before it was packed. Raises zlib.error for what is none, or longer than any."""
    unpacking = zlib.decompressobj()
    whole = unpacking.decompress(content, LONGEST)
    if not unpacking.eof:
        raise zlib.error("it has no end, or not within what an entry may hold")
    return whole


class Index(msgspec.Struct, frozen=True, kw_only=True):
    """What is known, by name. Entries stay encoded until they are asked for: one answer needs one of them.

    ``fingerprint``: of the files it was made from. ``releases``: the known ones of each framework, newest first; ``run``:
    those of which there are run records.
    ``names``: for each spelling the APIs that it stands for, all of the lowest rank. ``source_names``: what names in code
    are looked up in. ``words``: the SQLite database that
    `apidiff.lookup.search` reads. ``damaged``: what is wrong with files that were passed over; ``passed_over``: the mappings
    that could not be made, by ID, each with the reason. ``digests``: of what each entry was made from. ``unchecked``: records,
    and the list of this project's own, with a signature of a known key that nothing here checked, so that it counts for nothing.
    """

    fingerprint: str
    releases: dict[str, list[str]]
    run: dict[str, list[str]]
    names: dict[str, list[Spelling]]
    source_names: SourceNames
    encoded_serves: dict[str, memoryview]
    encoded_counterparts: dict[str, memoryview]
    encoded_entries: dict[str, memoryview]
    encoded_call_facts: dict[str, memoryview]
    words: memoryview
    damaged: list[str] = []
    passed_over: dict[str, str] = {}
    digests: dict[str, bytes] = {}
    unchecked: list[str] = []

    def __post_init__(self) -> None:
        """Raises VersionError, of which msgspec makes its own error, where a release is none."""
        for releases in (self.releases, self.run):
            for text in chain.from_iterable(releases.values()):
                Version(text)

    def entry(self, mapping: str) -> Entry:
        """The entry of a mapping."""
        try:
            content = unpacked(self.encoded_entries[mapping])
        except (KeyError, zlib.error) as error:
            raise broken_index() from error
        return _decoded(content, Entry)

    def made_of(self, mapping: str, digest: bytes) -> Entry | None:
        """The entry of a mapping where it was made of what has ``digest``; None where there is no such."""
        if self.digests.get(mapping) != digest:
            return None
        try:
            return msgspec.msgpack.decode(unpacked(self.encoded_entries[mapping]), type=Entry)
        except (KeyError, zlib.error, ValueError, RecursionError):  # it is made anew
            return None

    def call_facts(self, mapping: str) -> CallFacts:
        """What the calls of a mapping's source are judged by."""
        from apidiff.model.call_facts import CallFacts  # a lookup, which needs none, would take a seventh longer

        return _decoded(self.encoded_call_facts.get(mapping, b""), CallFacts)

    def counterpart(self, name: str) -> CounterpartEntry:
        """A MindSpore communication API seen from its side."""
        return _decoded(self.encoded_counterparts.get(name, b""), CounterpartEntry)

    def serves(self, name: str) -> list[ServedEntry]:
        """The sources that a MindSpore API serves: those it is a target of, then those whose answer uses it."""
        rows = self.encoded_serves.get(name)
        return _decoded(rows, list[ServedEntry]) if rows is not None else []
