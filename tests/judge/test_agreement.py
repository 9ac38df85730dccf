"""Two traces of one sample: what is judged of each facet."""

import re
from typing import Any

import msgspec
import pytest

from apidiff.judge.agreement import Pair, judge_pair, outline, told_error, unlike_values
from apidiff.model.agreement import FINE_FACETS, Agreement, Facet
from apidiff.model.extracted_samples import Tolerance
from apidiff.model.rule import Rule
from apidiff.model.sample_run import NO_STATE, SampleRun, SampleTrace
from apidiff.model.trace import CallError, ScalarDump, SequenceDump, TensorDump, Value
from apidiff.model.verdict import Evidence, EvidenceCode


def tensor(
    values: list[float | str], storage: int = 0, dtype: str = "float32", shape: list[int] | None = None
) -> TensorDump:
    return TensorDump(
        type="Tensor", dtype=dtype, shape=shape or [len(values)], values=list(values), storage=storage, object=storage
    )


def trace(
    before: list[float],
    after: list[float] | None = None,
    returned: Value | None = None,
    name: str = "input",
    **more: Any,
) -> SampleTrace:
    given = {name: tensor(list(before))}
    return SampleTrace(before=given, after={name: tensor(list(after or before))}, returned=returned, **more)


def run(made: SampleTrace | None, end: str = "completed", again: SampleRun | None = None) -> SampleRun:
    return SampleRun(mapping="torch.f", api="torch.f", sample="plain", spec="0", end=end, trace=made, again=again)


def judged(source: SampleTrace | SampleRun, target: SampleTrace | SampleRun, **more: Any) -> dict[Facet, Agreement]:
    return {facet: agreement for facet, (agreement, _) in shown(source, target, **more).items()}


def shown(
    source: SampleTrace | SampleRun, target: SampleTrace | SampleRun, **more: Any
) -> dict[Facet, tuple[Agreement, list[Evidence]]]:
    runs = [one if isinstance(one, SampleRun) else run(one) for one in (source, target)]
    pair = Pair("plain", runs[0], runs[1], **({"rule": Rule()} | more))
    return {one.facet: (one.agreement, one.facts) for one in judge_pair(pair)}


def error(
    kind: str, message: str = "no", bases: tuple[str, ...] = ("Exception", "BaseException"), stage: str = "call"
) -> CallError:
    return CallError(stage=stage, type=kind, bases=list(bases), message=message)


def raising(kind: str, message: str = "no", **more: Any) -> SampleTrace:
    return SampleTrace(before={"input": tensor([1])}, error=error(kind, message, **more))


def test_what_many_tensors_share_is_told_of_a_few() -> None:
    """Of each pair it would fill the memory."""
    shared, own = ({f"t{number}": tensor([1], storage=number * factor) for number in range(30)} for factor in (0, 1))
    source = SampleTrace(before=shared, after=shared, returned=tensor([1], storage=0))
    target = SampleTrace(before=own, after=own, returned=tensor([1], storage=0))
    agreement, facts = shown(source, target)[Facet.ALIAS]
    assert (agreement, len(facts)) == (Agreement.DIFFERS, 4)


# Those of every pair: of drawn values and of graphs there are others, of a few calls.
ORDINARY = set(Facet) - {Facet.RANDOMNESS, Facet.GRAPH}
SAME = trace([1, 2], returned=tensor([3, 4], storage=1))


def test_what_is_the_same_agrees_in_every_facet() -> None:
    assert set(judged(SAME, SAME, gradient=True).values()) == {Agreement.AGREES}
    assert set(judged(SAME, SAME, gradient=True)) == ORDINARY - FINE_FACETS
    assert set(judged(SAME, SAME, gradient=True, overridden={})) == ORDINARY
    assert Facet.GRADIENT not in judged(SAME, SAME)


@pytest.mark.parametrize(
    ("target", "facet", "code"),
    [
        (trace([1, 2], returned=tensor([3, 5], storage=1)), Facet.VALUE, EvidenceCode.VALUES_DIFFER),
        (trace([1, 2], returned=tensor([3, "nan"], storage=1)), Facet.VALUE, EvidenceCode.VALUES_DIFFER),
        (trace([1, 2], returned=tensor([3, 4], 1, "float64")), Facet.DTYPE, EvidenceCode.SIDES_DIFFER),
        (trace([1, 2], returned=tensor([3, 4], 1, shape=[2, 1])), Facet.SHAPE, EvidenceCode.SIDES_DIFFER),
        (
            trace([1, 2], returned=SequenceDump(type="tuple", items=[tensor([3, 4], storage=1)], object=2)),
            Facet.STRUCTURE,
            EvidenceCode.STRUCTURES_DIFFER,
        ),
        (trace([1, 2], [5, 6], returned=tensor([3, 4], storage=1)), Facet.IN_PLACE, EvidenceCode.ONLY_TARGET_WRITES),
        (trace([1, 2], returned=tensor([3, 4], storage=0)), Facet.ALIAS, EvidenceCode.SHARING_DIFFERS),
    ],
)
def test_one_facet_differs(target: SampleTrace, facet: Facet, code: EvidenceCode) -> None:
    found = shown(SAME, target)
    assert {one for one, (agreement, _) in found.items() if agreement is Agreement.DIFFERS} == {facet}
    assert found[facet][1][0].code is code


