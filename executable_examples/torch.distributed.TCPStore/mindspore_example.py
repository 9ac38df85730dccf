"""mindspore.mint.distributed.TCPStore: rank 0 keeps keys and values, the other ranks read and change them over TCP.

Rank 0 takes a free port and tells it to the others. The device is the
one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on standard error. Where the
device has no kernel for the call, every rank says so and ends with exit code 3 (msrun logs that code and itself ends
with 1). On Ascend, put DEVICE_TARGET=Ascend before the command; that has not been run, so no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.TCPStore/mindspore_example.py

Output (CPU):
    rank 0: get waits until the key is set: b'value 1'
    rank 0: the sum of all add calls: 111, read with get: b'111'
    rank 0: delete_key returns True, then False
    rank 0: get of a key that nobody sets raises RuntimeError
    rank 1: get waits until the key is set: b'value 2'
    rank 1: the sum of all add calls: 111, read with get: b'111'
    rank 2: get waits until the key is set: b'value 0'
    rank 2: the sum of all add calls: 111, read with get: b'111'
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
    """Sets, waits, counts, deletes, and asks for a key that nobody sets."""
    import socket
    from datetime import timedelta

    port = Tensor(np.zeros(1, dtype=np.int64))
    if rank == 0:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = Tensor(np.array([free.getsockname()[1]], dtype=np.int64))
        store = dist.TCPStore("127.0.0.1", int(port.asnumpy()[0]), is_master=True, timeout=timedelta(seconds=5))
    dist.broadcast(port, 0)
    if rank != 0:
        store = dist.TCPStore("127.0.0.1", int(port.asnumpy()[0]), timeout=timedelta(seconds=5))
    store.set(f"from {rank}", f"value {rank}")
    print(f"rank {rank}: get waits until the key is set: {store.get(f'from {(rank + 1) % world_size}')}")
    store.add("sum", 10**rank)
    dist.barrier()
    mindspore.runtime.synchronize()
    print(f"rank {rank}: the sum of all add calls: {store.add('sum', 0)}, read with get: {store.get('sum')}")
    dist.barrier()
    mindspore.runtime.synchronize()
    if rank == 0:
        print(f"rank {rank}: delete_key returns {store.delete_key('sum')}, then {store.delete_key('sum')}")
        try:
            store.get("sum")
        except RuntimeError as error:
            print(f"rank {rank}: get of a key that nobody sets raises {type(error).__name__}")
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
