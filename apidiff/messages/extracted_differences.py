"""Makes differences of samples taken from PyTorch's own tests: when they differ, on how many, and the smallest of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from apidiff.derive.call_conditions import of_description
from apidiff.derive.repeat_script import repeat_of
from apidiff.derive.sample_code import elements_of
from apidiff.derive.sample_conditions import (
    Atom,
    Checked,
    Description,
    Observed,
    Trait,
    check_description,
    describe,
    traits_of,
)
from apidiff.judge.pairs import PairVerdicts
from apidiff.messages.agreements import NO_KERNEL, sample_evidence, sample_words, verdict_risk
from apidiff.messages.differences import text_of
from apidiff.messages.evidence import evidence_lines
from apidiff.messages.headlines import facet_fact, on_devices
from apidiff.messages.labels import LABELS, LANGUAGES, capitalised, filled, joined, spaced
from apidiff.model.agreement import Agreement, Facet, FacetVerdict
from apidiff.model.base import Text
from apidiff.model.mapping import Mapping, Target
from apidiff.model.sample_calls import source_call
from apidiff.model.verdict import EvidenceCode
from apidiff.model.views import DifferenceEntry, DifferencePart
from apidiff.model.vocabulary import Reach, Risk

_USUAL = "float32-"
# Of a headline; a longer one leaves out the device, then what its sentence says.
_MOST_WORDS, _MOST_CHARACTERS = 10, 40


@dataclass(frozen=True)
class _Way:
    """A way to differ: all verdicts on one facet with one kind of evidence."""

    kind: str
    code: EvidenceCode
    verdicts: list[FacetVerdict]
    compared: list[str]


def extracted_differences(
    mapping: Mapping,
    target: Target,
    found: Sequence[PairVerdicts],
    told: Sequence[DifferenceEntry],
    written: Sequence[PairVerdicts] = (),
) -> list[DifferenceEntry]:
    """What the newest version differs in, on each device, that none of ``told`` tells.

    ``mapping`` has the extracted samples. One difference for each facet and kind of evidence. That a parameter is refused which
    a row says is missing is no news. Where a sample of the record itself, of those ``written``, agrees in the facet, the
    difference is not one of all inputs, whatever the extracted ones have in common.
    """
    newest = found[0].target_version if found else ""
    missing = {one.parameter for one in told if one.parameter}
    entries = []
    for verdicts in found:
        for way in _ways(verdicts) if verdicts.target_version == newest else ():
            description = _description(mapping, way)
            if description == ((),) and _some_agree(way, verdicts, written):
                description = None
            if not any(one.id.startswith(_id(way, verdicts)) for one in told) and not _about(description, missing):
                entries.append(_entry(mapping, target, way, description, verdicts))
    return entries


def _some_agree(way: _Way, found: PairVerdicts, written: Sequence[PairVerdicts]) -> bool:
    facet = Facet.ERROR.value if way.kind == NO_KERNEL else way.kind
    place = found.target_version, found.device
    return any(
        verdict.facet.value == facet and verdict.agreement is Agreement.AGREES
        for pair in written
        if (pair.target_version, pair.device) == place
        for verdict in pair.verdicts
    )


def _about(description: Description | None, parameters: Set[str]) -> bool:
    """Whether a description says only that one of ``parameters`` is given."""
    atoms = [atom for part in description or () for atom in part]
    return bool(atoms) and all(atom.trait is Trait.ARGUMENT and atom.parameter in parameters for atom in atoms)


def checked_descriptions(mapping: Mapping, found: PairVerdicts) -> Iterator[Checked]:
    """Tell of each difference that only some extracted samples show how its description was checked."""
    for way in _ways(found):
        if (checked := check_description(_observed(mapping, way))) is not None:
            yield checked


def _description(mapping: Mapping, way: _Way) -> Description | None:
    return describe(_observed(mapping, way))


def _observed(mapping: Mapping, way: _Way) -> list[Observed]:
    differing = {one.sample for one in way.verdicts}
    return [Observed(traits_of(source_call(mapping, name)), name in differing) for name in way.compared]


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


def _entry(
    mapping: Mapping, target: Target, way: _Way, description: Description | None, found: PairVerdicts
) -> DifferenceEntry:
    smallest = min(way.verdicts, key=lambda one: (elements_of(source_call(mapping, one.sample)), one.sample))
    when = description_text(description) if description else None
    fact = {language: evidence_lines(smallest.facts[:1], language)[0] for language in LANGUAGES}
    where = spaced(
        filled(
            f"differs.extracted.{_share(description, len(way.compared))}",
            when=when or "",
            count=len(way.verdicts),
            all=len(way.compared),
            version=found.target_version,
            device=filled(f"device.{found.device}"),
            sample=sample_words(mapping, smallest.sample),
        )
    )
    parts = [DifferencePart(text=Text(en=f"{fact['en']}.", zh=f"{fact['zh']}。")), DifferencePart(text=where)]
    return DifferenceEntry(
        id=f"{_id(way, found)}-extracted",
        kind=way.kind,
        risk=verdict_risk(smallest).value,
        text=text_of(parts),
        parts=parts,
        headline=_headline(smallest, found.device, description, when),
        reach=_reach(way, smallest).value,
        claims=[],
        when=of_description(description),
        repeat=repeat_of(mapping, target, smallest, found.device, "extracted"),
        evidence=[sample_evidence([smallest, *way.verdicts], found, "extracted")],
        device=found.device,
    )


def _share(description: Description | None, compared: int) -> str:
    if description == ((),):
        return "one" if compared == 1 else "all"
    return "some" if description is None else "when"


def _headline(verdict: FacetVerdict, device: str, description: Description | None, when: Text | None) -> Text:
    fact, where = facet_fact(verdict.facts[0], verdict.facet), LABELS[f"device.{device}"]
    if description == ((),):
        return spaced(filled("headline.on_all", devices=on_devices([device]), text=fact))
    if when is not None:
        whole = spaced(filled("headline.on_when", devices=on_devices([device]), text=fact, when=when))
        for text in (whole, capitalised(spaced(filled("headline.when", text=fact, when=when)))):
            if len(text.en.split()) <= _MOST_WORDS and len(text.zh) <= _MOST_CHARACTERS:
                return text
    return spaced(filled("headline.on_some", devices=where, text=fact))


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


def _reach(way: _Way, verdict: FacetVerdict) -> Reach:
    """Everyday where half of the plain samples show it, and both sides take the call."""
    usual = [name for name in way.compared if name.startswith(_USUAL)]
    shown = [one for one in way.verdicts if one.sample.startswith(_USUAL)]
    harmless = verdict_risk(verdict) is Risk.NONE
    return Reach.EVERYDAY if not harmless and usual and 2 * len(shown) >= len(usual) else Reach.EDGE