@pytest.mark.parametrize(
    ("dtype", "values", "agrees"),
    [
        ("float32", [1.000001], True),
        ("float32", [1.0001], False),
        ("float16", [1.0009], True),
        ("bfloat16", [1.01], True),
        ("float64", [1.000001], False),
        ("int64", [2], False),
    ],
)
def test_tolerance_is_that_of_the_dtype(dtype: str, values: list[float], agrees: bool) -> None:
    source, target = (trace([1], returned=tensor(list(one), 1, dtype)) for one in ([1], values))
    assert (judged(source, target)[Facet.VALUE] is Agreement.AGREES) is agrees


@pytest.mark.parametrize(
    ("source", "target", "dtype", "percent"),
    [
        ([1, 2], [1, 2.0001], "float32", "0.005"),  # rounded up
        ([1, 2], [1.02, 2.0001], "float32", "2"),  # of the element that is furthest off
        ([100], [91], "float32", "9"),
        ([100], [80], "float32", None),
        ([1, 0], [1, 0.001], "float32", None),
        ([1, 2], [1, "nan"], "float32", None),
        ([100], [99], "int64", None),
    ],
)
def test_values_that_are_near_say_how_near(
    source: list[float | str], target: list[float | str], dtype: str, percent: str | None
) -> None:
    sides = (trace([1], returned=tensor(values, 1, dtype)) for values in (source, target))
    [fact] = shown(*sides)[Facet.VALUE][1]
    assert fact.values.get("percent") == percent


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("source", "target", "same"),
    [
        ("(inf+0j)", "(inf+0j)", True),
        ("(inf+0j)", "(-inf+0j)", False),
        ("(inf+0j)", "(nan+0j)", False),
        ("(nan+0j)", "(nan+1j)", True),
        ("(1+0j)", "(inf+0j)", False),
        ("(1+infj)", "(1+0j)", False),
    ],
)
def test_complex_numbers_that_are_not_finite(source: str, target: str, same: bool) -> None:
    sides = (tensor([value], 1, "complex64") for value in (source, target))
    assert (list(unlike_values("return", *sides)) == []) is same


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("source", "target"), [("(1e+300+0j)", "(1e+300+1e-20j)"), ("(inf+1j)", "(inf+2j)"), ("(nan-infj)", "(1+0j)")]
)
def test_complex_numbers_whatever_their_parts_say_no_per_cent(source: str, target: str) -> None:
    sides = (tensor([value], 1, "complex128") for value in (source, target))
    [fact] = unlike_values("return", *sides, exact=True)
    assert "percent" not in fact.values


def test_nan_on_both_sides_is_no_difference() -> None:
    both = trace([1], returned=tensor(["nan", "inf"], storage=1))
    assert judged(both, both)[Facet.VALUE] is Agreement.AGREES


def test_what_both_write_is_compared() -> None:
    source, target = (trace([1, 2], after, returned=ScalarDump(value=None)) for after in ([3, 4], [3, 5]))
    assert judged(source, target)[Facet.IN_PLACE] is Agreement.AGREES
    assert judged(source, target)[Facet.VALUE] is Agreement.DIFFERS


def test_two_names_of_one_argument_are_no_reason_to_fail() -> None:
    """A record may name an argument otherwise after the call than before it, without its values."""
    brief = msgspec.structs.replace(tensor([]), shape=[2])
    source = trace([1, 2], [5, 6])
    target = SampleTrace(before={"input": tensor([1, 2])}, after={"input": tensor([5, 6]), "x": brief})
    found = shown(source, target, rule=Rule(keywords={"input": "x"}))
    assert found[Facet.IN_PLACE][1][0].code is EvidenceCode.ONLY_SOURCE_WRITES


def test_a_renamed_argument_is_told_by_the_name_of_the_source() -> None:
    source, target = trace([1], [2]), trace([1], name="x")
    found = shown(source, target, rule=Rule(keywords={"input": "x"}))
    assert found[Facet.IN_PLACE][1] == [Evidence(code=EvidenceCode.ONLY_SOURCE_WRITES, values={"slots": "input"})]


