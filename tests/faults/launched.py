"""What happens to a run inside a launcher: two processes on this machine, as torchrun would have started them."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from apidiff.execute.remote import PORT, HostError, Hosts
from apidiff.execute.remote import Place as Launched
from tests.faults.place import Place


def port_taken(folder: Path) -> None:
    """Another process listens where the launched ones are to meet."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(HostError, match=rf"127.0.0.1:{port} \(Address already in use\)\. .*{PORT}="):
            Hosts(Launched("torchrun", 0, 2, 0, "127.0.0.1", port, "job"))


@contextmanager
def _two(place: Place) -> Iterator[list[subprocess.Popen[str]]]:
    """Rank 0's verifier and the process of rank 1, with one probe made and the ranks waiting in the next."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    variables = {
        "TORCHELASTIC_RUN_ID": "faults",
        "WORLD_SIZE": "2",
        "MASTER_ADDR": "127.0.0.1",
        PORT: str(port),
        "GLOO_SOCKET_IFNAME": "lo",
    }
    other = place.start(RANK="1", LOCAL_RANK="1", **variables)
    try:
        with place.waiting(RANK="0", LOCAL_RANK="0", **variables) as first:
            yield [first, other]
    finally:
        other.kill()
        other.communicate()


def verifier_killed(folder: Path) -> None:
    """The process of rank 0 is killed: the other ends, and takes its ranks and what they started with it."""
    place = Place(folder, ["a_well", "child_and_wait"])
    earlier = place.keep_earlier()
    with _two(place) as (first, other):
        first.kill()
        assert other.wait(300) == 0
        place.check(earlier)
        place.check_temporary()
    assert len(place.journals) == 1


def other_killed(folder: Path) -> None:
    """The process of rank 1 is killed: the probe under way gets an outcome, and the record says why it stopped."""
    place = Place(folder, ["a_well", "child_and_wait"])
    earlier = place.keep_earlier()
    with _two(place) as (first, other):
        other.kill()
        _, err = first.communicate(timeout=500)
        assert first.returncode == 1, err
        place.check(earlier)
        place.check_temporary()
    record = place.record()
    assert record.stopped, "the record says that it is not whole"
    assert [run.end for run in record.probes] == ["completed", "crash"]
    assert len(place.journals) == 1


LAUNCHED = [
    ("the port on which launched processes meet is taken", port_taken),
    ("the launched verifier is killed", verifier_killed),
    ("another launched process is killed", other_killed),
]
