"""The devices on which single calls are made: what ``conf/single.toml`` describes."""

from __future__ import annotations

import re
import tomllib
from functools import cached_property

import msgspec

from apidiff.database.paths import conf_file
from apidiff.errors import DataError
from apidiff.model.base import Record


class Deadlines(Record, frozen=True, kw_only=True):
    """Seconds: for a process to come up, and for one call."""

    start: float
    call: float


class Device(Record, frozen=True, kw_only=True, dict=True, gc=True):
    """One framework on one device.

    ``environment``: variables set for its processes. ``unsupported``: regular expressions over error messages by which the
    framework says that it has no kernel.
    """

    framework: str
    device: str
    deadlines: Deadlines
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
    try:
        plain = tomllib.loads(path.read_text(encoding="utf-8"))
        devices = msgspec.convert(plain, _File).device
        for device in devices:
            _ = device.unsupported_patterns
    except OSError as error:
        raise DataError(path, None, f"cannot be read ({error.strerror})", "Restore it from version control.") from error
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise DataError(path, int(line[1]) if line else None, f"broken TOML: {error}", "Mend the syntax.") from error
    except (msgspec.ValidationError, re.error) as error:
        remedy = "See apidiff/database/devices.py for the keys."
        raise DataError(path, None, f"describes no devices: {error}", remedy) from error
    return devices
