"""Tells what runs of both sides show to differ in sweeps: parts of larger tensors, and dtypes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from apidiff.derive.sweeps import (
    LAYOUT_CODE,
    Cell,
    Effect,
    Place,
    SweptDifference,
    cell_of,
    swept_differences,
    value_code,
)
from apidiff.messages.differences import text_of
from apidiff.messages.headlines import on_devices
from apidiff.messages.labels import LABELS, filled, joined, label, spaced
from apidiff.messages.verdict_text import evidence
from apidiff.model.base import Language, Text
from apidiff.model.probe import PARTS_OF_ONE, Layout
from apidiff.model.trace import backend_name
from apidiff.model.version import Version
from apidiff.model.views import ClaimEntry, DifferenceEntry, DifferencePart

# Of how many claims a difference shows the evidence; the table beside it leads to the rest.
_SHOWN = 2
_SENTENCES = {
    "dtypes-wrong": "sweep.dtypes_wrong",
    "dtypes-refused": "sweep.dtypes_refused",
    "views-refused": "sweep.parts_refused",
}


def cell_words(cell: Cell, language: Language) -> str:
    """What runs showed in one cell of a table; with versions where they differ, and a dash where nothing was run."""
    by_effect: dict[Effect, list[Place]] = {}
    for place, effect in cell.effects.items():
        by_effect.setdefault(effect, []).append(place)
    words = {effect: label(f"effect.{effect.value}", language) for effect in by_effect}
    if len(by_effect) < 2:
        return next(iter(words.values()), "–")
    comma = label("site.comma", language)
    told = {
        effect: comma.join(dict.fromkeys(place.version for place in places)) for effect, places in by_effect.items()
    }
    return label("site.semicolon", language).join(f"{words[effect]} {told[effect]}" for effect in by_effect)


def sweep_differences(source: list[ClaimEntry], target: list[ClaimEntry]) -> list[DifferenceEntry]:
    """Differences that the runs of a sweep show, with their text."""
    return [_entry(difference) for difference in swept_differences(source, target)]


def _entry(difference: SweptDifference) -> DifferenceEntry:
    claims = [claim for mine in difference.claims.values() for claim in mine]
    cited = [claim for claim in claims if any(row.outcome != "holds" for row in claim.summary)]
    headline = filled(
        f"headline.sweep.{difference.id}", devices=on_devices(place.device for place in difference.places)
    )
    parts = _views(difference) if difference.id == "parts-of-tensors" else _values(difference)
    return DifferenceEntry(
        id=difference.id,
        kind=difference.kind.value,
        risk=difference.risk.value,
        text=text_of(parts),
        parts=parts,
        headline=spaced(headline),
        reach=difference.reach.value,
        evidence=[line for claim in cited[:_SHOWN] for line in evidence(claim)],
        claims=[claim.id for claim in cited],
    )


def _views(difference: SweptDifference) -> list[DifferencePart]:
    """Which parts stay without the result, around which more is changed, and what to write instead."""
    claims, wrong = difference.all_claims, difference.claims
    sentences: list[DifferencePart] = []
    for argument in dict.fromkeys(argument for argument, _ in wrong):
        mine = {value: claims for (name, value), claims in wrong.items() if name == argument}
        for effect in (Effect.WRONG, Effect.SPILLS):
            parts = {value: told for value, told in mine.items() if effect in cell_of(told).effects.values()}
            for where, values in _by_places(parts, effect):
                codes = _listed([LAYOUT_CODE[Layout(value)] for value in values])
                key = "sweep.parts_wrong" if effect is Effect.WRONG else "sweep.parts_spill"
                sentences.append(DifferencePart(text=filled(key, argument=argument, parts=codes, where=where)))
    copied = [cell_of(mine) for (_, value), mine in claims.items() if value == Layout.SLICE_COPIED.value]
    if copied and all(set(cell.effects.values()) == {Effect.WORKS} for cell in copied):
        sentences.append(DifferencePart(text=LABELS["sweep.copy_and_write_back"], note=True))
        if PARTS_OF_ONE.intersection(Layout(value) for _, value in wrong):
            sentences.append(DifferencePart(text=LABELS["sweep.copy_list_and_write_back"], note=True))
    return sentences


def _values(difference: SweptDifference) -> list[DifferencePart]:
    """What happens with the values, for each set of places that show it."""
    seen = {value: mine for (_, value), mine in difference.claims.items()}
    texts = []
    for where, values in _by_places(seen, *difference.effects):
        codes = _listed([value_code(difference.sweep, value) for value in values])
        texts.append(DifferencePart(text=filled(_SENTENCES[difference.id], values=codes, where=where)))
    return texts


def _by_places(claims: dict[str, list[ClaimEntry]], *effects: Effect) -> Iterator[tuple[Text, list[str]]]:
    """The values that show one of ``effects`` at the same places, with these in words."""
    by_places: dict[tuple[Place, ...], list[str]] = {}
    for value, mine in claims.items():
        places = tuple(sorted(place for place, effect in cell_of(mine).effects.items() if effect in effects))
        by_places.setdefault(places, []).append(value)
    for places, values in by_places.items():
        yield _where(places), values


def _where(places: Iterable[Place]) -> Text:
    by_backend: dict[tuple[str, str], list[str]] = {}
    for place in sorted(places, key=lambda place: Version(place.version), reverse=True):
        by_backend.setdefault((backend_name(place.backend, place.device), place.framework), []).append(place.version)
    texts = [
        filled(
            "sweep.where",
            backend=backend,
            framework=LABELS[f"framework.{framework}"],
            versions=joined("site.comma", versions),
        )
        for (backend, framework), versions in by_backend.items()
    ]
    return joined("site.semicolon", texts)


def _listed(codes: list[str]) -> Text:
    return joined("site.comma", [f"`{code}`" for code in codes])
