"""Runs outside programs in process groups of their own, which end whole: at a deadline, or with the process that started them.

As it begins only the standard library is imported. Run as a script, this file is the guard between a program and its starter:
``process_group.py PID FOLDER COMMAND…`` runs the command; when the process PID ends it kills the whole group and removes FOLDER,
where that is one of temporary files.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

SCRATCH = "APIDIFF_SCRATCH"
"""A variable of a process that `end_with_parent`: the folder of temporary files to remove with it; empty for none."""

_PR_SET_PDEATHSIG = 1
_REMOVALS = 5  # what was killed a moment ago may still write


class Ended(NamedTuple):
    """How a program ended, and what it printed. ``code``: its exit code; 128 + n or -n where signal n ended it."""

    code: int
    output: str
    errors: str

    @property
    def last_line(self) -> str:
        """The last line with text of what it printed, that of the errors first where it failed; empty where there is none."""
        texts = (self.errors, self.output) if self.code else (self.output, self.errors)
        lines = [line.strip() for text in texts[::-1] for line in text.splitlines() if line.strip()]
        return lines[-1] if lines else ""


def _in_words(printed: bytes) -> str:
    return printed.decode("utf-8", "replace")


def run(
    command: Sequence[str],
    seconds: float,
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    text: str = "",
    decoded: Callable[[bytes], str] = _in_words,
    guarded: bool = True,
    scratch: Path | None = None,
    memory: int | None = None,
    printed: int | None = None,
) -> Ended:
    """Runs a command to its end and returns what it printed. Its process group is gone when this returns or raises.

    Args:
        command: the program and its arguments. One that is not guarded is found as `find_program` does.
        seconds: its deadline.
        folder: where it runs; by default here.
        environment: all of its variables; by default those of this process.
        text: what it reads from standard input.
        decoded: makes text of what it prints; by default for people to read.
        guarded: as for ``start``.
        scratch: as for ``start``.
        memory: the most bytes that it may take, where the system can hold it to that; what it maps of files is not counted.
        printed: the most bytes that it may print, and write into any file; at one more the signal SIGXFSZ ends it.

    Raises:
        OSError: it cannot be started; a guarded one ends with an exit code instead.
        subprocess.TimeoutExpired: it was killed at its deadline.

    """
    # The guard has the standard library alone.
    from apidiff.ending_signals import held
    from apidiff.find_program import find_program

    if not guarded:
        program = find_program(command[0])
        if program is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), command[0])
        command = [program, *command[1:]]
    # Files, not pipes: what it started may keep a pipe open after its own end.
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        given.write(text.encode())
        given.seek(0)
        process = None
        try:
            with held():  # else one that is begun as a signal comes would be left to itself
                process = start(
                    command,
                    output,
                    errors,
                    given=given,
                    folder=folder,
                    environment=environment,
                    guarded=guarded,
                    scratch=scratch,
                )
                _bound(process.pid, memory, printed)
            code = process.wait(seconds)
        finally:
            if process is not None:
                end_group(process)
        for file in (output, errors):
            file.seek(0)
        return Ended(code, decoded(output.read()), decoded(errors.read()))


def _bound(process: int, memory: int | None, printed: int | None) -> None:
    """Bounds what a process that was just started may take and print, and what it starts from then on."""
    if sys.platform != "linux":
        return
    for kind, size in ((resource.RLIMIT_DATA, memory), (resource.RLIMIT_FSIZE, printed)):
        if size is None:
            continue
        with contextlib.suppress(ProcessLookupError):  # it has ended
            _, most = resource.prlimit(process, kind)
            bound = size if most == resource.RLIM_INFINITY else min(size, most)
            resource.prlimit(process, kind, (bound, most))


def start(
    command: Sequence[str],
    output: IO[bytes] | int,
    errors: IO[bytes] | int = subprocess.STDOUT,
    *,
    given: IO[bytes] | int = subprocess.DEVNULL,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    guarded: bool = True,
    scratch: Path | None = None,
) -> subprocess.Popen[bytes]:
    """Starts a command in a process group of its own; the caller ends it with ``end_group``.

    A guarded one ends with this process too, even where this is killed, and takes along ``scratch``, a folder that the caller
    removes otherwise. Call it from the main thread: the kernel's signal
    comes at the end of the thread that started the guard.
    """
    return subprocess.Popen(
        [sys.executable, "-I", __file__, str(os.getpid()), str(scratch or ""), *command] if guarded else command,
        stdin=given,
        stdout=output,
        stderr=errors,
        cwd=folder,
        env=environment,
        start_new_session=True,
    )


def run_beside(command: Sequence[str], seconds: float | None = None, *, output: IO[bytes] | int | None = None) -> int:
    """Runs a program that speaks with the user, at this terminal and in this process group; returns its exit code.

    It has ended when this returns or raises. Raises OSError where it cannot be started, TimeoutExpired at its deadline.
    """
    from apidiff.ending_signals import held

    process = None
    try:
        with held():  # else one that is begun as a signal comes would be left to itself
            process = subprocess.Popen(command, stdout=output)
        return process.wait(seconds)
    finally:
        if process is not None and process.returncode is None:
            process.kill()
            reap(process)


def wait_for(process: subprocess.Popen[bytes]) -> int:
    """Waits for the end of a process, however long; returns its exit code.

    A signal may reach another thread than the one that waits, as of a library, and would not wake `Popen.wait`.
    """
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(1.0)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kills the process group that a process leads; does not wait for its end."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Kills the process group that a process leads, and waits for the end of that process."""
    kill_group(process)
    reap(process)


