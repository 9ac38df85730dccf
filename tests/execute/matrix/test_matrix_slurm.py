"""The matrix as a job array, and the verifier under srun: with the real Slurm, where it is installed."""

from __future__ import annotations

import contextlib
import io
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from matrix_command import MatrixCommand, torch_release
from one_node_slurm import Cluster, absent
from rich.console import Console
from test_verify_command import made

from apidiff.cli import matrix as module
from apidiff.database.backends import Backend
from apidiff.database.runs import load_runs


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    if reason := absent():
        pytest.skip(reason)
    with Cluster(tmp_path_factory.mktemp("slurm")) as one:
        yield one


@pytest.fixture
def matrix(tmp_path: Path) -> MatrixCommand:
    made(tmp_path)
    (tmp_path / "data" / "own_records.txt").touch()
    return MatrixCommand(tmp_path)


def test_the_script_has_a_task_for_each_cell_that_is_to_run(matrix: MatrixCommand, gloo: Backend) -> None:
    matrix.describe("1.2.3", run=100)
    matrix.environment("1.2.3", "#!/bin/sh\n")
    code, out, err = matrix("--slurm", "--measured-by", "A. Person; rm -rf")
    assert code == 0, err
    for line in ("#!/bin/bash", "#SBATCH --array=0-1", "#SBATCH --cpus-per-task=3", "#SBATCH --time=2"):
        assert line in out.splitlines()
    # Each task calls what its cell is, whatever characters are in it.
    tried = out.replace('exec "$@"', 'printf "%s\\n" "$@"')
    for number, size in enumerate(("2", "3")):
        done = subprocess.run(
            ["bash"], input=tried, env={"SLURM_ARRAY_TASK_ID": str(number)}, capture_output=True, text=True, check=True
        )
        command = [f"{matrix.work}/torch-1.2.3/bin/apidiff", "verify", "--backend", "gloo-cpu", "--world-size", size]
        assert done.stdout.splitlines() == [*command, "--record", "--measured-by", "A. Person; rm -rf"]


def test_a_version_without_environment_is_left_out_and_told(
    matrix: MatrixCommand, gloo: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    matrix.describe("0.0.1")
    code, out, err = matrix("--slurm")
    assert (code, out) == (1, "")
    assert "torch-0.0.1: left out: " in err


def test_where_nothing_is_to_run_nothing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORK", tmp_path / "build" / "matrix")
    told = Console(record=True, file=io.StringIO())
    assert module._job_array([], None, told) == 0
    assert told.export_text() == "There is nothing to submit.\n"
    assert not any(tmp_path.iterdir())


def variables(process: psutil.Process) -> str:
    """The state folder that a process was given; nothing where it is gone."""
    with contextlib.suppress(psutil.Error):
        return process.environ().get("XDG_STATE_HOME", "")
    return ""


def test_an_array_runs_every_cell_and_goes_on_where_a_task_was_ended(
    cluster: Cluster, matrix: MatrixCommand, gloo: Backend
) -> None:
    version = torch_release()
    matrix.describe(version)
    matrix.environment(version)
    code, script, err = matrix("--slurm")
    assert code == 0, err
    state = matrix.folder / "state"
    cluster.environment["XDG_STATE_HOME"] = str(state)
    job = cluster.run("sbatch", "--parsable", "--array=0", given=script).strip()
    cluster.wait(lambda: any(path.stat().st_size for path in state.rglob("*gloo-cpu-2-*.jsonl")), 120)
    cluster.run("scancel", job)
    cluster.wait(lambda: not cluster.run("squeue", "-h").strip(), 60)
    assert not [one for one in psutil.process_iter() if str(state) in variables(one)]
    assert not matrix.runs.exists()

    code, script, err = matrix("--slurm")
    assert "#SBATCH --array=0-1" in script
    cluster.run("sbatch", "--wait", given=script)
    assert {record.world_size for _, record in load_runs(matrix.runs)} == {2, 3}
    code, script, err = matrix("--slurm")
    assert (code, script) == (0, "")
    assert "There is nothing to submit." in err


def test_inside_srun_the_ranks_are_those_of_slurm(cluster: Cluster, matrix: MatrixCommand, gloo: Backend) -> None:
    version = torch_release()
    matrix.describe(version)
    matrix.environment(version)
    apidiff = matrix.work / f"torch-{version}" / "bin" / "apidiff"
    cluster.environment["XDG_STATE_HOME"] = str(matrix.folder / "state")
    done = subprocess.run(
        ["srun", "--ntasks=3", str(apidiff), "verify", "--backend", "gloo", "--record"],
        env=cluster.environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    [(_, record)] = load_runs(matrix.runs)
    assert (record.world_size, record.stopped) == (3, None)
    assert "GLOO_SOCKET_IFNAME" not in record.environment  # as across machines
