"""What cannot be answered, with what can be asked instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from apidiff.errors import ApidiffError
from apidiff.lookup.answer import Unmatched
from apidiff.lookup.index import Spelling

_NEAR = 70.0  # of 100: 'all_reduec' and 'torch.distributed.al_reduce' are near, 'cat' and 'reduce' are not


class UnknownName(ApidiffError, LookupError):
    """No mapping has this name. ``near``: names that are spelled alike, nearest first."""

    def __init__(self, message: str, near: list[str]) -> None:
        self.near = near
        super().__init__(message)


class DamagedRecord(ApidiffError, LookupError):
    """The record of an API cannot be read, or not without another file that is damaged."""

    @classmethod
    def of(cls, mapping: str, reason: str) -> DamagedRecord:
        """The error for the mapping with this ID, and what is wrong."""
        return cls(f"The record of {mapping} cannot be used. {reason}")


class AmbiguousName(ApidiffError, LookupError):
    """A name that stands for several APIs of several mappings. ``candidates``: their full names."""

    def __init__(self, message: str, candidates: list[str]) -> None:
        self.candidates = candidates
        super().__init__(message)


class NoCounterpart(ApidiffError, LookupError):
    """A MindSpore API to which no PyTorch API corresponds. ``unmatched``: the API as asked for, with the reason."""

    def __init__(self, unmatched: Unmatched) -> None:
        self.unmatched = unmatched
        super().__init__(f"No PyTorch API corresponds to {unmatched.asked.api}.")


class UnknownVersion(ApidiffError, ValueError):
    """Not a release that is known. ``known``: those that are, newest first."""

    def __init__(self, message: str, known: list[str]) -> None:
        self.known = known
        super().__init__(message)


def unknown_name(names: Mapping[str, Sequence[Spelling]], name: str) -> UnknownName:
    """The error for a name that is in no mapping, with names spelled alike. ``names``: those of the index."""
    near = _near_names(names, name)
    remedy = f"Did you mean {_either(near)}?" if near else "Look for it by behaviour: apidiff search WORDS."
    return UnknownName(f"No mapping has an API named {name!r}. {remedy}", near)


def _near_names(names: Mapping[str, Sequence[Spelling]], name: str, limit: int = 3) -> list[str]:
    """Full names of sources and targets with a spelling near ``name``, nearest first."""
    from rapidfuzz import fuzz, process  # takes as long to import as a lookup that needs no suggestion

    ordered = sorted(names, key=lambda spelling: names[spelling][0].rank)
    ranked = process.extract(name, ordered, scorer=fuzz.ratio, processor=str.lower, limit=40, score_cutoff=_NEAR)
    return list(dict.fromkeys(names[spelling][0].api for spelling, _, _ in ranked))[:limit]


def ambiguous_name(name: str, apis: list[str]) -> AmbiguousName:
    """The error for a name that stands for several APIs, which lead to several mappings."""
    return AmbiguousName(
        f"{name!r} stands for several APIs. Ask for one of them by its full name: {', '.join(apis)}.", apis
    )


def unknown_version(framework: str, typed: str | None, known: list[str]) -> UnknownVersion:
    """The error for a version of ``framework`` that is no known release, or None where no release is known at all."""
    title = {"mindspore": "MindSpore", "torch": "PyTorch"}[framework]
    return UnknownVersion(
        f"{typed!r} is no known release of {title}. Name one of these: {', '.join(known) or 'none is recorded'}.", known
    )


def _either(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
