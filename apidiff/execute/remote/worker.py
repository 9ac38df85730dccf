"""Serves rank 0 of a launched run: starts ranks on this machine when it says so, and passes lines on.

It starts nothing but ranks of the frameworks, and only for the verifier that its launcher named. It ends when that one does,
or is no longer heard, and takes its ranks with it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import socket
import tempfile
import threading
import time
from pathlib import Path

import msgspec

from apidiff.database import ApidiffError
from apidiff.errors import printable, shortened
from apidiff.execute.remote.coordinator import (
    ANSWER,
    FAULT,
    JOINED,
    LOG,
    TAKEN,
    UNKNOWN,
    Greeting,
    Order,
    first_line,
    keep_alive,
)
from apidiff.execute.remote.launcher import PORT, Place, without_launcher
from apidiff.execute.remote.secret import SECRET, SECRET_FILE, given_secret, is_proof, proof, read_secret, secret_path
from apidiff.execute.variables import without_settings
from apidiff.execute.worker_process import BrokenAnswer, WorkerProcess, log_part, rank_command
from apidiff.scratch_folder import scratch_folder

_CONNECT_S = 120.0
_LOG_EVERY_S = 0.2
_LOG_BYTES = 1 << 16  # at a time


class _Refused(ValueError):
    """Rank 0 has the secret and does not take this rank; its text says why."""


def serve(place: Place) -> int:
    """Serves rank 0 until it closes the connection. Returns the exit code.

    Raises ApidiffError where it is not reached, where an order is not understood, and where the last rank that it ordered could
    not be started; OSError where no folder of temporary files can be made.
    """
    running: list[_Rank] = []
    with scratch_folder("apidiff-") as folder:  # before it joins: rank 0 relies on who has joined
        control, secret = _connect(place, _CONNECT_S)
        with control, control.makefile("rb") as lines:
            with contextlib.suppress(OSError):
                for line in lines:
                    if not line.endswith(b"\n"):  # rank 0 ended as it wrote it
                        break
                    rank = _Rank(place, _order(line, place.rank), secret, folder)
                    rank.start()
                    running.append(rank)
            # The connection is gone; those of the ranks are too, and each thread ends its rank.
            for rank in running:
                rank.join(15)
    # Rank 0 orders once more what could not be started: where that was, all is well.
    if running and running[-1].fault:
        raise ApidiffError(running[-1].fault)
    return 0


def _order(line: bytes, rank: int) -> Order:
    """Reads an order. Raises ApidiffError for one that is not understood, such as of another version of apidiff."""
    try:
        return msgspec.json.decode(line, type=Order)
    except (ValueError, RecursionError) as error:
        found = printable(shortened(str(error)))
        raise ApidiffError(
            f"verify: rank {rank} does not understand an order of rank 0 ({found}). "
            "Install the same version of apidiff for all ranks."
        ) from error


def _connect(place: Place, seconds: float) -> tuple[socket.socket, bytes]:
    """Connects to rank 0 and has both sides prove that they have the secret of the run.

    Returns the connection and the secret. Raises ApidiffError with the reason, at once where rank 0 there is of another run.
    """
    until = time.monotonic() + seconds
    given = given_secret(os.environ)
    while True:
        secret = given or read_secret(place)
        if secret is None:
            why = f"there is no secret in {secret_path(place)}: rank 0 is not there, or all joined and this one is there twice"
        else:
            try:
                return _greeted(place, None, secret), secret
            except OSError as error:
                why = str(error)
            except _Refused as error:
                raise ApidiffError(
                    f"verify: {error} at {place.host}:{place.port}: another job uses this port. "
                    f"Name another on every machine of this one: {PORT}=29700"
                ) from error
            except ValueError:
                why = "who listens there has another secret"
        if time.monotonic() > until:
            raise ApidiffError(
                f"verify: rank {place.rank} does not reach rank 0 at {place.host}:{place.port} ({why}). "
                f"Open that port between the machines, or name another with APIDIFF_PORT; where they share no home folder, "
                f"give each the same {SECRET} or {SECRET_FILE}."
            )
        time.sleep(0.5)


def _greeted(place: Place, child: int | None, secret: bytes) -> socket.socket:
    """Raises OSError where nobody answers, ValueError where that is not rank 0 of this run, and _Refused where that tells so."""
    connection = socket.create_connection((place.host, place.port), timeout=10)
    try:
        number = first_line(connection).decode().strip()
        greeting = Greeting(place.job, place.rank, child, secrets.token_hex(16))
        greeting.proof = proof(secret, "rank", *greeting.said(number))
        connection.sendall(msgspec.json.encode(greeting) + b"\n")
        answer = first_line(connection).decode().strip()
        if is_proof(answer, secret, TAKEN, *greeting.said(number)):
            raise _Refused(f"rank {place.rank} is already taken")
        if is_proof(answer, secret, UNKNOWN, *greeting.said(number)):
            raise _Refused(f"rank {place.rank} of {place.world_size} of the job {place.job!r} is not known")
        if not is_proof(answer, secret, JOINED, *greeting.said(number)):
            raise ValueError("no proof")
        connection.settimeout(None)
        keep_alive(connection)
    except BaseException:
        connection.close()
        raise
    return connection


class _Rank(threading.Thread):
    """Runs one rank, from its start until either end is gone. ``fault``: why it could not be started, in a sentence."""

    def __init__(self, place: Place, order: Order, secret: bytes, folder: Path) -> None:
        super().__init__(daemon=True)
        self._place, self._order, self._secret, self._folder = place, order, secret, folder
        self._log = folder / str(order.child) / f"rank-{place.rank}.log"
        self.fault: str | None = None

    def run(self) -> None:
        """Passes on what rank 0 asks; where the rank cannot be started, tells rank 0 why."""
        with (
            contextlib.suppress(OSError, ValueError),
            _greeted(self._place, self._order.child, self._secret) as connection,
        ):
            try:
                rank = self._begin()
            except OSError as error:
                self.fault = _fault(self._place.rank, error)
                connection.sendall(FAULT + self.fault.encode() + b"\n")
                return
            relay = _Relay(rank, self._log, connection)
            try:
                relay.start()
                with connection.makefile("rb") as requests:
                    for line in requests:
                        rank.send(line)
            finally:
                rank.kill()
                relay.join(5)
                rank.close()

    def _begin(self) -> WorkerProcess:
        """Raises OSError where there is no room for its files, or no process to be had."""
        self._log.parent.mkdir()
        local = str(self._place.local_rank)
        own = {"LOCAL_RANK": local, "DEVICE_ID": local, "TMPDIR": str(self._log.parent)}
        environment = without_settings(without_launcher(os.environ)) | self._order.variables | own
        command = rank_command(self._order.framework, self._order.backend, self._order.device)
        return WorkerProcess(command, environment, self._log, self._folder)


def _fault(rank: int, error: OSError) -> str:
    """Says in one line, for the rank's machine and for rank 0, why a rank could not be started."""
    remedy = (
        f"Mend that on its machine: make room in {tempfile.gettempdir()}, or name another folder with TMPDIR"
        if error.filename
        else "Mend that on its machine; `ulimit -a` tells the limits of its user"
    )
    return printable(f"verify: rank {rank} cannot be started ({error.strerror}). {remedy}.")


class _Relay(threading.Thread):
    """Passes on what a rank answers and what it prints, until it ends; then closes the connection."""

    def __init__(self, rank: WorkerProcess, log: Path, connection: socket.socket) -> None:
        super().__init__(daemon=True)
        self._rank, self._log, self._connection = rank, log, connection
        self._seen = 0

    def run(self) -> None:
        """Looks for answers at once and for printed lines now and then."""
        with contextlib.suppress(OSError, BrokenAnswer):
            while True:
                select.select([self._rank], [], [], _LOG_EVERY_S)
                line = self._rank.receive()
                self._pass_on_log()
                if line:
                    self._connection.sendall(ANSWER + line + b"\n")
                elif line == b"":
                    break
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def _pass_on_log(self) -> None:
        new = log_part(self._log, self._seen, _LOG_BYTES)
        whole, newline, _ = new.rpartition(b"\n")
        if not newline and len(new) == _LOG_BYTES:  # a longer line is passed on in parts
            whole = new
        self._seen += len(whole) + len(newline)
        # In one go: an answer behind many short lines, each sent by itself, would come after its deadline.
        self._connection.sendall(b"".join(LOG + line + b"\n" for line in (whole + newline).splitlines()))
