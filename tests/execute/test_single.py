"""Calls in one kept process: what is recorded, what ends the process, and what comes back the same."""

import errno
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest

from apidiff.database.devices import Deadlines, Device
from apidiff.execute.single.arrays import Arrays
from apidiff.execute.single.draws import draws
from apidiff.execute.single.plan import Step
from apidiff.execute.single.process import ProcessStartError
from apidiff.execute.single.run import CallRunner
from apidiff.model.dtypes import carrier
from apidiff.model.sample import Sample, SampleForm, SampleInput, call_of
from apidiff.model.sample_run import SampleRun, SampleTrace
from apidiff.model.trace import ObjectDump, ScalarDump, SequenceDump, TensorDump, Value

TORCH = Device(
    framework="torch", device="cpu", deadlines=Deadlines(start=300, call=120), environment={"OMP_NUM_THREADS": "1"}
)


def step(api: str, form: SampleForm = SampleForm.FUNCTION, **sample: Any) -> Step:
    return Step("torch.f", f"{api}-{len(sample)}", call_of(msgspec.convert(sample, Sample), api, form))


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CallRunner]:
    with CallRunner(TORCH, tmp_path_factory.mktemp("logs")) as started:
        yield started


def made(runner: CallRunner, one: Step) -> SampleRun:
    return runner.run([one], lambda _: None)[one.key]


def traced(runner: CallRunner, one: Step) -> SampleTrace:
    trace = made(runner, one).trace
    assert trace is not None
    return trace


def values(value: Value | None) -> list[Any]:
    assert isinstance(value, TensorDump)
    return value.values


def test_a_function_is_called_by_position_and_by_keyword(runner: CallRunner) -> None:
    trace = traced(runner, step("torch.sub", args={"input": {"values": [5, 7]}}, kwargs={"other": 2, "alpha": 2}))
    assert list(trace.before) == ["input", "other", "alpha"]
    assert values(trace.returned) == [1.0, 3.0]
    assert trace.error is None


