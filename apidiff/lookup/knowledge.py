"""The knowledge base as Python code sees it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from apidiff.lookup.answer import Answer, SearchResult
from apidiff.lookup.cache import open_index
from apidiff.lookup.index import Index
from apidiff.lookup.lookup import lookup
from apidiff.model.views import CounterpartEntry, Entry

if TYPE_CHECKING:
    from apidiff.lookup.search import Searcher

_ENTRIES_KEPT = 16  # of the largest, 2 MB when encoded and some times that in memory


def load() -> KnowledgeBase:
    """The knowledge base of the data that ship with the package.

    The first call after a change of the data builds an index in the user's cache folder. Raises ApidiffError where the
    data are invalid.
    """
    return KnowledgeBase(open_index())


class KnowledgeBase:
    """Everything that is known, answered from one index. Made by `apidiff.load`; safe to share between threads."""

    def __init__(self, index: Index) -> None:
        self._index = index
        # To decode an entry takes ten times as long as to answer from it, and an editor asks for few of them again and again.
        self._entry = lru_cache(maxsize=_ENTRIES_KEPT)(index.entry)

    def lookup(self, name: str, *, mindspore: str | None = None, torch: str | None = None) -> Answer:
        """How the API ``name`` differs from its counterpart.

        ``name`` is a source (``torch.distributed.reduce``), a target (``mindspore.ops.Reduce``), or a short spelling or
        alias of one (``dist.reduce``, ``mint.distributed.reduce``). ``mindspore`` is the release the answer is for, as
        precise as one cares to write it ("2.10" covers 2.10.0); the newest that was run where it is None. ``torch`` marks
        and sorts the observations of the source; it chooses nothing.

        Raises UnknownName (with ``near``), AmbiguousName, DamagedRecord, UnknownVersion, or NoCounterpart for a
        MindSpore API to which no source corresponds; all of them are ApidiffError.
        """
        return lookup(self._index, name, mindspore, torch, self._entry)

    def search(self, words: str, *, limit: int = 10) -> SearchResult:
        """Mappings that fit ``words`` (names, text or behaviour, English or Chinese), best first, at most ``limit``."""
        return self._searcher.search(words, limit)

    @cached_property
    def _searcher(self) -> Searcher:
        from apidiff.lookup.search import Searcher  # SQLite and RapidFuzz take as long to import as a lookup takes

        return Searcher(self._index.words, self._index.names)

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """Every entry by its ID, sorted: all targets, claims and verdicts of one source API."""
        return {mapping: self._index.entry(mapping) for mapping in self._index.encoded_entries}

    @cached_property
    def counterparts(self) -> Mapping[str, CounterpartEntry]:
        """Every MindSpore communication API by its name, sorted, with the sources it serves."""
        return {name: self._index.counterpart(name) for name in self._index.encoded_counterparts}
