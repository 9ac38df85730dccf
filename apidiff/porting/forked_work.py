"""Does work in forked processes, which leave signals to the process that forked them: it ends them, whatever ends the work.

The pools of the standard library do not: at a signal to all of them, as Ctrl-C is, their processes may be waited for without
end, and write tracebacks.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import TypeVar

from apidiff.ending_signals import held, leave_to_parent

_Share = TypeVar("_Share")
_Result = TypeVar("_Result")


def in_processes(
    begin: Callable[[], Callable[[_Share], _Result]], shares: Sequence[_Share], count: int
) -> Generator[_Result]:
    """Yield what the work makes of each of ``shares``, in their order; close what is returned, or go through it to its end.

    Args:
        begin: called in each process, for the work, once it has a share.
        shares: what the work is given, one after another.
        count: how many processes work at a time.

    Raises what the work raises, and ChildProcessError where a process was killed.
    """
    workers: dict[Connection, BaseProcess] = {}
    try:
        for _ in range(count):
            here, process = _started(begin)
            workers[here] = process
        todo = iter(range(len(shares)))
        doing: dict[Connection, int] = {}
        done: dict[int, _Result] = {}
        for here in workers:
            _give_next(here, todo, shares, doing)
        for number in range(len(shares)):
            while number not in done:
                for here in [one for one in wait(list(doing)) if isinstance(one, Connection)]:
                    result, error = here.recv()
                    if error is not None:
                        raise error
                    done[doing.pop(here)] = result
                    _give_next(here, todo, shares, doing)
            yield done.pop(number)
    except (EOFError, ConnectionError) as error:
        raise ChildProcessError("a process was killed") from error
    finally:
        with held():
            for here, process in workers.items():
                process.kill()
                process.join()
                here.close()


def _started(begin: Callable[[], Callable[[_Share], _Result]]) -> tuple[Connection, BaseProcess]:
    context = get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=_work, args=(there, begin), daemon=True)
    try:
        with held():  # in the new process too, until it leaves signals to this one
            process.start()
    except BaseException:
        here.close()
        raise
    finally:
        there.close()
    return here, process


def _give_next(here: Connection, todo: Iterator[int], shares: Sequence[_Share], doing: dict[Connection, int]) -> None:
    number = next(todo, None)
    if number is not None:
        here.send(shares[number])
        doing[here] = number


def _work(pipe: Connection, begin: Callable[[], Callable[[_Share], _Result]]) -> None:
    leave_to_parent()
    work = None
    with suppress(EOFError, ConnectionError):  # the other end is gone
        while True:
            share = pipe.recv()
            answer: tuple[_Result | None, Exception | None]
            try:
                work = work or begin()
                answer = work(share), None
            except Exception as error:  # noqa: BLE001 - raised by who asked
                answer = None, error
            pipe.send(answer)
