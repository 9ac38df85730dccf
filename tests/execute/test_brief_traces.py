"""Brief traces: they lose what the sample says itself, and no verdict; exact calls give PyTorch's own error."""

import msgspec
import pytest

from apidiff.database.devices import Deadlines, Device
from apidiff.execute.single.accuracy import furthest
from apidiff.execute.single.brief import brief, digest, errors
from apidiff.execute.single.exact import exact_call
from apidiff.execute.single.plan import Step
from apidiff.execute.single.run import CallRunner
from apidiff.judge.agreement import Pair, judge_pair
from apidiff.model.rule import Rule
from apidiff.model.sample import Sample, SampleCall, SampleForm, SampleInput, call_of
from apidiff.model.sample_run import SampleRun

TORCH = Device(
    framework="torch", device="cpu", deadlines=Deadlines(start=300, call=120), environment={"OMP_NUM_THREADS": "1"}
)
TENSOR = SampleInput(values=[1.0, 2.0])
CALLS = {
    "add": call_of(
        Sample(receiver=TENSOR, args={"other": TENSOR}, gradient=True), "torch.Tensor.add", SampleForm.METHOD
    ),
    "add_": call_of(Sample(receiver=TENSOR, args={"other": TENSOR}), "torch.Tensor.add_", SampleForm.METHOD),
    "view": call_of(Sample(receiver=TENSOR, args={"size_0": 2, "size_1": 1}), "torch.Tensor.view", SampleForm.METHOD),
    "tanh": call_of(Sample(args={"input": SampleInput(values=[0.1, 0.7])}), "torch.tanh", SampleForm.FUNCTION),
    "half": call_of(
        Sample(args={"input": SampleInput(values=[0.1])}, dtype="bfloat16"), "torch.exp", SampleForm.FUNCTION
    ),
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, SampleRun]:
    with CallRunner(TORCH, tmp_path_factory.mktemp("logs")) as runner:
        exact = {f"{name} exact": made for name, call in CALLS.items() if (made := exact_call(call)) is not None}
        steps = [Step("torch.f", name, call) for name, call in {**CALLS, **exact}.items()]
        return {run.sample: run for run in runner.run(steps, lambda _: None).values()}


def test_brief_traces_show_the_same(runs: dict[str, SampleRun]) -> None:
    names = list(CALLS)
    for source in names:
        for target in names:
            whole = Pair("s", runs[source], runs[target], Rule(), gradient=True, overridden={})
            short = Pair("s", brief(runs[source]), brief(runs[target]), Rule(), gradient=True, overridden={})
            assert judge_pair(short) == judge_pair(whole), (source, target)


def test_brief_traces_are_short_and_know_what_they_showed(runs: dict[str, SampleRun]) -> None:
    add, add_ = brief(runs["add"]), brief(runs["add_"])
    assert add.trace is not None
    assert add_.trace is not None
    assert list(add.trace.before) == []
    assert list(add_.trace.before) == ["self"]
    assert len(msgspec.json.encode(add)) < len(msgspec.json.encode(runs["add"]))
    assert digest(add) == digest(brief(runs["add"])) != digest(add_)


def test_the_error_of_a_call_is_measured(runs: dict[str, SampleRun]) -> None:
    def own(name: str) -> dict[str, float]:
        traces = runs[name].trace, runs[f"{name} exact"].trace
        assert traces[0] is not None
        assert traces[1] is not None
        return errors(*traces)

    assert own("add") == {"return": 0.0}
    assert 0 < own("tanh")["return"] < 1
    # Of the number that bfloat16 has next to 0.1, not of 0.1, which is a twentieth of a unit away.
    assert 0 < own("half")["return"] <= 0.5


def test_what_has_no_shorter_floats_has_no_exact_call() -> None:
    assert exact_call(SampleCall(api="torch.add", form=SampleForm.FUNCTION, dtype="int64")) is None
    assert exact_call(SampleCall(api="torch.add", form=SampleForm.FUNCTION, dtype="float64")) is None


def test_a_small_element_beside_a_large_one_may_be_as_far_off() -> None:
    import numpy as np

    exact = np.array([1.0, 1e-9])
    assert furthest(exact, exact, "float32") == 0
    assert furthest(np.array([1.0, 1e-9 + 1e-10]), exact, "float32") < 1
    assert furthest(np.array([1.0 + 2**-20, 1e-9]), exact, "float32") == 8
    assert furthest(np.array([np.nan, 1e-9]), exact, "float32") == 0
