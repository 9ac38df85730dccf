"""In place of torch.distributed.split_group: each rank creates the group that it is a member of.

The device is the one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on
standard error. Where the device has no kernel for the call, every rank says so and ends with exit code 3 (msrun logs
that code and itself ends with 1). On Ascend, put DEVICE_TARGET=Ascend before the command; that has not been run, so
no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.split_group/mindspore_recipe.py

Output (CPU):
    rank 0: 2 groups, own ranks [0, 2], sum over them: [101.0]
    rank 1: 2 groups, own ranks [1], sum over them: [10.0]
    rank 2: 2 groups, own ranks [0, 2], sum over them: [101.0]
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

API = "mindspore.communication.create_group"
EXIT_UNSUPPORTED = 3


def example(rank: int, world_size: int) -> None:
    """Rank 1 alone, all others together."""
    from mindspore.communication import create_group

    def split_world(split_ranks: list[list[int]]) -> tuple[str, list[str]]:
        own, names = "", []
        for ranks in split_ranks:
            names.append(f"split_{'_'.join(map(str, ranks))}")
            if rank in ranks:
                own = names[-1]
                create_group(own, ranks)
        return own, names

    own, groups = split_world([[one for one in range(world_size) if one != 1], [1]])
    number = Tensor(np.array([10.0**rank], dtype=np.float32))
    dist.all_reduce(number, group=own)
    ranks, total = dist.get_process_group_ranks(own), number.asnumpy().tolist()
    print(f"rank {rank}: {len(groups)} groups, own ranks {ranks}, sum over them: {total}")


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
