"""mindspore.mint.distributed.P2POp tells of one send or receive; nothing is sent before batch_isend_irecv.

Element i on rank r holds (i + 1) * 10**r before the call, so a number shows which ranks went into it. The device is the
one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on standard error. On Ascend,
put DEVICE_TARGET=Ascend before the command; that has not been run, so no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.P2POp/mindspore_example.py

Output (CPU):
    rank 0: isend, peer 1, tensor [1.0, 2.0, 3.0]
    rank 0: irecv, peer 2, tensor [1.0, 2.0, 3.0]
    rank 0: a text as operation is kept: isend
    rank 0: a tag raises NotImplementedError
    rank 1: isend, peer 2, tensor [10.0, 20.0, 30.0]
    rank 1: irecv, peer 0, tensor [10.0, 20.0, 30.0]
    rank 1: a text as operation is kept: isend
    rank 1: a tag raises NotImplementedError
    rank 2: isend, peer 0, tensor [100.0, 200.0, 300.0]
    rank 2: irecv, peer 1, tensor [100.0, 200.0, 300.0]
    rank 2: a text as operation is kept: isend
    rank 2: a tag raises NotImplementedError
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

API = "mindspore.mint.distributed.P2POp"
EXIT_UNSUPPORTED = 3


def example(rank: int, world_size: int) -> None:
    """Describes a send and a receive around the ring of ranks; the operation is a function or a text."""
    tensor = Tensor(np.arange(1, 4, dtype=np.float32) * 10**rank)
    for function, peer in ((dist.isend, rank + 1), (dist.irecv, rank - 1)):
        operation = dist.P2POp(function, tensor, peer % world_size)
        values = operation.tensor.asnumpy().tolist()
        print(f"rank {rank}: {operation.op.__name__}, peer {operation.peer}, tensor {values}")
    operation = dist.P2POp("isend", tensor, (rank + 1) % world_size)
    print(f"rank {rank}: a text as operation is kept: {operation.op}")
    try:
        dist.P2POp(dist.isend, tensor, (rank + 1) % world_size, tag=7)
    except NotImplementedError as error:
        print(f"rank {rank}: a tag raises {type(error).__name__}")


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