def reap(process: subprocess.Popen[bytes]) -> None:
    """Waits for the end of a process that was killed.

    `Popen.wait` would wait for ever where a wait was interrupted before, by two Ctrl-C at once: its lock is taken then.
    """
    if process.returncode is None:
        try:
            process.returncode = os.waitstatus_to_exitcode(os.waitpid(process.pid, 0)[1])
        except ChildProcessError:  # the interrupted wait took how it ended
            process.returncode = -signal.SIGKILL


def kill_marked(mark: str) -> None:
    """Kills every process that has ``mark``, as ``NAME=value``, among its variables: what left its group is found by that.

    Nothing is done where the system does not show the variables of processes, and one that has cleared its own is not found.
    """
    wanted = mark.encode()
    try:
        folders = list(Path("/proc").glob("[0-9]*"))
    except OSError:  # this process has no file left to open
        return
    for folder in folders:
        # One that is not ours, or has just ended, cannot be read.
        with contextlib.suppress(OSError):
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                os.kill(int(folder.name), signal.SIGKILL)


def remove_folder(folder: str) -> None:
    """Removes a folder, however deep it is; what cannot be removed stays, and so does what a link leads to.

    One folder is open at a time and each is listed once: the system takes no path of all levels, and no open file for each.
    """
    if os.path.islink(folder):  # noqa: PTH114 - Path.is_symlink raises for a name that is too long
        return
    with contextlib.suppress(OSError):
        _empty_folder(folder)
    with contextlib.suppress(OSError):
        Path(folder).rmdir()


class _Level(NamedTuple):
    """A folder on the way to the one that is open; ``folders``: those in it that are still to be emptied."""

    name: str
    found: os.stat_result
    folders: list[str]


def _empty_folder(folder: str) -> None:
    at = os.open(folder, _listed_folder())
    try:
        levels = [_Level(folder, os.fstat(at), _remove_files(at))]
        while levels:
            name, found, folders = levels[-1]
            if folders:
                inner = _open_inner(folders[-1], at, found)
                if inner is None:
                    _remove_empty(folders.pop(), at)
                else:
                    at, left = inner, at
                    os.close(left)
                    levels.append(_Level(folders.pop(), os.fstat(at), _remove_files(at)))
            elif levels.pop() and levels:
                outer = os.open("..", _listed_folder(), dir_fd=at)
                at, left = outer, at
                os.close(left)
                if not os.path.samestat(os.fstat(at), levels[-1].found):
                    return  # another process moved the folder meanwhile: this one is another's
                _remove_empty(name, at)
    finally:
        os.close(at)


def _listed_folder() -> int:
    """How a folder is opened, and nothing else; not every system has these."""
    return os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


def _remove_files(at: int) -> list[str]:
    """Removes what is no folder in the open folder; returns the names of the folders in it."""
    folders: list[str] = []
    with contextlib.suppress(OSError), os.scandir(at) as entries:
        for entry in list(entries):
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            else:
                with contextlib.suppress(OSError):
                    os.unlink(entry.name, dir_fd=at)
    return folders


def _open_inner(name: str, at: int, found: os.stat_result) -> int | None:
    """Opens a folder in the open one, ``found``; None where it cannot be listed or no way leads back."""
    try:
        inner = os.open(name, _listed_folder(), dir_fd=at)
    except OSError:
        return None
    with contextlib.suppress(OSError):
        if os.path.samestat(os.stat("..", dir_fd=inner), found):
            return inner
    os.close(inner)
    return None


def _remove_empty(name: str, at: int) -> None:
    with contextlib.suppress(OSError):
        os.rmdir(name, dir_fd=at)


def end_with_parent(requests: int, answers: int) -> None:
    """Has this process's whole group killed once the other end of the pipe ``requests`` closes, for whatever reason.

    A process that is forked here waits for that, and removes the folder that `SCRATCH` names: who would have done so is gone. It
    keeps nothing else open, ``answers`` least of all, whose end tells the parent of this one's. Call it first, before there are
    threads. What a rank starts is in its group and ends with it; the signal that the kernel sends at a parent's death would
    reach the rank alone.
    """
    if os.fork():
        return
    for fd in (0, 1, 2, answers):
        os.close(fd)
    waiting = select.poll()
    waiting.register(requests, 0)  # of no event but the hang-up, which is always told
    waiting.poll()
    group = os.getpgrp()
    os.setpgid(0, 0)  # which survives the group, and is in none that anybody waits for
    os.killpg(group, signal.SIGKILL)
    _remove(os.environ.get(SCRATCH, ""))
    os._exit(0)


def _remove(folder: str) -> None:
    for _ in range(_REMOVALS if folder else 0):
        remove_folder(folder)
        time.sleep(0.05)


def _guard(starter: int, scratch: str, command: Sequence[str]) -> int:
    """Runs a command as the leader of this process group; returns its exit code, 128 + n where signal n ended it."""

    def end(*_: object) -> None:
        if scratch:
            remove_folder(scratch)
        os.killpg(os.getpgrp(), signal.SIGKILL)

    signal.signal(signal.SIGTERM, end)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != starter:  # it ended while this interpreter was starting
        if scratch:
            remove_folder(scratch)
        return 1
    code = subprocess.call(command)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(_guard(int(sys.argv[1]), sys.argv[2], sys.argv[3:]))
