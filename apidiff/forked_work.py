"""Does work in forked processes, which leave signals to the process that forked them: it ends them, whatever ends the work.

The pools of the standard library do not: at a signal to all of them, as Ctrl-C is, their processes may be waited for without
end, and write tracebacks.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
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

    Raises what the work raises, ChildProcessError where a process was killed, and OSError where none can be started.
    """
    workers: dict[Connection, BaseProcess] = {}
    try:
        for _ in range(count):
            _start(begin, workers)
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
                if process.pid is not None:  # it was started
                    process.kill()
                    process.join()
                here.close()


def in_bounds(work: Callable[[], _Result], *, seconds: int, memory: int) -> _Result:
    """Return what ``work`` returns, done in a process that ends at its bounds: what a stranger wrote may keep it busy for hours.

    Args:
        work: what is done; what it returns is passed between processes.
        seconds: of a processor that it may take.
        memory: bytes of data that the process may hold beside those of this one; bound on Linux alone.

    Raises what the work raises, MemoryError where it asks for more memory, ChildProcessError where it was killed, and OSError
    where no process can be started.
    """

    def begin() -> Callable[[None], _Result]:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        if sys.platform == "linux":
            most = _data_held() + memory
            resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        return lambda _: work()

    with closing(in_processes(begin, [None], 1)) as found:
        return next(found)


def _data_held() -> int:
    """The bytes of data of this process, as Linux counts them for its bound."""
    lines = Path("/proc/self/status").read_text("ascii", "replace").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmData:"))


def _start(begin: Callable[[], Callable[[_Share], _Result]], workers: dict[Connection, BaseProcess]) -> None:
    """Starts one more of ``workers``. It is one of them before it runs: a signal may be raised as soon as it does.

    Raises OSError where it cannot be started.
    """
    context = get_context("fork")
    here, there = context.Pipe()
    with closing(there):
        process = context.Process(target=_work, args=(there, workers, begin), daemon=True)
        workers[here] = process
        with held():  # in the new process too, until it leaves signals to this one
            process.start()


def _give_next(here: Connection, todo: Iterator[int], shares: Sequence[_Share], doing: dict[Connection, int]) -> None:
    number = next(todo, None)
    if number is not None:
        here.send(shares[number])
        doing[here] = number


def _work(pipe: Connection, others: Iterable[Connection], begin: Callable[[], Callable[[_Share], _Result]]) -> None:
    """Answers until the other end of ``pipe`` is gone; ``others`` are copies of that and of what leads to other processes."""
    leave_to_parent()
    for other in others:  # or the end of who asks would not be seen
        other.close()
    work = None
    try:
        while True:
            share = pipe.recv()
            failed: Exception | None = None
            try:
                work = work or begin()
                answer = _packed(work(share), None)
            except Exception as error:  # noqa: BLE001 - raised by who asked
                failed = error
            if failed is not None:
                answer = _packed_fault(failed)
            pipe.send_bytes(answer)
    except (EOFError, ConnectionError):  # the other end is gone
        return
    except MemoryError:  # there is none to say so with: who asked sees that this process is gone
        os._exit(1)


def _packed(result: object, error: Exception | None) -> memoryview:
    return ForkingPickler.dumps((result, error))


def _packed_fault(error: Exception) -> memoryview:
    """``error``, packed without the frames that it was raised in; of one that cannot be passed on, what it was."""
    error.__traceback__ = error.__cause__ = error.__context__ = None
    try:
        packed = _packed(None, error)
        ForkingPickler.loads(packed)
    except Exception:  # noqa: BLE001 - an error may hold anything, and may be made of something else than it says
        return _packed(None, ChildProcessError(f"{type(error).__name__} in a process"))
    return packed
