"""Gathers what verdicts need beside claims and runs: the backends' patterns and the examples' texts."""

from __future__ import annotations

from collections.abc import Sequence

from apidiff.database.backends import Backend
from apidiff.database.examples import Example
from apidiff.judge import Context
from apidiff.judge.correspondence import Signatures


def make_context(
    backends: Sequence[Backend], examples: Sequence[Example], signatures: Signatures | None = None
) -> Context:
    """The context for ``backends`` (by name, framework and device), ``examples`` (by path) and ``signatures`` (by version)."""
    return Context(
        unsupported={(one.name, one.framework, one.device): one.unsupported_patterns for one in backends},
        examples={one.path: (one.code, one.expected) for one in examples},
        signatures=signatures or {},
    )
