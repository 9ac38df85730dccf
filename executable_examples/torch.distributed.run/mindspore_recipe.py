"""What torchrun does, with msrun: what each process it starts is told through environment variables.

The device is the
one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on standard error. Where the
device has no kernel for the call, every rank says so and ends with exit code 3 (msrun logs that code and itself ends
with 1). On Ascend, put DEVICE_TARGET=Ascend before the command; that has not been run, so no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.run/mindspore_recipe.py

Output (CPU):
    rank 0: RANK_ID=0, MS_NODE_ID=0, DEVICE_ID=0, MS_WORKER_NUM=3, MS_ROLE=MS_WORKER
    rank 0: of 3, also set: MS_SCHED_HOST, MS_SCHED_PORT
    rank 1: RANK_ID=1, MS_NODE_ID=1, DEVICE_ID=1, MS_WORKER_NUM=3, MS_ROLE=MS_WORKER
    rank 1: of 3, also set: MS_SCHED_HOST, MS_SCHED_PORT
    rank 2: RANK_ID=2, MS_NODE_ID=2, DEVICE_ID=2, MS_WORKER_NUM=3, MS_ROLE=MS_WORKER
    rank 2: of 3, also set: MS_SCHED_HOST, MS_SCHED_PORT
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

API = "msrun"
EXIT_UNSUPPORTED = 3


def example(rank: int, world_size: int) -> None:
    """Shows the variables that a script reads."""
    told = ("RANK_ID", "MS_NODE_ID", "DEVICE_ID", "MS_WORKER_NUM", "MS_ROLE")
    print(f"rank {rank}: {', '.join(f'{name}={os.environ[name]}' for name in told)}")
    there = [name for name in ("MS_SCHED_HOST", "MS_SCHED_PORT", "RANK", "WORLD_SIZE") if name in os.environ]
    print(f"rank {rank}: of {world_size}, also set: {', '.join(there)}")


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
