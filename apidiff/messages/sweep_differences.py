"""Tells what runs of both sides show to differ in sweeps: parts of larger tensors, and dtypes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from apidiff.derive.sweeps import LAYOUT_CODE, Cell, Effect, Place, cell_of, value_code
from apidiff.messages.labels import LABELS, Language, filled, joined, label
from apidiff.messages.verdict_text import evidence
from apidiff.model.base import Text
from apidiff.model.probe import Layout, Sweep
from apidiff.model.trace import backend_name
from apidiff.model.version import Version
from apidiff.model.views import ClaimEntry, DifferenceEntry
from apidiff.model.vocabulary import DifferenceKind, Reach, Risk

# Of how many claims a difference shows the evidence; the table beside it leads to the rest.
_SHOWN = 2
# What everyday code communicates: these dtypes, and slices, since gradient buckets and flat parameters are made of them.
_USUAL = {"float32", "float16", "bfloat16", "int64", Layout.SLICE.value, Layout.HEAD.value, Layout.ROW.value}
_Claims = dict[tuple[str, str], list[ClaimEntry]]  # by argument and value


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
    """Differences that the runs of a sweep show: the source does with a value what the target does not.

    Silent where the target gives a wrong result or changes what it was not given, an error where it refuses.
    """
    differences: list[DifferenceEntry] = []
    for sweep in Sweep:
        sound = _sound_values(_of(sweep, source))
        mine = _of(sweep, target)
        wrong = _with(mine, sound, {Effect.WRONG, Effect.SPILLS})
        refused = _with(mine, sound, {Effect.REFUSED, Effect.HANGS, Effect.CRASHES})
        if wrong and sweep is Sweep.VIEW:
            differences.append(
                _difference("parts-of-tensors", DifferenceKind.IN_PLACE, Risk.SILENT, _views(mine, wrong), wrong)
            )
        elif wrong:
            text = _values("sweep.dtypes_wrong", sweep, wrong, {Effect.WRONG})
            differences.append(_difference("dtypes-wrong", DifferenceKind.DTYPE, Risk.SILENT, text, wrong))
        if refused:
            key = "sweep.dtypes_refused" if sweep is Sweep.DTYPE else "sweep.parts_refused"
            text = _values(key, sweep, refused, {Effect.REFUSED, Effect.HANGS, Effect.CRASHES})
            kind = DifferenceKind.BACKEND_SUPPORT
            differences.append(_difference(f"{sweep.value}s-refused", kind, Risk.ERROR, text, refused))
    return differences


def _of(sweep: Sweep, claims: Iterable[ClaimEntry]) -> _Claims:
    found: _Claims = {}
    for claim in claims:
        if claim.swept is not None and claim.swept.sweep == sweep.value:
            found.setdefault((claim.swept.argument, claim.swept.value), []).append(claim)
    return found


def _sound_values(claims: _Claims) -> set[str]:
    """The values with which the source works wherever it was run."""
    seen: dict[str, set[Effect]] = {}
    for (_, value), mine in claims.items():
        seen.setdefault(value, set()).update(cell_of(mine).effects.values())
    return {value for value, effects in seen.items() if effects == {Effect.WORKS}}


def _with(claims: _Claims, values: set[str], effects: set[Effect]) -> _Claims:
    return {
        key: mine for key, mine in claims.items() if key[1] in values and effects & set(cell_of(mine).effects.values())
    }


def _difference(key: str, kind: DifferenceKind, risk: Risk, text: Text, claims: _Claims) -> DifferenceEntry:
    cited = [
        claim for mine in claims.values() for claim in mine if any(row.outcome != "holds" for row in claim.summary)
    ]
    reach = Reach.EVERYDAY if _USUAL.intersection(value for _, value in claims) else Reach.EDGE
    return DifferenceEntry(
        id=key,
        kind=kind.value,
        risk=risk.value,
        text=text,
        headline=filled(f"headline.sweep.{key}"),
        reach=reach.value,
        evidence=[line for claim in cited[:_SHOWN] for line in evidence(claim)],
        claims=[claim.id for claim in cited],
    )


def _views(claims: _Claims, wrong: _Claims) -> Text:
    """Which parts stay without the result, around which more is changed, and what to write instead."""
    sentences: list[Text] = []
    for argument in dict.fromkeys(argument for argument, _ in wrong):
        mine = {value: claims for (name, value), claims in wrong.items() if name == argument}
        for effect in (Effect.WRONG, Effect.SPILLS):
            parts = {value: told for value, told in mine.items() if effect in cell_of(told).effects.values()}
            for where, values in _by_places(parts, effect):
                codes = _listed([LAYOUT_CODE[Layout(value)] for value in values])
                key = "sweep.parts_wrong" if effect is Effect.WRONG else "sweep.parts_spill"
                sentences.append(filled(key, argument=argument, parts=codes, where=where))
    copied = [cell_of(mine) for (_, value), mine in claims.items() if value == Layout.SLICE_COPIED.value]
    if copied and all(set(cell.effects.values()) == {Effect.WORKS} for cell in copied):
        sentences.append(LABELS["sweep.copy_and_write_back"])
    return _in_a_row(sentences)


def _values(key: str, sweep: Sweep, chosen: _Claims, effects: set[Effect]) -> Text:
    """The sentence under ``key`` for each set of places that show ``effects`` of the chosen values."""
    seen = {value: mine for (_, value), mine in chosen.items()}
    texts = []
    for where, values in _by_places(seen, *effects):
        texts.append(filled(key, values=_listed([value_code(sweep, value) for value in values]), where=where))
    return _in_a_row(texts)


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


def _in_a_row(sentences: list[Text]) -> Text:
    text = sentences[0]
    for sentence in sentences[1:]:
        text = filled("difference_text.next", before=text, after=sentence)
    return text
