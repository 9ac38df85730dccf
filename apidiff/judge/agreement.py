"""Compares what source and target showed on the same sample, facet by facet. The source is the oracle.

Where one call raises, the other is compared in that alone. What both sides do alike, errors included, is no difference.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from apidiff.database.process_settings import says_unsupported
from apidiff.judge.figures import Distance, distance
from apidiff.judge.randomness import unlike_draws
from apidiff.judge.recorded_values import array, is_whole, tensors
from apidiff.judge.refused_arguments import refused_argument
from apidiff.judge.shared_memory import SharedMemory
from apidiff.model.agreement import FINE_FACETS, Agreement, Facet, FacetVerdict
from apidiff.model.extracted_samples import Tolerance
from apidiff.model.rule import Rule
from apidiff.model.sample_run import NO_STATE, SampleRun, SampleTrace
from apidiff.model.trace import CallError, ObjectDump, ScalarDump, SequenceDump, TensorDump, Value
from apidiff.model.verdict import Evidence, EvidenceCode, evidence

# rtol and atol of `torch.testing.assert_close`; what is not listed is compared exactly.
TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}
_SHOWN = 8  # elements
_LONGEST = 120  # characters of an exception
_MOST_SHARED = 4  # facts about what one returned tensor shares
_NEAR_PERCENT = 10.0  # further apart are other values
_LEAST_PERCENT = 1e-15  # a fiftieth of what float64 tells apart
_SAME = Rule()  # the source's own names


Wide = npt.NDArray[Any]  # float64, or complex128


@dataclass(frozen=True)
class Pair:
    """The runs of one sample with both APIs. ``unsupported``: patterns of errors by which the target lacks a kernel.

    ``rule``: by which the target was called; what it names otherwise is told by the source's names. ``gradient``: whether
    gradients were asked for; ``random``: whether the values are random, so that nobody can compare them.
    ``overridden``: on an extracted sample, which is judged in every facet, tolerances other than `TOLERANCES` by dtype.
    ``reads_nothing``: whether a tensor that is given has no element, so that nothing is computed that could be rounded.
    """

    sample: str
    source: SampleRun
    target: SampleRun
    rule: Rule
    unsupported: Sequence[re.Pattern[str]] = ()
    gradient: bool = False
    random: bool = False
    overridden: Mapping[str, Tolerance] | None = None
    reads_nothing: bool = False


def judge_pair(pair: Pair) -> list[FacetVerdict]:
    """The verdict on every facet that the two runs show.

    Of a target that was seen to agree when it ran, and was recorded without its trace, that is the verdict.
    A run that did not come back the same is flaky where its second try gives another verdict. Values that the target alone
    returns anew each time differ whichever they are: nothing has computed them, so nothing else is said of them.
    """
    if pair.target.agrees:
        unseen = _unseen(pair, pair.source)
        return [
            FacetVerdict(sample=pair.sample, facet=facet, agreement=Agreement.AGREES)
            for facet in map(Facet, pair.target.agrees)
            if facet not in unseen
        ]
    first = _verdicts(pair, pair.source, pair.target)
    if pair.source.again is None and pair.target.again is None:
        return first
    if facts := _unrepeated(pair):
        unlike = FacetVerdict(sample=pair.sample, facet=Facet.VALUE, agreement=Agreement.DIFFERS, facts=facts)
        told = [verdict for verdict in first if verdict.facet not in {Facet.ACCURACY, Facet.SPECIAL_VALUES}]
        return [unlike if verdict.facet is Facet.VALUE else verdict for verdict in told]
    second = _verdicts(pair, pair.source.again or pair.source, pair.target.again or pair.target)
    return [_settled(pair.sample, facet, first, second) for facet in Facet if _of(first, facet) or _of(second, facet)]


def _unrepeated(pair: Pair) -> list[Evidence]:
    """Where the target returned other values the second time, and the source did not; [] where it did nothing else either."""
    once, again = pair.target.trace, pair.target.again.trace if pair.target.again else None
    if pair.random or pair.source.again is not None or once is None or again is None or once.error or again.error:
        return []
    shown = tensors(once.returned), tensors(again.returned)
    if outline(once.returned) != outline(again.returned) or len(shown[0]) != len(shown[1]):
        return []
    exact = pair.reads_nothing
    found = [fact for pairs in zip(*shown, strict=True) for fact in unlike_values("return", *pairs, exact=exact)]
    return [
        evidence(EvidenceCode.UNREPEATED, first=fact.values["source"], second=fact.values["target"])
        for fact in found[:1]
    ]


def _of(verdicts: Sequence[FacetVerdict], facet: Facet) -> FacetVerdict | None:
    return next((verdict for verdict in verdicts if verdict.facet is facet), None)


def _settled(sample: str, facet: Facet, first: Sequence[FacetVerdict], second: Sequence[FacetVerdict]) -> FacetVerdict:
    once, again = _of(first, facet), _of(second, facet)
    if once and again and once.agreement is again.agreement:
        return once
    facts: list[Evidence] = []
    for number, verdict in enumerate((once, again), 1):
        said = verdict.agreement if verdict else Agreement.NOT_RUN
        attempt = evidence(EvidenceCode.ATTEMPT, number=number, outcome=said.value)
        facts += [attempt, *(verdict.facts if verdict else ())]
    return FacetVerdict(sample=sample, facet=facet, agreement=Agreement.FLAKY, facts=facts)


def _unseen(pair: Pair, source: SampleRun) -> set[Facet]:
    """The facets that a comparison with the source's run does not show."""
    unseen = {Facet.GRAPH} if pair.gradient else {Facet.GRADIENT, Facet.GRAPH}  # the former is judged by itself
    if pair.random:
        unseen |= {Facet.VALUE, Facet.ACCURACY, Facet.SPECIAL_VALUES, Facet.GRADIENT}
    if source.trace is None or source.trace.draws is None:
        unseen.add(Facet.RANDOMNESS)
    if pair.overridden is None:
        unseen |= FINE_FACETS
    return unseen


