"""After torch.distributed.init_process_group every rank knows its number and can communicate.

The script takes gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.init_process_group/torch_example.py

Output (gloo):
    rank 0: rank 0 of 3, initialised: True
    rank 0: sum over all 3 ranks: [111.0]
    rank 0: a second init_process_group raises ValueError
    rank 1: rank 1 of 3, initialised: True
    rank 1: sum over all 3 ranks: [111.0]
    rank 1: a second init_process_group raises ValueError
    rank 2: rank 2 of 3, initialised: True
    rank 2: sum over all 3 ranks: [111.0]
    rank 2: a second init_process_group raises ValueError
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Shows what is there after the start, and that the group of all ranks cannot be started twice."""
    print(f"rank {rank}: rank {dist.get_rank()} of {dist.get_world_size()}, initialised: {dist.is_initialized()}")
    number = torch.tensor([10.0**rank])
    dist.all_reduce(number)
    print(f"rank {rank}: sum over all {world_size} ranks: {number.tolist()}")
    try:
        dist.init_process_group("gloo")
    except ValueError as error:
        print(f"rank {rank}: a second init_process_group raises {type(error).__name__}")


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
