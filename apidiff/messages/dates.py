"""Dates as a reader of either language writes them, in UTC."""

from __future__ import annotations

from datetime import UTC, datetime

from apidiff.messages.labels import LABELS, filled
from apidiff.model.base import Language


def spelt_date(exact: str, language: Language) -> str:
    """``21 November 2026, 13:14 UTC`` for ``2026-11-21T13:14:10Z``; what is no such moment stays as it is."""
    try:
        date = datetime.fromisoformat(exact)
    except ValueError:
        return exact
    if date.tzinfo is None:
        return exact
    date = date.astimezone(UTC)
    time = f"{date.hour:02}:{date.minute:02}"
    month = LABELS[f"month.{date.month}"]
    text = filled("date.exact", day=date.day, month=month, year=date.year, time=time)
    return text.said_in(language)
