"""Several tensors gathered from every rank in MindSpore: one all_gather each, all under way at once.

Element i on rank r holds (i + 1) * 10**r before the call, so a number shows which ranks went into it. The device is the
one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on standard error. On Ascend,
put DEVICE_TARGET=Ascend before the command; that has not been run, so no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.all_gather_coalesced/mindspore_recipe.py

Output (CPU):
    rank 0: inputs before: [[1.0, 2.0], [3.0]]
    rank 0: outputs after: [[[1.0, 2.0], [3.0]], [[10.0, 20.0], [30.0]], [[100.0, 200.0], [300.0]]]
    rank 1: inputs before: [[10.0, 20.0], [30.0]]
    rank 1: outputs after: [[[1.0, 2.0], [3.0]], [[10.0, 20.0], [30.0]], [[100.0, 200.0], [300.0]]]
    rank 2: inputs before: [[100.0, 200.0], [300.0]]
    rank 2: outputs after: [[[1.0, 2.0], [3.0]], [[10.0, 20.0], [30.0]], [[100.0, 200.0], [300.0]]]
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

API = "mindspore.mint.distributed.all_gather"
EXIT_UNSUPPORTED = 3


def example(rank: int, world_size: int) -> None:
    """Gathers tensors of shapes (2,) and (1,) from every rank and waits for both handles at the end."""
    inputs = [Tensor(np.array(numbers, dtype=np.float32) * 10**rank) for numbers in ([1, 2], [3])]
    outputs = [[Tensor(np.full(size, -1, dtype=np.float32)) for size in (2, 1)] for _ in range(world_size)]
    print(f"rank {rank}: inputs before: {[part.asnumpy().tolist() for part in inputs]}")
    handles = [
        dist.all_gather([parts[index] for parts in outputs], tensor, async_op=True)
        for index, tensor in enumerate(inputs)
    ]
    for handle in handles:
        handle.wait()
    received = [[part.asnumpy().tolist() for part in parts] for parts in outputs]
    print(f"rank {rank}: outputs after: {received}")


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
