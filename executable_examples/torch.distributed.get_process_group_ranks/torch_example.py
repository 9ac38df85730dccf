"""torch.distributed.get_process_group_ranks lists the ranks of a group.

The script takes gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.get_process_group_ranks/torch_example.py

Output (gloo):
    rank 0: all 3: [0, 1, 2]
    rank 0: group of ranks 0 and 1: [0, 1]
    rank 0: group of rank 0: [0]
    rank 1: all 3: [0, 1, 2]
    rank 1: group of ranks 0 and 1: [0, 1]
    rank 1: group of rank 0: [0]
    rank 2: all 3: [0, 1, 2]
    rank 2: group of ranks 0 and 1: [0]
    rank 2: group of rank 0: [0]
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Lists all ranks, then those of two groups. A rank outside both is told the ranks of the group made last."""
    print(f"rank {rank}: all {world_size}: {dist.get_process_group_ranks(None)}")
    first, second = dist.new_group([0, 1]), dist.new_group([0])
    print(f"rank {rank}: group of ranks 0 and 1: {dist.get_process_group_ranks(first)}")
    print(f"rank {rank}: group of rank 0: {dist.get_process_group_ranks(second)}")


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
