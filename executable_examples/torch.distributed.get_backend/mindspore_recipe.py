"""In place of torch.distributed.get_backend: GlobalComm.BACKEND tells the backend in use.

The device is the one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on
standard error. Where the device has no kernel for the call, every rank says so and ends with exit code 3 (msrun logs
that code and itself ends with 1). On Ascend, put DEVICE_TARGET=Ascend before the command; that has not been run, so
no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.get_backend/mindspore_recipe.py

Output (CPU):
    rank 0: sum over all 3 ranks: [111.0]
    rank 0: GlobalComm.BACKEND is 'mccl'
    rank 0: get_backend() is 'hccl'
    rank 0: get_backend('mccl_world_group') is 'mccl'
    rank 1: sum over all 3 ranks: [111.0]
    rank 1: GlobalComm.BACKEND is 'mccl'
    rank 1: get_backend() is 'hccl'
    rank 1: get_backend('mccl_world_group') is 'mccl'
    rank 2: sum over all 3 ranks: [111.0]
    rank 2: GlobalComm.BACKEND is 'mccl'
    rank 2: get_backend() is 'hccl'
    rank 2: get_backend('mccl_world_group') is 'mccl'
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

API = "mindspore.communication.GlobalComm"
EXIT_UNSUPPORTED = 3


def example(rank: int, world_size: int) -> None:
    """What the class says after init, and what mint.distributed.get_backend says without and with a group's name."""
    from mindspore.communication import GlobalComm

    number = Tensor(np.array([10.0**rank], dtype=np.float32))
    dist.all_reduce(number)
    print(f"rank {rank}: sum over all {world_size} ranks: {number.asnumpy().tolist()}")
    print(f"rank {rank}: GlobalComm.BACKEND is {GlobalComm.BACKEND!r}")
    print(f"rank {rank}: get_backend() is {dist.get_backend()!r}")
    world = GlobalComm.WORLD_COMM_GROUP
    print(f"rank {rank}: get_backend({world!r}) is {dist.get_backend(world)!r}")


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
