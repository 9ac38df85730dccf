"""torch.distributed.barrier holds every rank until the last one has come.

The script takes gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.barrier/torch_example.py

Output (gloo):
    rank 0: sync returned None, left after the last rank had come: True
    rank 0: async returned Work, left after the last rank had come: True
    rank 1: sync returned None, left after the last rank had come: True
    rank 1: async returned Work, left after the last rank had come: True
    rank 2: sync returned None, left after the last rank had come: True
    rank 2: async returned Work, left after the last rank had come: True
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Lets the last rank come a second late, first waiting in the call, then through the handle; one machine, one clock."""
    from time import monotonic_ns, sleep

    for async_op in (False, True):
        sleep(1 if rank == world_size - 1 else 0)
        came = torch.tensor([monotonic_ns()])
        returned = dist.barrier(async_op=async_op)
        if returned:
            returned.wait()
        left = monotonic_ns()
        all_came = [torch.zeros_like(came) for _ in range(world_size)]
        dist.all_gather(all_came, came)
        after_all = left > max(int(one[0]) for one in all_came)
        what = f"async returned {type(returned).__name__}" if async_op else f"sync returned {returned}"
        print(f"rank {rank}: {what}, left after the last rank had come: {after_all}")


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
