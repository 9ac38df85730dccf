"""A call that was compiled to a graph, and the same call as it is written."""

import msgspec
import pytest

from apidiff.execute.single.brief import digest
from apidiff.judge.graph_mode import judge_graph
from apidiff.model.agreement import Agreement, Facet
from apidiff.model.sample_run import SampleRun, SampleTrace
from apidiff.model.trace import CallError, SequenceDump, TensorDump, Value
from apidiff.model.verdict import EvidenceCode


def tensor(values: list[float], dtype: str = "float32", storage: int = 1) -> TensorDump:
    return TensorDump(
        type="Tensor", dtype=dtype, shape=[len(values)], values=list(values), storage=storage, object=storage
    )


def run(
    returned: Value | None = None, *, after: list[float] | None = None, error: CallError | None = None
) -> SampleRun:
    before = {"self": tensor([1.0, 2.0], storage=0)}
    trace = SampleTrace(
        before=before,
        after={} if error else {"self": tensor(after or [1.0, 2.0], storage=0)},
        returned=returned,
        error=error,
    )
    return SampleRun(mapping="torch.f", api="mindspore.f", sample="plain", spec="0", end="completed", trace=trace)


def compiled(call: SampleRun, graph: SampleRun) -> SampleRun:
    return msgspec.structs.replace(call, graph=graph)


RAISED = CallError(stage="call", type="TypeError", bases=["Exception"], message="not in a graph")
SAME = run(tensor([3.0]))


@pytest.mark.parametrize(
    ("graph", "agreement", "code"),
    [
        (SAME, Agreement.AGREES, None),
        (run(error=RAISED), Agreement.DIFFERS, EvidenceCode.GRAPH_REFUSES),
        (run(tensor([4.0])), Agreement.DIFFERS, EvidenceCode.GRAPH_DIFFERS),
        (run(tensor([3.0], "float64")), Agreement.DIFFERS, EvidenceCode.GRAPH_DIFFERS),
        (
            run(SequenceDump(type="tuple", items=[tensor([3.0])], object=2)),
            Agreement.DIFFERS,
            EvidenceCode.GRAPH_DIFFERS,
        ),
        (run(tensor([3.0]), after=[5.0, 6.0]), Agreement.DIFFERS, EvidenceCode.GRAPH_WRITES),
        (run(tensor([3.0]), after=[1.0, 2.0]), Agreement.AGREES, None),
        (msgspec.structs.replace(SAME, end="timeout", trace=None), Agreement.TIMEOUT, EvidenceCode.GRAPH_ENDED),
        (msgspec.structs.replace(SAME, end="crash", trace=None), Agreement.CRASH, EvidenceCode.GRAPH_ENDED),
        (
            run(error=msgspec.structs.replace(RAISED, stage="prepare")),
            Agreement.ERROR,
            EvidenceCode.NOT_CALLED,
        ),
    ],
)
def test_a_graph_is_compared_with_its_call(graph: SampleRun, agreement: Agreement, code: EvidenceCode | None) -> None:
    verdict = judge_graph("plain", compiled(SAME, graph))
    assert verdict is not None
    assert (verdict.facet, verdict.agreement) == (Facet.GRAPH, agreement)
    assert [fact.code for fact in verdict.facts] == ([code] if code else [])


def test_drawn_values_are_not_compared() -> None:
    verdict = judge_graph("plain", compiled(SAME, run(tensor([4.0]))), random=True)
    assert verdict is not None
    assert verdict.agreement is Agreement.AGREES


def test_what_raises_by_itself_says_nothing_of_its_graph() -> None:
    assert judge_graph("plain", compiled(run(error=RAISED), SAME)) is None
    assert judge_graph("plain", SAME) is None


def test_a_second_try_that_says_otherwise_is_flaky() -> None:
    again = msgspec.structs.replace(run(error=RAISED), again=SAME)
    verdict = judge_graph("plain", compiled(SAME, again))
    assert verdict is not None
    assert verdict.agreement is Agreement.FLAKY


@pytest.mark.parametrize(
    ("against", "agreement"), [(digest(SAME), Agreement.AGREES), ("deadbeef", None), ("", None)], ids=str
)
def test_a_graph_that_agreed_counts_for_the_run_that_it_agreed_with(against: str, agreement: Agreement | None) -> None:
    graph = msgspec.structs.replace(SAME, trace=None, agrees=[Facet.GRAPH.value], against=against)
    verdict = judge_graph("plain", compiled(SAME, graph))
    assert (verdict.agreement if verdict else None) is agreement
