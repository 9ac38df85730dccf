"""The devices on which single calls are made: what ``conf/single.toml`` describes."""

from __future__ import annotations

import re
from functools import cached_property

from apidiff.database.paths import conf_file
from apidiff.database.toml import read_toml
from apidiff.errors import DataError
from apidiff.model.base import Record


class Deadlines(Record, frozen=True, kw_only=True):
    """Seconds: for a process to come up, for one call, and for one that is compiled to a graph first."""

    start: float
    call: float
    graph: float = 60.0


class Device(Record, frozen=True, kw_only=True, dict=True, gc=True):
    """One framework on one device.

    ``environment``: variables set for its processes. ``unsupported``: regular expressions over error messages by which the
    framework says that it has no kernel. ``memory``: GiB that a process may hold; one that holds more is ended.
    """

    framework: str
    device: str
    deadlines: Deadlines
    memory: float = 8.0
    environment: dict[str, str] = {}
    unsupported: list[str] = []

    @cached_property
    def unsupported_patterns(self) -> list[re.Pattern[str]]:
        """``unsupported``, compiled."""
        return [re.compile(pattern) for pattern in self.unsupported]


class _File(Record, frozen=True, kw_only=True):
    device: list[Device]


def load_devices() -> list[Device]:
    """All devices described. Raises DataError where the file is broken."""
    path = conf_file("single.toml")

    def broken(error: Exception) -> DataError:
        remedy = "See apidiff/database/devices.py for the keys."
        return DataError(path, None, f"describes no devices: {error}", remedy)

    devices = read_toml(path, _File, lambda _, error: broken(error)).device
    try:
        for device in devices:
            _ = device.unsupported_patterns
    except re.error as error:
        raise broken(error) from error
    return devices
