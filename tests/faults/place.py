"""A folder in which the command runs on data of its own, and what must hold there once a fault is over."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from apidiff.database.runs import load_runs
from apidiff.execute.record import write_record
from apidiff.model.trace import RunRecord
from tests.factories import run_record

INSIDE = Path(__file__).parent / "inside"
ROOT = Path(__file__).resolve().parents[2]
BACKENDS = {"torch": "gloo", "mindspore": "mccl"}
_LONGEST = 900.0  # seconds that a command may take
_ENDS_WITHIN = 120.0  # seconds in which everything is gone after the command is

_MAPPING = """
category: collective
summary: {{en: Something happens., zh: 出现故障。}}
source:
  probes: {{it: {{}}}}
  claims: {{returns-none: {{returns: None, by: it}}}}
targets:
  mindspore.faults.{call}:
    since: "2.5"
    probes: {{it: {{}}}}
    claims: {{returns-none: {{returns: None, by: it}}}}
"""


class Unavailable(Exception):
    """A fault that cannot be caused here; says why."""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


def ended(process: subprocess.Popen[str]) -> Ended:
    """Waits for a command; one that does not end is killed, which its exit code tells."""
    try:
        out, err = process.communicate(timeout=_LONGEST)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
    finally:
        process.kill()
    return Ended(process.returncode, out, err)


class Place:
    """The command, its data with one mapping for each of ``calls``, its state, and all processes that it started."""

    def __init__(self, folder: Path, calls: Iterable[str], framework: str = "torch") -> None:
        self.folder, self.framework = folder, framework
        self.runs, self.state = folder / "data" / "runs", folder / "state"
        mappings = folder / "data" / "mappings" / "torch" / "faults"
        mappings.mkdir(parents=True)
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        for call in calls:
            (mappings / f"{call}.yaml").write_text(_MAPPING.format(call=call), encoding="utf-8")
        for name in ("documents.yaml", "frameworks.yaml"):
            (folder / "data" / name).write_text("{}\n", encoding="utf-8")
        (folder / "data" / "own_records.txt").touch()

    @property
    def journals(self) -> list[Path]:
        return sorted((self.state / "apidiff" / "unfinished").glob("*.jsonl"))

    def start(self, asked: str = "--record", **variables: str) -> subprocess.Popen[str]:
        """``apidiff verify --record`` on two ranks, in a session of its own. ``asked``: an ID, which is compared instead."""
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(INSIDE), str(ROOT), os.environ.get("PYTHONPATH", "")]),
            "APIDIFF_FAULTS": str(self.folder),
            "XDG_STATE_HOME": str(self.state),
            "CUDA_VISIBLE_DEVICES": "",
            "COLUMNS": "200",
            "TMPDIR": str(self.temporary),
        }
        command = [sys.executable, str(INSIDE / "faulty_command.py"), "verify", "--world-size", "2", asked]
        return subprocess.Popen(
            [*command, "--backend", BACKENDS[self.framework]],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment | variables,
            cwd=self.folder,
            text=True,
            start_new_session=True,
        )

    def run(self, asked: str = "--record", **variables: str) -> Ended:
        """The same from its start to its end."""
        return ended(self.start(asked, **variables))

    @contextlib.contextmanager
    def started(self, done: int, **variables: str) -> Iterator[subprocess.Popen[str]]:
        """The command with ``done`` probes in its journal and the next under way."""
        process = self.start(**variables)
        try:
            until = time.monotonic() + _LONGEST
            while sum(path.read_bytes().count(b'"end"') for path in self.journals) < done:
                assert process.poll() is None, process.communicate()[1]
                assert time.monotonic() < until, "no probe was finished"
                time.sleep(0.05)
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.communicate()

    @contextlib.contextmanager
    def waiting(self, **variables: str) -> Iterator[subprocess.Popen[str]]:
        """The command with one probe in its journal, and with both ranks in the midst of a call that waits once."""
        with self.started(1, APIDIFF_PROBE_S="600", **variables) as process:
            until = time.monotonic() + _LONGEST
            while len(list(self.folder.glob("waits-*.once"))) < 2:
                assert time.monotonic() < until, "the ranks do not wait"
                time.sleep(0.02)
            yield process

    def record(self) -> RunRecord:
        """The record of two ranks; there is one."""
        [found] = [record for _, record in load_runs(self.runs) if record.world_size == 2]
        return found

    def processes(self) -> list[psutil.Process]:
        """Every process that runs with this folder in its environment: what the command started, and what that started."""
        mark = f"APIDIFF_FAULTS={self.folder}".encode()
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(OSError, psutil.Error):
                if mark in Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0"):
                    found.append(process)
        return found

    def keep_earlier(self) -> dict[Path, bytes]:
        """Adds a record of another world size; returns what lies in the folder of records now."""
        write_record(
            run_record(self.framework, "1.0.0", world_size=3, date="2026-01-31T12:00:00Z"),
            self.runs,
        )
        return self.files()

    def files(self) -> dict[Path, bytes]:
        """Every file among the records, with its bytes."""
        return {path: path.read_bytes() for path in self.runs.rglob("*") if path.is_file()}

    def check(self, earlier: Mapping[Path, bytes]) -> None:
        """What must hold after any fault: no process is left, each file is a whole record, and those before are as they were."""
        until = time.monotonic() + _ENDS_WITHIN
        while left := self.processes():
            if time.monotonic() > until:
                told = [(one.pid, one.status(), one.cmdline()) for one in left]
                for one in left:
                    one.kill()
                raise AssertionError(f"processes are left: {told}")
            time.sleep(0.1)
        now = self.files()
        assert {path: now.get(path) for path in earlier} == dict(earlier), "an earlier record is lost or changed"
        strange = [path for path in now if path.suffix != ".json"]
        assert not strange, f"files are left that are no records: {strange}"
        assert len(load_runs(self.runs)) == len(now)

    def check_temporary(self) -> None:
        """Nothing temporary is left; where the command is killed, its ranks remove it."""
        assert not (left := list(self.temporary.iterdir())), f"temporary files are left: {left}"

    def check_next(self) -> RunRecord:
        """A run after the fault records everything."""
        done = self.run()
        assert (done.code, self.journals) == (0, []), done.err
        record = self.record()
        assert record.stopped is None, record.stopped
        assert {run.end for run in record.probes} == {"completed"}, record.probes
        return record
