"""A barrier in MindSpore with a time-out that names the ranks that are missing, made of a TCPStore.

The device is the one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on standard
error. On Ascend, put DEVICE_TARGET=Ascend before the command; that has not been run, so no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.monitored_barrier/mindspore_recipe.py

Output (CPU):
    rank 0: with all ranks returned
    rank 0: raised RuntimeError: missing at the barrier: ranks [2]
    rank 1: with all ranks returned
    rank 1: raised RuntimeError: no answer from rank 0
    rank 2: with all ranks returned
    rank 2: stays away
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
    """Meets all ranks at one barrier, then leaves the last rank out of another."""
    import socket
    from datetime import timedelta

    def came(store: dist.TCPStore, key: str, until: float) -> bool:
        while True:
            try:
                return bool(store.get(key))
            except RuntimeError:  # get waits for the key in MindSpore 2.10, and raises at once in 2.7.1
                if time.monotonic() > until:
                    return False
                time.sleep(0.1)

    def monitored_barrier(store: dist.TCPStore, name: str, timeout: float) -> None:
        until = time.monotonic() + timeout
        if rank != 0:
            store.set(f"{name}/{rank}", "here")
            if not came(store, f"{name}/all", until):
                raise RuntimeError("no answer from rank 0")
            return
        missing = [other for other in range(1, world_size) if not came(store, f"{name}/{other}", until)]
        if missing:
            raise RuntimeError(f"missing at the barrier: ranks {missing}")
        store.set(f"{name}/all", "here")

    port = Tensor(np.zeros(1, dtype=np.int64))
    if rank == 0:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = Tensor(np.array([free.getsockname()[1]], dtype=np.int64))
        store = dist.TCPStore("127.0.0.1", int(port.asnumpy()[0]), is_master=True, timeout=timedelta(seconds=3))
    dist.broadcast(port, 0)
    if rank != 0:
        store = dist.TCPStore("127.0.0.1", int(port.asnumpy()[0]), timeout=timedelta(seconds=3))
    monitored_barrier(store, "first", timeout=10)
    print(f"rank {rank}: with all ranks returned")
    if rank == world_size - 1:
        print(f"rank {rank}: stays away")
    else:
        try:
            monitored_barrier(store, "second", timeout=3)
        except RuntimeError as error:
            print(f"rank {rank}: raised {type(error).__name__}: {error}")
    dist.barrier()


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
