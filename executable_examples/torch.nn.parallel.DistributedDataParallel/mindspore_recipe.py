"""What torch.nn.parallel.DistributedDataParallel does, by hand: broadcast the parameters, average the gradients.

The weight on rank r starts as 10**r, and the input is 10**r there, so a gradient shows which ranks went into it: 37 is the
mean of 1, 10 and 100. The device is the one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is
printed on standard error. Where the device has no kernel for the call, every rank says so and ends with exit code 3 (msrun
logs that code and itself ends with 1). On Ascend, put DEVICE_TARGET=Ascend before the command; that has not been run, so no
output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.nn.parallel.DistributedDataParallel/mindspore_recipe.py

Output (CPU):
    rank 0: weight before: 1.0
    rank 0: weight after: 1.0, names: ['weight']
    rank 0: own gradient: 1.0
    rank 0: all_reduce and division: 37.0
    rank 0: DistributedGradReducer with mean=True: 37.0
    rank 0: DistributedGradReducer without: 111.0
    rank 1: weight before: 10.0
    rank 1: weight after: 1.0, names: ['weight']
    rank 1: own gradient: 10.0
    rank 1: all_reduce and division: 37.0
    rank 1: DistributedGradReducer with mean=True: 37.0
    rank 1: DistributedGradReducer without: 111.0
    rank 2: weight before: 100.0
    rank 2: weight after: 1.0, names: ['weight']
    rank 2: own gradient: 100.0
    rank 2: all_reduce and division: 37.0
    rank 2: DistributedGradReducer with mean=True: 37.0
    rank 2: DistributedGradReducer without: 111.0
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
    """Broadcasts a layer's weight; averages its gradient with all_reduce, then with DistributedGradReducer."""
    layer = mindspore.nn.Dense(1, 1, weight_init=10.0**rank, has_bias=False)
    print(f"rank {rank}: weight before: {layer.weight.asnumpy().item()}")
    for parameter in layer.get_parameters():
        value = parameter.copy()
        dist.broadcast(value, src=0)
        parameter.set_data(value)
    print(f"rank {rank}: weight after: {layer.weight.asnumpy().item()}, names: {[*layer.parameters_dict()]}")

    weights = layer.trainable_params()
    inputs = Tensor(np.full((1, 1), 10.0**rank, np.float32))
    backward = mindspore.value_and_grad(lambda inputs: layer(inputs).sum(), None, weights)
    _, gradients = backward(inputs)
    print(f"rank {rank}: own gradient: {gradients[0].asnumpy().item()}")

    total = gradients[0].copy()  # a gradient may be part of a larger tensor, which all_reduce would not change on CPU
    dist.all_reduce(total)
    print(f"rank {rank}: all_reduce and division: {(total / world_size).asnumpy().item()}")

    reduce = mindspore.nn.DistributedGradReducer(weights, mean=True)
    print(f"rank {rank}: DistributedGradReducer with mean=True: {reduce(gradients)[0].asnumpy().item()}")
    reduce = mindspore.nn.DistributedGradReducer(weights)
    print(f"rank {rank}: DistributedGradReducer without: {reduce(gradients)[0].asnumpy().item()}")


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
