"""What torch.distributed.breakpoint does, in MindSpore: Python's own breakpoint on one rank, then a barrier.

Nobody types here: the debugger only says that it has stopped. The device is the
one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on standard error. Where the
device has no kernel for the call, every rank says so and ends with exit code 3 (msrun logs that code and itself ends
with 1). On Ascend, put DEVICE_TARGET=Ascend before the command; that has not been run, so no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.breakpoint/mindspore_recipe.py

Output (CPU):
    rank 0: of 3 goes on after 0.4 s or more: True
    rank 1: stopped
    rank 1: of 3 goes on after 0.4 s or more: True
    rank 2: of 3 goes on after 0.4 s or more: True
"""  # noqa: E501

import atexit
import os
import sys
import time

if __name__ == "__main__":
    exit_code = 0
    # When one rank ends with an error, msrun kills the others; one killed before MindSpore has signed it off from the
    # scheduler keeps msrun waiting for 30 seconds. Registered before MindSpore is imported, this waits after sign-off.
    atexit.register(lambda: time.sleep(5 if exit_code else 0))

import mindspore
import numpy as np  # noqa: F401
from mindspore import Tensor  # noqa: F401
from mindspore.communication import get_group_size, get_rank, init
from mindspore.mint import distributed as dist

API = "breakpoint"
EXIT_UNSUPPORTED = 3


def example(rank: int, world_size: int) -> None:
    """Stops rank 1, with a debugger that does not ask for commands."""
    from unittest import mock

    def breakpoint_on(chosen: int) -> None:
        if rank == chosen:
            breakpoint()
        dist.barrier()
        mindspore.runtime.synchronize()  # the first barrier of a process returns before the others have come

    def stop(*_: object) -> None:
        print(f"rank {rank}: stopped")
        time.sleep(0.5)

    dist.barrier()  # the ranks do not start at the same moment
    mindspore.runtime.synchronize()
    started = time.monotonic()
    with mock.patch.object(sys, "breakpointhook", stop):
        breakpoint_on(1)
    print(f"rank {rank}: of {world_size} goes on after 0.4 s or more: {time.monotonic() - started > 0.4}")


def main() -> int:
    """Starts the communication, runs the example on this rank and returns its exit code."""
    sys.stdout.reconfigure(line_buffering=True, write_through=False)  # whole lines: those of the ranks must not mix
    device = os.environ.get("DEVICE_TARGET", "CPU")
    mindspore.set_device(device)
    init()
    rank, world_size = get_rank(), get_group_size()
    if rank == 0:
        print(f"DEVICE_TARGET: {device}", file=sys.stderr)
    status = 0
    try:
        example(rank, world_size)
    except RuntimeError as error:
        if "unregistered" not in str(error):
            raise
        reason = str(error).strip().splitlines()[0]
        print(f"rank {rank}: {API} has no kernel on {device} in MindSpore {mindspore.__version__}: {reason}")
        status = EXIT_UNSUPPORTED
    dist.barrier()
    return status


if __name__ == "__main__":
    exit_code = main()
    sys.exit(exit_code)
