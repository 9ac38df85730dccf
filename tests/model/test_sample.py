"""Samples: what they take over from each other, and what a rule makes of their calls."""

from typing import Any

import msgspec
import pytest

from apidiff.model.base import Text
from apidiff.model.mapping import Api, Mapping, Target
from apidiff.model.rule import Rule, rewrite
from apidiff.model.sample import (
    Arguments,
    Sample,
    SampleError,
    SampleForm,
    SampleInput,
    SampleTooLarge,
    call_of,
    resolve_sample,
)
from apidiff.model.sample_calls import samples_of, source_call, target_call
from apidiff.model.vocabulary import ApiKind


def samples(**written: dict[str, Any]) -> dict[str, Sample]:
    return msgspec.convert(written, dict[str, Sample])


def test_a_sample_takes_over_what_it_does_not_write() -> None:
    known = samples(
        plain={"args": {"input": 1}, "gradient": True},
        tanh={"like": "plain", "kwargs": {"approximate": "tanh"}},
        half={"like": "tanh", "dtype": "float16", "gradient": False},
    )
    half = resolve_sample(known, "half")
    assert half == Sample(args={"input": 1}, kwargs={"approximate": "tanh"}, dtype="float16", gradient=False)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ({"plain": {"like": "other"}}, "no sample 'other'"),
        ({"plain": {"like": "tanh"}, "tanh": {"like": "plain"}}, "like itself"),
    ],
)
def test_like_leads_somewhere(written: dict[str, Any], words: str) -> None:
    with pytest.raises(SampleError, match=words):
        resolve_sample(samples(**written), "plain")


