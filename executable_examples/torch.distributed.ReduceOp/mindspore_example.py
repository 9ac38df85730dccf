"""mindspore.ops.ReduceOp names the reductions of all_reduce, reduce and reduce_scatter; its members are texts.

The device is the one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on standard
error. On Ascend, put DEVICE_TARGET=Ascend before the command; that has not been run, so no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.ReduceOp/mindspore_example.py

Output (CPU):
    rank 0: tensor: [1, 1]
    rank 0: SUM is 'sum': [6, 9]
    rank 0: PROD is 'prod': [6, 15]
    rank 0: MIN is 'min': [1, 1]
    rank 0: MAX is 'max': [3, 5]
    rank 0: 'band' as op raises TypeError
    rank 1: tensor: [2, 3]
    rank 1: SUM is 'sum': [6, 9]
    rank 1: PROD is 'prod': [6, 15]
    rank 1: MIN is 'min': [1, 1]
    rank 1: MAX is 'max': [3, 5]
    rank 1: 'band' as op raises TypeError
    rank 2: tensor: [3, 5]
    rank 2: SUM is 'sum': [6, 9]
    rank 2: PROD is 'prod': [6, 15]
    rank 2: MIN is 'min': [1, 1]
    rank 2: MAX is 'max': [3, 5]
    rank 2: 'band' as op raises TypeError
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

API = "mindspore.ops.ReduceOp"
EXIT_UNSUPPORTED = 3


def example(rank: int, world_size: int) -> None:
    """Reduces two whole numbers over all ranks with each member, then with a text that no member stands for."""
    print(f"rank {rank}: tensor: {[rank + 1, 2 * rank + 1]}")
    for name in ("SUM", "PROD", "MIN", "MAX"):
        member = getattr(mindspore.ops.ReduceOp, name)
        tensor = Tensor(np.array([rank + 1, 2 * rank + 1], dtype=np.int64))
        dist.all_reduce(tensor, op=member)
        print(f"rank {rank}: {name} is {member!r}: {tensor.asnumpy().tolist()}")
    try:
        dist.all_reduce(Tensor(np.array([rank], dtype=np.int64)), op="band")
    except TypeError as error:
        print(f"rank {rank}: 'band' as op raises {type(error).__name__}")


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
