"""Makes what is searched of mappings and of MindSpore's APIs; what is searched of other pages Sphinx tells (`search_index`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from apidiff.database.scope import load_scope
from apidiff.derive.answers import MAPS_TO, answer_at, current_target
from apidiff.lookup.passages import unmatched_text
from apidiff.messages.labels import label
from apidiff.model.base import Language, Record, Text
from apidiff.model.views import CounterpartEntry, DifferenceEntry, Entry, ParameterEntry, TargetEntry
from apidiff.writers.exports.address import anchor, answer_anchor


class Passage(Record, frozen=True, kw_only=True):
    """A text of an entry with the anchor of its place. ``words``: keys of `SearchData.words`."""

    text: str
    anchor: str = ""
    risk: str | None = None
    words: list[str] = []


class SearchEntry(Record, frozen=True, kw_only=True):
    """One thing that can be found.

    ``kind``: mapping, api (of MindSpore), page, python or run. ``address``: from the folder of the language. ``names``: what
    else it is called, ``targets`` its targets, ``uses`` the APIs that other answers name; a name has no space. ``used``:
    how often real code names it. ``within``: the title of the page that it is a part of. ``words``: keys of `SearchData.words`.
    """

    kind: str
    name: str
    address: str
    text: str = ""
    names: list[str] = []
    targets: list[str] = []
    uses: list[str] = []
    used: int = 0
    within: str = ""
    risk: str | None = None
    status: str | None = None
    words: list[str] = []
    parameters: list[str] = []
    passages: list[Passage] = []


def mapping_entry(entry: Entry, newest: str, language: Language) -> SearchEntry:
    """Make the entry of a mapping: names, differences, what stands in for it. ``newest``: the newest MindSpore version."""
    status, risk, _ = answer_at(entry, newest)
    current = current_target(entry, newest)
    targets = entry.targets[::-1]
    targets.sort(key=lambda target: target is not current)
    short = load_scope().torch.aliased(entry.source)
    rows = [row for target in targets for row in (*target.parameters, *target.members)]
    passages = [passage for target in targets for passage in _of_target(target, target is current, language)]
    passages += _of_answers(entry, newest, language)
    return SearchEntry(
        kind="mapping",
        name=entry.source,
        address=f"mappings/{entry.id}.html",
        text=_plain(entry.summary, language),
        names=list(dict.fromkeys([*entry.aliases, *short])),
        targets=[target.name for target in targets],
        uses=list(dict.fromkeys(name for answer in entry.otherwise for name in answer.uses)),
        used=entry.uses,
        risk=risk,
        status=None if status == MAPS_TO else status,
        words=[f"category.{entry.category}", *sorted(_labels(entry))],
        parameters=list(dict.fromkeys(name for row in rows for name in (row.source, row.target) if name)),
        passages=list(_once(passages)),
    )


def _labels(entry: Entry) -> Iterator[str]:
    """List what is told of an entry apart from its texts: other answers, targets not to be used, what ended otherwise."""
    yield from {f"answer.{answer.answer}" for answer in entry.otherwise}
    ranges = [span for target in entry.targets for span in target.ranges]
    yield from {f"status.{span.status}" for span in ranges if span.status in {"deprecated", "removed"}}
    outcomes = {item.outcome for claim in entry.claims for item in claim.summary}
    yield from {f"outcome.{outcome}" for outcome in outcomes - {"holds", "not run", "undecided"}}


def counterpart_entry(counterpart: CounterpartEntry, address: str, language: Language) -> SearchEntry:
    """Make the entry of a MindSpore API with the sources that it answers."""
    sources = list(dict.fromkeys(served.source for served in counterpart.serves))
    said = label("site.comma", language).join(sources)
    text = label("search.serves", language, names=said) if sources else _plain(unmatched_text(counterpart), language)
    return SearchEntry(
        kind="api",
        name=counterpart.name,
        address=address,
        text=text,
        names=[counterpart.name.replace("mindspore.", "ms.", 1)],
    )


def _of_target(target: TargetEntry, is_current: bool, language: Language) -> Iterator[Passage]:
    prefix = "" if is_current else f"{target.name}--"
    for difference in target.differences:
        yield _difference(difference, f"{prefix}difference-{difference.id}", language)
    if target.note:
        yield Passage(text=_plain(target.note, language), anchor=anchor(target.name))
    for part, rows in (("parameters", target.parameters), ("members", target.members)):
        for row in rows:
            if _tells(row):
                # The tables of targets that are not shown first stand on the evidence page.
                goal = anchor(f"{target.name}--{part}" if is_current else target.name)
                yield Passage(text=_plain(row.text, language), anchor=goal)


def _tells(row: ParameterEntry) -> bool:
    """Tell whether a row says what is told nowhere else: others are the same on both sides, or differences."""
    return row.relations != ["same"] and row.risk == "none"


def _of_answers(entry: Entry, newest: str, language: Language) -> Iterator[Passage]:
    for answer in reversed(entry.otherwise):
        for text in (answer.why, answer.instead):
            if text:
                words = [f"answer.{answer.answer}", *_risk(answer.risk)]
                yield Passage(
                    text=_plain(text, language), anchor=answer_anchor(answer.since), risk=answer.risk, words=words
                )
    _, _, differences = answer_at(entry, newest)
    for difference in differences:
        yield _difference(difference, f"difference-{difference.id}", language)


def _difference(difference: DifferenceEntry, place: str, language: Language) -> Passage:
    words = [f"difference.{difference.kind}", *_risk(difference.risk)]
    return Passage(text=_plain(difference.text, language), anchor=anchor(place), risk=difference.risk, words=words)


def _risk(risk: str) -> list[str]:
    return [] if risk == "none" else [f"risk.{risk}"]


def _once(passages: Iterable[Passage]) -> Iterator[Passage]:
    """Keep each text once, where it stands first: targets of one mapping share much."""
    seen: set[str] = set()
    for passage in passages:
        if passage.text not in seen:
            seen.add(passage.text)
            yield passage


def _plain(text: Text, language: Language) -> str:
    """Write the text without the marks of code."""
    return text.said_in(language).replace("`", "")