def _verdicts(pair: Pair, source: SampleRun, target: SampleRun) -> list[FacetVerdict]:
    unseen = _unseen(pair, source)
    facets = [facet for facet in Facet if facet not in unseen]

    def everywhere(agreement: Agreement, fact: Evidence) -> list[FacetVerdict]:
        return [FacetVerdict(sample=pair.sample, facet=facet, agreement=agreement, facts=[fact]) for facet in facets]

    for side, run in (("PyTorch", source), ("MindSpore", target)):
        if run.trace is None:
            return everywhere(Agreement(run.end), evidence(EvidenceCode.SIDE_ENDED, side=side, end=run.end))
        if run.trace.error and _not_called(run.trace.error):
            error = told_error(run.trace.error)
            return everywhere(Agreement.ERROR, evidence(EvidenceCode.NOT_CALLED, side=side, error=error))
    assert source.trace is not None
    assert target.trace is not None
    raised = target.trace.error
    if raised and says_unsupported(raised.message, pair.unsupported):
        shown = everywhere(Agreement.UNSUPPORTED, evidence(EvidenceCode.NO_KERNEL, error=told_error(raised)))
        return [verdict for verdict in shown if source.trace.error is None or verdict.facet is Facet.ERROR]
    if source.trace.error or raised:
        agreement, facts = _errors(source.trace.error, raised)
        return [FacetVerdict(sample=pair.sample, facet=Facet.ERROR, agreement=agreement, facts=facts)]
    comparison = _Comparison(source.trace, target.trace, pair)
    return [comparison.verdict(facet) for facet in facets]


def _not_called(error: CallError) -> bool:
    """Whether a run could not make the call as the sample has it: the API itself refused nothing."""
    return error.stage == "prepare" or (error.type == ValueError.__name__ and error.message.startswith(NO_STATE))


