"""torch.distributed.split_group divides a group by splitting its communicator, which gloo cannot do.

The script takes gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.split_group/torch_example.py

Output (gloo):
    rank 0: split_group raises RuntimeError: No device associated with the default pg, not safe to split any process groups
    rank 1: split_group raises RuntimeError: No device associated with the default pg, not safe to split any process groups
    rank 2: split_group raises RuntimeError: No device associated with the default pg, not safe to split any process groups
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Rank 1 alone, all others together; where the backend cannot split, every rank says so."""
    try:
        own = dist.split_group(split_ranks=[[one for one in range(world_size) if one != 1], [1]])
    except RuntimeError as error:
        print(f"rank {rank}: split_group raises {type(error).__name__}: {error}")
        return
    number = torch.tensor([10.0**rank])
    dist.all_reduce(number, group=own)
    print(f"rank {rank}: own ranks {dist.get_process_group_ranks(own)}, sum over them: {number.tolist()}")


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
