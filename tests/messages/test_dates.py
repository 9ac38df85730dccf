"""Dates of records as readers see them."""

from __future__ import annotations

import pytest

from apidiff.messages.dates import spelt_date
from apidiff.model.base import Language

# (as a record has it, language, as it is shown)
DATES: list[tuple[str, Language, str]] = [
    ("2026-11-21T13:14:10Z", "en", "21 November 2026, 13:14 UTC"),
    ("2026-11-21T13:14:10Z", "zh", "2026 年 11 月 21 日 13:14（UTC）"),
    ("2026-01-01T00:30:00+08:00", "en", "31 December 2025, 16:30 UTC"),
    ("2026-03-05T04:05:06.789+00:00", "zh", "2026 年 3 月 5 日 04:05（UTC）"),
    ("2026-11-21T13:14:10", "en", "2026-11-21T13:14:10"),  # of which zone is not said
    ("yesterday", "zh", "yesterday"),
]


@pytest.mark.parametrize(("exact", "language", "shown"), DATES)
def test_dates(exact: str, language: Language, shown: str) -> None:
    assert spelt_date(exact, language) == shown