def _errors(source: CallError | None, target: CallError | None) -> tuple[Agreement, list[Evidence]]:
    """Whether both raise, and the same: one's class is the other's, or a base of it that is more than ``Exception``."""
    if source is None or target is None:
        if target is not None:
            values = {"error": told_error(target), **refused_argument(target)}
            return Agreement.DIFFERS, [Evidence(code=EvidenceCode.TARGET_REFUSES, values=values)]
        assert source is not None
        return Agreement.DIFFERS, [evidence(EvidenceCode.SOURCE_REFUSES, error=told_error(source))]
    if {source.type, *_own(source)} & {target.type} or {target.type, *_own(target)} & {source.type}:
        return Agreement.AGREES, []
    fact = evidence(EvidenceCode.ERRORS_DIFFER, source=told_error(source), target=told_error(target))
    return Agreement.DIFFERS, [fact]


def _own(error: CallError) -> set[str]:
    return set(error.bases) - {"Exception", "BaseException"}


def told_error(error: CallError) -> str:
    """An exception on one line: its class and its first telling line, at most 160 characters, without the full stop."""
    words = error.first_line.rstrip(".")
    text = f"{error.type}: {words}" if words else error.type
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def compare(source: SampleTrace, target: SampleTrace, pair: Pair, facet: Facet) -> Sequence[Evidence]:
    """What shows that two traces without exceptions differ in ``facet``; [] where they agree."""
    return _Comparison(source, target, pair).verdict(facet).facts


