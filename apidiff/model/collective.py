"""What only a collective call has: probes, made by every rank of a world, the rank that the call is about, and its setup."""

from __future__ import annotations

from apidiff.model.base import Record, Slug
from apidiff.model.probe import Probe


class Collective(Record, frozen=True, kw_only=True):
    """How ranks call an API, and the probes that observe what is claimed of it.

    ``root`` names the argument that holds the root rank. ``constructor`` lists the arguments a primitive's constructor
    takes; the others go to the call, by position in the order of ``set``.
    """

    root: str | None = None
    constructor: list[str] = []
    probes: dict[Slug, Probe] = {}

    @property
    def plain_probe(self) -> str | None:
        """The probe that others are compared with: ``sync`` or ``default``, else the first that is like no other."""
        named = [name for name in ("sync", "default") if name in self.probes]
        roots = [name for name, probe in self.probes.items() if probe.like is None and probe.code is None]
        return next(iter([*named, *roots]), None)
