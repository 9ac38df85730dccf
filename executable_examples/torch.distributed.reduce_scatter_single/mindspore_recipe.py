"""One part of a sum over all ranks on each rank, in MindSpore also where reduce_scatter_tensor has no kernel.

Element i on rank r holds (i + 1) * 10**r before the call, so a number shows which ranks went into it. The device is the
one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on standard error. On Ascend,
put DEVICE_TARGET=Ascend before the command; that has not been run, so no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.reduce_scatter_single/mindspore_recipe.py

Output (CPU):
    rank 0: input before: [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    rank 0: output after: [111.0, 222.0]
    rank 0: input after: [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    rank 1: input before: [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]
    rank 1: output after: [333.0, 444.0]
    rank 1: input after: [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]
    rank 2: input before: [100.0, 200.0, 300.0, 400.0, 500.0, 600.0]
    rank 2: output after: [555.0, 666.0]
    rank 2: input after: [100.0, 200.0, 300.0, 400.0, 500.0, 600.0]
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

API = "mindspore.mint.distributed.all_reduce"
EXIT_UNSUPPORTED = 3


def example(rank: int, world_size: int) -> None:
    """Sums a tensor of shape (6,) on every rank and takes the own 2 elements."""
    numbers = Tensor(np.arange(1, 2 * world_size + 1, dtype=np.float32) * 10**rank)
    print(f"rank {rank}: input before: {numbers.asnumpy().tolist()}")
    total = numbers.copy()  # all_reduce works in place
    dist.all_reduce(total)
    output = total[
        2 * rank : 2 * (rank + 1)
    ].copy()  # a slice of its own memory: a collective on a part of another fails
    print(f"rank {rank}: output after: {output.asnumpy().tolist()}")
    print(f"rank {rank}: input after: {numbers.asnumpy().tolist()}")


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
