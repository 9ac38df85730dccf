"""torch.distributed.DistBackendError and what gloo raises when a rank does not come in time.

Rank 1 stays away from two calls with a time-out of one second. The script takes
gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.DistBackendError/torch_example.py

Output (gloo):
    rank 0: monitored_barrier raises RuntimeError, a DistBackendError: False
    rank 0: all_reduce raises RuntimeError, a DistBackendError: False
    rank 1: does not come to monitored_barrier
    rank 1: does not come to all_reduce
    rank 2: monitored_barrier raises RuntimeError, a DistBackendError: False
    rank 2: all_reduce raises RuntimeError, a DistBackendError: False
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Waits for rank 1, which does not come, in a barrier and in a collective."""
    import time
    from datetime import timedelta

    one = timedelta(seconds=1)
    ranks = list(range(world_size))
    first, second = dist.new_group(ranks, timeout=one), dist.new_group(ranks, timeout=one)
    calls = {
        "monitored_barrier": lambda: dist.monitored_barrier(first, timeout=one),
        "all_reduce": lambda: dist.all_reduce(torch.ones(1), group=second),
    }
    for name, call in calls.items():
        if rank == 1:
            print(f"rank {rank}: does not come to {name}")
            time.sleep(3)
        else:
            try:
                call()
            except RuntimeError as error:
                kind = isinstance(error, dist.DistBackendError)
                print(f"rank {rank}: {name} raises {type(error).__name__}, a DistBackendError: {kind}")
        dist.barrier()


def main() -> None:
    """Starts the process group, runs the example on this rank and ends the group."""
    sys.stdout.reconfigure(line_buffering=True, write_through=False)  # whole lines: those of the ranks must not mix
    local_rank, local_ranks = int(os.environ["LOCAL_RANK"]), int(os.environ["LOCAL_WORLD_SIZE"])
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    backend = "nccl" if dist.is_nccl_available() and gpus >= local_ranks else "gloo"
    if backend == "nccl":
        torch.cuda.set_device(local_rank)
        torch.set_default_device(f"cuda:{local_rank}")
    dist.init_process_group(backend)
    rank, world_size = dist.get_rank(), dist.get_world_size()
    if rank == 0:
        print(f"backend: {backend} ({gpus} GPUs seen, {local_ranks} ranks here)", file=sys.stderr)
    example(rank, world_size)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
