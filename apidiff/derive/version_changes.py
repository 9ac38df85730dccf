"""Which version changed a behaviour: verdicts that differ between the versions of a framework that were run.

All of it follows from run records. A version whose records disagree decides nothing; it and versions that were not run
are named where they lie between.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import msgspec

from apidiff.derive.evidence import distinct_claims, holding_mappings
from apidiff.derive.verdicts_by_run import by_run
from apidiff.messages.labels import Language, label
from apidiff.model import Observation, Outcome, Text
from apidiff.model.version import Version
from apidiff.model.views import ChangeEntry, Entry, VersionSpan

Known = Mapping[str, Sequence[str]]  # framework → its known versions
_LANGUAGES: tuple[Language, ...] = ("en", "zh")
_Runs = dict[str, Outcome]


class Linked(NamedTuple):
    """A version in a sentence, with the run records that it rests on."""

    version: str
    runs: Sequence[str]


def changes(observed: Iterable[Observation], known: Known) -> list[ChangeEntry]:
    """The changes of one claim, by framework, backend and device; world sizes that go the same way share one."""
    lanes: dict[tuple[str, str, str], dict[int, dict[str, _Runs]]] = {}
    for (framework, version, backend, device), by_size in by_run(observed).items():
        for size, runs in by_size.items():
            lanes.setdefault((framework, backend, device), {}).setdefault(size, {})[version] = runs
    found = []
    for (framework, backend, device), sizes in sorted(lanes.items()):
        alike: dict[object, list[tuple[int, list[VersionSpan]]]] = {}
        for size, by_version in sorted(sizes.items()):
            spans = _spans(by_version, known.get(framework, ()))
            if len(spans) > 1:
                way = tuple((one.outcome, *one.runs, "", *one.unjudged, "", *one.disputed) for one in spans)
                alike.setdefault(way, []).append((size, spans))
        for shared in alike.values():
            change = ChangeEntry(
                framework=framework,
                backend=backend,
                device=device,
                world_sizes=[size for size, _ in shared],
                spans=_joined([spans for _, spans in shared]),
                text=Text(en="-", zh="-"),
            )
            found.append(_with_text(change))
    return found


def _spans(by_version: Mapping[str, _Runs], known: Sequence[str]) -> list[VersionSpan]:
    """The versions in order, neighbours of one outcome together."""
    versions = sorted(by_version, key=Version)
    settled = {version: set(by_version[version].values()) for version in versions}
    spans: list[VersionSpan] = []
    last = ""
    for version in versions:
        if len(settled[version]) > 1:
            continue
        outcome = next(iter(settled[version])).value
        if not spans or spans[-1].outcome != outcome:
            passed = [one for one in known if last and Version(last) < Version(one) < Version(version)]
            spans.append(
                VersionSpan(
                    outcome=outcome,
                    runs={},
                    unjudged=sorted((one for one in passed if one not in by_version), key=Version),
                    disputed=[one for one in versions if last and Version(last) < Version(one) < Version(version)],
                )
            )
        spans[-1].runs[version] = list(by_version[version])
        last = version
    return spans


def _joined(ways: Sequence[list[VersionSpan]]) -> list[VersionSpan]:
    """The spans of several world sizes that go the same way, with the runs of all of them."""
    first, *others = ways
    for spans in others:
        for mine, span in zip(first, spans, strict=True):
            for version, runs in span.runs.items():
                mine.runs[version].extend(runs)
    return first


def _with_text(change: ChangeEntry) -> ChangeEntry:
    en, zh = ("".join(map(_plain, sentence(change, language))) for language in _LANGUAGES)
    return msgspec.structs.replace(change, text=Text(en=en, zh=zh))


def _plain(part: str | Linked) -> str:
    return part if isinstance(part, str) else part.version


def sentence(change: ChangeEntry, language: Language) -> list[str | Linked]:
    """The change in words, in pieces: ``MindSpore on mccl (cpu), 3 ranks: holds up to 2.7.1, refuted from 2.8.0 on.``."""
    comma, semicolon = label("site.comma", language), label("site.semicolon", language)
    head = label("change.head", language).format(
        framework=label(f"framework.{change.framework}", language),
        backend=change.backend,
        device=change.device,
        sizes=comma.join(map(str, change.world_sizes)),
    )
    parts: list[str | Linked] = [head]
    for number, span in enumerate(change.spans):
        if number:
            parts.append(label("change.then", language))
        where = "first" if number == 0 else "last" if number == len(change.spans) - 1 else "middle"
        parts += _span(where, span, language)
    for before, after in pairwise(change.spans):
        for key, versions in (("unjudged", after.unjudged), ("disputed", after.disputed)):
            if versions:
                ends = {"before": list(before.runs)[-1], "after": next(iter(after.runs))}
                said = label(f"change.{key}", language).format(versions=comma.join(versions), **ends)
                parts.append(semicolon + said)
    parts.append(label("change.end", language))
    return parts


def _span(where: str, span: VersionSpan, language: Language) -> Iterator[str | Linked]:
    """The words of a span, its first and last version linked where they are named."""
    versions = list(span.runs)
    ends = {"first": versions[0], "last": versions[-1]}
    if where == "middle" and len(versions) == 1:
        where = "one"
    for text, name, _, _ in string.Formatter().parse(label(f"change.{where}", language)):
        yield text
        if name == "outcome":
            yield label(f"outcome.{span.outcome}", language)
        elif name:
            yield Linked(ends[name], span.runs[ends[name]])


class Changed(NamedTuple):
    """One step of a change: the verdict in ``before``, and another in ``after``, the next version that decides it."""

    mapping: str
    claim: str
    text: Text
    change: ChangeEntry
    before: VersionSpan
    after: VersionSpan

    @property
    def versions(self) -> tuple[str, str]:
        """The last version before the change, and the first after it."""
        return list(self.before.runs)[-1], next(iter(self.after.runs))


def changed(entries: Mapping[str, Entry]) -> Iterator[Changed]:
    """Every step of every claim's changes, each claim once, by claim."""
    holders = holding_mappings(entries)
    for key, claim in sorted(distinct_claims(entries).items()):
        for change in claim.changes:
            for before, after in pairwise(change.spans):
                yield Changed(holders[claim.subject], key, claim.text, change, before, after)
