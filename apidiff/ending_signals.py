"""Signals that end a command: what it began is put away first, temporary folders and processes."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
from _thread import allocate_lock
from collections.abc import Callable, Iterator
from functools import partial
from typing import ClassVar, TypeVar

Made = TypeVar("Made")

# Some systems have no terminal to close.
_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_AGAIN_S = 10.0  # after which it is looked whether the end is on its way, or some code has caught it and goes on


def end_in_order() -> None:
    """Has this process, which is a command alone, end at a signal by KeyboardInterrupt or SystemExit (143, 129)."""
    for number in _ENDING:
        if signal.getsignal(number) in {signal.SIG_DFL, signal.default_int_handler}:
            signal.signal(number, _end)
    atexit.register(_take_ending)  # then Python has no handlers any more, and an alarm would end it by itself


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
        is_dropped, ending = _Held.is_dropped, _take_ending()  # what was caught in the block was meant to be
        for number, handler in before.items():
            if handler is not None:  # None: another language than Python set it
                signal.signal(number, handler)
        if is_dropped:
            signal.raise_signal(ending)


def end_at_once() -> None:
    """Has a process end at a signal without a word: what there is another puts away, which forked it, or is put away."""
    held, _Held.signal = _Held.signal, 0
    _Held.blocks += 1  # one that comes while they are set is noted, and raises nothing here
    _take_ending()
    for number in _ENDING:
        before = signal.getsignal(number)
        if before is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_IGN if before is _pass_over else signal.SIG_DFL)
    _Held.blocks -= 1
    noted, _Held.signal = _Held.signal, held
    if noted:
        signal.raise_signal(noted)


def end_putting_away() -> None:
    """Has a server end at a signal without a word, once what its other threads have made is put away: see `put_away_at_end`."""
    end_at_once()
    for number in _ENDING:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end_here)


@contextlib.contextmanager
def put_away_at_end(make: Callable[[], Made], put_away: Callable[[Made], object]) -> Iterator[Made]:
    """Makes something that `end_putting_away` puts away, whichever thread has made it; who leaves the block has put it away."""
    with _Beside.making:
        made = make()
        _Beside.put_away[id(made)] = partial(put_away, made)
    try:
        yield made
    finally:
        _Beside.put_away.pop(id(made), None)


class _Beside:
    """What may be left where another thread than the main one works.

    ``making``: held while something is made, and for good at the end.
    """

    making = allocate_lock()
    put_away: ClassVar[dict[int, Callable[[], object]]] = {}

    @staticmethod
    def begin() -> None:
        """Know of nothing, as a process that was forked does: what its parent has made is its parent's."""
        _Beside.making, _Beside.put_away = allocate_lock(), {}


os.register_at_fork(after_in_child=_Beside.begin)


def _end_here(number: int, _frame: object) -> None:
    _Beside.making.acquire(timeout=1)  # never released: nothing more is made
    while _Beside.put_away:
        with contextlib.suppress(Exception):
            _Beside.put_away.popitem()[1]()
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)


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

    ``ending``: the signal by which the command ends; ``end``: what was raised for it; ``is_dropped``: whether Python
    dropped that.
    """

    blocks = 0
    signal = 0
    ending = 0
    end: BaseException | None = None
    is_dropped = False


def _end(number: int, _frame: object) -> None:
    """Ends the command. A second signal does not interrupt what is put away then."""
    if _Held.blocks:
        _Held.signal = _Held.signal or number
        return
    _Held.signal = 0
    for other in _ENDING:
        if signal.getsignal(other) is not signal.SIG_IGN:
            signal.signal(other, _pass_over)
    sys.unraisablehook = partial(_end_later, sys.unraisablehook)
    _Held.ending, _Held.is_dropped = number, False
    _Held.end = KeyboardInterrupt() if number == signal.SIGINT else SystemExit(128 + number)
    _look_again(_AGAIN_S)
    raise _Held.end


def _end_later(hook: Callable[[sys.UnraisableHookArgs], object], dropped: sys.UnraisableHookArgs) -> None:
    """Ends the command once more where Python dropped the end: in a ``__del__``, or in what it calls as a process forks."""
    if not isinstance(dropped.exc_value, (KeyboardInterrupt, SystemExit)):
        hook(dropped)
        return
    sys.unraisablehook = hook
    _Held.is_dropped = True
    _look_again(0.01)  # not from here: Python would drop it again


def _look_again(seconds: float) -> None:
    signal.signal(signal.SIGALRM, _end_again)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _end_again(_number: int, frame: object) -> None:
    """Ends the command once more, unless what it began is being put away: any code may have caught what was raised."""
    if end_behind(sys.exc_info()[1]):  # what is handled as the alarm comes, or is on its way through a `finally`
        _look_again(_AGAIN_S)
    elif _Held.ending:
        _end(_Held.ending, frame)


def end_behind(error: BaseException | None) -> int:
    """The exit code of an end by a signal of which ``error`` came about, as by a library that cannot be imported then; else 0."""
    while error is not None and error is not _Held.end:
        error = error.__context__
    return 0 if error is None else 128 + _Held.ending


def _take_ending() -> int:
    """The signal by which the command ends, which it is not to do once more; 0 for none."""
    number, _Held.ending, _Held.end, _Held.is_dropped = _Held.ending, 0, None, False
    if number:  # the alarm would end it by itself once Python has no handler any more
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
    return number


def _pass_over(_number: int, _frame: object) -> None:
    """Ignores a signal. Of one that is already there CPython would say so, where it is to be ignored by `SIG_IGN`."""
