"""Rank 0's side of a launched run: finds the other processes of the launcher, and asks ranks that these start for it.

Both sides exchange lines over TCP. Rank 0 sends a number; the first line of the other side greets: it names the job, the rank
and, of the connection of a started process, its number, and proves that it has the secret of the run; so does rank 0's answer,
whose proof is one of three: the rank joins, has joined already, or is of another run that has the same secret.
Nothing is encrypted: who can change packets between the machines can change what is said. Lines of a started process begin
with ``a`` (an answer), ``l`` (a line that it printed) or ``f`` (why it could not be started).
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import queue
import secrets
import socket
import threading
import time
from pathlib import Path

import msgspec

from apidiff.atomic_write import open_in_place
from apidiff.database import ApidiffError
from apidiff.database.backends import Backend
from apidiff.errors import shortened
from apidiff.execute.remote.launcher import PORT, Place
from apidiff.execute.remote.secret import given_secret, is_proof, make_secret, proof, remove_secret

ANSWER, LOG, FAULT = b"a", b"l", b"f"
JOINED, TAKEN, UNKNOWN = "rank 0", "taken", "unknown"  # what rank 0 proves its knowledge over beside the greeting

_JOIN_S = 180.0
_CHILD_S = 20.0
_GREETING_S = 10.0
_REFUSED_S = 0.1
_LONGEST_GREETING = 4096  # bytes
_MOST_UNPROVED = 64  # connections beside one of each rank: each takes a file and a thread


class Greeting(msgspec.Struct, forbid_unknown_fields=True):
    """The first line of a connection. ``child``: the number of a started process; None for the one that takes orders.

    ``number``: drawn for this connection. ``proof``: of the secret, over rank 0's number and all of this.
    """

    job: str
    rank: int
    child: int | None = None
    number: str = ""
    proof: str = ""

    def said(self, number: str) -> tuple[object, ...]:
        """What both sides prove their knowledge over; ``number``: rank 0's."""
        return number, self.number, self.job, self.rank, self.child


class Order(msgspec.Struct, forbid_unknown_fields=True):
    """Start a rank: for which framework, backend and device, with which variables beside those of the machine."""

    child: int
    framework: str
    backend: str
    device: str
    variables: dict[str, str]


