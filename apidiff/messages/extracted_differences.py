"""Makes differences of samples taken from PyTorch's own tests: when they differ, on how many, and the smallest of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

import msgspec

from apidiff.derive.call_conditions import of_description
from apidiff.derive.condition_check import Checked, Separation, Told, without_chance
from apidiff.derive.plain_call_conditions import Property, SampleCondition
from apidiff.derive.repeat_script import repeat_of
from apidiff.derive.sample_code import elements_of
from apidiff.derive.sample_conditions import (
    Atom,
    Description,
    Trait,
    Traits,
    describe,
    is_empty,
    possible,
    traits_of,
)
from apidiff.judge.pairs import PairVerdicts
from apidiff.messages.agreements import NO_KERNEL, Elsewhere, is_chance, sample_evidence, sample_words, verdict_risk
from apidiff.messages.differences import text_of
from apidiff.messages.evidence import evidence_lines
from apidiff.messages.headlines import (
    condition_words,
    facet_fact,
    is_short,
    most_apart,
    on_devices,
    refused_argument_headline,
)
from apidiff.messages.labels import LABELS, LANGUAGES, capitalised, filled, joined, sentence, spaced
from apidiff.model.agreement import Agreement, Facet, FacetVerdict
from apidiff.model.base import Text
from apidiff.model.mapping import Mapping, Target
from apidiff.model.sample_calls import source_call
from apidiff.model.verdict import EvidenceCode
from apidiff.model.views import DifferenceEntry, DifferencePart
from apidiff.model.vocabulary import Reach, Risk

_USUAL = "float32-"
_ODD = {Trait.EMPTY, Trait.ZERO_DIM, Trait.SPECIAL}
# What a headline names in fewer words than its sentence.
_NAMED = {
    Trait.EMPTY: Property.EMPTY,
    Trait.ZERO_DIM: Property.SCALAR,
    Trait.SPECIAL: Property.NOT_FINITE,
    Trait.STRIDED: Property.STRIDED,
    Trait.DTYPE: Property.DTYPE,
    Trait.ARGUMENT: Property.GIVEN,
    Trait.VALUE: Property.VALUE,
    Trait.NUMBER: Property.NUMBER,
    Trait.TENSOR: Property.TENSOR,
    Trait.MIXED: Property.MIXED,
    Trait.ZERO: Property.VALUE,
}


@dataclass(frozen=True)
class _Way:
    """A way to differ: all verdicts on one facet with one kind of evidence."""

    kind: str
    code: EvidenceCode
    verdicts: list[FacetVerdict]
    compared: list[str]


@dataclass(frozen=True)
class _Condition:
    """When samples differ: ``told``, None on some inputs; ``cause``: what a call may be like that meets it.

    ``basis``: None where all samples differ.
    """

    told: Description | None
    cause: Description
    basis: Told | None = None


def extracted_differences(
    mapping: Mapping,
    target: Target,
    found: Sequence[PairVerdicts],
    told: Sequence[DifferenceEntry],
    written: Elsewhere | None = None,
) -> list[DifferenceEntry]:
    """What the newest version differs in, on each device, that none of ``told`` tells.

    ``mapping`` has the extracted samples. One difference for each facet and kind of evidence. That a parameter is refused which
    a row says is missing is no news. Where a sample of the record itself, of those ``written``, agrees in the facet, the
    difference is not one of all inputs, whatever the extracted ones have in common; these samples also help to check conditions.
    That values are less accurate is an edge case where it is told that they are others.
    """
    newest = found[0].target_version if found else ""
    missing = {one.parameter for one in told if one.parameter}
    entries = []
    for verdicts in found:
        for whole in _ways(verdicts) if verdicts.target_version == newest else ():
            if any(one.id.startswith(_id(whole, verdicts)) for one in told):
                continue
            if not (way := _without(whole, missing)).verdicts:
                continue
            condition = _condition(mapping, way, verdicts, written)
            if not _about(condition.told, missing):
                entry = _entry(mapping, target, way, condition, verdicts)
                said = entry.kind == Facet.ACCURACY.value and any(one.kind == Facet.VALUE.value for one in told)
                entries.append(msgspec.structs.replace(entry, reach=Reach.EDGE.value) if said else entry)
    return entries


def _without(way: _Way, missing: Set[str]) -> _Way:
    """The way without samples that are refused for a parameter that is missing, which tell nothing else."""
    refused = {one.sample for one in way.verdicts if one.facts[0].values.get("keyword") in missing}
    verdicts = [one for one in way.verdicts if one.sample not in refused]
    return _Way(way.kind, way.code, verdicts, [sample for sample in way.compared if sample not in refused])


def _about(description: Description | None, parameters: Set[str]) -> bool:
    """Whether a description says only that one of ``parameters`` is given."""
    atoms = [atom for part in description or () for atom in part]
    return bool(atoms) and all(atom.trait is Trait.ARGUMENT and atom.parameter in parameters for atom in atoms)


def checked_descriptions(mapping: Mapping, found: PairVerdicts, written: Elsewhere | None = None) -> Iterator[Checked]:
    """Tell of each difference that only some extracted samples show, and none written, how its description was checked."""
    for way in _ways(found):
        if written is not None and any(differs for _, differs in written.outcomes(found, way.kind, way.code)):
            continue
        if len({one.sample for one in way.verdicts}) < len(way.compared):
            yield _separated(mapping, way, found, written)[0].checked


def _separated(
    mapping: Mapping, way: _Way, found: PairVerdicts, written: Elsewhere | None
) -> tuple[Separation[Traits, Description], Description]:
    """What describes the samples that differ, and all that may be the cause."""
    others = written or Elsewhere(mapping, ())
    outcomes = [
        (traits_of(source_call(others.mapping, sample)), differs)
        for sample, differs in others.outcomes(found, way.kind, way.code)
    ]
    differing = {one.sample for one in way.verdicts}
    parts: dict[bool, list[Traits]] = {True: [], False: []}
    for name in way.compared:
        parts[name in differing].append(traits_of(source_call(mapping, name)))
    if is_chance(found, way.kind):
        parts[False], outcomes = without_chance(parts[True], parts[False], outcomes, is_empty)
    separation = describe(parts[True], parts[False], outcomes)
    return separation, possible(separation, [*parts[False], *(met for met, differs in outcomes if not differs)])


def _condition(mapping: Mapping, way: _Way, found: PairVerdicts, written: Elsewhere | None) -> _Condition:
    if len({one.sample for one in way.verdicts}) == len(way.compared):
        outcomes = written.outcomes(found, way.kind, way.code) if written is not None else ()
        if all(differs for _, differs in outcomes):
            return _Condition(((),), ((),))
        return _Condition(None, (), Told.SOME_INPUTS)
    separation, cause = _separated(mapping, way, found, written)
    basis = separation.checked.told
    return _Condition(None if basis is Told.SOME_INPUTS else separation.found, cause, basis)


def _ways(found: PairVerdicts) -> Iterator[_Way]:
    ways: dict[tuple[str, EvidenceCode], list[FacetVerdict]] = {}
    for verdict in found.verdicts:
        if verdict.agreement is Agreement.DIFFERS:
            ways.setdefault((verdict.facet.value, verdict.facts[0].code), []).append(verdict)
        elif verdict.agreement is Agreement.UNSUPPORTED and verdict.facet is Facet.ERROR:
            ways.setdefault((NO_KERNEL, verdict.facts[0].code), []).append(verdict)
    hidden = {one.sample for (kind, _), verdicts in ways.items() if kind == NO_KERNEL for one in verdicts}
    for (kind, code), verdicts in ways.items():
        facet = Facet.ERROR.value if kind == NO_KERNEL else kind
        compared = [one.sample for one in found.verdicts if one.facet.value == facet]
        if facet != Facet.ERROR.value:  # what is refused is refused before a kernel is looked for
            compared = [sample for sample in compared if sample not in hidden]
        yield _Way(kind, code, verdicts, list(dict.fromkeys(compared)))


def _id(way: _Way, found: PairVerdicts) -> str:
    return "-".join([way.kind, way.code.value, found.device]).replace("_", "-")


def _entry(mapping: Mapping, target: Target, way: _Way, condition: _Condition, found: PairVerdicts) -> DifferenceEntry:
    smallest = min(way.verdicts, key=lambda one: (elements_of(source_call(mapping, one.sample)), one.sample))
    when = description_text(condition.told) if condition.told else None
    fact = {language: evidence_lines(smallest.facts[:1], language)[0] for language in LANGUAGES}
    where = spaced(
        filled(
            f"differs.extracted.{_share(condition, len(way.compared))}",
            when=when or "",
            count=len(way.verdicts),
            all=len(way.compared),
            version=found.target_version,
            device=filled(f"device.{found.device}"),
            sample=sample_words(mapping, smallest.sample),
        )
    )
    parts = [DifferencePart(text=sentence(Text(en=fact["en"], zh=fact["zh"]))), DifferencePart(text=where)]
    key = f"{_id(way, found)}-extracted"
    return DifferenceEntry(
        id=key,
        kind=way.kind,
        risk=verdict_risk(smallest).value,
        text=text_of(parts),
        parts=parts,
        headline=target.headlines.get(key, _headline(way, smallest, found.device, condition, when)),
        reach=target.reach.get(key, _reach(mapping, way, smallest)).value,
        claims=[],
        when=of_description(condition.cause, certain=condition.told is not None),
        repeat=repeat_of(mapping, target, smallest, found.device, "extracted"),
        evidence=[sample_evidence([smallest, *way.verdicts], found, "extracted")],
        device=found.device,
        condition=condition.basis.value if condition.basis is not None else "",
    )


def _share(condition: _Condition, compared: int) -> str:
    if condition.told == ((),):
        return "one" if compared == 1 else "all"
    return "some" if condition.told is None else "seen" if condition.basis is Told.SEEN else "when"


def _headline(way: _Way, smallest: FacetVerdict, device: str, condition: _Condition, when: Text | None) -> Text:
    if (refused := refused_argument_headline(smallest.facts[0])) is not None:
        return refused
    shown = most_apart([smallest.facts[0], *(one.facts[0] for one in way.verdicts)])
    fact, where = facet_fact(shown, smallest.facet), LABELS[f"device.{device}"]
    if condition.told == ((),):
        return spaced(filled("headline.on_all", devices=on_devices([device]), text=fact))
    for text in _told_shorter(condition, fact, device, when) if when is not None else ():
        if is_short(line := capitalised(spaced(text))):
            return line
    return spaced(filled("headline.on_some", devices=where, text=fact))


def _told_shorter(condition: _Condition, fact: Text, device: str, when: Text) -> Iterator[Text]:
    """Headlines with a condition, each with less than the one before: without the device, with few words, with two examples."""
    seen, devices = condition.basis is Told.SEEN, on_devices([device])
    yield filled("headline.on_seen" if seen else "headline.on_when", devices=devices, text=fact, when=when)
    yield filled("headline.seen" if seen else "headline.when", text=fact, when=when)
    if named := _named(condition.told or ()):
        words = condition_words(named)
        if seen:
            yield filled("headline.seen_short", when=words, text=fact)
        else:
            yield filled("headline.on_condition", devices=LABELS[f"device.{device}"], when=words, text=fact)
        if len(named) > 2:
            yield filled("headline.some_short", when=condition_words(named[:2]), text=fact)


def _named(description: Description) -> list[SampleCondition]:
    """What any of a description's parts says, as a headline names it; nothing where one has no such words."""
    if any(len(part) > 1 or part[0].trait not in _NAMED for part in description):
        return []
    return [
        SampleCondition(_NAMED[atom.trait], atom.parameter, value)
        for (atom,) in description
        for value in atom.values or ("",)
    ]


