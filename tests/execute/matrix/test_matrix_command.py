"""``apidiff verify --matrix`` from outside: what it runs, what it leaves out, how it goes on after it was stopped."""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path

import psutil
import pytest
from matrix_command import MatrixCommand, torch_release
from test_verify_command import made

from apidiff.database.backends import Backend
from apidiff.database.runs import load_runs


@pytest.fixture
def matrix(tmp_path: Path) -> MatrixCommand:
    made(tmp_path)
    (tmp_path / "data" / "own_records.txt").touch()
    return MatrixCommand(tmp_path)


def lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


@pytest.mark.turning(days=4, group="cells")
def test_stopped_in_a_cell_it_goes_on_where_it_stopped(matrix: MatrixCommand, gloo: Backend) -> None:
    version = torch_release()
    matrix.describe(version)
    matrix.environment(version)
    first = matrix.start()
    try:
        until = time.monotonic() + 500
        while not any(path.stat().st_size for path in (matrix.folder / "state").rglob("*gloo-cpu-3-*.jsonl")):
            assert time.monotonic() < until, "no probe of the second cell was finished"
            assert first.poll() is None, first.communicate()
            time.sleep(0.05)
        family = psutil.Process(first.pid).children(recursive=True)
    finally:
        first.kill()
        first.communicate()
    _, alive = psutil.wait_procs(family, timeout=120)
    assert not alive
    [(done, _)] = load_runs(matrix.runs)
    [journal] = (matrix.folder / "state").rglob("*.jsonl")
    kept = journal.read_bytes()

    code, out, err = matrix()
    assert code == 0, err
    name = f"torch-{version}/gloo-cpu"
    assert lines(err)[:2] == [f"{name}-2 recorded: {done}", f"{name}-3 to run: no record"]
    assert [line.split()[:2] for line in lines(out)] == [[f"{name}-2", "recorded"], [f"{name}-3", "recorded"]]
    assert "recorded now" in out.splitlines()[1]
    assert not journal.exists()
    records = dict(load_runs(matrix.runs))
    assert len(records) == 2
    [second] = [record for key, record in records.items() if key != done]
    before = [json.loads(line.partition(b" ")[2]) for line in kept.splitlines() if line.strip()]  # after its digest
    assert before
    for one in before:  # what was done before the stop was not made again: it has the same times
        [run] = [run for run in second.probes if run.probe == one["probe"]]
        assert [trace.seconds for trace in run.ranks] == [rank.get("seconds", 0.0) for rank in one["ranks"]]

    code, out, err = matrix("--json")
    assert (code, [one["state"] for one in json.loads(out)]) == (0, ["recorded", "recorded"])


@pytest.mark.turning(days=4, group="cells")
def test_a_measurer_has_cells_that_were_recorded_here_and_no_others(matrix: MatrixCommand, gloo: Backend) -> None:
    version = torch_release()
    matrix.describe(version)
    matrix.environment(version)
    asked = ("--measured-by", "Example Lab", "--world-size", "2", "--json")
    code, out, err = matrix(*asked)
    assert (code, [one["state"] for one in json.loads(out)]) == (0, ["made"]), err
    code, out, err = matrix(*asked)
    assert (code, [one["state"] for one in json.loads(out)]) == (0, ["recorded"]), err
    assert ", unsigned" in err  # of one that is not this project's, who vouches for it
    (matrix.folder / "state" / "apidiff" / "recorded").unlink()  # as where somebody else sent it
    script = matrix.work / f"torch-{version}" / "bin" / "apidiff"
    script.write_text("#!/bin/sh\nexit 9\n", encoding="utf-8")
    code, out, err = matrix(*asked)
    assert (code, [one["state"] for one in json.loads(out)]) == (1, ["failed"]), err
    assert "to run: no record" in " ".join(err.split())


# (script in the place of apidiff, seconds a cell may take, what is said)
FAILING = [
    (
        "#!/bin/sh\necho 'apidiff: no ranks came up' >&2\nexit 2\n",
        300,
        "ended with 2, no record: apidiff: no ranks came up",
    ),
    ("#!/bin/sh\nexit 0\n", 300, "ended with 0, no record: nothing printed yet"),
    ("#!/bin/sh\necho asleep\nsleep 600\n", 5, "not done in 5 s; it was at: asleep"),
]


