"""mindspore.mint.distributed.barrier holds every rank until the last one has come; the first one needs help.

The device is the one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on standard
error. Where the device has no kernel for the call, every rank says so and ends with exit code 3 (msrun logs that code
and itself ends with 1). On Ascend, put DEVICE_TARGET=Ascend before the command; that has not been run, so no output is
shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.barrier/mindspore_example.py

Output (CPU):
    rank 0: sync returned None, left after the last rank had come: True
    rank 0: async returned CommHandle, left after the last rank had come: True
    rank 1: sync returned None, left after the last rank had come: True
    rank 1: async returned CommHandle, left after the last rank had come: True
    rank 2: sync returned None, left after the last rank had come: True
    rank 2: async returned CommHandle, left after the last rank had come: True
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
import numpy as np
from mindspore import Tensor
from mindspore.communication import get_group_size, get_rank, init
from mindspore.mint import distributed as dist

API = "mindspore.mint.distributed.barrier"
EXIT_UNSUPPORTED = 3


def example(rank: int, world_size: int) -> None:
    """Lets the last rank come a second late, first waiting in the call, then through the handle; one machine, one clock."""
    from time import monotonic_ns, sleep

    for async_op in (False, True):
        sleep(1 if rank == world_size - 1 else 0)
        came = Tensor(np.array([monotonic_ns()], dtype=np.int64))
        returned = dist.barrier(async_op=async_op)
        if returned:
            returned.wait()
        mindspore.runtime.synchronize()  # on the CPU the first barrier of a process returns before it has happened
        left = monotonic_ns()
        all_came = [Tensor(np.zeros(1, dtype=np.int64)) for _ in range(world_size)]
        dist.all_gather(all_came, came)
        after_all = left > max(int(one.asnumpy()[0]) for one in all_came)
        what = f"async returned {type(returned).__name__}" if async_op else f"sync returned {returned}"
        print(f"rank {rank}: {what}, left after the last rank had come: {after_all}")


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
