"""What torch.distributed.recv_object_list does, made of mindspore.mint.distributed.all_gather_object.

The device is the one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on standard
error. On Ascend, put DEVICE_TARGET=Ascend before the command; that has not been run, so no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.recv_object_list/mindspore_recipe.py

Output (CPU):
    rank 0: objects: ['text', 12, {1: 2}]
    rank 1: objects: ['text', 12, {1: 2}]
    rank 2: objects: [None, None, None]
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

API = "mindspore.mint.distributed.all_gather_object"
EXIT_UNSUPPORTED = 3


def example(rank: int, world_size: int) -> None:
    """Hands a list of objects from rank 0 to rank 1; every rank takes part, and only rank 1 keeps what it gets."""
    src, dst = 0, 1
    objects = ["text", 12, {1: 2}] if rank == src else [None, None, None]
    gathered = [None] * world_size
    dist.all_gather_object(gathered, objects if rank == src else None)
    if rank == dst:
        objects[:] = gathered[src]
    print(f"rank {rank}: objects: {objects}")


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
