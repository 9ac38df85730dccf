"""The Atom feed of one language: verdicts that changed between versions, and run records as they come.

All of it follows from run records, dates included, and the ID of an item from what it is about, so that readers of the
feed see an item once, wherever the site stands and however often it is built.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable
from datetime import UTC, datetime
from urllib.parse import quote

from apidiff.messages.evidence import evidence_lines
from apidiff.messages.labels import Language, label
from apidiff.sphinxext.nodes import anchor
from apidiff.writers.exports.address import Address
from apidiff.writers.exports.changes import Change, Recorded
from apidiff.writers.exports.markup import add, xml_bytes

NAME = "verdicts.xml"
_ATOM = "http://www.w3.org/2005/Atom"
# RFC 4151; the same wherever the site stands.
_TAG = "tag:apidiff,2026:"
_EPOCH = "1970-01-01T00:00:00Z"
_ITEMS = 500
_EVIDENCE_LINES = 4


def feed_bytes(
    changes: Iterable[Change], runs: Iterable[Recorded], language: Language, folder: str, address: Address
) -> bytes:
    """The feed, which lies in ``folder``; newest items first, at most 500, changes before runs of the same time."""
    words = _Words(language, folder, address)
    items = [*(words.change(one) for one in changes), *(words.run(one) for one in runs)]
    items.sort(key=lambda item: item.updated, reverse=True)
    del items[_ITEMS:]
    here = f"{folder}/{NAME}"
    root = ET.Element("feed", {"xmlns": _ATOM, "xml:lang": "en" if language == "en" else "zh-CN"})
    add(root, "id", f"{_TAG}{folder}/verdicts")
    add(root, "title", label("machines.feed", language))
    add(root, "subtitle", label("machines.feed_about", language))
    add(root, "updated", max((item.updated for item in items), default=_EPOCH))
    add(add(root, "author"), "name", label("site.title", language))
    add(root, "link", rel="alternate", type="text/html", href=address.link(f"{folder}/runs.html", here))
    if address.root:
        add(root, "link", rel="self", type="application/atom+xml", href=address.link(here, here))
    for item in items:
        item.write(root)
    return xml_bytes(root)


class _Item:
    """One item of the feed."""

    def __init__(self, key: str, title: str, date: str, goal: str, kind: str, lines: list[str]) -> None:
        self.key, self.title, self.updated, self.goal, self.kind = key, title, moment(date), goal, kind
        self.lines = lines

    def write(self, feed: ET.Element) -> None:
        entry = add(feed, "entry")
        add(entry, "id", _TAG + quote(self.key, safe="/.-_~+"))
        add(entry, "title", self.title)
        add(entry, "updated", self.updated)
        add(entry, "link", rel="alternate", type="text/html", href=self.goal)
        add(entry, "category", term=self.kind)
        add(entry, "content", "\n".join(self.lines), type="text")


class _Words:
    """What items say in one language."""

    def __init__(self, language: Language, folder: str, address: Address) -> None:
        self.language, self.folder, self.address = language, folder, address

    def change(self, one: Change) -> _Item:
        claim = one.claim
        steps = "; " if self.language == "en" else "；"
        title = self.fill(
            "machines.changed",
            claim=claim.id,
            steps=steps.join(
                f"{self.word(f'outcome.{step.before}')} → {self.word(f'outcome.{step.after}')}" for step in one.steps
            ),
            framework=self.word(f"framework.{one.framework}"),
            before=one.before,
            after=one.after,
        )
        lines = [(claim.text.en if self.language == "en" else claim.text.zh).replace("`", "")]
        lines += [
            self.fill(
                "machines.step",
                backend=one.backend,
                device=one.device,
                sizes=self.word("site.comma").join(map(str, step.world_sizes)),
                before=self.word(f"outcome.{step.before}"),
                after=self.word(f"outcome.{step.after}"),
            )
            for step in one.steps
        ]
        lines += evidence_lines(one.facts[:_EVIDENCE_LINES], self.language)
        key = f"{self.folder}/verdict/{one.framework}/{one.backend}/{one.device}/{one.before}/{one.after}/{anchor(claim.id)}"
        goal = self.link(f"mappings/{one.mapping}.html", anchor(claim.id))
        return _Item(key, title, one.date, goal, "verdict", lines)

    def run(self, one: Recorded) -> _Item:
        run = one.run
        title = self.fill(
            "run.title",
            framework=self.word(f"framework.{run.framework}"),
            version=run.framework_version,
            backend=run.backend,
            device=run.device,
            world_size=run.world_size,
        )
        counts = [f"{self.word(f'outcome.{outcome}')} {count}" for outcome, count in one.outcomes.items()]
        lines = [
            self.fill("machines.probes", count=sum(run.ends.values())),
            self.fill("machines.claims", counts=self.word("site.comma").join(counts) or "0"),
        ]
        goal = self.link(f"runs/{run.id}.html", "")
        return _Item(
            f"{self.folder}/run/{run.id}", self.fill("machines.recorded", run=title), run.date, goal, "run", lines
        )

    def link(self, path: str, part: str) -> str:
        return self.address.link(f"{self.folder}/{path}", f"{self.folder}/{NAME}", part)

    def word(self, key: str) -> str:
        return label(key, self.language)

    def fill(self, key: str, **values: str | int) -> str:
        return self.word(key).format(**values)


def moment(date: str) -> str:
    """A record's date as Atom wants it, in UTC; the beginning of 1970 for text that is no date."""
    try:
        found = datetime.fromisoformat(date)
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return _EPOCH
    return found.replace(microsecond=0).isoformat().replace("+00:00", "Z")
