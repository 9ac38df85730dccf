"""How rank 0's verifier and the processes on other machines talk: lines over TCP, kept alive, the first one a greeting.

A greeting names the job, the rank and, of the connection of a process that was started, its number. Lines from such a process
begin with ``a`` (an answer) or ``l`` (a line that it printed).
"""

from __future__ import annotations

import socket

import msgspec

ANSWER, LOG = b"a", b"l"
LONGEST_GREETING = 4096


class Greeting(msgspec.Struct, forbid_unknown_fields=True):
    """The first line of a connection. ``child``: the number of a started process; None for the one that takes orders."""

    job: str
    rank: int
    child: int | None = None


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
