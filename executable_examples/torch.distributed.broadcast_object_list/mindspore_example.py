"""mindspore.mint.distributed.broadcast_object_list overwrites the list of every rank with that of one rank.

The device is the one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on standard
error. On the CPU the call fails before anything is sent; every rank then says so and ends. On Ascend, put
DEVICE_TARGET=Ascend before the command; that has not been run, so no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.broadcast_object_list/mindspore_example.py

Output (CPU):
    rank 0: objects before: ['rank 0', 0, {'rank': 0}]
    rank 0: mindspore.mint.distributed.broadcast_object_list fails here: The group hccl_world_group does not exist.
    rank 1: objects before: ['rank 1', 10, {'rank': 1}]
    rank 1: mindspore.mint.distributed.broadcast_object_list fails here: The group hccl_world_group does not exist.
    rank 2: objects before: ['rank 2', 20, {'rank': 2}]
    rank 2: mindspore.mint.distributed.broadcast_object_list fails here: The group hccl_world_group does not exist.
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

API = "mindspore.mint.distributed.broadcast_object_list"
EXIT_UNSUPPORTED = 3


def example(rank: int, world_size: int) -> None:
    """Hands the objects of rank 0 to all ranks."""
    objects = [f"rank {rank}", 10 * rank, {"rank": rank}]
    print(f"rank {rank}: objects before: {objects}")
    try:
        returned = dist.broadcast_object_list(objects, src=0)
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[0].rpartition(": ")[2]
        print(f"rank {rank}: {API} fails here: {reason}")
        return
    print(f"rank {rank}: returned {returned}, objects after: {objects}")


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
