"""What each index page shows of every mapping.

An index page depends on its own list, not on the files of all mappings: it is read again only when something that it
shows has changed, and it does not read a hundred megabytes to show a few columns. The page sees nothing but its list,
so it cannot show what it would not be read again for: an index that comes to show more keeps more here.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from apidiff.model import Text
from apidiff.model.views import DifferenceEntry, Entry
from apidiff.sphinxext.refuted import refuted_claims

_NONE = Text(en="-", zh="-")


def _by_category(entry: Entry) -> Entry:
    """Names, categories, targets and other answers, with their risk."""
    return _names(entry, _left_out)


def _by_risk(entry: Entry) -> Entry:
    """Names, targets and other answers, with their differences."""
    return _names(entry, _without_evidence)


def _refuted(entry: Entry) -> Entry:
    """The claims that runs refute, with the documents that state them."""
    return replace(_names(entry, _left_out), claims=refuted_claims(entry), documents=entry.documents)


LISTS: dict[str, Callable[[Entry], Entry]] = {
    "category": _by_category,
    "risk": _by_risk,
    "refuted": _refuted,
}
"""The lists by name."""


Differences = Callable[[list[DifferenceEntry]], list[DifferenceEntry]]


def _left_out(_differences: list[DifferenceEntry]) -> list[DifferenceEntry]:
    return []


def _without_evidence(differences: list[DifferenceEntry]) -> list[DifferenceEntry]:
    return [replace(one, evidence=[], claims=[]) for one in differences]


def _names(entry: Entry, differences: Differences) -> Entry:
    """The entry with no more than names, ranges and risks, and ``differences`` of what stands there."""
    targets = [
        replace(
            one,
            parameters=[],
            members=[],
            signatures={},
            before="",
            after="",
            note=None,
            differences=differences(one.differences),
        )
        for one in entry.targets
    ]
    otherwise = [
        replace(
            one,
            why=_NONE,
            instead=None,
            recipe=None,
            before="",
            after="",
            stated=[],
            differences=differences(one.differences),
        )
        for one in entry.otherwise
    ]
    return Entry(
        id=entry.id,
        category=entry.category,
        summary=_NONE,
        aliases=[],
        source=entry.source,
        signatures={},
        risk=entry.risk,
        targets=targets,
        otherwise=otherwise,
        claims=[],
    )
