"""After mindspore.communication.init every rank knows its number and can communicate.

The device is the one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on
standard error. Where the device has no kernel for the call, every rank says so and ends with exit code 3 (msrun logs
that code and itself ends with 1). On Ascend, put DEVICE_TARGET=Ascend before the command; that has not been run, so
no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.init_process_group/mindspore_example.py

Output (CPU):
    rank 0: rank 0 of 3, initialised: True
    rank 0: sum over all 3 ranks: [111.0]
    rank 0: a second init returned None
    rank 0: mint.distributed.init_process_group(backend='mccl') raises ValueError
    rank 1: rank 1 of 3, initialised: True
    rank 1: sum over all 3 ranks: [111.0]
    rank 1: a second init returned None
    rank 1: mint.distributed.init_process_group(backend='mccl') raises ValueError
    rank 2: rank 2 of 3, initialised: True
    rank 2: sum over all 3 ranks: [111.0]
    rank 2: a second init returned None
    rank 2: mint.distributed.init_process_group(backend='mccl') raises ValueError
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

API = "mindspore.communication.init"
EXIT_UNSUPPORTED = 3


def example(rank: int, world_size: int) -> None:
    """Shows what is there after the start; a second call changes nothing, and mint's function is for Ascend."""
    print(f"rank {rank}: rank {get_rank()} of {get_group_size()}, initialised: {dist.is_initialized()}")
    number = Tensor(np.array([10.0**rank], dtype=np.float32))
    dist.all_reduce(number)
    print(f"rank {rank}: sum over all {world_size} ranks: {number.asnumpy().tolist()}")
    print(f"rank {rank}: a second init returned {init()}")
    try:
        dist.init_process_group(backend="mccl")
    except ValueError as error:
        print(f"rank {rank}: mint.distributed.init_process_group(backend='mccl') raises {type(error).__name__}")


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
