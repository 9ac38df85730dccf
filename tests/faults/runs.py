"""What happens to a whole run: its port is taken, its disk is full, it is killed, another one runs at the same time."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.faults.place import Place, Unavailable

Cause = Callable[[Path], None]


def port_taken(folder: Path, framework: str) -> None:
    """Another process listens on the port that the ranks were given: they are started again on another."""
    place = Place(folder, ["well"], framework)
    earlier = place.keep_earlier()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = place.run(APIDIFF_TAKEN_PORT=str(taken.getsockname()[1]))
    assert done.code == 0, done.err
    place.check(earlier)
    assert [run.end for run in place.record().probes] == ["completed"]


@contextlib.contextmanager
def _small_disk(folder: Path, size: str) -> Iterator[None]:
    """A file system of ``size`` bytes at ``folder``."""
    folder.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        subprocess.run(mount, check=True, capture_output=True, timeout=120)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Unavailable("a small file system cannot be mounted here (it needs root)") from error
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True, timeout=120)


def _fill(folder: Path, spare: int) -> Path:
    """Leaves ``spare`` bytes of the file system of ``folder``."""
    free = os.statvfs(folder)
    path = folder / "filler"
    path.write_bytes(bytes(max(0, free.f_bavail * free.f_frsize - spare)))
    return path


def disk_full_for_the_record(folder: Path) -> None:
    """The disk is full while the record is written: nothing is recorded, and the next run has only to write."""
    with _small_disk(folder / "data", "1m"):
        place = Place(folder, ["well", "slow"])
        earlier = place.keep_earlier()
        filler = _fill(folder / "data", 0)
        done = place.run()
        assert done.code == 2, done.err
        told = done.err.splitlines()[-1]
        assert "the record cannot be written (No space left on device)" in told, done.err
        assert "Free space" in told
        assert filler.stat().st_size
        place.check(earlier)
        [journal] = place.journals
        assert journal.read_bytes().count(b'"end"') == 2, "what was done is kept"
        before = journal.read_bytes()
        filler.unlink()
        with place.started(2) as process:
            assert journal.read_bytes() == before, "nothing is made again"
            assert process.wait(500) == 0, process.communicate()
        place.check(earlier)
        place.record()


def disk_full_for_the_journal(folder: Path) -> None:
    """The disk is full where logs and the journal lie: nothing can be taken up again later, all else is as ever."""
    with _small_disk(folder / "state", "1m"):
        place = Place(folder, ["well", "prints"])
        earlier = place.keep_earlier()
        _fill(folder / "state", 0)
        done = place.run()
        assert done.code == 0, done.err
        place.check(earlier)
        ends = {
            run.api.rpartition(".")[2]: (run.end, [one.error for one in run.ranks]) for run in place.record().probes
        }
        assert ends["prints"] == ("completed", [None, None]), "a line that could not be logged is no fault of the call"
        assert ends["well"] == ("completed", [None, None])
        (folder / "state" / "filler").unlink()
        place.check_next()


def parent_ended(folder: Path, framework: str, sent: signal.Signals, *, goes_on: bool = True) -> None:
    """The verifier is ended in the middle of a probe whose ranks have processes of their own; later it goes on there."""
    place = Place(folder, ["a_well", "child_and_wait"], framework)
    earlier = place.keep_earlier()
    with place.waiting() as process:
        process.send_signal(sent)
        process.wait(300)
        place.check(earlier)
        place.check_temporary()
        wanted = -sent if sent is signal.SIGKILL else 128 + sent  # as shells say that a signal ended it
        assert process.returncode == wanted, process.returncode
    [journal] = place.journals
    assert journal.read_bytes().count(b'"end"') == 1
    if goes_on:
        place.check_next()


def killed_while_starting(folder: Path, framework: str) -> None:
    """The verifier is killed before its ranks have come to their first line."""
    place = Place(folder, ["well"], framework)
    earlier = place.keep_earlier()
    with place.started(0, APIDIFF_ENDS_AT="start") as process:
        process.wait(300)
        assert process.returncode == -signal.SIGKILL
        place.check(earlier)
        place.check_temporary()


def killed_before_rename(folder: Path) -> None:
    """The verifier is killed when the record is written and does not have its name yet."""
    place = Place(folder, ["well"])
    earlier = place.keep_earlier()
    done = place.run(APIDIFF_ENDS_AT="rename")
    assert done.code == -signal.SIGKILL, done
    assert len([path for path in place.files() if path.suffix == ".json"]) == len(earlier)
    assert len(place.journals) == 1
    place.check_next()
    place.check(earlier)


def one_api_after_killed(folder: Path) -> None:
    """The verifier was killed, and then one API is verified: what the whole run had done is still there to go on from."""
    place = Place(folder, ["a_well", "waits_once"])
    earlier = place.keep_earlier()
    with place.waiting() as process:
        process.kill()
        process.wait(300)
    [journal] = place.journals
    before = journal.read_bytes()
    one = place.run("torch.faults.a_well")
    assert one.code == 0, one.err
    assert place.journals == [journal], "the journal of the interrupted run is gone"
    assert journal.read_bytes() == before
    place.check_next()
    place.check(earlier)


def two_at_once(folder: Path) -> None:
    """One run ends while another of the same plan is half-way: it leaves that one's journal, which is taken up later."""
    place = Place(folder, ["a_well", "waits_once"])
    earlier = place.keep_earlier()
    with place.waiting() as slow:
        slow.send_signal(signal.SIGSTOP)
        [journal] = place.journals
        before = journal.read_bytes()
        quick = place.run()
        assert quick.code == 0, quick.err
        place.record()
        assert place.journals == [journal], "the journal of the run under way is gone"
        assert journal.read_bytes() == before
        slow.kill()
        slow.wait(300)
        place.check(earlier)
    place.check_next()


def both_record(folder: Path) -> None:
    """Two runs of the same plan begin at once and both record: one record is left, and it is whole."""
    place = Place(folder, ["well"])
    earlier = place.keep_earlier()
    running = [place.start(), place.start()]
    for process in running:
        _, err = process.communicate(timeout=900)
        assert process.returncode == 0, err
    place.check(earlier)
    place.record()


RUNS: list[tuple[str, Cause]] = [
    ("the port is taken, torch", partial(port_taken, framework="torch")),
    ("the port is taken, MindSpore", partial(port_taken, framework="mindspore")),
    ("the disk is full while the record is written", disk_full_for_the_record),
    ("the disk is full for logs and the journal", disk_full_for_the_journal),
    ("the verifier is killed, torch", partial(parent_ended, framework="torch", sent=signal.SIGKILL)),
    ("the verifier is killed, MindSpore", partial(parent_ended, framework="mindspore", sent=signal.SIGKILL)),
    ("the verifier is terminated", partial(parent_ended, framework="torch", sent=signal.SIGTERM, goes_on=False)),
    ("the verifier's terminal is closed", partial(parent_ended, framework="torch", sent=signal.SIGHUP, goes_on=False)),
    ("the verifier is interrupted with Ctrl+C", partial(parent_ended, framework="torch", sent=signal.SIGINT)),
    ("the verifier is killed while torch's ranks start", partial(killed_while_starting, framework="torch")),
    ("the verifier is killed while MindSpore's ranks start", partial(killed_while_starting, framework="mindspore")),
    ("the verifier is killed before a record has its name", killed_before_rename),
    ("the verifier is killed, then one API is verified", one_api_after_killed),
    ("a run ends while another of the same is half-way", two_at_once),
    ("two runs record the same at once", both_record),
]
