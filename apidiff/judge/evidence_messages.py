"""The words of evidence that are ours, not a framework's.

The judge writes lines with them; pages read them again to show them in another language.
"""

from __future__ import annotations

# What follows the rank that a line is about. {braces} hold names and values of the run.
TEMPLATES = {
    "no_exception": "no exception",
    "timeout": "timeout",
    "crash": "crash",
    "returned": "returned {value}",
    "nothing_at": "nothing at {slot}",
    "no_input": "no input at {slot}",
    "nothing_to_compare": "nothing to compare at {slot} and {other}",
    "no_other_end": "the probe names no rank at the other end",
    "object": "{slot}, {other}: object",
    "storage": "{slot}, {other}: storage",
    "nothing": "{slot}, {other}: nothing",
    "printed": "printed {got} ≠ {wanted}",
    "also_by": "{error} (also by probe {probe})",
}


def said(rank: int, key: str, **values: object) -> str:
    """``rank 0: returned None``: the line about ``rank`` with the words under ``key``."""
    return f"rank {rank}: {TEMPLATES[key].format(**values)}"
