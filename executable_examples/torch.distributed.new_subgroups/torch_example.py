"""torch.distributed.new_subgroups divides all ranks into groups of equal size.

The script takes gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.new_subgroups/torch_example.py

Output (gloo):
    rank 0: size 1: 3 groups, own ranks [0], sum over them: [1.0]
    rank 0: size 3: 1 groups, own ranks [0, 1, 2], sum over them: [111.0]
    rank 1: size 1: 3 groups, own ranks [1], sum over them: [10.0]
    rank 1: size 3: 1 groups, own ranks [0, 1, 2], sum over them: [111.0]
    rank 2: size 1: 3 groups, own ranks [2], sum over them: [100.0]
    rank 2: size 3: 1 groups, own ranks [0, 1, 2], sum over them: [111.0]
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Groups of one rank each, then one group of all; the size must divide the number of ranks."""
    for size in (1, world_size):
        own, groups = dist.new_subgroups(size)
        number = torch.tensor([10.0**rank])
        dist.all_reduce(number, group=own)
        ranks = dist.get_process_group_ranks(own)
        print(f"rank {rank}: size {size}: {len(groups)} groups, own ranks {ranks}, sum over them: {number.tolist()}")


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
