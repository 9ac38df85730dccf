"""The log of a server: errors on standard error, each told in a line or two."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path
from typing import Any

from apidiff.messages.escape_invisible import unbroken, visible


def log_in_lines() -> None:
    """Send errors to standard error. What a library sets up for logging later changes nothing."""
    told = logging.StreamHandler()
    told.setFormatter(_InOneLine("apidiff: %(message)s"))
    logging.basicConfig(level=logging.ERROR, handlers=[told])


class _InOneLine(logging.Formatter):
    """Tells an error with its place in one line: users see it, and broken messages come by the hundred."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        return visible(
            super().formatMessage(record).partition("\n")[0]
        )  # libraries write tracebacks into some of its messages

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's own name
        last = traceback.extract_tb(ei[2], limit=-1)  # of a recursion there are a thousand
        place = f", {Path(last[-1].filename).name}:{last[-1].lineno}" if last else ""
        return unbroken(f"  {ei[0].__name__}: {str(ei[1])[:200]}{place}")
