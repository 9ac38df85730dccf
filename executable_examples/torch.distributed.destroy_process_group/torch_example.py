"""torch.distributed.destroy_process_group ends a group; here one of ranks 0 and 1.

The script takes gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.destroy_process_group/torch_example.py

Output (gloo):
    rank 0: 1 of 3 ranks, sum over the group of ranks 0 and 1: [11.0]
    rank 0: destroy_process_group(group) returned None
    rank 0: get_rank(group) afterwards raises ValueError
    rank 0: the group of all ranks is initialised: True
    rank 1: 1 of 3 ranks, sum over the group of ranks 0 and 1: [11.0]
    rank 1: destroy_process_group(group) returned None
    rank 1: get_rank(group) afterwards raises ValueError
    rank 1: the group of all ranks is initialised: True
    rank 2: 1 of 3 ranks, sum over the group of ranks 0 and 1: [100.0]
    rank 2: destroy_process_group(group) returned None
    rank 2: get_rank(group) afterwards: -1
    rank 2: the group of all ranks is initialised: True
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Makes a group of two ranks, uses it, ends it, and asks for it afterwards."""
    group = dist.new_group([0, 1])
    number = torch.tensor([10.0**rank])
    dist.all_reduce(number, group=group)
    print(f"rank {rank}: 1 of {world_size} ranks, sum over the group of ranks 0 and 1: {number.tolist()}")
    print(f"rank {rank}: destroy_process_group(group) returned {dist.destroy_process_group(group)}")
    try:
        print(f"rank {rank}: get_rank(group) afterwards: {dist.get_rank(group)}")
    except ValueError as error:
        print(f"rank {rank}: get_rank(group) afterwards raises {type(error).__name__}")
    print(f"rank {rank}: the group of all ranks is initialised: {dist.is_initialized()}")


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
