"""Runs on two hosts, made of network namespaces, under the frameworks' own launchers; and one host cut off half-way."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn
from unittest import mock

import msgspec
import pytest

from apidiff.database import ApidiffError, Data
from apidiff.database.backends import Backend, load_backends
from apidiff.database.examples import load_examples
from apidiff.database.paths import examples_folder
from apidiff.database.runs import load_runs
from apidiff.execute.plan import apis_for
from apidiff.execute.remote import HostError, Hosts, Place, is_scheduler, place_of, serve, without_launcher
from apidiff.execute.remote.coordinator import Greeting, first_line
from apidiff.execute.remote.secret import (
    SECRET,
    SECRET_FILE,
    given_secret,
    make_secret,
    read_secret,
    remove_secret,
    secret_path,
)
from apidiff.execute.remote.worker import _connect
from apidiff.execute.world import Reply, World
from apidiff.judge import make_context
from apidiff.model.trace import RunRecord
from apidiff.verification.verdict_changes import base_record, compare

SCRIPT = Path(__file__).with_name("launched_run.py")
BIN = Path(sys.executable).parent
HOSTS = ("apidiff-one", "apidiff-two")
ADDRESSES = ("10.213.77.1", "10.213.77.2")
# Ranks on each host. One of MindSpore takes twice as long to come up as one of PyTorch, and several of it on a host are
# launched where a documented command is tried.
RANKS = {"torch": 2, "mindspore": 1}

TORCHRUN = {
    "TORCHELASTIC_RUN_ID": "7",
    "RANK": "3",
    "WORLD_SIZE": "4",
    "LOCAL_RANK": "1",
    "MASTER_ADDR": "a",
    "MASTER_PORT": "29500",
}
MSRUN = {
    "MS_ROLE": "MS_WORKER",
    "MS_NODE_ID": "2",
    "MS_WORKER_NUM": "4",
    "DEVICE_ID": "0",
    "MS_SCHED_HOST": "b",
    "MS_SCHED_PORT": "8118",
}
SRUN = {"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "2", "SLURM_LOCALID": "0", "SLURM_JOB_ID": "9", "MASTER_ADDR": "c"}


@pytest.mark.parametrize(
    ("environment", "place"),
    [
        ({}, None),
        ({"RANK": "0", "WORLD_SIZE": "2"}, None),
        (TORCHRUN, Place("torchrun", 3, 4, 1, "a", 29501, "7")),
        (MSRUN, Place("msrun", 2, 4, 0, "b", 8119, "msrun")),
        (SRUN, Place("srun", 1, 2, 0, "c", 29501, "9")),
        (SRUN | {"APIDIFF_PORT": "4000"}, Place("srun", 1, 2, 0, "c", 4000, "9")),
        (SRUN | {"SLURM_STEP_NUM_TASKS": "1"}, None),
        (MSRUN | {"MS_ROLE": "MS_SCHED"}, None),
    ],
)
def test_the_place_that_a_launcher_gives(environment: dict[str, str], place: Place | None) -> None:
    assert place_of(environment) == place
    assert is_scheduler(environment) is (environment.get("MS_ROLE") == "MS_SCHED")
    left = without_launcher(environment | {"PATH": "/bin", "HOME": "/root"})
    assert {"PATH", "HOME"} <= left.keys()
    assert not left.keys() & {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MS_ROLE", "TORCHELASTIC_RUN_ID"}


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({**TORCHRUN, "RANK": "one"}, "torchrun gave this process RANK='one', where a number from 0 to 3 is needed"),
        (
            {**TORCHRUN, "WORLD_SIZE": ""},
            "torchrun gave this process WORLD_SIZE='', where a number from 1 to 100000 is needed",
        ),
        ({**SRUN, "SLURM_STEP_NUM_TASKS": "x"}, "srun gave this process SLURM_STEP_NUM_TASKS='x', where a number"),
        ({**TORCHRUN, "APIDIFF_PORT": "x"}, "APIDIFF_PORT='x', where a number is needed. Set it to a number"),
        (
            {**TORCHRUN, "MASTER_PORT": "70000"},
            "there is no port 70001. Name a free one on every machine: APIDIFF_PORT",
        ),
        ({**TORCHRUN, "WORLD_SIZE": "0"}, "WORLD_SIZE='0', where a number from 1 to 100000 is needed"),
        ({**TORCHRUN, "WORLD_SIZE": "9" * 14}, "where a number from 1 to 100000 is needed"),
        ({**TORCHRUN, "MASTER_PORT": "9" * 4300}, "…', where a number is needed"),
        ({**TORCHRUN, "RANK": "-3"}, "RANK='-3', where a number from 0 to"),
        ({**TORCHRUN, "WORLD_SIZE": "65"}, "torchrun started 65 ranks, and a record holds 64 at most. Start no more"),
        ({**TORCHRUN, "RANK": TORCHRUN["WORLD_SIZE"]}, "where a number from 0 to"),
        ({**TORCHRUN, "LOCAL_RANK": "-1"}, "LOCAL_RANK='-1', where a number from 0 to"),
        ({**TORCHRUN, "MASTER_ADDR": "a..b"}, "one of them is no name"),
        ({**TORCHRUN, "MASTER_ADDR": "a" * 70}, "one of them is no name"),
        ({**TORCHRUN, "MASTER_ADDR": "\udcff"}, "one of them is no name"),
        ({**TORCHRUN, "TORCHELASTIC_RUN_ID": "\udcff"}, "one of them is no name"),
        ({**TORCHRUN, "TORCHELASTIC_RUN_ID": "x" * 501}, "the job 'xxxxxxxxxxxxxxxxxxxx'…, a name of 501 characters"),
        ({key: value for key, value in MSRUN.items() if key != "MS_NODE_ID"}, "msrun gave this process no rank"),
        (
            {key: value for key, value in SRUN.items() if key != "MASTER_ADDR"} | {"PATH": ""},
            "Export MASTER_ADDR before srun",
        ),
    ],
)
def test_a_launcher_that_says_too_little(
    environment: dict[str, str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ApidiffError, match=message):
        place_of(environment)


@pytest.mark.parametrize(
    ("host", "message"),
    [
        (
            "no-such-host.invalid",
            "the address of rank 0, no-such-host.invalid, is not known here .* Name one that every machine",
        ),
        ("192.0.2.1", "rank 0 cannot listen on 192.0.2.1:29700 .* Give the address of the machine that rank 0 runs on"),
    ],
)
def test_an_address_that_rank_0_has_not(host: str, message: str) -> None:
    with pytest.raises(HostError, match=message):
        Hosts(Place("torchrun", 0, 2, 0, host, 29700, "job"))


@pytest.mark.parametrize(
    "said",
    [
        b"GET / HTTP/1.1\r\n",
        b"x" * 10_000,
        msgspec.json.encode(Greeting("another job", 1)) + b"\n",
        msgspec.json.encode(Greeting("job", 5)) + b"\n",
        msgspec.json.encode(Greeting("job", 1, child=8)) + b"\n",
        msgspec.json.encode(Greeting("job", 1)) + b"\n",  # who knows all but the secret
        msgspec.json.encode(Greeting("job", 1, None, "0" * 32, "0" * 64)) + b"\n",
    ],
)
def test_connections_from_unknown_peers_are_closed(
    said: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("apidiff.execute.remote.coordinator._JOIN_S", 1.0)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    hosts = Hosts(Place("torchrun", 0, 2, 0, "127.0.0.1", port, "job"))
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=60) as stranger:
            assert len(first_line(stranger)) == 33  # the number of rank 0
            stranger.sendall(said)
            assert stranger.recv(100) == b""
        with pytest.raises(HostError, match=r"ranks 1 did not join within 1 s at 127\.0\.0\.1"):
            hosts.wait()
    except ConnectionResetError:
        pass  # hung up while it was still talking
    finally:
        hosts.close()


@pytest.mark.parametrize("given", [True, False])
def test_who_has_the_secret_joins_and_who_has_another_does_not(
    given: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    if given:
        monkeypatch.setenv(SECRET, "a secret of this run")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        place = Place("torchrun", 0, 2, 0, "127.0.0.1", probe.getsockname()[1], "job")
    hosts = Hosts(place)
    other = place._replace(rank=1)
    try:
        made = secret_path(place)
        assert made.exists() is not given
        if made.exists():
            assert made.stat().st_mode & 0o777 == 0o600
        monkeypatch.setenv(SECRET, "another secret of a stranger")
        with pytest.raises(ApidiffError, match="has another secret"):
            _connect(other, 0)
        if given:
            monkeypatch.setenv(SECRET, "a secret of this run")
        else:
            monkeypatch.delenv(SECRET)
        connection, _ = _connect(other, 5)
        with connection:
            hosts.wait()
            assert not made.exists()  # a launcher may kill this process from now on
    finally:
        hosts.close()
    assert not made.exists()


PLACE = Place("torchrun", 0, 2, 0, "127.0.0.1", 29700, "job")


def test_secrets_of_runs_that_were_killed_are_removed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where rank 0 was killed before all had joined; a run that begins at this moment keeps its own, and a user what is his."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    killed, begins = (secret_path(PLACE._replace(job=job)) for job in ("killed", "begins"))
    for job in ("killed", "begins"):
        make_secret(PLACE._replace(job=job))
    own, folder = killed.with_name("cluster.secret"), killed.with_name("a" * 64)
    own.write_text("a secret of a user's own")
    folder.mkdir()
    for path in (killed, own, folder):
        os.utime(path, (time.time() - 4000,) * 2)
    make_secret(PLACE)
    there = [path.exists() for path in (killed, own, folder, begins, secret_path(PLACE))]
    assert there == [False, True, True, True, True]


def test_nothing_is_removed_through_a_link(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ("a" * 64)).touch(0o600)
    os.utime(elsewhere / ("a" * 64), (time.time() - 4000,) * 2)
    (tmp_path / "apidiff").mkdir()
    (tmp_path / "apidiff" / "launched").symlink_to(elsewhere)
    make_secret(PLACE)
    assert (elsewhere / ("a" * 64)).exists()


@pytest.mark.parametrize(
    ("host", "same"), [("127.0.0.1", False), ("::1", False), ("localhost", False), ("node-7", True)]
)
def test_machines_that_share_a_home_have_secrets_of_their_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, host: str, same: bool
) -> None:
    """Where each calls itself by the same address; a run elsewhere leaves this one's in any case."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    place = PLACE._replace(host=host)
    here, secret = secret_path(place), make_secret(place)
    monkeypatch.setattr(socket, "gethostname", lambda: "elsewhere")
    assert (secret_path(place) == here) is same
    other = make_secret(place)
    remove_secret(place, secret)
    assert read_secret(place) == other
    remove_secret(place, other)
    assert not secret_path(place).exists()


