"""torch.distributed.broadcast_object_list overwrites the list of every rank with that of one rank.

The script takes gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.broadcast_object_list/torch_example.py

Output (gloo):
    rank 0: objects before: ['rank 0', 0, {'rank': 0}]
    rank 0: returned None, objects after: ['rank 0', 0, {'rank': 0}]
    rank 1: objects before: ['rank 1', 10, {'rank': 1}]
    rank 1: returned None, objects after: ['rank 0', 0, {'rank': 0}]
    rank 2: objects before: ['rank 2', 20, {'rank': 2}]
    rank 2: returned None, objects after: ['rank 0', 0, {'rank': 0}]
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Hands the objects of rank 0 to all ranks."""
    objects = [f"rank {rank}", 10 * rank, {"rank": rank}]
    print(f"rank {rank}: objects before: {objects}")
    returned = dist.broadcast_object_list(objects, src=0)
    print(f"rank {rank}: returned {returned}, objects after: {objects}")


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
