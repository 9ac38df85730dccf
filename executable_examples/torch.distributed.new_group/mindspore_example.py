"""mindspore.mint.distributed.new_group makes a group of some ranks and returns its name.

The device is the one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on
standard error. Where the device has no kernel for the call, every rank says so and ends with exit code 3 (msrun logs
that code and itself ends with 1). On Ascend, put DEVICE_TARGET=Ascend before the command; that has not been run, so
no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.new_group/mindspore_example.py

Output (CPU):
    rank 0: 1 of 3 ranks, new_group returned 'hccl_2_e141ae2001c03c612892ea28caa026adcef1316b'
    rank 0: get_rank(group) is 0, get_world_size(group) is 2
    rank 0: sum over the group: [101.0], another group for the same ranks: False
    rank 1: 1 of 3 ranks, not a member
    rank 2: 1 of 3 ranks, new_group returned 'hccl_2_e141ae2001c03c612892ea28caa026adcef1316b'
    rank 2: get_rank(group) is 1, get_world_size(group) is 2
    rank 2: sum over the group: [101.0], another group for the same ranks: False
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

API = "mindspore.mint.distributed.new_group"
EXIT_UNSUPPORTED = 3


def example(rank: int, world_size: int) -> None:
    """Ranks 0 and 2 make a group and use it; unlike in PyTorch, the rank outside must not make it."""
    ranks = [0, 2]
    if rank not in ranks:
        print(f"rank {rank}: 1 of {world_size} ranks, not a member")
        return
    group = dist.new_group(ranks)
    again = dist.new_group(ranks)
    print(f"rank {rank}: 1 of {world_size} ranks, new_group returned {group!r}")
    print(
        f"rank {rank}: get_rank(group) is {dist.get_rank(group)}, get_world_size(group) is {dist.get_world_size(group)}"
    )
    number = Tensor(np.array([10.0**rank], dtype=np.float32))
    dist.all_reduce(number, group=group)
    print(
        f"rank {rank}: sum over the group: {number.asnumpy().tolist()}, another group for the same ranks: {group != again}"
    )


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
