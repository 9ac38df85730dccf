"""Says in both languages where source and target agree on samples, and makes differences of where they do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as AbstractMapping
from dataclasses import dataclass
from heapq import nsmallest

import msgspec

from apidiff.derive.beside_ours import Disputes
from apidiff.derive.call_conditions import of_sample_conditions
from apidiff.derive.condition_check import Checked, Separation, Told, without_chance
from apidiff.derive.plain_call_conditions import (
    Met,
    Property,
    SampleCondition,
    conditions_of,
    possible_conditions,
    separate_samples,
)
from apidiff.derive.repeat_script import repeat_of
from apidiff.derive.sample_code import elements_of, sample_code, sample_inputs
from apidiff.judge.pairs import PairVerdicts
from apidiff.messages.differences import text_of
from apidiff.messages.evidence import evidence_lines
from apidiff.messages.headlines import another_object, is_plain_tuple, most_apart, sample_headline
from apidiff.messages.labels import LANGUAGES, filled, sentence
from apidiff.model.agreement import Agreement, Facet, FacetVerdict, worst_agreement
from apidiff.model.base import Text
from apidiff.model.mapping import Mapping, Target
from apidiff.model.sample_calls import source_call
from apidiff.model.signed import Signed
from apidiff.model.trust import MOST_TRUSTED, Trust
from apidiff.model.verdict import EvidenceCode
from apidiff.model.views import (
    AgreementEntry,
    CaseEntry,
    DifferenceEntry,
    DifferencePart,
    EvidenceEntry,
)
from apidiff.model.vocabulary import Reach, Risk

# What happens to code that ignores that an exception is raised; all else runs on with another result.
_RISKS = {
    EvidenceCode.TARGET_REFUSES: Risk.ERROR,
    EvidenceCode.NO_KERNEL: Risk.ERROR,
    EvidenceCode.GRAPH_REFUSES: Risk.ERROR,
    EvidenceCode.SOURCE_REFUSES: Risk.NONE,
    EvidenceCode.ERRORS_DIFFER: Risk.NONE,
}
NO_KERNEL = "backend_support"
_PASSED = {Property.VALUE, Property.GIVEN}
_CASES = 3
_VALUES = {Facet.VALUE.value, Facet.ACCURACY.value, Facet.SPECIAL_VALUES.value}  # of written samples these are one
_OF_VALUES = {EvidenceCode.VALUES_DIFFER, EvidenceCode.LESS_ACCURATE, EvidenceCode.SPECIAL_DIFFER}
_VALUES_DIFFER = (Facet.VALUE.value, EvidenceCode.VALUES_DIFFER)
_NAMED_CALL = 32  # characters of an ordinary call that a headline has room for


def agreement_entries(
    mapping: Mapping,
    pairs: Iterable[PairVerdicts],
    signed: AbstractMapping[str, Signed],
    disputes: Disputes,
    inputs: str = "",
) -> list[AgreementEntry]:
    """One entry per version, device and facet, in the order of ``pairs``.

    ``signed``: who vouches for each record. ``disputes``: what known signers' records say otherwise.
    ``inputs``: ``extracted`` where ``mapping`` has the extracted samples: of those that do not agree, the smallest few are cases.
    """
    return [entry for verdicts in pairs for entry in _entries(mapping, verdicts, signed, disputes, inputs)]


def _entries(
    mapping: Mapping, pair: PairVerdicts, signed: AbstractMapping[str, Signed], disputes: Disputes, inputs: str
) -> Iterator[AgreementEntry]:
    states = {run: signed.get(run, Signed()) for run in pair.runs}
    trust = max((state.trust for state in states.values()), key=MOST_TRUSTED.index)
    by_facet: dict[str, list[FacetVerdict]] = {facet.value: [] for facet in Facet}
    for verdict in pair.verdicts:
        by_facet[verdict.facet.value].append(verdict)
    for facet, verdicts in by_facet.items():
        if not verdicts:
            continue
        counts = Counter(verdict.agreement for verdict in verdicts)
        disagreeing = [verdict for verdict in verdicts if verdict.agreement is not Agreement.AGREES]
        yield AgreementEntry(
            facet=facet,
            agreement=worst_agreement(counts).value,
            framework_version=pair.target_version,
            source_version=pair.source_version,
            device=pair.device,
            counts={agreement.value: counts[agreement] for agreement in Agreement if counts[agreement]},
            cases=[_case(mapping, verdict) for verdict in (_smallest(mapping, disagreeing) if inputs else disagreeing)],
            runs=list(pair.runs),
            inputs=inputs,
            trust=trust.value,
            signers={run: state.signer for run, state in states.items() if state.trust is Trust.SIGNED},
            told_by=pair.told_by,
            disputes=list(disputes.get((pair.target_version, pair.device, facet), ())),
        )


def _smallest(mapping: Mapping, verdicts: Sequence[FacetVerdict]) -> list[FacetVerdict]:
    """The few whose samples hold the fewest elements, those that come first before others of the same size."""
    return nsmallest(_CASES, verdicts, key=lambda verdict: elements_of(source_call(mapping, verdict.sample)))


def _case(mapping: Mapping, verdict: FacetVerdict) -> CaseEntry:
    call = source_call(mapping, verdict.sample)
    lines = {language: "; ".join(evidence_lines(verdict.facts, language)) for language in ("en", "zh")}
    return CaseEntry(
        sample=verdict.sample,
        agreement=verdict.agreement.value,
        call=sample_code(call),
        given=sample_inputs(call),
        text=Text(en=lines["en"] or verdict.agreement.value, zh=lines["zh"] or verdict.agreement.value),
    )


@dataclass(frozen=True)
class Elsewhere:
    """Samples of the same API that have another origin, which check what those at hand cannot: ``mapping`` has them."""

    mapping: Mapping
    pairs: Sequence[PairVerdicts]

    def outcomes(
        self, pair: PairVerdicts, kind: str, code: EvidenceCode, raised: str | None = None
    ) -> list[tuple[str, bool]]:
        """The samples of the version and device of ``pair`` that differ in the way that is asked, or agree in its facet.

        ``raised``: what `way_to_differ` tells of exceptions; any where it is None.
        """
        facet = Facet.ERROR.value if kind == NO_KERNEL else kind
        facets = _VALUES if facet in _VALUES else {facet}
        place = pair.target_version, pair.device
        here = (one for one in self.pairs if (one.target_version, one.device) == place)
        told: dict[str, bool | None] = {}  # None: differs in another way, which tells nothing of this one
        for verdict in (verdict for verdicts in here for verdict in verdicts.verdicts if verdict.facet.value in facets):
            if verdict.agreement is Agreement.AGREES:
                told.setdefault(verdict.sample, False)
            elif told.get(verdict.sample) is not True:
                way = way_to_differ(verdict)
                alike = _kind(verdict) == kind and way == (code, way[1] if raised is None else raised)
                of_values = (kind, code) == _VALUES_DIFFER and way[0] in _OF_VALUES
                told[verdict.sample] = True if alike or of_values else None
        return [(sample, differs) for sample, differs in told.items() if differs is not None]


def facet_differences(
    mapping: Mapping, target: Target, pairs: Sequence[PairVerdicts], elsewhere: Elsewhere | None = None
) -> list[DifferenceEntry]:
    """What the newest version differs in, on each device: one difference for each facet and each way to differ.

    A call for which there is no kernel is one difference, whatever the facets that it leaves unseen. Headlines that a person
    gave stand for those that are made. ``elsewhere``: samples that help to check under which conditions samples differ.
    """
    newest = pairs[0].target_version if pairs else ""
    return [
        msgspec.structs.replace(entry, headline=target.headlines.get(entry.id, entry.headline))
        for verdicts in pairs
        if verdicts.target_version == newest
        for entry in _differences(mapping, target, verdicts, elsewhere)
    ]


def checked_conditions(mapping: Mapping, pair: PairVerdicts, elsewhere: Elsewhere | None = None) -> Iterator[Checked]:
    """Tell of each difference that only some written samples show how what separates them was checked."""
    for (kind, code, raised), verdicts in _alike(pair).items():
        telling = _telling_samples(pair, kind, code)
        if len({verdict.sample for verdict in verdicts}) < len(telling):
            yield _separated(mapping, pair, (kind, code, raised), verdicts, telling, elsewhere)[0].checked


def _telling_samples(pair: PairVerdicts, kind: str, code: EvidenceCode) -> set[str]:
    compared = {verdict.sample for verdict in pair.verdicts if kind in {verdict.facet.value, NO_KERNEL}}
    return compared - _refused(pair) if code is EvidenceCode.NO_KERNEL else compared


def _alike(pair: PairVerdicts) -> dict[tuple[str, EvidenceCode, str], list[FacetVerdict]]:
    """The verdicts that differ, by facet and way to differ."""
    alike: dict[tuple[str, EvidenceCode, str], list[FacetVerdict]] = {}
    for verdict in pair.verdicts:
        if (kind := _kind(verdict)) is not None:
            alike.setdefault((kind, *way_to_differ(verdict)), []).append(verdict)
    return alike


def _kind(verdict: FacetVerdict) -> str | None:
    """The kind of the difference that a verdict shows, None where it shows none."""
    if verdict.agreement is Agreement.DIFFERS:
        return verdict.facet.value
    return NO_KERNEL if verdict.agreement is Agreement.UNSUPPORTED and verdict.facet is Facet.ERROR else None


def _differences(
    mapping: Mapping, target: Target, pair: PairVerdicts, elsewhere: Elsewhere | None
) -> Iterator[DifferenceEntry]:
    alike = _alike(pair)
    lacking = {one.sample for (kind, _, _), verdicts in alike.items() if kind == NO_KERNEL for one in verdicts}
    ways: Counter[str] = Counter()
    for (kind, code, raised), verdicts in alike.items():
        compared = {verdict.sample for verdict in pair.verdicts if kind in {verdict.facet.value, NO_KERNEL}}
        telling = _telling_samples(pair, kind, code)
        separation, possible = _separated(mapping, pair, (kind, code, raised), verdicts, telling, elsewhere)
        told = separation.checked.told
        when = separation.found or []
        if code is EvidenceCode.TARGET_REFUSES and _passes_what_is_absent(target, when, verdicts[0]):
            continue
        name = "-".join([kind, code.value, pair.device]).replace("_", "-")
        ways[name] += 1
        # Which kernel is missing may depend on the arguments; where one always is, the first sentence says so.
        shown = lacking if code is EvidenceCode.NO_KERNEL and ways[name] == 1 else {one.sample for one in verdicts}
        everywhere = len(shown) == len(telling)
        parts = _parts(mapping, verdicts, len(compared), pair, smallest=told is Told.SOME_INPUTS)
        yield DifferenceEntry(
            id=name if ways[name] == 1 else f"{name}-{ways[name]}",
            kind=kind,
            risk=verdict_risk(verdicts[0]).value,
            text=text_of(parts),
            parts=parts,
            headline=sample_headline(
                most_apart(verdict.facts[0] for verdict in verdicts),
                pair.device,
                facet=verdicts[0].facet,
                everywhere=everywhere,
                when=when,
                told=told,
                call=_telling(mapping, [verdict.sample for verdict in verdicts]),
                alike=len({tuple(sorted(verdict.facts[0].values.items())) for verdict in verdicts}) == 1,
            ),
            reach=_reach(pair, verdicts).value,
            claims=[],
            when=of_sample_conditions(possible, everywhere=everywhere, certain=told is not Told.SOME_INPUTS),
            evidence=[sample_evidence(verdicts, pair)],
            repeat=repeat_of(mapping, target, verdicts[0], pair.device),
            device=pair.device,
            condition="" if everywhere else told.value,
        )


def sample_evidence(verdicts: Sequence[FacetVerdict], pair: PairVerdicts, inputs: str = "") -> EvidenceEntry:
    """Name the samples of ``verdicts`` that show a difference and the run records, in the words of the first."""
    lines = {language: evidence_lines(verdicts[0].facts[:1], language)[0] for language in LANGUAGES}
    return EvidenceEntry(
        claim="",
        run=pair.runs[-1],
        text=Text(en=lines["en"], zh=lines["zh"]),
        framework="mindspore",
        versions=[pair.target_version],
        runs=list(pair.runs),
        samples=list(dict.fromkeys(verdict.sample for verdict in verdicts)),
        inputs=inputs,
    )


def _passes_what_is_absent(target: Target, when: Sequence[SampleCondition], verdict: FacetVerdict) -> bool:
    """Whether calls are refused for a parameter that the target lacks, which its row says already."""
    absent = {row.source for row in target.parameters if row.target is None and row.risk is not Risk.NONE}
    passed = len(when) == 1 and when[0].property in _PASSED and when[0].argument in absent
    return passed or verdict.facts[0].values.get("keyword") in absent


def _refused(pair: PairVerdicts) -> set[str]:
    """The samples that the target refuses before it looks for a kernel, as the source does."""
    alike = {EvidenceCode.SOURCE_REFUSES, EvidenceCode.ERRORS_DIFFER}
    return {
        verdict.sample
        for verdict in pair.verdicts
        if verdict.facet is Facet.ERROR and verdict.facts and verdict.facts[0].code in alike
    }


def _separated(
    mapping: Mapping,
    pair: PairVerdicts,
    way: tuple[str, EvidenceCode, str],
    verdicts: Sequence[FacetVerdict],
    compared: set[str],
    elsewhere: Elsewhere | None,
) -> tuple[Separation[Met, list[SampleCondition]], list[SampleCondition]]:
    """What the samples of ``verdicts`` have in common and the others ``compared`` lack, and all that may be the cause."""
    differing = {verdict.sample for verdict in verdicts}
    plain = source_call(mapping, next(iter(mapping.samples)))

    others = elsewhere or Elsewhere(mapping, ())
    outcomes = [
        (conditions_of(source_call(others.mapping, sample), plain), differs)
        for sample, differs in others.outcomes(pair, *way)
    ]
    agreeing = [conditions_of(source_call(mapping, sample), plain) for sample in sorted(compared - differing)]
    apart = [conditions_of(source_call(mapping, sample), plain) for sample in sorted(differing)]
    if is_chance(pair, way[0]):
        empty = SampleCondition(Property.EMPTY)
        agreeing, outcomes = without_chance(apart, agreeing, outcomes, lambda met: empty in met)
    separation = separate_samples(apart, agreeing, outcomes)
    return separation, possible_conditions(separation, [*agreeing, *(met for met, differs in outcomes if not differs)])


def is_chance(pair: PairVerdicts, kind: str) -> bool:
    """Whether values of a pair come out otherwise each time, so that samples may agree by chance in a facet of values."""
    return kind in _VALUES and any(
        verdict.facts[0].code is EvidenceCode.UNREPEATED for verdict in pair.verdicts if verdict.facts
    )


def _telling(mapping: Mapping, samples: Sequence[str]) -> str:
    """The call to name of those that differ: the ordinary one where it is short and among them, else the shortest."""
    plain = next(iter(mapping.samples))
    if plain in samples and len(code := sample_code(source_call(mapping, plain))) <= _NAMED_CALL:
        return code
    return min((sample_code(source_call(mapping, sample)) for sample in samples), key=len)


def _reach(pair: PairVerdicts, verdicts: Sequence[FacetVerdict]) -> Reach:
    """Everyday where the first sample, which is the ordinary call, shows it, and both sides take the call."""
    first = pair.verdicts[0].sample
    harmless = verdict_risk(verdicts[0]) is Risk.NONE or verdicts[0].facet is Facet.GRAPH  # a mode of its own
    return Reach.EVERYDAY if not harmless and any(one.sample == first for one in verdicts) else Reach.EDGE


def verdict_risk(verdict: FacetVerdict) -> Risk:
    """What happens to code that ignores the difference.

    Another object on the same memory changes nothing that is written, nor does another layout. A gradient that cannot be taken
    raises, and one that PyTorch cannot take is no loss. A field of a named tuple that is none there raises too.
    """
    fact = verdict.facts[0]
    if fact.code is EvidenceCode.NOT_CALLED:
        return Risk.ERROR if fact.values["side"] == "MindSpore" else Risk.NONE
    if is_plain_tuple(fact):
        return Risk.ERROR
    if fact.code is EvidenceCode.LAYOUT_DIFFERS:
        return Risk.NONE
    if fact.code is EvidenceCode.SHARING_DIFFERS and another_object(fact):
        return Risk.NONE
    return _RISKS.get(fact.code, Risk.SILENT)


def way_to_differ(verdict: FacetVerdict) -> tuple[EvidenceCode, str]:
    """In what way a sample differs: the code of the evidence, and the exception where there is one.

    Samples on which other exceptions are raised, or other memory is shared, are another difference: a sentence that quotes one
    speaks of no other.
    """
    fact = verdict.facts[0]
    if fact.code is EvidenceCode.SHARING_DIFFERS:
        return fact.code, f"{fact.values['source']} / {fact.values['target']}"
    raised = fact.code in _RISKS
    return fact.code, " / ".join(fact.values[key] for key in sorted(fact.values)) if raised else ""


def _parts(
    mapping: Mapping, verdicts: Sequence[FacetVerdict], compared: int, pair: PairVerdicts, *, smallest: bool
) -> list[DifferencePart]:
    """What differs, on how many of the samples compared, and one of them: the first in which it does, or the ``smallest``."""
    first = _smallest(mapping, verdicts)[0] if smallest and len(verdicts) < compared else verdicts[0]
    facts = {language: evidence_lines(first.facts[:1], language)[0] for language in LANGUAGES}
    device, sample, version = filled(f"device.{pair.device}"), sample_words(mapping, first.sample), pair.target_version
    if first.facet is Facet.GRAPH:
        where = filled("differs.in_graph", version=version, device=device, sample=sample)
    elif len(verdicts) == compared == 1:
        where = filled("differs.on_one", version=version, device=device, sample=sample)
    elif len(verdicts) == compared:
        where = filled("differs.on_all", all=compared, version=version, device=device, sample=sample)
    else:
        key = "differs.on_some_smallest" if smallest else "differs.on_some"
        where = filled(key, count=len(verdicts), all=compared, version=version, device=device, sample=sample)
    return [DifferencePart(text=sentence(Text(en=facts["en"], zh=facts["zh"]))), DifferencePart(text=where)]


def sample_words(mapping: Mapping, sample: str) -> Text:
    """A sample in words: its call, and the tensors that this is given."""
    call = source_call(mapping, sample)
    code = "; ".join(line.strip() for line in sample_code(call).splitlines()).replace(":; ", ": ")
    given = sample_inputs(call)
    return filled("differs.sample", call=code, given=given) if given else Text(en=f"`{code}`", zh=f"`{code}`")
