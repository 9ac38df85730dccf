"""Dates as a reader of either language writes them, in UTC."""

from __future__ import annotations

from datetime import UTC, datetime

from apidiff.messages.labels import LABELS, Language, filled


def spelt_date(exact: str, language: Language) -> str:
    """``21 November 2026, 13:14 UTC`` for ``2026-11-21T13:14:10Z``; what is no such moment stays as it is."""
    try:
        found = datetime.fromisoformat(exact)
    except ValueError:
        return exact
    if found.tzinfo is None:
        return exact
    found = found.astimezone(UTC)
    time = f"{found.hour:02}:{found.minute:02}"
    month = LABELS[f"month.{found.month}"]
    text = filled("date.exact", day=found.day, month=month, year=found.year, time=time)
    return text.en if language == "en" else text.zh
