"""mindspore.mint.distributed.batch_isend_irecv starts a list of sends and receives together.

Element i on rank r holds (i + 1) * 10**r before the call, so a number shows which ranks went into it. The device is the
one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on standard error. Where the
device has no kernel for the call, every rank says so and ends with exit code 3 (msrun logs that code and itself ends
with 1). On Ascend, put DEVICE_TARGET=Ascend before the command; that has not been run, so no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.batch_isend_irecv/mindspore_example.py

Output (CPU):
    rank 0: tensor sent: [1.0, 2.0, 3.0]
    rank 0: mindspore.mint.distributed.batch_isend_irecv has no kernel on CPU in MindSpore 2.10.0: The kernel DistCommBatchIsendIrecv unregistered.
    rank 1: tensor sent: [10.0, 20.0, 30.0]
    rank 1: mindspore.mint.distributed.batch_isend_irecv has no kernel on CPU in MindSpore 2.10.0: The kernel DistCommBatchIsendIrecv unregistered.
    rank 2: tensor sent: [100.0, 200.0, 300.0]
    rank 2: mindspore.mint.distributed.batch_isend_irecv has no kernel on CPU in MindSpore 2.10.0: The kernel DistCommBatchIsendIrecv unregistered.
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

API = "mindspore.mint.distributed.batch_isend_irecv"
EXIT_UNSUPPORTED = 3


def example(rank: int, world_size: int) -> None:
    """Passes tensors of shape (3,) around the ring of ranks."""
    tensor = Tensor(np.arange(1, 4, dtype=np.float32) * 10**rank)
    print(f"rank {rank}: tensor sent: {tensor.asnumpy().tolist()}")
    received = Tensor(np.full(3, -1, dtype=np.float32))
    operations = [
        dist.P2POp(dist.isend, tensor, (rank + 1) % world_size),
        dist.P2POp(dist.irecv, received, (rank - 1) % world_size),
    ]
    handles = dist.batch_isend_irecv(operations)
    for handle in handles:
        handle.wait()
    values = received.asnumpy().tolist()
    print(f"rank {rank}: returned {[type(handle).__name__ for handle in handles]}, received: {values}")


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