class _Comparison:
    """Two traces without exceptions."""

    def __init__(self, source: SampleTrace, target: SampleTrace, pair: Pair) -> None:
        self._source, self._target, self._pair = source, target, pair

    def verdict(self, facet: Facet) -> FacetVerdict:
        facts = list(_CHECKS[facet](self))
        agreement = Agreement.DIFFERS if facts else Agreement.AGREES
        return FacetVerdict(sample=self._pair.sample, facet=facet, agreement=agreement, facts=facts)

    def _structure(self) -> Iterator[Evidence]:
        shown = outline(self._source.returned), outline(self._target.returned)
        if shown[0] != shown[1]:
            yield evidence(EvidenceCode.STRUCTURES_DIFFER, source=shown[0], target=shown[1])

    @cached_property
    def _returned(self) -> list[tuple[str, TensorDump, TensorDump]]:
        """The tensors returned by both, each with its place; those of unlike structures are not compared."""
        source, target = tensors(self._source.returned), tensors(self._target.returned)
        if len(source) != len(target):
            return []
        single = not isinstance(self._source.returned, SequenceDump)
        return [
            ("return" if single else f"return[{index}]", *pair)
            for index, pair in enumerate(zip(source, target, strict=True))
        ]

    def _shape(self) -> Iterator[Evidence]:
        for slot, source, target in self._returned:
            if source.shape != target.shape:
                yield _unlike(slot, str(tuple(source.shape)), str(tuple(target.shape)))

    def _dtype(self) -> Iterator[Evidence]:
        for slot, source, target in self._returned:
            if source.dtype != target.dtype:
                yield _unlike(slot, source.dtype, target.dtype)

    def _value(self) -> Iterator[Evidence]:
        for slot, source, target, apart in self._apart_returned:
            if apart is None or apart.another:
                yield from unlike_values(slot, source, target)
        yield from self._scalars()
        after, both = self._after, self._written[0] & self._written[1]
        for slot in after[0]:
            if slot in both:
                apart = self._apart(slot, after[0][slot], after[1][slot])
                if apart is None or apart.another:
                    yield from unlike_values(slot, after[0][slot], after[1][slot])

    def _apart(self, slot: str, source: TensorDump, target: TensorDump) -> Distance | None:
        """How far apart two tensors of an extracted sample are; None where that is not told apart."""
        if self._pair.overridden is None:
            return None
        return distance(source, target, self._tolerances, self._source.errors.get(slot, 0.0))

    @cached_property
    def _apart_returned(self) -> list[tuple[str, TensorDump, TensorDump, Distance | None]]:
        """The tensors returned by both, and how far apart they are."""
        return [(slot, source, target, self._apart(slot, source, target)) for slot, source, target in self._returned]

    @cached_property
    def _tolerances(self) -> dict[str, Tolerance]:
        overridden = self._pair.overridden or {}
        usual = {name: Tolerance(rtol=rtol, atol=atol) for name, (rtol, atol) in TOLERANCES.items()}
        return {
            name: Tolerance(rtol=max(tolerance.rtol, own.rtol), atol=max(tolerance.atol, own.atol))
            for name, tolerance in usual.items()
            for own in [overridden.get(name, tolerance)]
        }

    def _accuracy(self) -> Iterator[Evidence]:
        for slot, _, _, apart in self._apart_returned:
            if apart is not None and apart.less_accurate:
                shown = f"{apart.ulps:.3g}", f"{max(apart.own, 0.5):.3g}"
                yield evidence(EvidenceCode.LESS_ACCURATE, slot=slot, distance=shown[0], own=shown[1])

    def _special_values(self) -> Iterator[Evidence]:
        for slot, source, target, apart in self._apart_returned:
            if apart is not None and apart.special:
                mine, theirs = array(source), array(target)
                odd = (np.isfinite(mine) & np.isfinite(theirs)) | (mine == theirs) | (np.isnan(mine) & np.isnan(theirs))
                place = int(np.argmin(odd.ravel()))
                shown = _shown(mine, place), _shown(theirs, place)
                yield evidence(EvidenceCode.SPECIAL_DIFFER, slot=slot, source=shown[0], target=shown[1])

    def _layout(self) -> Iterator[Evidence]:
        for slot, source, target in self._returned:
            if source.contiguous != target.contiguous and source.shape == target.shape:
                sides = {"source": "PyTorch", "target": "MindSpore"}
                yield evidence(
                    EvidenceCode.LAYOUT_DIFFERS, slot=slot, side=sides["source" if source.contiguous else "target"]
                )

    def _randomness(self) -> Iterator[Evidence]:
        if self._source.draws is not None and self._target.draws is not None:
            yield from unlike_draws(self._source.draws, self._target.draws)

    def _scalars(self) -> Iterator[Evidence]:
        source, target = self._source.returned, self._target.returned
        if isinstance(source, ScalarDump) and isinstance(target, ScalarDump) and source.value != target.value:
            yield _unlike("return", repr(source.value), repr(target.value))

    @staticmethod
    def _given(values: dict[str, Value], rule: Rule) -> dict[str, TensorDump]:
        """The tensors that a call was given, by the source's name of their slot: ``self``, ``input``, ``state.weight``."""
        named: dict[str, TensorDump] = {}
        for name, value in values.items():
            named |= _tensors_at(rule.source_name(name), value)
        return named

    @cached_property
    def _after(self) -> tuple[dict[str, TensorDump], dict[str, TensorDump]]:
        return self._given(self._source.after, _SAME), self._given(self._target.after, self._pair.rule)

    @cached_property
    def _written(self) -> tuple[set[str], set[str]]:
        """The slots that the source wrote, and those that the target did."""
        before = self._given(self._source.before, _SAME), self._given(self._target.before, self._pair.rule)
        source, target = (
            {
                slot
                for slot, tensor in mine.items()
                # Two names may be one slot, and a brief trace has no values of what was not written.
                if slot in after and is_whole(after[slot]) and _contents(tensor) != _contents(after[slot])
            }
            for mine, after in zip(before, self._after, strict=True)
        )
        return source, target

    def _in_place(self) -> Iterator[Evidence]:
        source, target = self._written
        if only := sorted(source - target):
            yield evidence(EvidenceCode.ONLY_SOURCE_WRITES, slots=", ".join(only))
        if only := sorted(target - source):
            yield evidence(EvidenceCode.ONLY_TARGET_WRITES, slots=", ".join(only))

    def _alias(self) -> Iterator[Evidence]:
        """What each returned tensor shares with others than it should; of many that it was given the first tell enough."""
        shared = SharedMemory(*self._after)
        for place, mine, theirs in self._returned:
            for other, source, target in islice(shared.unlike(mine, theirs), _MOST_SHARED):
                yield evidence(EvidenceCode.SHARING_DIFFERS, slot=place, other=other, source=source, target=target)

    def _gradient(self) -> Iterator[Evidence]:
        errors = self._source.gradient_error, self._target.gradient_error
        if errors[0] or errors[1]:
            if errors[0] and (errors[1] or self._pair.overridden is not None):
                return  # what PyTorch has no gradient of is nothing to compare
            for side, error in zip(("PyTorch", "MindSpore"), errors, strict=True):
                if error:
                    yield evidence(EvidenceCode.NOT_CALLED, side=side, error=told_error(error))
            return
        theirs = {self._source_slot(slot): gradient for slot, gradient in self._target.gradients.items()}
        for slot, gradient in self._source.gradients.items():
            if slot not in theirs:
                yield evidence(EvidenceCode.NO_GRADIENT, slot=slot)
            elif gradient.shape != theirs[slot].shape:
                yield _unlike(slot, str(tuple(gradient.shape)), str(tuple(theirs[slot].shape)))
            elif (apart := self._apart(slot, gradient, theirs[slot])) is None or self._another(apart):
                yield from unlike_values(slot, gradient, theirs[slot])

    @staticmethod
    def _another(gradient: Distance) -> bool:
        """Whether a gradient, of whose own error nothing is known, is another one or far less accurate."""
        return gradient.special or gradient.another or gradient.less_accurate

    def _source_slot(self, slot: str) -> str:
        return self._pair.rule.source_name(slot)


