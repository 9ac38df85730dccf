"""The knowledge base as Python code sees it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from functools import cached_property

import msgspec

from apidiff.lookup.answer import Answer, SearchResult
from apidiff.lookup.index import open_index
from apidiff.lookup.lookup import lookup_json
from apidiff.lookup.search import search
from apidiff.model.views import CounterpartEntry, Entry


def load() -> KnowledgeBase:
    """The knowledge base of the data that ship with the package.

    The first call after a change of the data builds an index in the user's cache folder. Raises ApidiffError where the
    data are invalid.
    """
    return KnowledgeBase(open_index())


class KnowledgeBase:
    """Everything that is known, answered from one index. Made by `apidiff.load`; safe to share between threads."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def lookup(self, name: str, *, mindspore: str | None = None, torch: str | None = None) -> Answer:
        """How the API ``name`` differs from its counterpart.

        ``name`` is a source (``torch.distributed.reduce``), a target (``mindspore.ops.Reduce``), or a short spelling or
        alias of one (``dist.reduce``, ``mint.distributed.reduce``). ``mindspore`` is the release the answer is for, as
        precise as one cares to write it ("2.10" covers 2.10.0); the newest known one where it is None. ``torch`` marks
        and sorts the observations of the source; it chooses nothing.

        Raises UnknownName (with ``near``), AmbiguousName, UnknownVersion, or NoCounterpart for a MindSpore API to which
        no source corresponds; all of them are ApidiffError.
        """
        return msgspec.json.decode(lookup_json(self._connection, name, mindspore, torch), type=Answer)

    def search(self, words: str, *, limit: int = 10) -> SearchResult:
        """Mappings that fit ``words`` (names, text or behaviour, English or Chinese), best first, at most ``limit``."""
        return search(self._connection, words, limit)

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """Every entry by its ID, sorted: all targets, claims and verdicts of one source API."""
        rows = self._connection.execute("SELECT id, json FROM entry ORDER BY id")
        return {key: msgspec.json.decode(json, type=Entry) for key, json in rows}

    @cached_property
    def counterparts(self) -> Mapping[str, CounterpartEntry]:
        """Every MindSpore communication API by its name, sorted, with the sources it serves."""
        rows = self._connection.execute("SELECT name, json FROM counterpart ORDER BY name")
        return {key: msgspec.json.decode(json, type=CounterpartEntry) for key, json in rows}
