"""What a call with async_op=True returns in MindSpore, a CommHandle, can only be waited for.

Element i on rank r holds (i + 1) * 10**r before the call, so a number shows which ranks went into it. The device is the
one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on standard error. On Ascend,
put DEVICE_TARGET=Ascend before the command; that has not been run, so no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.Work/mindspore_example.py

Output (CPU):
    rank 0: wait() returned None, tensor: [111.0, 222.0, 333.0]
    rank 0: again wait(): None
    rank 0: has is_completed: False
    rank 0: has get_future: False
    rank 0: has result: False
    rank 0: has exception: False
    rank 0: rank 1 is late, wait() returned before it came: True
    rank 0: the values were there before rank 1 came: False, tensor: [111.0, 222.0, 333.0]
    rank 1: wait() returned None, tensor: [111.0, 222.0, 333.0]
    rank 1: again wait(): None
    rank 1: has is_completed: False
    rank 1: has get_future: False
    rank 1: has result: False
    rank 1: has exception: False
    rank 1: the values were there before rank 1 came: False, tensor: [111.0, 222.0, 333.0]
    rank 2: wait() returned None, tensor: [111.0, 222.0, 333.0]
    rank 2: again wait(): None
    rank 2: has is_completed: False
    rank 2: has get_future: False
    rank 2: has result: False
    rank 2: has exception: False
    rank 2: rank 1 is late, wait() returned before it came: True
    rank 2: the values were there before rank 1 came: False, tensor: [111.0, 222.0, 333.0]
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

API = "mindspore.communication.comm_func.CommHandle"
EXIT_UNSUPPORTED = 3


def example(rank: int, world_size: int) -> None:
    """Sums a tensor of shape (3,) over all ranks and asks the handle; then again, with rank 1 four seconds late."""
    tensor = Tensor(np.arange(1, 4, dtype=np.float32) * 10**rank)
    handle = dist.all_reduce(tensor, async_op=True)
    print(f"rank {rank}: wait() returned {handle.wait()}, tensor: {tensor.asnumpy().tolist()}")
    print(f"rank {rank}: again wait(): {handle.wait()}")
    for name in ("is_completed", "get_future", "result", "exception"):
        print(f"rank {rank}: has {name}: {hasattr(handle, name)}")

    dist.barrier()
    mindspore.runtime.synchronize()  # the first barrier of a process returns early on the CPU
    started = time.monotonic()
    if rank == 1:
        time.sleep(4)
    late = Tensor(np.arange(1, 4, dtype=np.float32) * 10**rank)
    handle = dist.all_reduce(late, async_op=True)
    handle.wait()
    waited = time.monotonic() - started
    values = late.asnumpy().tolist()
    read = time.monotonic() - started
    if rank != 1:
        print(f"rank {rank}: rank 1 is late, wait() returned before it came: {waited < 2}")
    print(f"rank {rank}: the values were there before rank 1 came: {read < 2}, tensor: {values}")


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
