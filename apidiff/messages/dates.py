"""Dates as a reader of either language writes them, in UTC."""

from __future__ import annotations

from datetime import UTC, datetime

from apidiff.messages.labels import Language

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


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
    if language == "zh":
        return f"{found.year} 年 {found.month} 月 {found.day} 日 {time}（UTC）"
    return f"{found.day} {_MONTHS[found.month - 1]} {found.year}, {time} UTC"
