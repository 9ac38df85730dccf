"""mindspore.parallel.distributed.DistributedDataParallel copies rank 0's parameters to all ranks and averages gradients.

The weight on rank r starts as 10**r, and the input is 10**r there, so a gradient shows which ranks went into it. The device
is the one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on standard error. Where the
device has no kernel for the call, every rank says so and ends with exit code 3 (msrun logs that code and itself ends
with 1). On Ascend, put DEVICE_TARGET=Ascend before the command; that has not been run, so no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.nn.parallel.DistributedDataParallel/mindspore_example.py

Output (CPU):
    rank 0: mindspore.parallel.distributed.DistributedDataParallel has no kernel on CPU in MindSpore 2.10.0: The kernel InplaceZero unregistered.
    rank 1: mindspore.parallel.distributed.DistributedDataParallel has no kernel on CPU in MindSpore 2.10.0: The kernel InplaceZero unregistered.
    rank 2: mindspore.parallel.distributed.DistributedDataParallel has no kernel on CPU in MindSpore 2.10.0: The kernel InplaceZero unregistered.
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

API = "mindspore.parallel.distributed.DistributedDataParallel"
EXIT_UNSUPPORTED = 3


def example(rank: int, world_size: int) -> None:
    """Wraps a layer with one weight, then makes a backward pass and one under no_sync()."""
    from mindspore.parallel.distributed import DistributedDataParallel

    layer = mindspore.nn.Dense(1, 1, weight_init=10.0**rank, has_bias=False)
    model = DistributedDataParallel(layer)
    print(f"rank {rank}: weight after: {layer.weight.asnumpy().item()}")

    inputs = Tensor(np.full((1, 1), 10.0**rank, np.float32))
    backward = mindspore.value_and_grad(lambda inputs: model(inputs).sum(), None, model.trainable_params())
    _, (gradient,) = backward(inputs)
    print(f"rank {rank}: gradient: {gradient.asnumpy().item()}")

    model.zero_grad()
    with model.no_sync():
        _, (gradient,) = backward(inputs)
    print(f"rank {rank}: gradient under no_sync(): {gradient.asnumpy().item()}")


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
