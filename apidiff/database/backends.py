"""Reads the backends that ``conf/backends.toml`` describes."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Annotated

import msgspec
from msgspec import Meta

from apidiff.database.paths import conf_file
from apidiff.database.process_settings import (
    BackendName,
    Code,
    ProcessSettings,
    Seconds,
    Word,
    read_settings,
    refuse_repeated,
)
from apidiff.errors import ApidiffError, typed
from apidiff.model.base import Record, Text


class Deadlines(Record, frozen=True, kw_only=True):
    """Seconds: for the ranks to come up, for one probe to be answered by all of them, and for the rest once one raised.

    A backend that raises by itself where a peer stays away gets longer than that in ``probe`` and ``after_error``: shorter
    ones would record a time-out of the probe's instead of the error that a user meets.
    """

    start: Seconds
    probe: Seconds
    after_error: Seconds = 4.0


class Devices(Enum):
    """How ranks use devices other than the CPU."""

    ONE = "one"  # every rank needs one of its own
    SHARED = "shared"  # several ranks may use the same


class DeviceCheck(Record, frozen=True, kw_only=True):
    """How to see whether a backend's device is there, and what that looks for.

    ``code`` is Python that may print a JSON object with the ``names`` of devices and the ``versions`` of libraries, and then
    prints ``ok`` or what is missing. ``looks_for``: in words, with names of code in backquotes.
    """

    code: Code
    looks_for: Text

    @property
    def in_words(self) -> str:
        """What the check looks for as the command line says it: in English, without marks."""
        return self.looks_for.en.replace("`", "")


class Backend(ProcessSettings, frozen=True, kw_only=True, dict=True, gc=True):
    """One way to run collectives: a framework on a device with a communication library.

    ``name`` is not unique: ``hccl`` stands once for each framework, ``gloo`` once for each device. ``devices``: how ranks
    use them, None on the CPU. ``one_machine``: those variables of ``environment`` that are right only where all ranks are on
    one machine.
    """

    name: BackendName
    launcher: Word
    devices: Devices | None = None
    check: DeviceCheck
    deadlines: Deadlines
    one_machine: list[str] = []

    @property
    def full_name(self) -> str:
        """Name and device, as records are named: ``gloo-cuda``."""
        return f"{self.name}-{self.device}"

    def across_machines(self) -> Backend:
        """Makes the backend as it is where its ranks are on several machines."""
        kept = {name: value for name, value in self.environment.items() if name not in self.one_machine}
        return msgspec.structs.replace(self, environment=kept)


class _File(Record, frozen=True, kw_only=True):
    backend: Annotated[list[Backend], Meta(min_length=1, max_length=100)]

    def __post_init__(self) -> None:
        """Raises ValueError where a backend is described twice."""
        refuse_repeated("backend", ((one.name, one.framework, one.device) for one in self.backend))


def load_backends() -> list[Backend]:
    """Reads all backends. Raises DataError where the file is broken."""
    return read_settings(conf_file("backends.toml"), _File).backend


def find_backends(backends: Iterable[Backend], name: str, framework: str | None = None) -> list[Backend]:
    """Finds the backends that a user means by ``name``: ``gloo-cuda`` for gloo on GPUs, ``gloo`` for the first that is described.

    There may be one of each framework. Raises ApidiffError, with the names that there are, where it means none.
    """
    known = list(backends)
    wanted = [backend for backend in known if framework in {None, backend.framework}]
    first = {backend.framework: backend for backend in reversed(wanted) if backend.name == name}
    meant = [backend for backend in wanted if name == backend.full_name or first.get(backend.framework) is backend]
    if not meant:
        of = f" of {framework}" if framework else ""
        there = ", ".join(f"{backend.full_name} ({backend.framework})" for backend in known)
        raise ApidiffError(f"No backend is called {typed(name)}{of}. There are: {there}.")
    return meant
