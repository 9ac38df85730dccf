"""mindspore.mint.distributed.all_reduce adds up in place, like torch; with async_op it returns a CommHandle.

Element i on rank r holds (i + 1) * 10**r before the call, so a number shows which ranks went into it. The device is the
one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on standard error. Where the
device has no kernel for the call, every rank says so and ends with exit code 3 (msrun logs that code and itself ends
with 1). On Ascend, put DEVICE_TARGET=Ascend before the command; that has not been run, so no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.all_reduce/mindspore_example.py

Output (CPU):
    rank 0: tensor before: [1.0, 2.0, 3.0]
    rank 0: sync returned None, tensor after: [111.0, 222.0, 333.0]
    rank 0: async returned CommHandle, tensor after wait(): [111.0, 222.0, 333.0]
    rank 0: buffer after: [1.0, 2.0, 3.0, 444.0, 555.0, 666.0, 7.0, 8.0, 9.0]
    rank 1: tensor before: [10.0, 20.0, 30.0]
    rank 1: sync returned None, tensor after: [111.0, 222.0, 333.0]
    rank 1: async returned CommHandle, tensor after wait(): [111.0, 222.0, 333.0]
    rank 1: buffer after: [10.0, 20.0, 30.0, 444.0, 555.0, 666.0, 70.0, 80.0, 90.0]
    rank 2: tensor before: [100.0, 200.0, 300.0]
    rank 2: sync returned None, tensor after: [111.0, 222.0, 333.0]
    rank 2: async returned CommHandle, tensor after wait(): [111.0, 222.0, 333.0]
    rank 2: buffer after: [100.0, 200.0, 300.0, 444.0, 555.0, 666.0, 700.0, 800.0, 900.0]
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
    """Sums a tensor of shape (3,) over all ranks: waiting in the call, through the handle, then as a slice of a larger one."""
    tensor = Tensor(np.arange(1, 4, dtype=np.float32) * 10**rank)
    print(f"rank {rank}: tensor before: {tensor.asnumpy().tolist()}")
    returned = dist.all_reduce(tensor)
    print(f"rank {rank}: sync returned {returned}, tensor after: {tensor.asnumpy().tolist()}")

    tensor = Tensor(np.arange(1, 4, dtype=np.float32) * 10**rank)
    handle = dist.all_reduce(tensor, async_op=True)
    handle.wait()
    print(f"rank {rank}: async returned {type(handle).__name__}, tensor after wait(): {tensor.asnumpy().tolist()}")

    buffer = Tensor(np.arange(1, 10, dtype=np.float32) * 10**rank)
    part = buffer[3:6].copy()  # the slice itself would stay as it is, without an error
    dist.all_reduce(part)
    buffer[3:6] = part
    print(f"rank {rank}: buffer after: {buffer.asnumpy().tolist()}")


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