def keep_alive(connection: socket.socket) -> None:
    """Has the kernel notice within about 10 seconds that the other machine is cut off."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for name, value in (("TCP_KEEPIDLE", 4), ("TCP_KEEPINTVL", 2), ("TCP_KEEPCNT", 3), ("TCP_USER_TIMEOUT", 10_000)):
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


class HostError(ApidiffError):
    """A launched process that does not join, or no longer answers."""


class Hosts:
    """The other processes of ``place``'s launcher; this one is rank 0. Listens on the address that they know."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._numbers = itertools.count()
        self._orders: dict[int, socket.socket] = {}
        self._joined = threading.Condition()
        self._unproved: dict[socket.socket, None] = {}
        self._children: dict[int, queue.Queue[socket.socket]] = {}
        here = f"{place.host}:{place.port}"
        try:
            family = socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)[0][0]
        except OSError as error:
            raise HostError(
                f"verify: the address of rank 0, {place.host}, is not known here ({error.strerror}). "
                "Name one that every machine knows, with --master-addr or MASTER_ADDR."
            ) from error
        self._listener = socket.socket(family, socket.SOCK_STREAM)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._listener.bind((place.host, place.port))
            self._listener.listen(min(place.world_size * 4, socket.SOMAXCONN))
        except OSError as error:
            self._listener.close()
            remedy = (
                "Give the address of the machine that rank 0 runs on"
                if error.errno == errno.EADDRNOTAVAIL
                else f"Name a free port on every machine: {PORT}=29700"
            )
            raise HostError(f"verify: rank 0 cannot listen on {here} ({error.strerror}). {remedy}") from error
        given = given_secret(os.environ)
        try:
            self._secret = given or make_secret(place)
        except ApidiffError:
            self._listener.close()
            raise
        self._made_secret = given is None
        threading.Thread(target=self._accept, daemon=True).start()

    def wait(self) -> None:
        """Waits until every other process has joined. Raises HostError with the ranks that did not."""
        others = set(range(1, self.place.world_size))
        with self._joined:
            if not self._joined.wait_for(lambda: others <= self._orders.keys(), _JOIN_S):
                missing = ", ".join(str(rank) for rank in sorted(others - self._orders.keys()))
                raise HostError(
                    f"verify: {self.place.launcher} ranks {missing} did not join within {_JOIN_S:g} s at "
                    f"{self.place.host}:{self.place.port}. Look at their machines' logs, and open that port."
                )
        self._forget_secret()  # all have read it: nothing is left where a launcher kills this process

    def start_rank(self, rank: int, backend: Backend, variables: dict[str, str], log: Path) -> RemoteRank:
        """Has the process ``rank`` start a rank. Raises HostError where it does not answer."""
        child = next(self._numbers)
        waiting: queue.Queue[socket.socket] = queue.Queue()
        self._children[child] = waiting
        order = Order(child, backend.framework, backend.name, backend.device, backend.environment | variables)
        try:
            self._orders[rank].sendall(msgspec.json.encode(order) + b"\n")
            return RemoteRank(waiting.get(timeout=_CHILD_S), log)
        except (OSError, queue.Empty) as error:
            raise HostError(f"verify: the machine of rank {rank} no longer answers.") from error
        finally:
            del self._children[child]

    def free_port(self) -> int:
        """Finds a port of this machine, at the address that the others know, that nobody listened on a moment ago."""
        with socket.socket(self._listener.family, socket.SOCK_STREAM) as probe:
            probe.bind((self.place.host, 0))
            return int(probe.getsockname()[1])

    def close(self) -> None:
        """Lets the other processes end."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._forget_secret()
        for connection in self._orders.values():
            connection.close()

    def _forget_secret(self) -> None:
        if self._made_secret:
            remove_secret(self.place, self._secret)
            self._made_secret = False

    def _accept(self) -> None:
        while self._listener.fileno() != -1:
            try:
                connection, _ = self._listener.accept()
            except OSError:  # it is closed, or so many connect that none can be taken for now
                time.sleep(_REFUSED_S)
                continue
            self._end_oldest()
            self._unproved[connection] = None
            try:
                threading.Thread(target=self._greet, args=(connection,), daemon=True).start()
            except RuntimeError:  # nor can a thread be
                self._unproved.pop(connection, None)
                connection.close()

    def _end_oldest(self) -> None:
        """Ends the oldest of too many connections that prove nothing: a rank proves itself at once."""
        for connection in list(self._unproved)[: -self.place.world_size - _MOST_UNPROVED]:
            self._unproved.pop(connection, None)
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _greet(self, connection: socket.socket) -> None:
        """Reads who connects; connections from unknown peers are closed."""
        try:
            connection.settimeout(_GREETING_S)
            number = secrets.token_hex(16)
            connection.sendall(f"{number}\n".encode())
            greeting = msgspec.json.decode(first_line(connection), type=Greeting)
            if not is_proof(greeting.proof, self._secret, "rank", *greeting.said(number)):
                raise ValueError("no proof")
            self._unproved.pop(connection, None)
            keep_alive(connection)
            if not self._take(connection, greeting, number):
                connection.close()
        except (OSError, msgspec.DecodeError, ValueError):
            connection.close()
        finally:
            self._unproved.pop(connection, None)

    def _take(self, connection: socket.socket, greeting: Greeting, number: str) -> bool:
        """Answers a greeting that was proved, and keeps the connection if it is one that is waited for."""
        known = greeting.job == self.place.job and 0 < greeting.rank < self.place.world_size
        with self._joined:  # of two that greet as one rank the first joins; no order comes before the answer
            taken = greeting.child is None and greeting.rank in self._orders
            answer = UNKNOWN if not known else TAKEN if taken else JOINED
            connection.sendall(f"{proof(self._secret, answer, *greeting.said(number))}\n".encode())
            connection.settimeout(None)
            if answer != JOINED:
                return False
            if greeting.child is None:
                self._orders[greeting.rank] = connection
                self._joined.notify_all()
                return True
        if waiting := self._children.get(greeting.child):
            waiting.put(connection)
            return True
        return False


def first_line(connection: socket.socket) -> bytes:
    """Reads a line byte by byte: what follows it is for another reader. Raises ValueError where it is too long."""
    line, until = b"", time.monotonic() + _GREETING_S
    while not line.endswith(b"\n"):
        byte = connection.recv(1)
        if not byte or len(line) > _LONGEST_GREETING or time.monotonic() > until:
            raise ValueError("no greeting")
        line += byte
    return line


class RemoteRank:
    """A rank on another machine, asked as a WorkerProcess is. What it prints goes into ``log`` here, if that can be written."""

    def __init__(self, connection: socket.socket, log: Path) -> None:
        self._connection, self._log = connection, log
        self._connection.setblocking(False)
        self._begun: list[bytes] = []  # parts of a line whose end has not come
        self._keep(b"")

    def fileno(self) -> int:
        """What to wait on for an answer."""
        return self._connection.fileno()

    def send(self, line: bytes) -> None:
        """Sends a request. A machine that is cut off is noticed when the answer is awaited."""
        with contextlib.suppress(OSError):
            self._connection.settimeout(5)
            self._connection.sendall(line)
        with contextlib.suppress(OSError):
            self._connection.setblocking(False)

    def receive(self) -> bytes | None:
        """Reads an answer without blocking: None while it is not whole; empty where the rank or its machine is gone.

        Raises HostError with the reason where it could not be started.
        """
        try:
            chunk = self._connection.recv(1 << 20)
        except BlockingIOError:
            return None
        except OSError:
            return b""
        if not chunk:
            return b""
        ended, newline, rest = chunk.rpartition(b"\n")
        if not newline:
            self._begun.append(rest)
            return None
        lines = b"".join([*self._begun, ended]).split(b"\n")
        self._begun = [rest]
        if lines[0].startswith(FAULT):  # nothing else comes from there
            raise HostError(shortened(lines[0][1:].decode("utf-8", "replace")))
        if printed := [line[1:] for line in lines if not line.startswith(ANSWER)]:
            self._keep(b"\n".join([*printed, b""]))
        return next((line[1:] for line in lines if line.startswith(ANSWER)), None)  # each request has one

    def _keep(self, printed: bytes) -> None:
        """Adds to the log. A disk that is full, or what a call put there, a link or a pipe, ends no run."""
        with contextlib.suppress(OSError), open_in_place(self._log, emptied=False) as file:
            file.seek(0, os.SEEK_END)
            file.write(printed)

    def kill(self) -> None:
        """Ends it: the process that started it kills it when the connection is gone."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Closes the connection."""
        self._connection.close()