def nested(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


ARGUMENTS = [
    ({}, "exactly one of"),
    ({"values": 1, "shape": [1]}, "exactly one of"),
    # What would take all memory where somebody makes it, or what nothing can.
    ({"shape": [2**10, 2**10, 2]}, "at most 1048576 elements, got 2097152"),
    ({"shape": [0, 2**20, 2**20]}, "at most 1048576 elements, got 1099511627776"),
    ({"shape": [1] * 33}, "length <= 32"),
    ({"shape": [1], "dtype": "<U99999999"}, "matching regex"),
    ({"shape": [2], "low": -1e308, "high": 1e308}, "`float` >= -1e"),
    ({"shape": [2], "low": 9, "high": 0}, "low is 9.0, above high, 0.0"),
    ({"shape": [], "layout": "strided"}, "without dimensions cannot be strided"),
    ({"values": 1, "layout": "slice"}, "without dimensions cannot be slice"),
    ({"values": [[1], [1, 2]]}, "as long as the others beside them, got one of 2"),
    ({"values": [[1], 1]}, "as deep in lists as the others beside them, got 1"),
    ({"values": [1, [1]]}, "as long as the others beside them"),
    ({"values": [None]}, "values are numbers, got None"),
    ({"values": [{"a": 1}]}, "values are numbers, got {'a': 1}"),
    ({"values": ["abc"]}, "a number in quotes is nan, inf, -inf or a complex one, such as .*, got 'abc'"),
    ({"values": nested(40)}, "at most 32 dimensions, got 40"),
    # What Python reads as a number, too: the digit is an Arabic one, and the last ends as a complex number does.
    *[
        ({"number": text}, "a number in quotes is nan")
        for text in ("abc", "٣", "3", "1_0", "Infinity", "(3)", "(٣+1j)")
    ],
    # It stands in the code that repeats a difference.
    ({"number": "__import__('os').system('ls')"}, "complex"),
    ({"framework_dtype": "float16; import os"}, "matching regex"),
    ({"framework_dtype": "float16.x²"}, "matching regex"),
    # What a framework has by the name and is no dtype, or has by no such name, would be told as a verdict on the framework.
    *[
        ({"framework_dtype": name}, "matching regex")
        for name in ("torch.int64", "nope", "nn.functional", "load", "class")
    ],
    ({"number": "inf\n"}, "a number in quotes is nan"),
    ({"number": "\n(1j)"}, "a number in quotes is nan"),
]


@pytest.mark.parametrize(("written", "told"), ARGUMENTS)
def test_an_argument_says_one_thing_that_can_be_made(written: dict[str, Any], told: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=told):
        msgspec.convert(written, SampleInput)


@pytest.mark.parametrize(
    "written",
    [
        {"values": [["nan", "-inf"], ["(1-2j)", 2.0]]},
        {"values": []},
        {"values": [[], []]},
        {"values": True},
        {"number": "(nan+infj)"},
        {"number": "-1e-05j"},
        {"shape": [2], "low": 3, "high": 3},
        {"framework_dtype": "float16"},
    ],
)
def test_an_argument_that_can_be_made(written: dict[str, Any]) -> None:
    assert msgspec.convert(written, SampleInput)


HALF: dict[str, Any] = {"shape": [2**19]}


@pytest.mark.parametrize(
    "written",
    [
        {"args": {"tensors": {"list": [HALF, {"tuple": [HALF, {"list": [HALF]}]}]}}},
        {"receiver": HALF, "args": {"a": HALF}, "kwargs": {"b": HALF}},
        {"constructor": {"args": {"a": HALF}, "kwargs": {"b": HALF}}, "state": {"weight": HALF}},
        {"args": {"a": HALF, "b": HALF, "c": {"shape": [0, 2**19]}}},
        {"args": {"a": HALF, "b": {"shape": [2**19 - 1]}, "c": {"values": [1, 2]}}},
    ],
)
def test_the_tensors_of_a_sample_are_not_too_large_together(written: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError, match="at most 1048576 elements, got 1"):
        msgspec.convert(written, Sample)


def test_tensors_of_several_samples_are_not_too_large_together() -> None:
    known = samples(plain={"args": {"a": HALF}, "state": {"b": HALF}}, more={"like": "plain", "kwargs": {"c": HALF}})
    assert resolve_sample(known, "plain").args
    with pytest.raises(SampleTooLarge, match="at most 1048576 elements, got 1572864"):
        resolve_sample(known, "more")


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ({"args": {"a b": 1}}, "matching regex"),
        ({"args": {"": 1}}, "matching regex"),
        ({"kwargs": {"a=1, b": 1}}, "matching regex"),
        ({"kwargs": {"a\n": 1}}, "matching regex"),
        ({"steps": 0}, "`int` >= 1"),
        ({"steps": 10**18}, "`int` <= 1000"),
        ({"args": {"x²": 1}}, "matching regex"),
        ({"state": {"w.x²": {"values": [1]}}}, "matching regex"),
        ({"kwargs": {"lambda": 1}}, "'lambda' is no name"),
        ({"args": {"None": {"values": [1]}}}, "'None' is no name"),
        ({"constructor": {"kwargs": {"class": 1}}}, "'class' is no name"),
        ({"state": {"a b": {"values": [1]}}}, "matching regex"),
        ({"state": {"0.weight": {"values": [1]}}}, "matching regex"),
        ({"state": {"layer.if": {"values": [1]}}}, "'layer.if' is no name"),
        ({"code": {"torch": f"{'-' * 2000}x"}}, "length <= 2000"),
    ],
)
def test_what_code_says_is_python(written: dict[str, Any], told: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=told):
        msgspec.convert(written, Sample)


def test_a_number_that_goes_by_position_may_have_the_name_of_a_keyword() -> None:
    assert msgspec.convert({"args": {"from": 1}, "state": {"attention.weight": {"values": [1]}}}, Sample)


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_a_seed_is_one_that_numpy_takes(seed: int) -> None:
    with pytest.raises(msgspec.ValidationError, match="seed"):
        msgspec.convert({"seed": seed}, Sample)


def test_a_rule_renames_arguments_and_leaves_positions() -> None:
    call = call_of(Sample(args={"input": 1, "dim": 0}, kwargs={"keepdim": True}), "torch.sum", SampleForm.FUNCTION)
    rule = Rule(keywords={"dim": "axis", "keepdim": "keep_dims"})
    target = rewrite(call, rule, "mindspore.ops.sum")
    assert target.api == "mindspore.ops.sum"
    assert target.given == Arguments(args={"input": 1, "axis": 0}, kwargs={"keep_dims": True})
    assert list(target.given.args) == ["input", "axis"]


