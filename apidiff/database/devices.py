"""The devices on which single calls are made: what ``conf/single.toml`` describes."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from apidiff.database.paths import conf_file
from apidiff.database.process_settings import Gibibytes, ProcessSettings, Seconds, read_settings, refuse_repeated
from apidiff.model.base import Record


class Deadlines(Record, frozen=True, kw_only=True):
    """Seconds: for a process to come up, for one call, and for one that is compiled to a graph first."""

    start: Seconds
    call: Seconds
    graph: Seconds = 60.0


class Device(ProcessSettings, frozen=True, kw_only=True, dict=True, gc=True):
    """One framework on one device. ``memory``: GiB that a process may hold; one that holds more is ended."""

    deadlines: Deadlines
    memory: Gibibytes = 8.0


class _File(Record, frozen=True, kw_only=True):
    device: Annotated[list[Device], Meta(min_length=1, max_length=100)]

    def __post_init__(self) -> None:
        """Raises ValueError where a framework is described twice on one device."""
        refuse_repeated("device", ((one.framework, one.device) for one in self.device))


def load_devices() -> list[Device]:
    """All devices described. Raises DataError where the file is broken."""
    return read_settings(conf_file("single.toml"), _File).device
