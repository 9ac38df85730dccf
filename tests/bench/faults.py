"""How many of the faults of the fault suite are survived."""

from __future__ import annotations

import traceback
from collections.abc import Callable

import pytest

from tests.bench.measure import Measure
from tests.faults.place import Unavailable
from tests.faults.table import FAULTS, survive


def measure_faults(tell: Callable[[str], None]) -> Measure:
    """The faults that were not survived, by name, against those that were tried."""
    lost, tried = [], 0
    for name in FAULTS:
        try:
            survive(name)
        except Unavailable as reason:
            tell(f"not tried: {name} ({reason})")
            continue
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - whatever goes wrong, it was not survived
            tell(f"NOT SURVIVED: {name}")
            tell("".join(traceback.format_exception(error)))
            lost.append(name)
        tried += 1
    named = f": {'; '.join(lost)}" if lost else ""
    return Measure(
        f"faults not survived{named} ({tried} tried, {tried - len(lost)} survived)",
        "faults tried",
        len(lost),
        tried,
        0.0,
        "faults",
    )