def test_ranks_join_after_so_many_strangers_that_none_could_be_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SECRET, "a secret of this run")
    refusals, accept = iter([errno.EMFILE, errno.ECONNABORTED]), socket.socket.accept

    def accept_later(listener: socket.socket) -> tuple[socket.socket, object]:
        if number := next(refusals, None):
            raise OSError(number, os.strerror(number))
        return accept(listener)

    monkeypatch.setattr(socket.socket, "accept", accept_later)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        place = PLACE._replace(port=probe.getsockname()[1])
    hosts = Hosts(place)
    try:
        connection, _ = _connect(place._replace(rank=1), 5)
        with connection:
            hosts.wait()
    finally:
        hosts.close()


def test_strangers_that_hold_connections_take_few_files_and_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SECRET, "a secret of this run")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        place = PLACE._replace(port=probe.getsockname()[1])
    hosts, before = Hosts(place), threading.active_count()
    with ExitStack() as held:
        held.callback(hosts.close)
        strangers = []
        for _ in range(100):
            strangers.append(held.enter_context(socket.create_connection((place.host, place.port), 20)))
            first_line(strangers[-1])  # it was taken
        for stranger in strangers[: 100 - place.world_size - 64 - 1]:
            stranger.settimeout(2)
            assert stranger.recv(1) == b"", "the oldest are ended, long before their time is up"
        assert threading.active_count() - before <= place.world_size + 64 + 5
        connection, _ = _connect(place._replace(rank=1), 5)
        with connection:
            hosts.wait()


