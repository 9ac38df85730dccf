"""Compares a call of the target that was compiled to a graph with the same call made as it is written."""

from __future__ import annotations

from apidiff.execute.single.brief import digest
from apidiff.judge.agreement import Pair, compare, told_error
from apidiff.model.agreement import Agreement, Facet, FacetVerdict
from apidiff.model.rule import Rule
from apidiff.model.sample_run import SampleRun
from apidiff.model.verdict import Evidence, EvidenceCode, evidence

_COMPARED = (Facet.STRUCTURE, Facet.SHAPE, Facet.DTYPE, Facet.VALUE, Facet.IN_PLACE)
_WRITES = {
    EvidenceCode.ONLY_SOURCE_WRITES: EvidenceCode.GRAPH_LEAVES,
    EvidenceCode.ONLY_TARGET_WRITES: EvidenceCode.GRAPH_WRITES,
}


def judge_graph(sample: str, run: SampleRun, *, random: bool = False) -> FacetVerdict | None:
    """The verdict on the graph of ``run``; None where it was not compiled, raises by itself, or agreed with another run.

    ``random``: whether values are drawn, so that these are not compared. A graph that did not come back the same is flaky
    where its second try gives another verdict.
    """
    graph = run.graph
    if graph is None or run.trace is None or run.trace.error is not None:
        return None
    if graph.agrees:
        if graph.against != digest(run):
            return None
        return _verdict(sample, Agreement.AGREES)
    first = _judged(sample, run, graph, random=random)
    if graph.again is None:
        return first
    second = _judged(sample, run, graph.again, random=random)
    if first.agreement is second.agreement:
        return first
    facts: list[Evidence] = []
    for number, verdict in enumerate((first, second), 1):
        attempt = evidence(EvidenceCode.ATTEMPT, number=number, outcome=verdict.agreement.value)
        facts += [attempt, *verdict.facts]
    return _verdict(sample, Agreement.FLAKY, *facts)


def _judged(sample: str, run: SampleRun, graph: SampleRun, *, random: bool) -> FacetVerdict:
    if graph.trace is None:
        return _verdict(sample, Agreement(graph.end), evidence(EvidenceCode.GRAPH_ENDED, end=graph.end))
    if graph.trace.error is not None:
        error = told_error(graph.trace.error)
        if graph.trace.error.stage == "prepare":
            return _verdict(sample, Agreement.ERROR, evidence(EvidenceCode.NOT_CALLED, side="MindSpore", error=error))
        return _verdict(sample, Agreement.DIFFERS, evidence(EvidenceCode.GRAPH_REFUSES, error=error))
    assert run.trace is not None
    pair = Pair(sample, run, graph, Rule())
    facets = [facet for facet in _COMPARED if not (random and facet is Facet.VALUE)]
    facts = [_of_graph(fact) for facet in facets for fact in compare(run.trace, graph.trace, pair, facet)]
    return _verdict(sample, Agreement.DIFFERS if facts else Agreement.AGREES, *facts[:1])


def _of_graph(fact: Evidence) -> Evidence:
    """What differs, told of both ways to call one API in place of two frameworks."""
    if fact.code in _WRITES:
        return evidence(_WRITES[fact.code], slots=fact.values["slots"])
    slot = fact.values.get("slot", "return")
    return evidence(EvidenceCode.GRAPH_DIFFERS, slot=slot, pynative=fact.values["source"], graph=fact.values["target"])


def _verdict(sample: str, agreement: Agreement, *facts: Evidence) -> FacetVerdict:
    return FacetVerdict(sample=sample, facet=Facet.GRAPH, agreement=agreement, facts=list(facts))
