"""What cannot be answered, with what can be asked instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from apidiff.errors import ApidiffError
from apidiff.lookup.answer import Unmatched
from apidiff.lookup.index import Spelling
from apidiff.messages.escape_invisible import one_line
from apidiff.messages.labels import filled, joined
from apidiff.model.base import Text

_NEAR = 70.0  # of 100: 'all_reduec' and 'torch.distributed.al_reduce' are near, 'cat' and 'reduce' are not


class LookupFailed(ApidiffError):
    """What was asked for cannot be answered. ``said``: why, in both languages; `str` of it is English."""

    def __init__(self, said: Text) -> None:
        self.said = said
        super().__init__(said.en)


class UnknownName(LookupFailed, LookupError):
    """No mapping has this name. ``near``: names that are spelled alike, nearest first."""

    def __init__(self, said: Text, near: list[str]) -> None:
        self.near = near
        super().__init__(said)


class DamagedRecord(LookupFailed, LookupError):
    """The record of an API cannot be read, or not without another file that is damaged."""

    @classmethod
    def of(cls, mapping: str, reason: str) -> DamagedRecord:
        """The error for the mapping with this ID, and what is wrong."""
        return cls(filled("terminal.damaged_record", mapping=mapping, reason=reason))


class AmbiguousName(LookupFailed, LookupError):
    """A name that stands for several APIs of several mappings. ``candidates``: their full names."""

    def __init__(self, said: Text, candidates: list[str]) -> None:
        self.candidates = candidates
        super().__init__(said)


class NoCounterpart(ApidiffError, LookupError):
    """A MindSpore API to which no PyTorch API corresponds. ``unmatched``: the API as asked for, with the reason."""

    def __init__(self, unmatched: Unmatched) -> None:
        self.unmatched = unmatched
        super().__init__(f"No PyTorch API corresponds to {unmatched.asked.api}.")


class UnknownVersion(LookupFailed, ValueError):
    """Not a release that is known. ``known``: those that are, newest first."""

    def __init__(self, said: Text, known: list[str]) -> None:
        self.known = known
        super().__init__(said)


def unknown_name(names: Mapping[str, Sequence[Spelling]], name: str) -> UnknownName:
    """The error for a name that is in no mapping, with names spelled alike. ``names``: those of the index."""
    near, name = _near_names(names, name), one_line(name)
    if near:
        return UnknownName(filled("terminal.unknown_name_near", name=repr(name), near=_either(near)), near)
    return UnknownName(filled("terminal.unknown_name", name=repr(name)), near)


def _near_names(names: Mapping[str, Sequence[Spelling]], name: str, limit: int = 3) -> list[str]:
    """Full names of sources and targets with a spelling near ``name``, nearest first."""
    from rapidfuzz import fuzz, process  # takes as long to import as a lookup that needs no suggestion

    ordered = sorted(names, key=lambda spelling: names[spelling][0].rank)
    ranked = process.extract(name, ordered, scorer=fuzz.ratio, processor=str.lower, limit=40, score_cutoff=_NEAR)
    return list(dict.fromkeys(names[spelling][0].api for spelling, _, _ in ranked))[:limit]


def ambiguous_name(name: str, apis: list[str]) -> AmbiguousName:
    """The error for a name that stands for several APIs, which lead to several mappings."""
    return AmbiguousName(filled("terminal.ambiguous_name", name=repr(name), apis=joined("site.comma", apis)), apis)


def unknown_version(framework: str, typed: str | None, known: list[str]) -> UnknownVersion:
    """The error for a version of ``framework`` that is no known release, or None where no release is known at all."""
    title = {"mindspore": "MindSpore", "torch": "PyTorch"}[framework]
    shown = repr(typed[:40] if typed else typed)
    if not known:
        return UnknownVersion(filled("terminal.unknown_version_none", typed=shown, title=title), known)
    listed = joined("site.comma", known)
    return UnknownVersion(filled("terminal.unknown_version", typed=shown, title=title, known=listed), known)


def _either(names: list[str]) -> Text:
    first = joined("site.comma", names[:-1] or names)
    return first if len(names) == 1 else filled("terminal.either", first=first, last=names[-1])
