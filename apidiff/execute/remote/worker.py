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
import threading
import time
from pathlib import Path

import msgspec

from apidiff.database import ApidiffError
from apidiff.execute.remote.coordinator import (
    ANSWER,
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
    """Serves rank 0 until it closes the connection. Returns the exit code. Raises ApidiffError where it is not reached."""
    control, secret = _connect(place, _CONNECT_S)
    running: list[threading.Thread] = []
    with control, control.makefile("rb") as lines, scratch_folder("apidiff-") as folder:
        with contextlib.suppress(OSError):
            for line in lines:
                order = msgspec.json.decode(line, type=Order)
                thread = threading.Thread(target=_run, args=(place, order, secret, folder), daemon=True)
                thread.start()
                running.append(thread)
        # The connection is gone; those of the ranks are too, and each thread ends its rank.
        for thread in running:
            thread.join(15)
    return 0


def _connect(place: Place, seconds: float) -> tuple[socket.socket, bytes]:
    """Connects to rank 0 and has both sides prove that they have the secret of the run.

    Returns the connection and the secret. Raises ApidiffError with the reason, at once where rank 0 there is of another run.
    """
    until = time.monotonic() + seconds
    given = given_secret(os.environ)
    while True:
        secret = given or read_secret(place)
        if secret is None:
            why = f"there is no secret in {secret_path(place)}"
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


def _run(place: Place, order: Order, secret: bytes, folder: Path) -> None:
    """Runs one rank, from its start until either end is gone."""
    log = folder / str(order.child) / f"rank-{place.rank}.log"
    log.parent.mkdir()
    local = {"LOCAL_RANK": str(place.local_rank), "DEVICE_ID": str(place.local_rank), "TMPDIR": str(log.parent)}
    environment = without_settings(without_launcher(os.environ)) | order.variables | local
    with contextlib.suppress(OSError, ValueError), _greeted(place, order.child, secret) as connection:
        rank = WorkerProcess(rank_command(order.framework, order.backend, order.device), environment, log, folder)
        relay = _Relay(rank, log, connection)
        try:
            relay.start()
            with connection.makefile("rb") as requests:
                for line in requests:
                    rank.send(line)
        finally:
            rank.kill()
            relay.join(5)
            rank.close()


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