@pytest.mark.parametrize(
    ("source", "target", "agreement"),
    [
        (raising("ValueError"), raising("ValueError", "other words"), Agreement.AGREES),
        (
            raising("NotImplementedError", bases=("RuntimeError", "Exception")),
            raising("RuntimeError"),
            Agreement.AGREES,
        ),
        (raising("RuntimeError"), raising("ValueError"), Agreement.DIFFERS),
        (raising("RuntimeError"), SAME, Agreement.DIFFERS),
        (SAME, raising("TypeError"), Agreement.DIFFERS),
    ],
)
def test_where_one_raises_nothing_else_is_compared(
    source: SampleTrace, target: SampleTrace, agreement: Agreement
) -> None:
    assert judged(source, target) == {Facet.ERROR: agreement}


@pytest.mark.parametrize(
    ("message", "told"),
    [
        pytest.param(
            "- Kernel select failed:\nUnsupported op [G] on CPU.", "E: Unsupported op [G] on CPU", id="heading"
        ),
        pytest.param("----\n- Kernel select failed:\n----\nNo G.", "E: No G", id="ruled"),
        pytest.param("- Kernel select failed:", "E: - Kernel select failed:", id="nothing-below"),
        pytest.param("- 1 is no dtype.\nmore", "E: - 1 is no dtype", id="no-heading"),
        pytest.param("", "E", id="empty"),
    ],
)
def test_an_error_is_told_by_the_line_that_says_something(message: str, told: str) -> None:
    assert told_error(error("E", message)) == told


def test_no_kernel_is_unsupported_and_not_a_difference() -> None:
    patterns = [re.compile("unregistered")]
    lacking = raising("RuntimeError", "The kernel Gelu unregistered.")
    found = judged(SAME, lacking, unsupported=patterns)
    assert set(found.values()) == {Agreement.UNSUPPORTED}
    assert Facet.VALUE in found
    # Where the source refuses too, there is nothing else that a kernel could show.
    assert judged(raising("RuntimeError"), lacking, unsupported=patterns) == {Facet.ERROR: Agreement.UNSUPPORTED}


@pytest.mark.parametrize(
    ("target", "agreement"),
    [
        (run(None, "timeout"), Agreement.TIMEOUT),
        (run(None, "crash"), Agreement.CRASH),
        (run(raising("AttributeError", stage="prepare")), Agreement.ERROR),
        (run(raising("ValueError", f"{NO_STATE} weight; it has gamma", stage="call")), Agreement.ERROR),
        (run(raising("ValueError", "the weight has no state", stage="call")), Agreement.DIFFERS),
    ],
)
def test_outcomes_stay_apart(target: SampleRun, agreement: Agreement) -> None:
    assert set(judged(SAME, target).values()) == {agreement}


def test_what_does_not_come_back_is_flaky() -> None:
    other = trace([1, 2], returned=tensor([3, 4], storage=1, dtype="int64"))
    found = shown(SAME, run(SAME, again=run(other)))
    assert found[Facet.DTYPE][0] is Agreement.FLAKY
    assert [one.code for one in found[Facet.DTYPE][1]][:2] == [EvidenceCode.ATTEMPT, EvidenceCode.ATTEMPT]
    assert found[Facet.SHAPE][0] is Agreement.AGREES


def test_values_that_the_target_alone_makes_anew_differ() -> None:
    wrong = trace([1, 2], returned=tensor([3, 5], storage=1))
    agreement, facts = shown(SAME, run(SAME, again=run(wrong)))[Facet.VALUE]
    assert agreement is Agreement.DIFFERS
    assert [fact.code for fact in facts] == [EvidenceCode.UNREPEATED]
    assert shown(run(SAME, again=run(wrong)), SAME)[Facet.VALUE][0] is Agreement.FLAKY
    # Of no elements nothing is rounded: what comes out otherwise a second time is memory that nobody wrote.
    tiny = trace([1, 2], returned=tensor([3, 4 + 1e-6], storage=1))
    assert judged(SAME, run(SAME, again=run(tiny)))[Facet.VALUE] is Agreement.AGREES
    assert judged(SAME, run(SAME, again=run(tiny)), reads_nothing=True)[Facet.VALUE] is Agreement.DIFFERS
    assert set(judged(SAME, run(SAME, again=run(wrong)), overridden={})) == set(judged(SAME, SAME, overridden={})) - {
        Facet.ACCURACY,
        Facet.SPECIAL_VALUES,
    }