def test_a_rule_of_a_module_is_about_its_constructor() -> None:
    sample = Sample(constructor=Arguments(kwargs={"eps": 1e-5}), kwargs={"eps": 1})
    target = rewrite(
        call_of(sample, "torch.nn.N", SampleForm.MODULE), Rule(keywords={"eps": "epsilon"}), "mindspore.nn.N"
    )
    assert target.constructor.kwargs == {"epsilon": 1e-5}
    assert target.given.kwargs == {"eps": 1}


@pytest.mark.parametrize(
    ("given", "kwargs"),
    [
        ({"kernel_size": 2}, {"stride": 2, "ceil_mode": True}),
        ({"kernel_size": 2, "stride": 1}, {"ceil_mode": True}),
        ({}, {"ceil_mode": True}),  # nothing to take the stride from
    ],
)
def test_a_rule_writes_out_what_the_call_leaves_out(given: dict[str, Any], kwargs: dict[str, Any]) -> None:
    rule = Rule(fill={"stride": "{kernel_size}", "ceil_mode": "True"})
    for form, written in (
        (SampleForm.FUNCTION, Sample(args=given)),
        (SampleForm.MODULE, Sample(constructor=Arguments(args=given))),
    ):
        target = rewrite(call_of(written, "torch.f", form), rule, "mindspore.f")
        assert (target.given if form is SampleForm.FUNCTION else target.constructor) == Arguments(
            args=given, kwargs=kwargs
        )


def test_the_digest_is_of_all_that_decides_the_call() -> None:
    def digest(api: str = "torch.f", **written: Any) -> str:
        return call_of(msgspec.convert(written, Sample), api, SampleForm.FUNCTION).digest

    plain = digest(args={"input": 1, "dim": 0})
    assert plain == digest(args={"input": 1, "dim": 0})
    others = [
        digest("torch.g", args={"input": 1, "dim": 0}),
        digest(args={"dim": 0, "input": 1}),
        digest(args={"input": 1}, kwargs={"dim": 0}),
        digest(args={"input": 1, "dim": 0}, seed=1),
        digest(args={"input": 1, "dim": 0}, dtype="float16"),
    ]
    assert len({plain, *others}) == 6


def mapping(**written: dict[str, Any]) -> Mapping:
    """A layer with a target that takes the same arguments, and one that is called by code."""
    apis = [Api(name=name, kind=ApiKind.MODULE) for name in ("torch.nn.N", "mindspore.mint.nn.N", "mindspore.nn.N")]
    targets = [Target(api=api, ranges=[]) for api in apis[1:]]
    text = Text(en="a", zh="a")
    return Mapping(
        id="torch.nn.N", category="nn", summary=text, source=apis[0], targets=targets, samples=samples(**written)
    )


def test_a_sample_with_code_for_one_target_is_made_with_no_other() -> None:
    layer = mapping(
        plain={"constructor": {"args": {"width": 3}}, "state": {"weight": {"shape": [3]}}, "args": {"input": 1}},
        written={"like": "plain", "code": {"mindspore.nn.N": "mindspore.nn.N(3)(input)"}},
    )
    mint, nn = layer.targets
    assert (samples_of(layer, mint), samples_of(layer, nn)) == (["plain"], ["written"])
    assert source_call(layer, "written") == source_call(layer, "plain")
    call = target_call(layer, nn, "written")
    assert (call.form, call.code, call.constructor) == (SampleForm.CODE, "mindspore.nn.N(3)(input)", Arguments())
    assert call.state.keys() == {"weight"}


def test_a_sample_with_code_for_both_frameworks_is_made_with_every_target() -> None:
    layer = mapping(plain={"code": {"torch": "torch.nn.N()", "mindspore": "mindspore.N()", "mindspore.nn.N": "n()"}})
    assert [samples_of(layer, target) for target in layer.targets] == [["plain"], ["plain"]]
    assert [target_call(layer, target, "plain").code for target in layer.targets] == ["mindspore.N()", "n()"]
