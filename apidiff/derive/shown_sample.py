"""Chooses the sample whose calls are shown as the ordinary ones, and tells which side refuses them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from apidiff.derive.sample_code import sample_code
from apidiff.judge.pairs import PairVerdicts
from apidiff.model.agreement import Agreement, Facet, FacetVerdict
from apidiff.model.mapping import Mapping, Target
from apidiff.model.sample_calls import samples_of, source_call
from apidiff.model.verdict import EvidenceCode
from apidiff.model.vocabulary import Execution

_COMPARED = {Agreement.AGREES, Agreement.DIFFERS}


class ShownSample(NamedTuple):
    """The sample to show. ``refused``: who was seen to raise in the newest version, 'target', 'source' or 'both'; else ''."""

    name: str
    refused: str
    version: str
    device: str


def shown_sample(mapping: Mapping, target: Target, pairs: Sequence[PairVerdicts]) -> ShownSample | None:
    """Choose the first sample that the newest version run was seen to take on both sides: what one may write on both.

    Each side returned something, or the target has no kernel for it: it refuses other arguments before it looks for one.
    Where no sample is taken so, the first that PyTorch takes is shown, then the first that the target takes, then any.
    Samples stand in the order in which PyTorch's calls are first written, so that all targets are shown with the same call
    where they take it.
    None where ranks make the calls.
    """
    if mapping.execution is not Execution.SINGLE:
        return None
    names = _by_source_call(mapping, samples_of(mapping, target))
    if not pairs:
        return ShownSample(names[0], "", "", "")
    place = pairs[0].target_version, pairs[0].device
    ends = {verdict.sample: end for verdict in pairs[0].verdicts if (end := _end(verdict)) is not None}
    for refused in ("", "target", "source", "both"):
        if found := next((name for name in names if ends.get(name) == refused), None):
            return ShownSample(found, refused, *place)
    return ShownSample(names[0], "", *place)


def _by_source_call(mapping: Mapping, samples: Sequence[str]) -> list[str]:
    """Order ``samples`` as the calls that they make of PyTorch, as code, first stand in the record."""
    calls = {name: sample_code(source_call(mapping, name)) for name in mapping.samples}
    order = {code: place for place, code in reversed([*enumerate(calls.values())])}
    return sorted(samples, key=lambda name: order[calls[name]])


def places_that_took_a_call(pairs: Iterable[PairVerdicts]) -> Collection[tuple[str, str]]:
    """Name the versions and devices on which the target ended some call without an exception, whether or not PyTorch did."""
    return {
        (pair.target_version, pair.device)
        for pair in pairs
        for verdict in pair.verdicts
        if _end(verdict) in {"", "source"} and verdict.agreement is not Agreement.UNSUPPORTED
    }


def places_without_kernel(pairs: Iterable[PairVerdicts], sample: str) -> Collection[tuple[str, str]]:
    """Name the versions and devices on which the target has no kernel for ``sample``."""
    return {
        (pair.target_version, pair.device)
        for pair in pairs
        for verdict in pair.verdicts
        if verdict.sample == sample and verdict.facet is Facet.ERROR and verdict.agreement is Agreement.UNSUPPORTED
    }


def _end(verdict: FacetVerdict) -> str | None:
    """Who refuses a call by what a verdict says; '' where both take it, None where the verdict tells nothing of it."""
    if verdict.facet is Facet.STRUCTURE and verdict.agreement in _COMPARED:
        return ""
    if verdict.facet is not Facet.ERROR:
        return None
    if verdict.agreement is Agreement.UNSUPPORTED:
        return ""
    if verdict.agreement not in _COMPARED:
        return None
    code = verdict.facts[0].code if verdict.facts else EvidenceCode.ERRORS_DIFFER
    return {EvidenceCode.TARGET_REFUSES: "target", EvidenceCode.SOURCE_REFUSES: "source"}.get(code, "both")
