"""Signals that end a command: what it began is put away first, temporary folders and processes."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial

# Some systems have no terminal to close.
_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def end_in_order() -> None:
    """Has this process, which is a command alone, end at a signal by KeyboardInterrupt or SystemExit (143, 129)."""
    for number in _ENDING:
        if signal.getsignal(number) in {signal.SIG_DFL, signal.default_int_handler}:
            signal.signal(number, _end)


@contextlib.contextmanager
def ending_in_order() -> Iterator[None]:
    """Has a process that is another's end in order within this block. It does nothing outside the main thread."""
    import threading

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _ENDING}
    end_in_order()
    try:
        yield
    finally:
        dropped = _take_dropped()
        for number, handler in before.items():
            if handler is not None:  # None: another language than Python set it
                signal.signal(number, handler)
        if dropped:
            signal.raise_signal(dropped)


def end_at_once() -> None:
    """Has a process end at a signal without a word: what there is another puts away, which forked it, or is put away."""
    held, _Held.signal = _Held.signal, 0
    _Held.blocks += 1  # one that comes while they are set is noted, and raises nothing here
    _take_dropped()
    for number in _ENDING:
        before = signal.getsignal(number)
        if before is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_IGN if before is _pass_over else signal.SIG_DFL)
    _Held.blocks -= 1
    noted, _Held.signal = _Held.signal, held
    if noted:
        signal.raise_signal(noted)


def leave_to_parent() -> None:
    """Has a forked process ignore the signals that end a command: the process that forked it ends it."""
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Puts off the end by a signal until this block is done, so that what it makes is known to who puts it away.

    Keep it short: nothing else ends the block. It does nothing outside the main thread, where no signal ends anything.
    """
    import threading  # few commands need it

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _Held.blocks += 1
    try:
        yield
    finally:
        _Held.blocks -= 1
        if _Held.signal and not _Held.blocks:
            _end(_Held.signal, None)


class _Held:
    """How many blocks hold signals, one in the other, and the signal that came meanwhile; 0 for none.

    ``dropped``: the signal by which the command is still to end once more.
    """

    blocks = 0
    signal = 0
    dropped = 0


def _end(number: int, _frame: object) -> None:
    """Ends the command. A second signal does not interrupt what is put away then."""
    if _Held.blocks:
        _Held.signal = _Held.signal or number
        return
    _Held.signal = 0
    for other in _ENDING:
        if signal.getsignal(other) is not signal.SIG_IGN:
            signal.signal(other, _pass_over)
    sys.unraisablehook = partial(_end_later, number, sys.unraisablehook)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)


def _end_later(number: int, hook: Callable[[sys.UnraisableHookArgs], object], dropped: sys.UnraisableHookArgs) -> None:
    """Ends the command once more where Python dropped the end: in a ``__del__``, or in what it calls as a process forks."""
    if not isinstance(dropped.exc_value, (KeyboardInterrupt, SystemExit)):
        hook(dropped)
        return
    sys.unraisablehook = hook
    _Held.dropped = number
    # Not from here: Python would drop it again.
    signal.signal(signal.SIGALRM, _end_again)
    signal.setitimer(signal.ITIMER_REAL, 0.01)


def _end_again(_number: int, frame: object) -> None:
    number, _Held.dropped = _Held.dropped, 0
    if number:
        _end(number, frame)


def _take_dropped() -> int:
    """The signal by which the command is still to end once more, which it then does not; 0 for none."""
    number, _Held.dropped = _Held.dropped, 0
    if number:  # the alarm would end it by itself once Python has no handler any more
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
    return number


def _pass_over(_number: int, _frame: object) -> None:
    """Ignores a signal. Of one that is already there CPython would say so, where it is to be ignored by `SIG_IGN`."""
