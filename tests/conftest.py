"""What holds for every test."""

from __future__ import annotations

import os
import signal


def pytest_configure() -> None:
    """Takes Ctrl-C even where the tests were started with it ignored (in the background of a shell without job control).

    Processes started by tests inherit what is ignored; the tests that interrupt them would wait for nothing. Sets the limit of
    pytest-timeout too: in pyproject.toml it would be an unknown option where that is not installed.
    """
    os.environ.setdefault("PYTEST_TIMEOUT", "600")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
