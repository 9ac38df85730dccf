"""The code that is shown of a call: what a reader would type."""

from __future__ import annotations

import pytest

from apidiff.derive.sample_code import ordinary_code
from apidiff.model.sample import Sample, SampleArgument, SampleCall, SampleForm, SampleInput, call_of, resolve_sample

TENSOR = SampleInput(values=[1.0])


def called(code: str, args: dict[str, SampleArgument]) -> SampleCall:
    sample = resolve_sample({"one": Sample(receiver=TENSOR, args=args)}, "one")
    return call_of(sample, "mindspore.ops.f", SampleForm.CODE, code)


@pytest.mark.parametrize(
    ("code", "args", "shown"),
    [
        ("self.f(dim, index)", {"dim": 1, "index": TENSOR}, "tensor.f(1, index)"),
        ("self = f(self, tensor)", {"tensor": TENSOR}, "input = f(input, tensor)"),  # the name of an argument is taken
        ("self.f(axis=dim)", {"dim": -1}, "tensor.f(axis=-1)"),
        ("f(mode)", {"mode": "sum"}, "f('sum')"),
        ("1 - value", {"value": -2.0}, "1 - (-2.0)"),
        ("f(*size)", {"size": SampleInput(tuple=[2, 3])}, "f(2, 3)"),
        ("f(size)", {"size": SampleInput(tuple=[2, 3])}, "f((2, 3))"),
        ("f(dtype)", {"dtype": SampleInput(framework_dtype="float16")}, "f(mindspore.float16)"),
        (
            "f([g(tensor) for tensor in tensors])",
            {"tensors": SampleInput(list=[TENSOR, TENSOR])},
            "f([g(tensor) for tensor in [tensor1, tensor2]])",
        ),
        ("place = q * 2\nf(place, q)", {"q": 0.5}, "place = 0.5 * 2\nf(place, 0.5)"),
        ("'中'; f(n)", {"n": 3}, "'中'; f(3)"),  # places in code are counted in bytes
        ("n = n + 1\nf(n)", {"n": 3}, "n = n + 1\nf(n)"),  # a name that is bound anew is no number
    ],
)
def test_numbers_and_texts_are_written_out(code: str, args: dict[str, SampleArgument], shown: str) -> None:
    assert ordinary_code(called(code, args)) == shown
