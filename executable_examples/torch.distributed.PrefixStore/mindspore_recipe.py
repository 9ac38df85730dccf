"""What torch.distributed.PrefixStore does, with mindspore.mint.distributed.TCPStore: a word in front of every key.

Rank 0 keeps the store and tells its port to the others. The device is the
one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on standard error. Where the
device has no kernel for the call, every rank says so and ends with exit code 3 (msrun logs that code and itself ends
with 1). On Ascend, put DEVICE_TARGET=Ascend before the command; that has not been run, so no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.PrefixStore/mindspore_recipe.py

Output (CPU):
    rank 0: key 1 is b'1 from 1' under first and b'2 from 1' under second
    rank 0: the store itself holds it as first/key 1: b'1 from 1'
    rank 1: key 2 is b'1 from 2' under first and b'2 from 2' under second
    rank 1: the store itself holds it as first/key 2: b'1 from 2'
    rank 2: key 0 is b'1 from 0' under first and b'2 from 0' under second
    rank 2: the store itself holds it as first/key 0: b'1 from 0'
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
    """Sets the same key under two prefixes and reads both."""
    import socket
    from datetime import timedelta

    class Prefixed:
        def __init__(self, prefix: str, store: dist.TCPStore) -> None:
            self.prefix, self.store = prefix, store

        def set(self, key: str, value: str | bytes) -> None:
            self.store.set(f"{self.prefix}/{key}", value)

        def get(self, key: str) -> bytes:
            return self.store.get(f"{self.prefix}/{key}")

        def add(self, key: str, amount: int) -> int:
            return self.store.add(f"{self.prefix}/{key}", amount)

        def delete_key(self, key: str) -> bool:
            return self.store.delete_key(f"{self.prefix}/{key}")

    port = Tensor(np.zeros(1, dtype=np.int64))
    if rank == 0:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = Tensor(np.array([free.getsockname()[1]], dtype=np.int64))
        store = dist.TCPStore("127.0.0.1", int(port.asnumpy()[0]), is_master=True, timeout=timedelta(seconds=20))
    dist.broadcast(port, 0)
    if rank != 0:
        store = dist.TCPStore("127.0.0.1", int(port.asnumpy()[0]), timeout=timedelta(seconds=20))
    first, second = Prefixed("first", store), Prefixed("second", store)
    first.set(f"key {rank}", f"1 from {rank}")
    second.set(f"key {rank}", f"2 from {rank}")
    other = f"key {(rank + 1) % world_size}"
    print(f"rank {rank}: {other} is {first.get(other)} under first and {second.get(other)} under second")
    print(f"rank {rank}: the store itself holds it as first/{other}: {store.get(f'first/{other}')}")
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
