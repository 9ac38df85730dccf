"""Derives from signatures and cited documents when an API came, went and changed; imports nothing but the model."""

from __future__ import annotations

from apidiff.derive.api_history.change import SIGNATURES, STUBS, Change, ChangeKind
from apidiff.derive.api_history.compare import compare_files
from apidiff.derive.api_history.impact import Touched, touched
from apidiff.derive.api_history.timeline import timeline

__all__ = ["SIGNATURES", "STUBS", "Change", "ChangeKind", "Touched", "compare_files", "timeline", "touched"]
