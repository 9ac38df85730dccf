"""How many of the faults of the fault suite are survived, and of hostile inputs, by class."""

from __future__ import annotations

import io
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr

import pytest

from tests.bench.measure import Measure
from tests.faults.place import Unavailable
from tests.faults.table import FAULTS, KINDS, survive
from tests.fuzz.fuzzing import fuzz
from tests.fuzz.targets import TARGETS

_INPUTS = 200  # of each target


def measure_faults(tell: Callable[[str], None]) -> Measure:
    """The faults that were not survived, by name, against those that were tried; tells of each class what came of it."""
    lost, tried = [], 0
    by_class: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    kinds = {name: kind for kind, faults in KINDS.items() for name in faults}
    for name in FAULTS:
        try:
            with redirect_stderr(io.StringIO()) as said:  # a thousand notes of the journals that are damaged here
                survive(name)
        except Unavailable as reason:
            tell(f"not tried: {name} ({reason})")
            by_class[kinds[name]]["not tried"] += 1
            continue
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - whatever goes wrong, it was not survived
            tell(f"NOT SURVIVED: {name}")
            tell("".join(traceback.format_exception(error)) + said.getvalue())
            lost.append(name)
            by_class[kinds[name]]["not survived"] += 1
        else:
            by_class[kinds[name]]["survived"] += 1
        tried += 1
        by_class[kinds[name]]["tried"] += 1
    for target in TARGETS:
        tried += 1
        try:
            counts = fuzz(target, _INPUTS)
        except Unavailable as reason:
            tell(f"not tried: {target} ({reason})")
            tried -= 1
            continue
        except Exception as error:  # noqa: BLE001 - as above
            tell("".join(traceback.format_exception(error)))
            lost.append(target)
            by_class[target] = Counter({"tried": _INPUTS, "not survived": 1})
            continue
        by_class[target] = counts + Counter(tried=counts.total())
    tell(f"{'class':24} {'tried':>6} {'refused':>8} {'survived':>9} {'not survived':>13}")
    for name, counts in by_class.items():
        tell(f"{name:24} {counts['tried']:6} {counts['refused']:8} {counts['survived']:9} {counts['not survived']:13}")
    named = f": {'; '.join(lost)}" if lost else ""
    return Measure(
        f"faults not survived{named} ({tried} tried, {tried - len(lost)} survived)",
        "faults tried",
        len(lost),
        tried,
        0.0,
        "faults",
    )