def description_text(description: Description) -> Text:
    """A description in words: ``the dtype is bfloat16``, ``an input is empty and `dim` is given``."""
    parts = [joined("when.and", [_atom_text(atom) for atom in part]) for part in description if part]
    return joined("when.or", parts)


def _atom_text(atom: Atom) -> Text:
    key = f"when.{atom.trait.value}"
    if atom.trait is Trait.DTYPE:
        values = Text(en=", ".join(atom.values), zh="、".join(atom.values))
        return filled(key if len(atom.values) == 1 else "when.dtypes", values=values)
    return filled(key, parameter=atom.parameter, value=atom.values[0] if atom.values else "")


def _reach(mapping: Mapping, way: _Way, verdict: FacetVerdict) -> Reach:
    """Everyday where half of the plain samples show it, not one of two or three alone, and both sides take the call."""
    usual = [name for name in way.compared if _is_plain(mapping, name)]
    shown = {one.sample for one in way.verdicts}.intersection(usual)
    harmless = verdict_risk(verdict) is Risk.NONE
    enough = max(len(usual) / 2, min(len(usual), 2))
    return Reach.EVERYDAY if not harmless and usual and len(shown) >= enough else Reach.EDGE


def _is_plain(mapping: Mapping, sample: str) -> bool:
    """Whether it is one of PyTorch's own calls in float32, with elements, dimensions and finite numbers."""
    return sample.startswith(_USUAL) and _ODD.isdisjoint(atom.trait for atom in traits_of(source_call(mapping, sample)))
