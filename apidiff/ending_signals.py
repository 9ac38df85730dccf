"""Signals that end a command: what it began is put away first, temporary folders and processes."""

from __future__ import annotations

import signal
import sys

# Some systems have no terminal to close.
_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def end_in_order() -> None:
    """Has this process, which is a command alone, end at a signal by KeyboardInterrupt or SystemExit (143, 129)."""
    for number in _ENDING:
        if signal.getsignal(number) in {signal.SIG_DFL, signal.default_int_handler}:
            signal.signal(number, _end)


def end_at_once() -> None:
    """Has a process end at a signal without a word: what there is another puts away, which forked it, or is put away."""
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def _end(number: int, _frame: object) -> None:
    """Ends the command. A second signal does not interrupt what is put away then."""
    for other in _ENDING:
        signal.signal(other, signal.SIG_IGN)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)
