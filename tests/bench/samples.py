"""Making all samples, written and extracted, with both frameworks on the CPU: how long it takes, and how much is as recorded."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from apidiff.database import load
from apidiff.verification.samples import devices_here, verify_samples
from tests.bench.measure import Measure

_LIMIT_S = 900.0
_CHANGED = 0.0005  # of the verdicts: what comes out either way


def measure_samples(tell: Callable[[str], None]) -> list[Measure]:
    """Two measures: the wall time of the whole, and the part of its verdicts that are not what is recorded."""
    data, devices = load(), devices_here()
    start, verdicts, changed = time.perf_counter(), 0, 0
    with tempfile.TemporaryDirectory() as logs:
        for extracted in (False, True):
            tell(f"making the {'extracted' if extracted else 'written'} samples")
            result = verify_samples(data, devices, Path(logs), extracted=extracted)
            verdicts += sum(sum(counts.values()) for counts in result.counts.values())
            changed += len(result.changes)
            for change in result.changes:
                tell(change.text())
    seconds = time.perf_counter() - start
    names = " and ".join(device.framework for device in devices)
    return [
        Measure(
            f"making all samples with {names} on {os.cpu_count()} cores ({verdicts} verdicts)",
            "15 minutes, as 2 cores may take",
            seconds,
            _LIMIT_S,
            1.0,
        ),
        Measure("verdicts that are not what is recorded", "all", changed, verdicts, _CHANGED, "verdicts"),
    ]
