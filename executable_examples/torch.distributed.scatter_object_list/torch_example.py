"""torch.distributed.scatter_object_list hands the k-th object of one rank's list to rank k.

The script takes gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.scatter_object_list/torch_example.py

Output (gloo):
    rank 0: returned None, received: [{'for rank': 0}]
    rank 1: returned None, received: [{'for rank': 1}]
    rank 2: returned None, received: [{'for rank': 2}]
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Hands one object of the list of rank 0 to each rank."""
    objects = [{"for rank": other} for other in range(world_size)] if rank == 0 else None
    received = [None]
    returned = dist.scatter_object_list(received, objects, src=0)
    print(f"rank {rank}: returned {returned}, received: {received}")


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
