"""Calls that ranks make in tests of faults; found by dotted name like any API."""

import os
import signal
import time


def rank() -> int:
    return int(os.environ.get("RANK") or os.environ["RANK_ID"])


def well(tensor: object) -> object:
    return tensor


def hang(on: int, tensor: object) -> None:
    if rank() == on:
        print("about to hang", flush=True)
        time.sleep(600)


def refuse_on(on: int, tensor: object) -> None:
    """One rank raises, the others wait for it."""
    if rank() == on:
        raise LookupError("not with me")
    time.sleep(600)


def say(what: str) -> None:
    print(what, flush=True)


def die(on: int) -> None:
    if rank() == on:
        print("about to die", flush=True)
        os.kill(os.getpid(), signal.SIGKILL)


def spoil() -> None:
    """Leaves the rank in a state that only its next collective shows."""
    import torch.distributed

    torch.distributed.all_reduce = lambda *_, **__: None


def mute() -> None:
    """Makes every later call of the rank a call of nothing, while what its own code calls directly still works."""
    from apidiff.execute.ranks.adapter import Adapter

    Adapter._call = lambda *_: None  # type: ignore[method-assign]


def stop_copying() -> None:
    """Leaves one kind of collective without effect; sums are still right."""
    import torch.distributed

    torch.distributed.broadcast = lambda *_, **__: None


def copy_itself() -> str:
    """Returns in two processes, later in the second."""
    if os.fork() == 0:
        time.sleep(1)
    return "from a call"


def another(tensor: object) -> int:
    """Never returns the same twice."""
    return time.monotonic_ns()


def refuse(how: str) -> None:
    raise LookupError(
        f"{how} at 0x7f00deadbeef\n\n----\n- C++ Call Stack: (For framework developers)\n----\nx.cc:1 f\n"
    )