@pytest.mark.turning(days=3)
@pytest.mark.parametrize(("script", "seconds", "said"), FAILING, ids=[said for *_, said in FAILING])
def test_a_cell_that_fails_stops_no_other(
    matrix: MatrixCommand, gloo: Backend, script: str, seconds: float, said: str
) -> None:
    matrix.describe("1.2.3", run=seconds)
    matrix.environment("1.2.3", script)
    code, out, err = matrix()
    assert code == 1, err
    told = lines(out)
    assert [line.split()[:2] for line in told] == [
        ["torch-1.2.3/gloo-cpu-2", "FAILED"],
        ["torch-1.2.3/gloo-cpu-3", "FAILED"],
    ]
    for size, line in zip((2, 3), told, strict=True):
        assert said in line
        assert line.endswith(f"Read {matrix.work}/logs/torch-1.2.3-gloo-cpu-{size}.log.")


@pytest.mark.turning(days=4, group="cells")
def test_a_version_that_cannot_be_installed_stops_no_other(
    matrix: MatrixCommand, gloo: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    matrix.describe("0.0.1", "1.2.3")
    matrix.environment("1.2.3", "#!/bin/sh\necho ran\n")
    code, out, _ = matrix("--world-size", "2")
    first, second = lines(out)
    assert code == 1
    assert first.startswith("torch-0.0.1/gloo-cpu-2 FAILED no environment: ")
    assert "no record: ran" in second


@pytest.mark.turning(days=4, group="cells")
def test_a_device_that_is_not_here_is_no_failure(matrix: MatrixCommand, gloo: Backend) -> None:
    matrix.describe("1.2.3")
    text = (matrix.folder / "matrix.toml").read_text().replace('"gloo"', '"nccl"')
    (matrix.folder / "matrix.toml").write_text(text, encoding="utf-8")
    matrix.environment("1.2.3", "#!/bin/sh\nexit 9\n")
    code, out, err = matrix("--json")
    assert code == 0, err
    found = json.loads(out)
    assert [one["state"] for one in found] == ["not here", "not here"]
    assert found[0]["reason"].startswith("nccl (torch, cuda): looked for ")


@pytest.mark.turning(days=4, group="cells")
def test_two_at_once_are_refused(matrix: MatrixCommand, gloo: Backend) -> None:
    matrix.describe("1.2.3")
    matrix.environment("1.2.3", "#!/bin/sh\necho at work\nsleep 600\n")
    first = matrix.start()
    try:
        until = time.monotonic() + 300
        while not (matrix.work / "logs" / "torch-1.2.3-gloo-cpu-2.log").exists():
            assert time.monotonic() < until
            time.sleep(0.1)
        code, out, err = matrix()
        assert (code, out) == (2, "")
        assert "another process makes or runs environments in" in err.splitlines()[-1]
    finally:
        with contextlib.suppress(psutil.NoSuchProcess):
            family = psutil.Process(first.pid).children(recursive=True)
        first.kill()
        first.communicate()
        _, alive = psutil.wait_procs(family, timeout=120)
        assert not alive


# (arguments, what the one line on standard error says)
WRONG = [
    (["torch.distributed.broadcast"], "--matrix takes no ID"),
    (
        ["--backend", "mccl"],
        "the matrix has no such cell. It has frameworks torch; backends gloo-cpu; world sizes 2, 3.",
    ),
    (["--slurm", "--json"], "Leave out --json."),
    *(
        (words, f"whatever {words[0]} says. Leave it out, or --matrix.")
        for words in [
            ["--sample", "plain"],
            ["--execution", "single"],
            ["--inputs", "written"],
            ["--device", "cuda"],
            ["--record"],
        ]
    ),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_what_the_user_can_mend_of_a_matrix(matrix: MatrixCommand, arguments: list[str], message: str) -> None:
    matrix.describe("1.2.3")
    code, out, err = matrix(*arguments)
    assert (code, out) == (2, "")
    assert message in err.splitlines()[-1]
    assert not matrix.work.exists()


def test_inside_a_launcher_it_is_refused(matrix: MatrixCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    matrix.describe("1.2.3")
    for name, value in {
        "SLURM_STEP_NUM_TASKS": "2",
        "SLURM_PROCID": "0",
        "SLURM_LOCALID": "0",
        "MASTER_ADDR": "h",
    }.items():
        monkeypatch.setenv(name, value)
    code, _, err = matrix()
    assert (code, "Run it without srun." in err) == (2, True)