def test_gradients() -> None:
    with_gradient = trace([1], returned=tensor([1], 1), gradients={"input": tensor([2]), "state.weight": tensor([3])})
    without = trace([1], returned=tensor([1], 1), gradients={"x": tensor([2])})
    found = shown(with_gradient, without, gradient=True, rule=Rule(keywords={"input": "x"}))
    assert found[Facet.GRADIENT] == (
        Agreement.DIFFERS,
        [Evidence(code=EvidenceCode.NO_GRADIENT, values={"slot": "state.weight"})],
    )
    failing = trace([1], returned=tensor([1], 1), gradient_error=error("RuntimeError", stage="gradient"))
    assert judged(with_gradient, failing, gradient=True)[Facet.GRADIENT] is Agreement.DIFFERS
    assert judged(failing, failing, gradient=True)[Facet.GRADIENT] is Agreement.AGREES


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        (ScalarDump(value=None), "None"),
        (ScalarDump(value=2.5), "float"),
        (tensor([1]), "Tensor"),
        (SequenceDump(type="list", items=[tensor([1])], object=0), "[Tensor]"),
        (SequenceDump(type="sort", items=[tensor([1]), tensor([1])], object=0), "sort(Tensor, Tensor)"),
    ],
)
def test_outline(value: Value | None, text: str) -> None:
    assert outline(value) == text


def test_random_values_are_not_compared() -> None:
    other = trace([1, 2], returned=tensor([5, 6], storage=1))
    assert judged(SAME, other)[Facet.VALUE] is Agreement.DIFFERS
    assert set(judged(SAME, other, random=True)) == ORDINARY - {Facet.VALUE, Facet.GRADIENT} - FINE_FACETS


def returning(*values: float | str, contiguous: bool = True, dtype: str = "float32", **errors: float) -> SampleTrace:
    returned = msgspec.structs.replace(tensor(list(values), 1, dtype), contiguous=contiguous)
    return trace([1, 2], returned=returned, errors=errors)


@pytest.mark.parametrize(
    ("source", "target", "differing"),
    [
        (returning(0.5, 1.0), returning(0.5, 1.0), set()),
        (returning(0.5, 1.0), returning(0.5, 1.0000001), set()),  # the last digit
        (returning(0.5, 1.0), returning(0.5, 1.000047), {Facet.ACCURACY}),  # as a tanh was seen to be
        (
            returning(0.5, 1.0, **{"return": 9.0}),
            returning(0.5, 1.000047),
            set(),
        ),  # PyTorch is as far from the exact one
        (returning(0.5, 1.0), returning(0.5, 1.5), {Facet.VALUE}),
        (returning("nan", 1.0), returning("-inf", 1.0), {Facet.SPECIAL_VALUES}),
        (returning("nan", 1.0), returning("nan", 1.0), set()),
        (returning("inf", 1.0), returning(3.0, 1.000047), {Facet.SPECIAL_VALUES, Facet.ACCURACY}),
        (returning(0.5, 1.0), returning(0.5, 1.0, contiguous=False), {Facet.LAYOUT}),
        (returning(1, 2, dtype="int64"), returning(1, 3, dtype="int64"), {Facet.VALUE}),
        (returning("(1+2j)", dtype="complex64"), returning("(1+2.000001j)", dtype="complex64"), set()),
        (returning("(1+2j)", dtype="complex64"), returning("(1-2j)", dtype="complex64"), {Facet.VALUE}),
    ],
    ids=range(12),
)
def test_values_of_an_extracted_sample_are_told_apart(
    source: SampleTrace, target: SampleTrace, differing: set[Facet]
) -> None:
    found = judged(source, target, overridden={})
    assert {facet for facet, agreement in found.items() if agreement is Agreement.DIFFERS} == differing


def test_pytorchs_own_tests_may_allow_more() -> None:
    wide = {"float32": Tolerance(rtol=1e-3, atol=1e-3)}
    assert judged(returning(1.0), returning(1.0005), overridden={})[Facet.ACCURACY] is Agreement.DIFFERS
    assert judged(returning(1.0), returning(1.0005), overridden=wide)[Facet.ACCURACY] is Agreement.AGREES


def test_a_run_that_was_seen_to_agree_says_so() -> None:
    agreeing = msgspec.structs.replace(run(None), agrees=["error", "value"])
    assert judged(run(SAME), agreeing) == {Facet.ERROR: Agreement.AGREES, Facet.VALUE: Agreement.AGREES}


def test_a_run_that_was_seen_to_agree_says_nothing_of_what_is_not_compared() -> None:
    """Of a written sample that draws nothing and has no gradient."""
    agreeing = msgspec.structs.replace(run(None), agrees=["value", "gradient", "graph", "randomness", "accuracy"])
    assert judged(run(SAME), agreeing) == {Facet.VALUE: Agreement.AGREES}
    extracted = judged(run(SAME), agreeing, gradient=True, overridden={})
    assert set(extracted) == {Facet.VALUE, Facet.GRADIENT, Facet.ACCURACY}
