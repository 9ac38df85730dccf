"""mindspore.mint.distributed.send sends a tensor to one other rank, and refuses to send it to the rank itself.

Element i on rank r holds (i + 1) * 10**r before the call, so a number shows which ranks went into it. The device is the
one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on standard error. On the CPU
the call fails before anything is sent; every rank then says so and ends. On Ascend, put DEVICE_TARGET=Ascend before the
command; that has not been run, so no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.send/mindspore_example.py

Output (CPU):
    rank 0: tensor before: [1.0, 2.0, 3.0]
    rank 0: mindspore.mint.distributed.send fails here: The group hccl_world_group does not exist.
    rank 1: tensor before: [10.0, 20.0, 30.0]
    rank 1: mindspore.mint.distributed.send fails here: The group hccl_world_group does not exist.
    rank 2: tensor before: [100.0, 200.0, 300.0]
    rank 2: mindspore.mint.distributed.send fails here: The group hccl_world_group does not exist.
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

API = "mindspore.mint.distributed.send"
EXIT_UNSUPPORTED = 3


def example(rank: int, world_size: int) -> None:
    """Sends a tensor of shape (3,) from rank 0 to each other rank, after trying to send it to the rank itself."""
    tensor = Tensor(np.arange(1, 4, dtype=np.float32) * 10**rank)
    print(f"rank {rank}: tensor before: {tensor.asnumpy().tolist()}")
    try:
        dist.send(tensor, dst=rank)
    except ValueError as error:
        print(f"rank {rank}: sending to itself raises {type(error).__name__}")
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[0].rpartition(": ")[2]
        print(f"rank {rank}: {API} fails here: {reason}")
        return
    if rank == 0:
        for dst in range(1, world_size):
            returned = dist.send(tensor, dst=dst)
            print(f"rank {rank}: send to {dst} returned {returned}")
    else:
        dist.recv(tensor, src=0)
        print(f"rank {rank}: received from 0: {tensor.asnumpy().tolist()}")


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
