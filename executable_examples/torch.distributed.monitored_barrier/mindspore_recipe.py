"""A barrier in MindSpore with a time-out that names the ranks that are missing, made of a TCPStore.

Every rank writes a key into the store and waits for the answer of rank 0, which looks for the key of each rank. The
store's own time-out is that of the barrier. The device is the one named by the environment variable DEVICE_TARGET, CPU
if it is not set, and is printed on standard error. On Ascend, put DEVICE_TARGET=Ascend before the command; that has not
been run, so no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.monitored_barrier/mindspore_recipe.py

Output (CPU):
    rank 0: TODO
    rank 1: TODO
    rank 2: TODO
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

from datetime import timedelta

import mindspore
from mindspore.communication import get_group_size, get_rank, init
from mindspore.mint import distributed as dist

API = "mindspore.mint.distributed.TCPStore"
EXIT_UNSUPPORTED = 3


def monitored_barrier(store: dist.TCPStore, name: str, rank: int, world_size: int) -> None:
    """Returns when all ranks have called it with the same ``name``; raises RuntimeError on every rank that came if not."""
    if rank:
        store.set(f"{name}/{rank}", "here")
        store.get(f"{name}/all")  # raises RuntimeError when the store's time-out is over
        return
    missing = []
    for other in range(1, world_size):
        try:
            store.get(f"{name}/{other}")
        except RuntimeError:
            missing.append(other)
    if missing:
        raise RuntimeError(f"ranks {missing} did not come to the barrier {name!r}")
    store.set(f"{name}/all", "here")


def example(rank: int, world_size: int) -> None:
    """Meets all ranks at one barrier, then leaves the last rank out of another."""
    host, port = os.environ["MS_SCHED_HOST"], int(os.environ["MS_SCHED_PORT"]) + 1
    store = dist.TCPStore(host, port, world_size, is_master=rank == 0, timeout=timedelta(seconds=2))
    monitored_barrier(store, "first", rank, world_size)
    print(f"rank {rank}: all ranks came to the first barrier")
    if rank == world_size - 1:
        print(f"rank {rank}: stays away from the second barrier")
    else:
        try:
            monitored_barrier(store, "second", rank, world_size)
        except RuntimeError as error:
            said = str(error) if rank == 0 else "no answer from rank 0 in time"
            print(f"rank {rank}: {type(error).__name__}: {said}")
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