# (what the place of a process is that greets a run whose only other rank has joined, what it is told)
REFUSED = [
    ({"rank": 1}, "rank 1 is already taken"),
    ({"rank": 1, "job": "other"}, "rank 1 of 2 of the job 'other' is not known"),
    ({"rank": 2, "world_size": 3}, "rank 2 of 3 of the job 'job' is not known"),
]


@pytest.mark.parametrize(("other", "words"), REFUSED)
def test_a_process_of_another_run_with_the_same_secret_is_told(
    other: dict[str, Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as of a second job of msrun, which names no jobs: it ended with 0 once the connection was closed."""
    monkeypatch.setenv(SECRET, "a secret of this run")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        place = PLACE._replace(port=probe.getsockname()[1])
    hosts = Hosts(place)
    try:
        connection, _ = _connect(place._replace(rank=1), 5)
        with connection:
            where = f"at 127.0.0.1:{place.port}: another job uses this port. Name another on every machine of this one"
            with pytest.raises(ApidiffError, match=f"verify: {words} {where}: APIDIFF_PORT=29700"):
                serve(place._replace(**other))
            hosts.wait()
            connection.setblocking(False)
            with pytest.raises(BlockingIOError):  # who joined first stays
                connection.recv(1)
    finally:
        hosts.close()


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[tuple[Hosts, subprocess.Popen[str]]]:
    """Rank 0 here, and `apidiff verify` as rank 1, a process that has joined; its temporary files are below ``temporary``."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv(SECRET, "a secret of this run")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    hosts = Hosts(PLACE._replace(port=port))
    launched = {"TORCHELASTIC_RUN_ID": "job", "RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "1"}
    where = {"MASTER_ADDR": "127.0.0.1", "APIDIFF_PORT": str(port), "TMPDIR": str(tmp_path / "temporary")}
    try:
        with subprocess.Popen(
            [sys.executable, "-m", "apidiff", "verify"],
            env=os.environ | launched | where,
            stderr=subprocess.PIPE,
            text=True,
        ) as rank_1:
            try:
                hosts.wait()
                yield hosts, rank_1
            finally:
                rank_1.kill()
    finally:
        hosts.close()


def test_a_rank_that_cannot_be_started_is_told_on_both_machines(
    served: tuple[Hosts, subprocess.Popen[str]], gloo: Backend, tmp_path: Path
) -> None:
    """Here its folder of temporary files is gone; one that is full is told in the same way. Nothing else is lost."""
    hosts, rank_1 = served
    folder = next((tmp_path / "temporary").glob("apidiff-*"))
    reason = (
        "verify: rank 1 cannot be started (No such file or directory). Mend that on its machine: make room in "
        f"{tmp_path / 'temporary'}, or name another folder with TMPDIR."
    )
    folder.rename(tmp_path / "elsewhere")
    with pytest.raises(HostError) as told, World(gloo, 2, tmp_path / "logs", hosts):
        pass
    assert str(told.value) == reason
    (tmp_path / "elsewhere").rename(folder)
    with World(gloo, 2, tmp_path / "logs", hosts) as world:
        assert world.ask({"do": "canary"}) == Reply({0: b"true", 1: b"true"}, "completed")
    folder.rename(tmp_path / "elsewhere")
    with pytest.raises(HostError), World(gloo, 2, tmp_path / "logs", hosts):
        pass
    hosts.close()
    assert (rank_1.communicate(timeout=60)[1], rank_1.returncode) == (f"apidiff: {reason}\n", 2)


ORDER = b'{"child":0,"framework":"torch","backend":"gloo","device":"cpu","variables":{}'
NOT_UNDERSTOOD = (
    "apidiff: verify: rank 1 does not understand an order of rank 0 ({}). "
    "Install the same version of apidiff for all ranks.\n"
)

# (what rank 0 sends before it ends, what rank 1 then says, its exit code)
ORDERS = [
    (b"", "", 0),
    (ORDER, "", 0),  # rank 0 was killed half-way
    (ORDER + b',"lim\\nit":1}\n', NOT_UNDERSTOOD.format("Object contains unknown field `lim\\nit`"), 2),
    (b'{"child":0}\n', NOT_UNDERSTOOD.format("Object missing required field `framework`"), 2),
    (b"[" * 5000 + b"\n", NOT_UNDERSTOOD.format("Expected `object`, got `array`"), 2),
]


@pytest.mark.parametrize(("sent", "words", "code"), ORDERS)
def test_an_order_that_is_not_understood_is_told(
    served: tuple[Hosts, subprocess.Popen[str]], sent: bytes, words: str, code: int
) -> None:
    hosts, rank_1 = served
    hosts._orders[1].sendall(sent)
    hosts.close()
    assert (rank_1.communicate(timeout=60)[1], rank_1.returncode) == (words, code)


def test_a_rank_without_temporary_files_does_not_join(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rank 0 would rely on it."""
    joined = mock.Mock()
    monkeypatch.setattr("apidiff.execute.remote.worker._connect", joined)
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    with pytest.raises(OSError, match="/nowhere/apidiff-"):
        serve(PLACE._replace(rank=1))
    joined.assert_not_called()


def test_rank_0_has_to_prove_itself_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who listens in its place and knows the job gives no orders."""
    monkeypatch.setenv(SECRET, "a secret of this run")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"0" * 32 + b"\n" + b"0" * 64 + b"\n")
                connection.recv(4096)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        place = Place("msrun", 1, 2, 0, "127.0.0.1", listener.getsockname()[1], "msrun")
        with pytest.raises(ApidiffError, match="who listens there has another secret"):
            _connect(place, 0)
        thread.join(5)


def test_a_secret_that_anybody_guesses_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ApidiffError, match="has at least 16 characters"):
        given_secret({SECRET: "msrun"})
    (tmp_path / "secret").write_text("0123456789abcdef\n")
    assert given_secret({SECRET_FILE: str(tmp_path / "secret")}) == b"0123456789abcdef"
    assert given_secret({SECRET: "\udcff" * 16}) == b"\xff" * 16
    (tmp_path / "secret").write_text("密码" * 8, "utf-8")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsencode", lambda text: text.encode("ascii"))  # as of a locale that has no such characters
        assert given_secret({SECRET_FILE: str(tmp_path / "secret")}) == ("密码" * 8).encode()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "long").write_text("x" * 4_097)
    for name in (tmp_path, tmp_path / "pipe", tmp_path / "long"):
        with pytest.raises(ApidiffError, match="cannot be read"):
            given_secret({SECRET_FILE: str(name)})


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=120)