def test_an_answer_that_came_while_the_command_was_paused_is_read(
    runner: CallRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind a pause `select` finds its time over and looks at nothing."""
    one = step("torch.sub", args={"input": {"values": [5, 7]}}, kwargs={"other": 2})
    traced(runner, one)  # the process is up
    starts = runner.starts
    waits, now = select.select, time.monotonic
    paused: list[float] = []

    def pausing(*arguments: Any) -> tuple[list[Any], list[Any], list[Any]]:
        if not paused and arguments[0] and arguments[3:] != (0,):  # waits for an answer
            waits(arguments[0], [], [])  # the answer comes
            paused.append(10_000)
            return [], [], []
        return waits(*arguments)

    monkeypatch.setattr("apidiff.execute.single.process.select.select", pausing)
    clock = SimpleNamespace(monotonic=lambda: now() + sum(paused))
    monkeypatch.setattr("apidiff.execute.single.process.time", clock)
    assert values(traced(runner, one).returned) == [3.0, 5.0]
    assert paused
    assert runner.starts == starts, "the process was not ended"


def test_a_method_is_called_on_its_receiver(runner: CallRunner) -> None:
    one = step("torch.Tensor.add_", SampleForm.METHOD, receiver={"values": [1]}, args={"other": {"values": [2]}})
    trace = traced(runner, one)
    assert (values(trace.before["self"]), values(trace.after["self"])) == ([1.0], [3.0])
    receiver, returned = trace.after["self"], trace.returned
    assert isinstance(receiver, TensorDump)
    assert isinstance(returned, TensorDump)
    assert (returned.object, returned.storage) == (receiver.object, receiver.storage)


def test_a_module_has_the_state_that_is_given(runner: CallRunner) -> None:
    one = step(
        "torch.nn.Linear",
        SampleForm.MODULE,
        constructor={"args": {"in_features": 2, "out_features": 1}},
        state={"weight": {"values": [[2, 3]]}, "bias": {"values": [1]}},
        args={"input": {"values": [[1, 10]]}},
        gradient=True,
    )
    trace = traced(runner, one)
    assert values(trace.returned) == [33.0]
    state = trace.before["state"]
    assert isinstance(state, ObjectDump)
    assert values(state.tensors["weight"]) == [2.0, 3.0]
    assert {slot: values(one) for slot, one in trace.gradients.items()} == {
        "input": [2.0, 3.0],
        "state.weight": [1.0, 10.0],
        "state.bias": [1.0],
    }


def test_state_that_a_module_lacks_is_an_error(runner: CallRunner) -> None:
    constructor = {"args": {"in_features": 2, "out_features": 1}}
    one = step("torch.nn.Linear", SampleForm.MODULE, constructor=constructor, state={"scale": {"values": [1]}})
    trace = traced(runner, one)
    assert trace.error is not None
    assert "no state scale; it has weight, bias" in trace.error.message


def test_gradients_tell_elements_apart(runner: CallRunner) -> None:
    trace = traced(
        runner, step("torch.mul", args={"input": {"values": [1, 2]}, "other": {"values": [3, 5]}}, gradient=True)
    )
    # Of the sum of the results, the i-th of which weighs i + 1.
    assert {slot: values(one) for slot, one in trace.gradients.items()} == {"input": [3.0, 10.0], "other": [1.0, 4.0]}


def test_what_has_no_gradient_says_so(runner: CallRunner) -> None:
    trace = traced(runner, step("torch.argmax", args={"input": {"values": [1.0, 2.0]}}, gradient=True))
    assert trace.error is None
    assert trace.gradient_error is not None


def test_a_seed_repeats_what_is_random(runner: CallRunner) -> None:
    first, again, other = (traced(runner, step("torch.rand", args={"size": 3}, seed=seed)) for seed in (1, 1, 2))
    assert values(first.returned) == values(again.returned) != values(other.returned)


@pytest.mark.parametrize(
    ("dtype", "kept"),
    [("float32", [0.1]), ("float16", [0.1]), ("bfloat16", [0.100097656]), ("float64", [0.1]), ("int64", [0])],
)
def test_dtypes_keep_their_names_and_need_no_more_digits(runner: CallRunner, dtype: str, kept: list[float]) -> None:
    trace = traced(runner, step("torch.clone", args={"input": {"values": [0.1]}}, dtype=dtype))
    assert isinstance(trace.returned, TensorDump)
    assert (trace.returned.dtype, trace.returned.values) == (dtype, kept)


def test_an_error_is_part_of_the_trace(runner: CallRunner) -> None:
    trace = traced(runner, step("torch.cat", args={"tensors": 3}))
    assert trace.error is not None
    assert (trace.error.stage, trace.error.type) == ("call", "TypeError")
    assert not trace.after
    missing = traced(runner, step("torch.no_such_function"))
    assert missing.error is not None
    assert missing.error.stage == "prepare"


def test_a_call_that_kills_its_process_costs_only_itself(tmp_path: Path) -> None:
    well = [step("torch.abs", args={"input": {"values": [-index]}}, seed=index) for index in (1, 2, 3)]
    steps = [
        well[0],
        step("os.abort"),
        Step("torch.f", "second", well[1].call),
        step("time.sleep", args={"secs": 600}),
        Step("torch.f", "third", well[2].call),
    ]
    impatient = msgspec.structs.replace(TORCH, deadlines=Deadlines(start=300, call=10))
    with CallRunner(impatient, tmp_path) as runner:
        done = runner.run(steps, lambda _: None)
        assert [done[one.key].end for one in steps] == ["completed", "crash", "completed", "timeout", "completed"]
        assert runner.starts == 3
    crash = done[steps[1].key]
    assert crash.trace is None
    assert crash.log == ["SIGABRT"]


def test_a_call_that_eats_memory_is_ended_and_costs_only_itself(tmp_path: Path) -> None:
    greedy = "while True:\n    kept = [torch.ones(2**26) for _ in range(64)]\nkept[0]"
    well = step("torch.abs", args={"input": {"values": [-1]}})
    steps = [Step("torch.f", "greedy", call_of(Sample(), "torch.abs", SampleForm.CODE, greedy)), well]
    small = msgspec.structs.replace(TORCH, memory=1.5, deadlines=Deadlines(start=300, call=300))
    with CallRunner(small, tmp_path) as runner:
        done = runner.run(steps, lambda _: None)
        assert runner.starts == 2
    assert [done[one.key].end for one in steps] == ["crash", "completed"]
    assert "GiB of memory, more than 1.5" in done[steps[0].key].log[-1]


def test_an_optimiser_is_stepped_with_its_gradients(runner: CallRunner) -> None:
    sample = {
        "constructor": {"kwargs": {"lr": 0.5}},
        "state": {"weight": {"values": [1, 2]}, "bias": {"values": [4]}},
        "args": {"first": {"values": [1, -1]}, "second": {"values": [2]}},
        "steps": 2,
    }
    trace = traced(runner, step("torch.optim.SGD", SampleForm.OPTIMIZER, **sample))
    assert isinstance(trace.returned, SequenceDump)
    assert [values(item) for item in trace.returned.items] == [[0.0, 3.0], [2.0]]
    before, after = trace.before["state"], trace.after["state"]
    assert isinstance(before, ObjectDump)
    assert isinstance(after, ObjectDump)
    assert (before.tensors["weight"].values, after.tensors["weight"].values) == ([1.0, 2.0], [0.0, 3.0])


def test_what_is_drawn_is_drawn_many_times(runner: CallRunner) -> None:
    one = step("torch.rand", args={"size_0": 2}, random=True)
    assert one.call.draws
    done = runner.run([one], lambda _: None)
    runner.confirm([one], done, lambda _: None)
    run = done[one.key]
    assert run.confirmed
    assert run.trace is not None
    assert run.trace.draws is not None
    assert (run.trace.draws.repeats, run.trace.draws.advances) == (True, True)
    means = [moments.mean for moments in run.trace.draws.tries]
    assert len(set(means)) == 4  # two seeds in each of two processes
    assert all(abs(mean - 0.5) < 0.1 for mean in means)


def test_a_graph_of_a_framework_without_one_is_an_error(runner: CallRunner) -> None:
    one = step("torch.abs", args={"input": {"values": [-1]}})
    done = runner.run([one], lambda _: None)
    runner.run_graphs([one], done, lambda _: None)
    graph = done[one.key].graph
    assert graph is not None
    assert graph.trace is not None
    assert graph.trace.error is not None
    assert "cannot be compiled" in graph.trace.error.message


def test_forked_processes_compile_no_call_of_each_other(tmp_path: Path) -> None:
    code = """
import os
from apidiff.execute.single.graph import _loaded
for number in range(3):
    if os.fork() == 0:
        print(_loaded(f"def call(): return {number}", {}).call(), flush=True)
        os._exit(0)
    os.wait()
"""
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "1", "2"]


def test_what_does_not_come_back_the_same_is_kept_twice(tmp_path: Path) -> None:
    steps = [step("time.time"), step("torch.abs", args={"input": {"values": [-1]}})]
    with CallRunner(TORCH, tmp_path) as runner:
        done = runner.run(steps, lambda _: None)
        runner.confirm(steps, done, lambda _: None)
        assert runner.starts == 2
    unsteady, steady = (done[one.key] for one in steps)
    assert not unsteady.confirmed
    assert unsteady.again is not None
    assert isinstance(unsteady.again.trace and unsteady.again.trace.returned, ScalarDump)
    assert steady.confirmed
    assert steady.again is None


def test_what_a_call_leaves_behind_shows_when_the_last_is_made_first(tmp_path: Path) -> None:
    wide = {"d": {"framework_dtype": "float64"}}
    steps = [step("torch.set_default_dtype", args=wide), step("torch.eye", kwargs={"n": 1})]
    with CallRunner(TORCH, tmp_path) as runner:
        done = runner.run(steps, lambda _: None)
        runner.confirm(steps, done, lambda _: None)
    assert [done[one.key].confirmed for one in steps] == [True, False]


def test_what_a_call_leaves_behind_reaches_no_other_mapping(tmp_path: Path) -> None:
    wide = {"d": {"framework_dtype": "float64"}}
    set_it, eye = step("torch.set_default_dtype", args=wide), step("torch.eye", kwargs={"n": 1})
    steps = [set_it, Step("torch.f", "same", eye.call), Step("torch.g", "other", eye.call)]
    with CallRunner(TORCH, tmp_path) as runner:
        done = runner.run([*steps, *(Step("torch.h", f"{number}", eye.call) for number in range(8))], lambda _: None)
    dtypes = {
        key: value.dtype
        for key, run in done.items()
        if isinstance(value := run.trace and run.trace.returned, TensorDump)
    }
    assert dtypes.pop(steps[1].key) == "float64"
    assert set(dtypes.values()) == {"float32"}
    assert len(dtypes) == 9


def test_memory_that_a_call_does_not_write_shows(tmp_path: Path) -> None:
    unwritten = step("torch.empty", args={"size": 50})
    with CallRunner(TORCH, tmp_path) as runner:
        done = runner.run([unwritten], lambda _: None)
        runner.confirm([unwritten], done, lambda _: None)
    run = done[unwritten.key]
    assert not run.confirmed
    assert run.trace is not None
    assert sum(value != 0 for value in values(run.trace.returned)) > 40


def test_an_interrupted_run_leaves_no_process_and_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    well = step("torch.abs", args={"input": {"values": [-1]}})
    slow = Step("torch.z", "slow", step("time.sleep", args={"secs": 600}).call)

    def stop(_: str) -> None:
        raise KeyboardInterrupt

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt), CallRunner(TORCH, tmp_path / "logs") as runner:
        runner.run([well, slow], stop)
    assert time.monotonic() - started < TORCH.deadlines.call
    assert not list(scratch.iterdir())
    assert not [path for path in Path("/proc").glob("[0-9]*/environ") if str(scratch).encode() in read(path)]


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_process_that_has_threads_is_not_forked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would wait for ever for a thread that its child does not have; it is started anew."""
    (tmp_path / "sitecustomize.py").write_text(
        "import threading, time\nthreading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    well = step("torch.abs", args={"input": {"values": [-1]}})
    steps = [Step(f"torch.{name}", "plain", well.call) for name in "abcd"]
    with CallRunner(TORCH, tmp_path / "logs") as runner:
        done = runner.run(steps, lambda _: None)
        assert runner.starts == 4
    assert {run.end for run in done.values()} == {"completed"}
    assert not list((tmp_path / "logs").iterdir())


def test_few_values_that_are_the_same_by_chance_do_not_repeat_a_seed() -> None:
    coins = np.random.default_rng(0)
    found = draws(lambda: coins.integers(0, 2, 1).astype(np.float64), lambda _: None, 0)
    assert (found.repeats, found.advances) == (False, True)


def test_a_last_digit_is_no_other_draw() -> None:
    state = [0]

    def seed(number: int) -> None:
        state[:] = [number]

    def call() -> np.ndarray[Any, np.dtype[np.float64]]:
        state[0] += 1
        return np.array([state[0] / 7 * (1 + 1e-7 * noise.random())])

    noise = np.random.default_rng(0)
    found = draws(call, seed, 0)
    assert (found.repeats, found.advances) == (True, True)


def test_a_call_that_ends_its_process_is_told_with_its_exit_code(tmp_path: Path) -> None:
    with CallRunner(TORCH, tmp_path) as runner:
        done = runner.run([step("os._exit", args={"status": 88})], lambda _: None)
    assert [(run.end, run.log) for run in done.values()] == [("crash", ["exit code 88"])]


def test_what_a_call_forks_answers_for_no_later_call(tmp_path: Path) -> None:
    steps = [step("faulty_calls.copy_itself"), step("time.sleep", args={"seconds": 3})]
    with CallRunner(TORCH, tmp_path) as runner:
        done = runner.run(steps, lambda _: None)
    assert [run.trace and run.trace.returned for run in done.values()] == [
        ScalarDump(value="from a call"),
        ScalarDump(value=None),
    ]


def test_a_process_that_does_not_come_up_is_named(tmp_path: Path) -> None:
    nowhere = msgspec.structs.replace(TORCH, device="nowhere")
    with CallRunner(nowhere, tmp_path) as runner, pytest.raises(ProcessStartError, match="torch on nowhere") as raised:
        runner.version()
    assert "ended before it came up" in str(raised.value)


def _cannot_start(*_: object, **__: object) -> None:
    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))


