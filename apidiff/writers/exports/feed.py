"""Writes the Atom feed of one language: verdicts that changed between versions, and run records as they come.

All of it follows from run records, dates included, and the ID of an item from what it is about, so that readers of the
feed see an item once, wherever the site stands and however often it is built.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import quote

from apidiff.database.runs import short_id
from apidiff.derive.evidence import RunHead, distinct_claims
from apidiff.derive.verdicts_by_run import Changed, changed, deciding
from apidiff.messages.evidence import evidence_lines
from apidiff.messages.labels import label
from apidiff.messages.version_changes import Maker, measurer
from apidiff.model.trust import OWN, Trust
from apidiff.model.verdict import Evidence, Outcome, worst_outcome
from apidiff.model.views import ClaimEntry, Entry
from apidiff.writers.exports.address import Address, SiteLanguage, anchor
from apidiff.writers.exports.markup import add, xml_bytes

NAME = "verdicts.xml"
_ATOM = "http://www.w3.org/2005/Atom"
# RFC 4151; the same wherever the site stands.
_TAG = "tag:apidiff,2026:"
_EPOCH = "1970-01-01T00:00:00Z"
_ITEMS = 500
_EVIDENCE_LINES = 4


class Change(NamedTuple):
    """A claim whose verdict is another in one version of a framework than in the version recorded last before it.

    ``steps``: the same change, once for each group of world sizes that go the same way. ``date``: that of the newest run of the
    later version. ``facts``: what one of its runs showed.
    """

    claim: ClaimEntry
    steps: Sequence[Changed]
    date: str
    facts: Sequence[Evidence]


class _Item(NamedTuple):
    """One item of the feed. ``key``: what it is about, the end of its ID. ``goal``: the page it leads to."""

    key: str
    title: str
    updated: str
    goal: str
    kind: str
    lines: list[str]


def changed_verdicts(entries: Mapping[str, Entry], runs: Iterable[RunHead]) -> list[Change]:
    """List every change, newest first, then by claim."""
    dates = {run.id: run.date for run in runs}
    claims = distinct_claims(entries)
    groups: dict[tuple[str, ...], list[Changed]] = {}
    for step in changed(entries):
        place = (step.change.framework, step.change.backend, step.change.device)
        groups.setdefault((step.claim, *place, *step.versions), []).append(step)
    changes = []
    for (claim_id, framework, backend, device, _, after), steps in sorted(groups.items()):
        shown = [
            seen
            for seen in deciding(claims[claim_id])
            if (seen.framework, seen.backend, seen.device, seen.framework_version)
            == (framework, backend, device, after)
        ]
        date = max((dates.get(seen.run, "") for seen in shown), default="")
        facts = next((seen.facts for seen in shown if seen.facts), [])
        changes.append(Change(claims[claim_id], steps, date, facts))
    return sorted(changes, key=lambda change: change.date, reverse=True)


def outcomes_by_run(entries: Mapping[str, Entry]) -> dict[str, dict[Outcome, int]]:
    """Count, for each run record, of how many claims it says which outcome."""
    counts: dict[str, Counter[Outcome]] = {}
    for claim in distinct_claims(entries).values():
        by_run: dict[str, list[Outcome]] = {}
        for seen in claim.observed:
            by_run.setdefault(seen.run, []).append(seen.outcome)
        for run, outcomes in by_run.items():
            counts.setdefault(run, Counter())[worst_outcome(outcomes)] += 1
    order = list(Outcome)
    return {run: dict(sorted(by.items(), key=lambda item: order.index(item[0]))) for run, by in counts.items()}


def feed_bytes(
    changes: Sequence[Change],
    runs: Sequence[RunHead],
    counts: Mapping[str, dict[Outcome, int]],
    language: SiteLanguage,
    address: Address,
) -> bytes:
    """Write the feed of a language: newest items first, at most 500, changes before runs of the same time.

    Of more than that, what known signers ran is left out first.

    Args:
        changes: those of `changed_verdicts`.
        runs: the run records; unsigned ones are left out.
        counts: what `outcomes_by_run` counts for each of them.
        language: of the texts.
        address: where the site stands on the web, if that is known.
    """
    words = _Words(language, address)
    items = [words.change(change) for change in changes]
    newest_first = sorted(sorted(runs, key=lambda run: run.id), key=lambda run: run.date, reverse=True)
    ours, by_signers = (
        [words.run(run, counts.get(run.id, {})) for run in newest_first if run.signed.trust in trust]
        for trust in (OWN, {Trust.SIGNED})
    )
    items = sorted([*items, *ours], key=lambda item: item.updated, reverse=True)[:_ITEMS]
    items += by_signers[: _ITEMS - len(items)]
    items.sort(key=lambda item: item.updated, reverse=True)
    here = f"{language.folder}/{NAME}"
    root = ET.Element("feed", {"xmlns": _ATOM, "xml:lang": language.tag})
    add(root, "id", f"{_TAG}{language.folder}/verdicts")
    add(root, "title", words.word("machines.feed"))
    add(root, "subtitle", words.word("machines.feed_about"))
    add(root, "updated", max((item.updated for item in items), default=_EPOCH))
    add(add(root, "author"), "name", words.word("site.title"))
    add(root, "link", rel="alternate", type="text/html", href=words.link("new.html"))
    if address.root:
        add(root, "link", rel="self", type="application/atom+xml", href=address.link(here, here))
    for item in items:
        _write(root, item)
    return xml_bytes(root)


def _write(feed: ET.Element, item: _Item) -> None:
    entry = add(feed, "entry")
    add(entry, "id", _TAG + quote(item.key, safe="/.-_~+"))
    add(entry, "title", item.title)
    add(entry, "updated", item.updated)
    add(entry, "link", rel="alternate", type="text/html", href=item.goal)
    add(entry, "category", term=item.kind)
    add(entry, "content", "\n".join(item.lines), type="text")


class _Words:
    """Writes items in one language."""

    def __init__(self, language: SiteLanguage, address: Address) -> None:
        self.language, self.address = language, address

    def change(self, change: Change) -> _Item:
        claim, first = change.claim, change.steps[0]
        place, (before, after) = first.change, first.versions
        outcomes = [
            (self.word(f"outcome.{step.before.outcome}"), self.word(f"outcome.{step.after.outcome}"))
            for step in change.steps
        ]
        title = self.word(
            "machines.changed",
            claim=claim.id,
            steps=self.word("site.semicolon").join(f"{old} → {new}" for old, new in outcomes),
            framework=self.word(f"framework.{place.framework}"),
            before=before,
            after=after,
        )
        lines = [claim.text.said_in(self.language.words).replace("`", "")]
        for step, (old, new) in zip(change.steps, outcomes, strict=True):
            sizes = self.word("site.comma").join(map(str, step.change.world_sizes))
            lines.append(
                self.word(
                    "machines.step", backend=place.backend, device=place.device, sizes=sizes, before=old, after=new
                )
            )
        lines += evidence_lines(change.facts[:_EVIDENCE_LINES], self.language.words)
        key = (self.language.folder, "verdict", place.framework, place.backend, place.device, before, after)
        goal = self.link(f"evidence/{first.mapping}.html", anchor(claim.id))
        return _Item("/".join([*key, anchor(claim.id)]), title, moment(change.date), goal, "verdict", lines)

    def run(self, run: RunHead, outcomes: Mapping[Outcome, int]) -> _Item:
        title = self.word(
            "run.title",
            framework=self.word(f"framework.{run.framework}"),
            version=run.framework_version,
            backend=run.backend,
            device=run.device,
            world_size=run.world_size,
        )
        counts = [f"{self.word(f'outcome.{outcome.value}')} {count}" for outcome, count in outcomes.items()]
        lines = [
            self.word("machines.probes", count=sum(run.ends.values())),
            self.word("machines.claims", counts=self.word("site.comma").join(counts) or "0"),
        ]
        if run.signed.trust not in OWN:
            by = measurer(Maker(run.measured_by, run.signed.trust, run.signed.signer), self.language.words)
            title = self.word("evidence.by", what=title, measurer=by)
            lines.append(f"{self.word('run.measured_by')}{self.word('site.colon')}{by}")
        key = f"{self.language.folder}/run/{run.id}"
        title = self.word("machines.recorded", run=title)
        return _Item(key, title, moment(run.date), self.link(f"runs/{short_id(run.id)}.html"), "run", lines)

    def link(self, path: str, part: str = "") -> str:
        folder = self.language.folder
        return self.address.link(f"{folder}/{path}", f"{folder}/{NAME}", part)

    def word(self, key: str, **values: str | int) -> str:
        return label(key, self.language.words, **values)


def moment(date: str) -> str:
    """Write a record's date as Atom wants it, in UTC; the beginning of 1970 for text that is no date."""
    try:
        when = datetime.fromisoformat(date)
        when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except (ValueError, OverflowError):
        return _EPOCH
    return when.replace(microsecond=0).isoformat().replace("+00:00", "Z")
