"""What happens to a single process in a call, behind it, or while it starts; the call after it is made all the same."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from unittest import mock

import psutil
import pytest

from apidiff.database.devices import Deadlines, Device
from apidiff.execute import worker_process
from apidiff.execute.single import process as call_process
from apidiff.execute.single.plan import Step
from apidiff.execute.single.process import ProcessStartError
from apidiff.execute.single.run import CallRunner
from apidiff.model.sample import Arguments, SampleCall, SampleForm
from apidiff.model.sample_run import SampleRun
from tests.faults.place import INSIDE, ROOT

_ENDS_WITHIN = 120.0
_PATH = os.pathsep.join([str(INSIDE), str(ROOT)])


@dataclass(frozen=True)
class Row:
    """A call of ``inside/broken_adapter.py``, what happens in it, how it may end, and what its log then says."""

    call: str
    what: str
    ends: tuple[str, ...]
    says: str = ""


DONE, LATE, LOST = ("completed",), ("timeout",), ("crash",)
# Python and the kernel pass over these; those that stop a terminal's job do nothing to a process without a terminal.
_PASSED_OVER = {"SIGCHLD", "SIGURG", "SIGWINCH", "SIGCONT", "SIGPIPE", "SIGXFSZ", "SIGTSTP", "SIGTTIN", "SIGTTOU"}


def _of_signal(name: str) -> Row:
    what = f"a call gets {name}"
    if name in _PASSED_OVER:
        return Row(f"gets_{name}", what, DONE)
    return Row(f"gets_{name}", what, LATE) if name == "SIGSTOP" else Row(f"gets_{name}", what, LOST, name)


ROWS = [
    *(_of_signal(number.name) for number in signal.Signals),
    *(
        Row(f"exits_with_{code}", f"a call ends with code {code}", LOST, f"exit code {code}")
        for code in (0, 1, 2, 70, 255)
    ),
    Row("sleeps", "a call hangs", LATE),
    Row("is_busy", "a call computes without end", LATE),
    Row("ignores_signals", "a call hangs and takes no signal", LATE),
    Row("waits_for_a_child", "a call waits for a process that hangs", LATE),
    Row("waits_for_a_lock", "a call waits for itself", LATE),
    Row("recurses", "a call recurses without end", LOST, "RecursionError"),
    Row("overflows_the_stack", "a call jumps to no code", LOST, "SIGSEGV"),
    Row("writes_to_null", "a call writes to no memory", LOST, "SIGSEGV"),
    Row("raises_memory_error", "a call asks for more memory than there is", LOST, "MemoryError"),
    Row("raises_exit", "a call raises SystemExit", LOST, "exit code 3"),
    Row("raises_interrupt", "a call raises KeyboardInterrupt", LOST, "SIGINT"),
    Row("raises_base", "a call raises what is no Exception", LOST, "of no kind"),
    Row("raises_unprintable", "a call raises what cannot be printed", LOST, "exit code 1"),
    Row("holds_memory", "a call holds more memory than it may", LOST, "GiB of memory, more than"),
    Row("answers_without_end", "a call answers without end", LOST, "an answer of more than"),
    Row("answers_bytes", "a call answers bytes", DONE),
    Row("answers_words", "a call answers words", DONE),
    Row("answers_an_empty_line", "a call answers an empty line", DONE),
    Row("answers_another_type", "a call answers a list", DONE),
    Row("answers_other_keys", "a call answers values of other types", DONE),
    Row("answers_deeply", "a call answers 100,000 brackets", DONE),
    Row("answers_beforehand", "a call answers for itself", DONE),
    Row("answers_afterwards", "a call answers again when it is over", DONE),
    Row("answers_half_and_ends", "a call answers half a line and ends", LOST, "exit code 0"),
    Row("answers_half_and_sleeps", "a call answers half a line and hangs", LATE),
    Row("closes_answers_and_sleeps", "a call closes the pipe and hangs", LATE),
    Row("closes_requests", "a call closes the pipe of requests", DONE),
    Row("closes_both", "a call closes both pipes and hangs", LATE),
    Row("closes_everything", "a call closes all its files", LOST, "exit code"),
    Row("prints_much", "a call prints without end", LOST, "ended for printing more than"),
    Row("prints_many_errors", "a call prints 8 MiB of errors", DONE),
    Row("prints_no_text", "a call prints what is no text", DONE),
    Row("closes_output", "a call closes its output", DONE),
    Row("leaves_a_child", "a call leaves a process", DONE),
    Row("leaves_a_session", "a call leaves a process in a session of its own", DONE),
    Row("leaves_a_daemon", "a call leaves a daemon", DONE),
    Row("leaves_a_daemon_and_ends", "a call leaves a daemon that holds the pipes, and ends", LOST, "exit code 3"),
    Row("leaves_many", "a call leaves 20 processes", DONE),
    Row("forks_without_end", "a call and its processes fork", LATE),
    Row("leaves_a_thread", "a call leaves a thread that hangs", DONE),
    Row("removes_its_log", "a call removes the log and ends", LOST, "exit code 3"),
    Row("makes_its_log_a_pipe", "a call puts a pipe in the place of the log and ends", LOST, "exit code 3"),
    Row("makes_its_log_a_folder", "a call puts a folder in the place of the log", DONE),
    Row("gets_a_nameless_signal", "a call gets a signal that has no name", LOST, f"signal {signal.SIGRTMIN + 1}"),
    Row("leaves_temporary_files", "a call leaves temporary files", DONE),
    Row("leaves_temporary_files_and_ends", "a call leaves temporary files and ends", LOST, "exit code 3"),
    Row("leaves_deep_folders", "a call leaves folders within each other, 1,200 deep", DONE),
    Row("changes_its_folder", "a call changes the folder", DONE),
    Row("lets_no_file_grow", "a call lets no file grow", DONE),
    Row("opens_no_file", "a call opens no file any more", DONE),
    Row("stops_reading", "a call stops the process when it is over", (*DONE, *LATE)),
]
# What happens while a process starts, and what the error says of it.
STARTS = [
    Row("sleeps", "a process hangs at its start", (), "did not come up in time"),
    Row("gets_SIGKILL", "a process is killed at its start", (), "SIGKILL"),
    Row("gets_SIGSEGV", "a process crashes at its start", (), "SIGSEGV"),
    Row("gets_SIGSTOP", "a process is stopped at its start", (), "did not come up in time"),
    Row("exits_with_0", "a process ends at its start", (), "exit code 0"),
    Row("recurses", "a process recurses at its start", (), "RecursionError"),
    Row("raises_memory_error", "a process has no memory at its start", (), "MemoryError"),
    Row("answers_words", "a process says words at its start", (), ""),
    Row("answers_another_type", "a process says a list at its start", (), ""),
    Row("answers_without_end", "a process talks without end at its start", (), "an answer of more than"),
    Row("closes_answers_and_sleeps", "a process closes its pipe at its start", (), "did not come up in time"),
    Row("leaves_a_daemon", "a process leaves a daemon and ends at its start", (), ""),
]


def _device(folder: Path, starts: str, seconds: float) -> Device:
    return Device(
        framework="torch",
        device="cpu",
        deadlines=Deadlines(start=seconds, call=10.0),
        memory=0.3,
        environment={"APIDIFF_STARTS": starts, "APIDIFF_FAULTS": str(folder), "PYTHONPATH": _PATH},
    )


def _step(call: str, size: int = 0) -> Step:
    given = Arguments(kwargs={"words": "x" * size}) if size else Arguments()
    return Step("torch.faults", call, SampleCall(api=call, form=SampleForm.FUNCTION, given=given))


@contextlib.contextmanager
def _limited(folder: Path) -> Iterator[None]:
    """Limits that are soon reached, a path of processes on which the broken adapter is found, temporary files in ``folder``."""
    with (
        mock.patch.object(worker_process, "_LONGEST_ANSWER", 2**22),
        mock.patch.object(worker_process, "_TAKES_S", 5.0),
        mock.patch.object(call_process, "_LONGEST_LOG", 2**24),
        mock.patch.dict(os.environ, {"PYTHONPATH": _PATH, "TMPDIR": str(folder)}),
        mock.patch.object(tempfile, "tempdir", str(folder)),
    ):
        yield


def happens(row: Row, folder: Path) -> None:
    """The call ends as it should and says why; what is called after it is answered; no process is left, and no file but logs."""
    with _limited(folder):
        with CallRunner(_device(folder, "well", 300.0), folder / "logs") as runner:
            [made] = runner.run([_step(row.call)], _silent).values()
            # A request that a pipe does not hold at once: a process that reads nothing must not keep us.
            after = [next(iter(runner.run([_step("well", 2**18)], _silent).values())) for _ in range(2)]
        assert made.end in row.ends, made
        assert (made.trace is not None) == (made.end == "completed"), made
        _check_readable(made, row.says if made.end != "completed" else "")
        assert "completed" in {run.end for run in after}, after
        _check_left(folder)


def happens_at_start(row: Row, folder: Path) -> None:
    """A process that does not come up is an error that says why, or comes up; nothing is left."""
    patience = 10.0 if "in time" in row.says else 300.0
    with _limited(folder), CallRunner(_device(folder, row.call, patience), folder / "logs") as runner:
        if row.says:
            with pytest.raises(ProcessStartError) as refused:
                runner.version()
            assert row.says in str(refused.value), refused.value
            assert len(str(refused.value)) < 2000
        else:
            assert runner.version() == "2.13.0"
    _check_left(folder)


_CALLER = """
import sys
from pathlib import Path
from apidiff.cli import _stand_alone
from tests.faults.singles import make_one_call
_stand_alone()
make_one_call(Path(sys.argv[1]), sys.argv[2])
"""


def make_one_call(folder: Path, starts: str) -> None:
    """Starts a process that makes one call, in which it waits unless it does so while it starts."""
    with CallRunner(_device(folder, starts, 300.0), folder / "logs") as runner:
        runner.run([_step("begins")], _silent)


def caller_ended(folder: Path, starts: str, sent: signal.Signals) -> None:
    """What started the process gets a signal: that process is gone too, and no temporary file is left."""
    variables = os.environ | {"PYTHONPATH": _PATH, "TMPDIR": str(folder)}
    command = [sys.executable, "-c", _CALLER, str(folder), starts]
    with subprocess.Popen(command, env=variables, stderr=subprocess.DEVNULL) as caller:
        until = time.monotonic() + _ENDS_WITHIN
        while not any(b"begun" in log.read_bytes() for log in folder.glob("logs/*.log")):
            assert caller.poll() is None, "the caller ended by itself"
            assert time.monotonic() < until, "the process does not come to its call"
            time.sleep(0.02)
        caller.send_signal(sent)
        caller.wait(_ENDS_WITHIN)
    _check_left(folder)
    if sent is not signal.SIGKILL:
        assert not list(folder.glob("logs/*")), "a log is left of a process that was in no trouble"


def _silent(_: str) -> None:
    pass


def _check_readable(made: SampleRun, says: str) -> None:
    text = "\n".join(made.log)
    assert says in text, made.log
    assert len(text) < 2000
    json.dumps(made.log, ensure_ascii=False).encode()  # it can be written


def _check_left(folder: Path) -> None:
    """No process is left, and nothing but logs."""
    mark, until = f"APIDIFF_FAULTS={folder}".encode(), time.monotonic() + _ENDS_WITHIN
    while left := [process for process in psutil.process_iter() if _has(process, mark)]:
        if time.monotonic() > until:
            told = [(process.pid, process.cmdline()) for process in left]
            for process in left:
                process.kill()
            raise AssertionError(f"processes are left: {told}")
        time.sleep(0.05)
    assert {path.name for path in folder.iterdir()} <= {"logs"}, "temporary files are left"
    assert {path.suffix for path in folder.glob("logs/**/*")} <= {".log"}


def _has(process: psutil.Process, mark: bytes) -> bool:
    try:
        return mark in Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


SINGLES: list[tuple[str, Callable[[Path], None]]] = [
    *((row.what, partial(happens, row)) for row in ROWS),
    *((row.what, partial(happens_at_start, row)) for row in STARTS),
    *(
        (f"what made {what} gets {sent.name}", partial(caller_ended, starts=starts, sent=sent))
        for starts, what in (("well", "a call"), ("begins", "a process start"))
        for sent in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL)
    ),
]