def remove_hosts() -> None:
    for host in HOSTS:
        subprocess.run(["ip", "netns", "delete", host], capture_output=True, timeout=120, check=False)


def make_hosts() -> str | None:
    """Makes two network namespaces with a cable between them, or says why that cannot be done."""
    if shutil.which("ip") is None or os.geteuid() != 0:
        return "network namespaces need root and Debian's iproute2"
    remove_hosts()
    try:
        for host in HOSTS:
            ip("netns", "add", host)
        ip("link", "add", "apidiff0", "netns", HOSTS[0], "type", "veth", "peer", "name", "apidiff0", "netns", HOSTS[1])
        for host, address in zip(HOSTS, ADDRESSES, strict=True):
            ip("-n", host, "address", "add", f"{address}/24", "dev", "apidiff0")
            ip("-n", host, "link", "set", "apidiff0", "up")
            ip("-n", host, "link", "set", "lo", "up")
    except subprocess.CalledProcessError as error:
        remove_hosts()
        return f"network namespaces cannot be made here: {error.stderr.decode().strip()}"
    return None


def do_without_hosts(reason: str) -> NoReturn:
    """Skips the test; where continuous integration can make hosts, it fails instead."""
    if os.environ.get("APIDIFF_HOSTS") == "required":
        pytest.fail(f"{reason} (APIDIFF_HOSTS=required)")
    pytest.skip(reason)


