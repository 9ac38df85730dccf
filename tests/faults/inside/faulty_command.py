"""``apidiff`` on the data of APIDIFF_FAULTS, with a probe's deadline of a few seconds, and with what is done to the process.

``APIDIFF_PROBE_S``: another deadline. ``APIDIFF_TAKEN_PORT``: the port that its first ranks are given. ``APIDIFF_ENDS_AT``: it
is killed at ``start``, before its ranks have come to their first line, or at ``rename``, when a record has been written and does
not have its name yet.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import msgspec

import apidiff.database.data
from apidiff.cli import main
from apidiff.cli import verify as command
from apidiff.database.backends import Backend, Deadlines, load_backends
from apidiff.execute import world
from apidiff.execute.devices import Availability

_PROBE_S = float(os.environ.get("APIDIFF_PROBE_S", "10"))


def backends() -> list[Backend]:
    return [
        msgspec.structs.replace(one, deadlines=Deadlines(start=300, probe=_PROBE_S, after_error=_PROBE_S))
        for one in load_backends()
    ]


def killed(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


apidiff.database.data.DATA = Path(os.environ["APIDIFF_FAULTS"]) / "data"
command.load_backends = backends
command.look_for = lambda backend: Availability(
    available=True, text=backend.name
)  # it takes as long as a start of the ranks
if taken := os.environ.get("APIDIFF_TAKEN_PORT"):
    ports, free_port = [int(taken)], world.free_port
    world.free_port = lambda: ports.pop() if ports else free_port()
match os.environ.get("APIDIFF_ENDS_AT"):
    case "start":
        world.World._collect = killed  # type: ignore[assignment]
    case "rename":
        Path.replace = killed  # type: ignore[assignment]
sys.exit(main())
