"""Turns records and verdicts into text in both languages. Knows nothing of processes, frameworks or Sphinx."""

from __future__ import annotations

from apidiff.render.counterparts import counterparts
from apidiff.render.entry import entries

__all__ = ["counterparts", "entries"]