@pytest.fixture
def two_hosts() -> Iterator[None]:
    """Two hosts on one machine, gone after the test."""
    if reason := make_hosts():
        do_without_hosts(reason)
    yield
    remove_hosts()


@pytest.mark.parametrize(
    ("set_to", "ends_with"),
    [("required", pytest.fail.Exception), ("", pytest.skip.Exception), (None, pytest.skip.Exception)],
)
def test_where_hosts_are_required_a_test_without_them_fails(
    set_to: str | None, ends_with: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("APIDIFF_HOSTS", raising=False)
    if set_to is not None:
        monkeypatch.setenv("APIDIFF_HOSTS", set_to)
    reason = make_hosts()
    assert reason == "network namespaces need root and Debian's iproute2"
    with pytest.raises(ends_with, match=reason):
        do_without_hosts(reason)


@pytest.mark.parametrize(
    ("user", "tools", "already", "seen"),
    [
        (0, ["apt-get", "unshare"], None, "required"),
        (0, ["apt-get", "unshare"], "optional", "optional"),
        (0, ["unshare"], None, "unset"),
        (0, ["apt-get"], None, "unset"),  # the kernel makes none
        (1000, ["apt-get", "unshare"], None, "unset"),
    ],
)
def test_continuous_integration_requires_hosts_where_it_can_make_them(
    user: int, tools: list[str], already: str | None, seen: str, tmp_path: Path
) -> None:
    scripts = {"make": 'echo "$1 ${APIDIFF_HOSTS-unset}"', "id": f"echo {user}", **dict.fromkeys(tools, "")}
    for name, script in scripts.items():
        (tmp_path / name).write_text(f"#!/bin/bash\n{script}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "dirname").symlink_to(shutil.which("dirname") or "/usr/bin/dirname")
    environment = {"PATH": str(tmp_path)} | ({"APIDIFF_HOSTS": already} if already else {})
    ran = subprocess.run(
        ["/bin/bash", str(SCRIPT.parents[3] / ".ci" / "run")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.stdout.splitlines() == [f"lint {seen}", f"test {seen}"]


def launch(stack: ExitStack, folder: Path, framework: str, mappings: list[str]) -> list[subprocess.Popen[Any]]:
    """The script on both hosts, under the framework's launcher; ended with the stack."""
    here, every = str(RANKS[framework]), str(RANKS[framework] * len(HOSTS))
    backend = {"torch": "gloo", "mindspore": "mccl"}[framework]
    started = []
    for number, host in enumerate(HOSTS):
        if framework == "torch":
            command = [str(BIN / "torchrun"), "--nnodes", "2", "--nproc-per-node", here, "--node-rank", str(number)]
            command += ["--master-addr", ADDRESSES[0], "--master-port", "29511"]
        else:
            command = [
                str(BIN / "msrun"),
                "--worker_num",
                every,
                "--local_worker_num",
                here,
                "--node_rank",
                str(number),
            ]
            command += ["--master_addr", ADDRESSES[0], "--master_port", "8511", "--join", "True"]
            command += ["--log_dir", str(folder / f"msrun-{number}")]
        command += [str(SCRIPT), str(folder / "runs"), backend, *mappings]
        log = stack.enter_context((folder / f"host-{number}.log").open("wb"))
        environment = os.environ | {
            "XDG_STATE_HOME": str(folder / f"state-{number}"),
            "PYTHONPATH": str(SCRIPT.parents[3]),
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "GLOO_SOCKET_IFNAME": "apidiff0",
            "OMP_NUM_THREADS": "1",
            SECRET: "made by the test of two hosts",
        }
        process = subprocess.Popen(
            ["ip", "netns", "exec", host, *command],
            stdout=log,
            stderr=log,
            env=environment,
            cwd=folder,
            start_new_session=True,
        )
        stack.callback(end, process)
        started.append(process)
    return started


def end(process: subprocess.Popen[Any]) -> None:
    subprocess.run(["pkill", "-KILL", "-s", str(process.pid)], timeout=120, check=False)
    process.wait(120)


def logs(folder: Path) -> str:
    return "\n".join(
        path.read_text("utf-8", "replace") for path in [*folder.glob("host-*.log"), *folder.glob("msrun-*/*.log")]
    )


def only_record(folder: Path) -> RunRecord:
    ((_, record),) = load_runs(folder / "runs")
    return record


@pytest.mark.turning(days=6)
@pytest.mark.parametrize(
    ("framework", "mapping"),
    [
        # Of MindSpore, the calls of broadcast take as long as all others together: every call that raises is made again by
        # ranks of its own.
        ("torch", "torch.distributed.broadcast"),
        ("torch", "torch.distributed.scatter"),
        ("torch", "torch.distributed.all_to_all_single"),
        ("mindspore", "torch.distributed.all_gather_object"),
        ("mindspore", "torch.distributed.new_group"),
        ("mindspore", "torch.distributed.broadcast"),
    ],
)
def test_two_hosts_show_what_one_showed(
    two_hosts: None, tmp_path: Path, database: Data, framework: str, mapping: str
) -> None:
    if find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    with ExitStack() as stack:
        first, _ = launch(stack, tmp_path, framework, [mapping])
        first.wait(1000)
    record, size = only_record(tmp_path), RANKS[framework] * len(HOSTS)
    assert (record.world_size, record.stopped) == (size, None), logs(tmp_path)
    assert all(len(probe.ranks) == size for probe in record.probes if probe.end == "completed")
    context = make_context(load_backends(), load_examples(examples_folder()), {})
    apis = list(apis_for(database, framework, record.framework_version, [mapping]))
    assert {probe.api for probe in record.probes} <= {api.name for api in apis}
    assert record.probes
    base = base_record(database, record)
    assert base is not None
    assert [change.text() for change in compare(apis, base, record, context)] == []


def test_a_host_cut_off_half_way_leaves_what_was_done(two_hosts: None, tmp_path: Path) -> None:
    if find_spec("torch") is None:
        pytest.skip("torch is not installed")
    with ExitStack() as stack:
        launch(stack, tmp_path, "torch", ["torch.distributed.broadcast", "torch.distributed.all_reduce"])
        until = time.monotonic() + 500
        while "step 3/" not in logs(tmp_path):
            assert time.monotonic() < until, logs(tmp_path)
            time.sleep(0.05)
        ip("-n", HOSTS[1], "link", "set", "apidiff0", "down")
        until = time.monotonic() + 500
        while "written: " not in logs(tmp_path):
            assert time.monotonic() < until, logs(tmp_path)
            time.sleep(0.2)
    record = only_record(tmp_path)
    assert record.stopped, "the record says that it is not whole, and why"
    assert len(record.probes) >= 3, "what was done before is in it, and the probe under way"
    assert all(len(probe.ranks) == 4 for probe in record.probes if probe.end == "completed")
    assert all(len(probe.ranks) < 4 for probe in record.probes if probe.end != "completed")
    # The host that was cut off notices by itself that nobody is there any more, and ends what it started.
    until = time.monotonic() + 300
    while left := subprocess.run(
        ["pgrep", "-f", "-a", str(tmp_path)], capture_output=True, text=True, check=False
    ).stdout:
        assert time.monotonic() < until, left
        time.sleep(0.5)
