"""Finds what a reader of a mapping may look for next: mappings with the same target, and sources of a similar name."""

from __future__ import annotations

from collections.abc import Mapping

from apidiff.model.views import Entry

_AT_MOST = 6
# Half of the words of both names: `reduce` and `all_reduce`, not `all_reduce` and `all_gather`.
_SIMILAR = 0.5


def see_also(entries: Mapping[str, Entry]) -> dict[str, list[str]]:
    """Return for each mapping the IDs of those beside it, the nearest first."""
    targets = {key: {target.name for target in entry.targets} for key, entry in entries.items()}
    words = {key: set(entry.source.rpartition(".")[2].lower().split("_")) - {""} for key, entry in entries.items()}
    having: dict[str, set[str]] = {}  # those that a word or a target stands in: all pairs would be a million and more
    for key in entries:
        for mark in targets[key] | words[key]:
            having.setdefault(mark, set()).add(key)
    found: dict[str, list[str]] = {}
    for key in entries:
        others = set().union(*(having[mark] for mark in targets[key] | words[key])) - {key}
        nearness = {
            other: (bool(targets[key] & targets[other]), _similarity(entries[key], entries[other], words))
            for other in others
        }
        near = [other for other, (same_target, shared) in nearness.items() if same_target or shared >= _SIMILAR]
        found[key] = sorted(near, key=lambda other: (-sum(nearness[other]), other))[:_AT_MOST]
    return found


def _similarity(entry: Entry, other: Entry, words: Mapping[str, set[str]]) -> float:
    """Return the share of words that both names have, none of a collective and a call of one process: `all_reduce`, `all`."""
    if entry.execution != other.execution:
        return 0.0
    left, right = words[entry.id], words[other.id]
    return len(left & right) / max(1, len(left | right))
