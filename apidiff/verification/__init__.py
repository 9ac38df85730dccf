"""Runs claims and judges what comes back: what needs both `execute` and `judge`, for commands and the pytest plugin."""

from __future__ import annotations

from apidiff.verification.confirmed_run import verify
from apidiff.verification.verdict_changes import (
    Change,
    base_record,
    compare,
    difference,
    observations,
    recorded_by_others,
)

__all__ = ["Change", "base_record", "compare", "difference", "observations", "recorded_by_others", "verify"]
