"""What torch.distributed.rendezvous gives, in MindSpore: a store, the own rank and the number of processes.

Rank 0 takes a free port for the address and tells it to the others. The device is the
one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on standard error. Where the
device has no kernel for the call, every rank says so and ends with exit code 3 (msrun logs that code and itself ends
with 1). On Ascend, put DEVICE_TARGET=Ascend before the command; that has not been run, so no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.rendezvous/mindspore_recipe.py

Output (CPU):
    rank 0: rank 0 of 3, read b'value 1'
    rank 1: rank 1 of 3, read b'value 2'
    rank 2: rank 2 of 3, read b'value 0'
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

API = "mindspore.mint.distributed.TCPStore"
EXIT_UNSUPPORTED = 3


def example(rank: int, world_size: int) -> None:
    """Meets at an address and uses the store."""
    import socket
    from datetime import timedelta

    port = Tensor(np.zeros(1, dtype=np.int64))
    if rank == 0:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = Tensor(np.array([free.getsockname()[1]], dtype=np.int64))
    dist.broadcast(port, 0)
    address = "127.0.0.1", int(port.asnumpy()[0])
    my_rank, number = int(os.environ["RANK_ID"]), int(os.environ["MS_WORKER_NUM"])
    store = dist.TCPStore(*address, number, is_master=my_rank == 0, timeout=timedelta(seconds=20))
    store.set(f"from {my_rank}", f"value {my_rank}")
    print(f"rank {rank}: rank {my_rank} of {number}, read {store.get(f'from {(my_rank + 1) % world_size}')}")
    dist.barrier()
    mindspore.runtime.synchronize()


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
