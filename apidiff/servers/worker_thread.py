"""A thread for one call after another that nothing waits for when the process ends: an analysis may take long."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")


class WorkerThread(Executor):
    """An executor of one thread called ``name``. That of the standard library is waited for however long its call takes."""

    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        Thread(target=self._work, name=name, daemon=True).start()

    def submit(self, call: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Have ``call`` called when those before it are done, unless it is cancelled until then."""
        future: Future[_T] = Future()
        self._calls.put(partial(_settle, future, partial(call, *args, **kwargs)))
        return future

    def _work(self) -> None:
        while True:
            self._calls.get()()


def _settle(future: Future[_T], call: Callable[[], _T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = call()
    except BaseException as error:  # noqa: BLE001 - whoever asked raises it
        future.set_exception(error)
    else:
        future.set_result(result)
