"""Derives outcomes from traces: an independent NumPy oracle of each collective, and one judge per kind of claim.

Everything here is a pure function of a claim and a run record, so a verdict can be recomputed from what is checked in.
"""

from __future__ import annotations

from apidiff.judge.outcome import judge_claim, ranks_of
from apidiff.judge.recorded_values import structure_of
from apidiff.judge.verdicts import Context, make_context, observe

__all__ = ["Context", "judge_claim", "make_context", "observe", "ranks_of", "structure_of"]