def test_a_process_that_cannot_be_started_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("apidiff.execute.worker_process.subprocess.Popen", _cannot_start)
    logs = tmp_path / "logs"
    with (
        CallRunner(TORCH, logs) as runner,
        pytest.raises(ProcessStartError, match=r"cannot be started \(Resource temp"),
    ):
        runner.version()
    assert list(tmp_path.iterdir()) == [logs]
    assert list(logs.iterdir()) == []


@pytest.mark.parametrize(
    ("tensor", "shape", "dtype"),
    [
        ({"values": 0.5}, (), "float32"),
        ({"values": [["nan", "-inf"]]}, (1, 2), "float32"),
        ({"shape": [2, 0]}, (2, 0), "float32"),
        ({"shape": [3], "dtype": "int32", "low": 0, "high": 9}, (3,), "int32"),
        ({"shape": [3], "dtype": "bool"}, (3,), "bool"),
        ({"shape": [3], "dtype": "bfloat16"}, (3,), "bfloat16"),
        ({"values": [1], "dtype": "float8_e4m3fn"}, (1,), "float8_e4m3fn"),
        ({"values": ["1j"], "dtype": "complex32"}, (1,), "complex32"),
    ],
)
def test_arrays(tensor: dict[str, Any], shape: tuple[int, ...], dtype: str) -> None:
    array, name = Arrays("float32", 0).make(msgspec.convert(tensor, SampleInput))
    assert (array.shape, name) == (shape, dtype)
    assert array.dtype == np.dtype(carrier(dtype))


def test_seeded_values_never_change() -> None:
    """They are part of what recorded runs were made with."""
    arrays = Arrays("float64", 0)
    drawn = [arrays.make(SampleInput(shape=[2], low=low))[0].tolist() for low in (-1.0, 0.0)]
    assert drawn == [[0.0976270078546495, 0.43037873274483895], [0.6027633760716439, 0.5448831829968969]]