_CHECKS: dict[Facet, Callable[[_Comparison], Iterator[Evidence]]] = {
    Facet.ERROR: lambda _comparison: iter(()),
    Facet.STRUCTURE: _Comparison._structure,
    Facet.SHAPE: _Comparison._shape,
    Facet.DTYPE: _Comparison._dtype,
    Facet.VALUE: _Comparison._value,
    Facet.IN_PLACE: _Comparison._in_place,
    Facet.ALIAS: _Comparison._alias,
    Facet.GRADIENT: _Comparison._gradient,
    Facet.ACCURACY: _Comparison._accuracy,
    Facet.SPECIAL_VALUES: _Comparison._special_values,
    Facet.LAYOUT: _Comparison._layout,
    Facet.RANDOMNESS: _Comparison._randomness,
}


def _tensors_at(slot: str, value: Value) -> dict[str, TensorDump]:
    if isinstance(value, TensorDump):
        return {slot: value}
    if isinstance(value, SequenceDump):
        items = [_tensors_at(f"{slot}[{index}]", item) for index, item in enumerate(value.items)]
        return {key: tensor for held in items for key, tensor in held.items()}
    if isinstance(value, ObjectDump):
        return {f"{slot}.{name}": tensor for name, tensor in value.tensors.items()}
    return {}


def _contents(tensor: TensorDump) -> object:
    return tensor.dtype, tensor.shape, tensor.values


def outline(value: Value | None) -> str:
    """What is returned, without values: ``Tensor``, ``float``, ``(Tensor, None)``, of a named tuple ``sort(Tensor, Tensor)``."""
    match value:
        case None | ScalarDump(value=None):
            return "None"
        case TensorDump():
            return "Tensor"
        case ScalarDump(value=scalar):
            return type(scalar).__name__
        case SequenceDump(type=kind, items=items):
            inner = ", ".join(map(outline, items))
            return f"[{inner}]" if kind == "list" else f"({inner})" if kind == "tuple" else f"{kind}({inner})"
        case ObjectDump(type=kind):
            return kind
    raise TypeError(f"no outline for {type(value).__name__}")


