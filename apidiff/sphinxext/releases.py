"""Known releases of both frameworks, and sets of them written as the spans that pages carry.

A part of a page that is right for some releases only says so in ``data-torch`` and ``data-mindspore``: ``FIRST..LAST``,
both known releases and both included, or one release alone; several spans stand apart by spaces. The script of the page
compares them by place in the list of known releases, which every page holds, and knows nothing of versions.
"""

from __future__ import annotations

from collections.abc import Collection

from apidiff.messages.spans import spans, told
from apidiff.model import Version
from apidiff.model.base import Record
from apidiff.model.ranges import holds


class Releases(Record, frozen=True, kw_only=True):
    """What is known of versions, by framework, newest first.

    ``known``: every release that a reader can choose. ``signed``: those whose signatures were read.
    """

    known: dict[str, list[str]] = {}
    signed: dict[str, list[str]] = {}

    def newest(self, framework: str) -> str:
        """The newest release, or an empty string where none is known."""
        return next(iter(self.known.get(framework, [])), "")

    def spans(self, framework: str, versions: Collection[str]) -> str:
        """The known releases among ``versions`` as spans, newest first: ``2.9.0..2.10.0 2.4.1``; empty for none."""
        return spans(self.known.get(framework, []), versions)

    def between(self, framework: str, since: str | None, until: str | None) -> list[str]:
        """The known releases of a range, each end read at its precision (2.8 takes in 2.8.1), open where None."""
        return [one for one in self.known.get(framework, []) if holds(since, until, Version(one))]

    def told(self, framework: str, text: str) -> list[str]:
        """The known releases of ranges as text: ``≥ 2.6``, ``≤ 2.0, 2.4 – 2.8``."""
        return told(self.known.get(framework, []), text)

    def others(self, framework: str, versions: Collection[str]) -> list[str]:
        """The known releases that are not among ``versions``."""
        return [one for one in self.known.get(framework, []) if one not in versions]

    def read_for(self, framework: str) -> dict[str, list[str]]:
        """For each release with signatures, the known releases that it speaks for: itself and those up to the next."""
        signed = [(Version(one), one) for one in self.signed.get(framework, [])]
        found: dict[str, list[str]] = {one: [] for _, one in signed}
        for release in self.known.get(framework, []):
            nearest = next((one for version, one in signed if version <= Version(release)), None)
            if nearest is not None:
                found[nearest].append(release)
        return found
