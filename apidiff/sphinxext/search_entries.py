"""What a reader can find by searching, as the browser gets it: one entry a mapping, MindSpore API or part of a page.

The browser cuts the words and ranks (``conf/elements/src/search``); here it is decided what can be found and what is
shown of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from apidiff.database.terms import everyday_names, load_terms
from apidiff.lookup.passages import unmatched_text
from apidiff.lookup.readings import EMPTY
from apidiff.messages.labels import Language, label
from apidiff.messages.synonyms import words_of
from apidiff.model import Text
from apidiff.model.base import Record
from apidiff.model.views import CounterpartEntry, DifferenceEntry, Entry, ParameterEntry, TargetEntry
from apidiff.sphinxext.answers import MAPS_TO, answer_anchor, answer_at, current_target
from apidiff.sphinxext.nodes import anchor

KINDS = ("mapping", "api", "page", "python", "run")
_SHORT = ("torch.distributed.", "dist.")


class Passage(Record, frozen=True, kw_only=True):
    """A text of an entry with the anchor of its place. ``words``: keys of `SearchData.words`."""

    text: str
    anchor: str = ""
    risk: str | None = None
    words: list[str] = []


class SearchEntry(Record, frozen=True, kw_only=True):
    """One thing that can be found.

    ``kind``: mapping, api (of MindSpore), page, python or run. ``address``: from the folder of the language. ``names``: what
    else it is called, ``targets`` its targets, ``uses`` the APIs that other answers name; a name has no space. ``within``:
    the title of the page that it is a part of. ``words``: keys of `SearchData.words`.
    """

    kind: str
    name: str
    address: str
    text: str = ""
    names: list[str] = []
    targets: list[str] = []
    uses: list[str] = []
    within: str = ""
    risk: str | None = None
    status: str | None = None
    words: list[str] = []
    parameters: list[str] = []
    passages: list[Passage] = []


class SearchData(Record, frozen=True, kw_only=True):
    """All entries. ``words``: what kinds of behaviour are called, by key; the entries name the keys.

    ``labels``: the words of kinds and badges. ``everyday``: what people type, with the words of API names meant by it.
    ``empty``: words that tell no text from another.
    """

    entries: list[SearchEntry]
    words: dict[str, str]
    labels: dict[str, str]
    everyday: dict[str, list[str]]
    empty: list[str]


def search_data(entries: Iterable[SearchEntry], language: Language) -> SearchData:
    """The entries with every word that they name."""
    found = list(entries)
    keys = {key for one in found for key in one.words}
    keys |= {key for one in found for passage in one.passages for key in passage.words}
    badges = {f"search.{kind}" for kind in KINDS}
    badges |= {f"risk.{one.risk}" for one in found if one.risk}
    badges |= {f"risk.{passage.risk}" for one in found for passage in one.passages if passage.risk}
    badges |= {f"answer.{one.status}" for one in found if one.status}
    return SearchData(
        entries=found,
        words={key: words_of(*key.split(".", 1)) for key in sorted(keys)},
        labels={key: label(key, language) for key in sorted(badges)},
        everyday=everyday_names(load_terms()),
        empty=EMPTY,
    )


def mapping_entry(entry: Entry, newest: str, language: Language) -> SearchEntry:
    """A mapping with its names, its differences and what stands in for it. ``newest``: the newest MindSpore version."""
    status, risk, _ = answer_at(entry, newest)
    current = current_target(entry, newest)
    targets = entry.targets[::-1]
    targets.sort(key=lambda target: target is not current)
    short = [_SHORT[1] + entry.source.removeprefix(_SHORT[0])] if entry.source.startswith(_SHORT[0]) else []
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
        risk=risk,
        status=None if status == MAPS_TO else status,
        words=[f"category.{entry.category}", *sorted(_labels(entry))],
        parameters=list(dict.fromkeys(name for row in rows for name in (row.source, row.target) if name)),
        passages=list(_once(passages)),
    )


def _labels(entry: Entry) -> Iterator[str]:
    """What is told of an entry apart from its texts: other answers, targets not to be used, what ended otherwise."""
    yield from {f"answer.{answer.answer}" for answer in entry.otherwise}
    ranges = [one for target in entry.targets for one in target.ranges]
    yield from {f"status.{one.status}" for one in ranges if one.status in {"deprecated", "removed"}}
    outcomes = {item.outcome for claim in entry.claims for item in claim.summary}
    yield from {f"outcome.{outcome}" for outcome in outcomes - {"holds", "not run", "undecided"}}


def counterpart_entry(found: CounterpartEntry, address: str, language: Language) -> SearchEntry:
    """A MindSpore API with the sources that it answers."""
    sources = list(dict.fromkeys(one.source for one in found.serves))
    said = label("site.comma", language).join(sources)
    text = label("search.serves", language).format(names=said) if sources else _plain(unmatched_text(found), language)
    return SearchEntry(
        kind="api", name=found.name, address=address, text=text, names=[found.name.replace("mindspore.", "ms.", 1)]
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
                yield Passage(text=_plain(row.text, language), anchor=anchor(f"{target.name}--{part}"))


def _tells(row: ParameterEntry) -> bool:
    """Whether a row says what is told nowhere else: others are the same on both sides, or differences."""
    return row.relations != ["same"] and row.risk == "none"


def _of_answers(entry: Entry, newest: str, language: Language) -> Iterator[Passage]:
    for answer in reversed(entry.otherwise):
        for text in (answer.why, answer.instead):
            if text:
                words = [f"answer.{answer.answer}", *_risk(answer.risk)]
                yield Passage(text=_plain(text, language), anchor=answer_anchor(answer), risk=answer.risk, words=words)
    _, _, differences = answer_at(entry, newest)
    for difference in differences:
        yield _difference(difference, f"difference-{difference.id}", language)


def _difference(difference: DifferenceEntry, place: str, language: Language) -> Passage:
    words = [f"difference.{difference.kind}", *_risk(difference.risk)]
    return Passage(text=_plain(difference.text, language), anchor=anchor(place), risk=difference.risk, words=words)


def _risk(risk: str) -> list[str]:
    return [] if risk == "none" else [f"risk.{risk}"]


def _once(passages: Iterable[Passage]) -> Iterator[Passage]:
    """Targets of one mapping share much: each text once, where it stands first."""
    seen: set[str] = set()
    for passage in passages:
        if passage.text not in seen:
            seen.add(passage.text)
            yield passage


def _plain(text: Text, language: Language) -> str:
    """The text without the marks of code."""
    return (text.en if language == "en" else text.zh).replace("`", "")