def _unlike(slot: str, source: str, target: str) -> Evidence:
    return evidence(EvidenceCode.SIDES_DIFFER, slot=slot, source=source, target=target)


def unlike_values(slot: str, source: TensorDump, target: TensorDump, *, exact: bool = False) -> Iterator[Evidence]:
    """Evidence where the values of two tensors of one shape are further apart than the wider tolerance of their dtypes.

    ``exact``: or are not the same, whatever their dtypes.
    """
    if source.shape != target.shape or (source.dtype == target.dtype and source.values == target.values):
        return
    mine, theirs = array(source), array(target)
    rtol, atol = (
        max(pair) for pair in zip(*(TOLERANCES.get(side.dtype, (0.0, 0.0)) for side in (source, target)), strict=True)
    )
    kinds = {mine.dtype.kind, theirs.dtype.kind}
    if exact:
        rtol = atol = 0.0
    whole = not kinds & {"f", "c"}
    widest = np.complex128 if "c" in kinds else np.float64
    wide = mine.astype(widest), theirs.astype(widest)
    apart = mine != theirs if whole else ~_close(*wide, rtol, atol)
    if not apart.any():
        return
    worst = _worst(wide[0], wide[1], apart)
    shown = _shown(mine, worst), _shown(theirs, worst)
    count = int(apart.sum())
    fact = evidence(
        EvidenceCode.VALUES_DIFFER, slot=slot, source=shown[0], target=shown[1], count=count, all=apart.size
    )
    near = {} if whole else _percent_off(wide[0][apart], wide[1][apart])
    yield msgspec.structs.replace(fact, values=fact.values | near)


def _close(mine: Wide, theirs: Wide, rtol: float, atol: float) -> npt.NDArray[np.bool_]:
    """Where values are as near as that, the same infinity, or nan on both sides.

    What is not finite is not asked of `numpy.isclose`, which takes every infinite complex number for nan.
    """
    finite = np.isfinite(mine) & np.isfinite(theirs)
    same = (mine == theirs) | (np.isnan(mine) & np.isnan(theirs))
    near = np.isclose(np.where(finite, theirs, 0), np.where(finite, mine, 0), rtol=rtol, atol=atol)
    return np.where(finite, near, same)


def _percent_off(mine: Wide, theirs: Wide) -> dict[str, str]:
    """By how many per cent of the larger one values differ at most, rounded up to one digit.

    {} above ten, of nan and inf, and below what two numbers can differ by: one part of a complex number may be far smaller.
    """
    with np.errstate(all="ignore"):
        percent = float(100 * np.max(np.abs(theirs - mine) / np.maximum(np.abs(mine), np.abs(theirs))))
    if not _LEAST_PERCENT <= percent <= _NEAR_PERCENT:
        return {}
    digits = -math.floor(math.log10(percent))
    return {"percent": f"{math.ceil(percent * 10.0**digits) / 10.0**digits:.{max(digits, 0)}f}"}


def _worst(mine: Wide, theirs: Wide, apart: npt.NDArray[np.bool_]) -> int:
    """The place, counted flat, of the element that is furthest off; one that only one side has finite before all others."""
    with np.errstate(all="ignore"):
        distance = np.abs(theirs - mine)
    distance = np.where(np.isnan(distance), np.inf, distance)
    return int(np.argmax(np.where(apart, distance, -1).ravel()))


def _shown(values: npt.NDArray[np.generic], worst: int) -> str:
    """A small array whole, of a larger one the element at ``worst``: ``[1.5, 2]``, ``[…, 1.5, …]``."""
    if values.size <= _SHOWN:
        return _listed(values.tolist())
    return f"[…, {_listed(values.ravel()[worst].item())}, …]"


def _listed(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_listed, value))}]"
    if isinstance(value, complex):
        return f"({value:.6g})"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
