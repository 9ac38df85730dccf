"""Derives from signatures and cited documents when an API came, went and changed; imports nothing but the model."""

from __future__ import annotations

from apidiff.history.change import SIGNATURES, STUBS, Change, ChangeKind
from apidiff.history.compare import compare_files
from apidiff.history.timeline import Point, timeline
from apidiff.history.touched import Touched, touched

__all__ = ["SIGNATURES", "STUBS", "Change", "ChangeKind", "Point", "Touched", "compare_files", "timeline", "touched"]
