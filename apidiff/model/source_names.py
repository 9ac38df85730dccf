"""What the database calls APIs of the source framework: what names in code are looked up in."""

from __future__ import annotations

from apidiff.model.base import Record


class KnownApi(Record, frozen=True, kw_only=True):
    """An API of the database: its mapping, and whether it is a class whose members mean something of their own."""

    mapping: str
    is_class: bool


class SourceNames(Record, frozen=True, kw_only=True):
    """What the database calls APIs. ``apis``: by full name or alias. ``copies``: module → the one whose objects it holds.

    ``customary``: what everyone calls modules. ``ported``: full name of a target → a source that it replaces.
    ``alike``: full name of a dtype → the name that it has by its size: torch.long → torch.int64.
    """

    apis: dict[str, KnownApi]
    copies: dict[str, str]
    customary: dict[str, str]
    ported: dict[str, str] = {}
    alike: dict[str, str] = {}
