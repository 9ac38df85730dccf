"""torch.distributed.all_gather_object collects one object of every rank on all ranks.

The script takes gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.all_gather_object/torch_example.py

Output (gloo):
    rank 0: returned None, objects: [{'rank': 0, 'letters': 'a'}, {'rank': 1, 'letters': 'ab'}, {'rank': 2, 'letters': 'abc'}]
    rank 1: returned None, objects: [{'rank': 0, 'letters': 'a'}, {'rank': 1, 'letters': 'ab'}, {'rank': 2, 'letters': 'abc'}]
    rank 2: returned None, objects: [{'rank': 0, 'letters': 'a'}, {'rank': 1, 'letters': 'ab'}, {'rank': 2, 'letters': 'abc'}]
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Collects a dictionary of every rank."""
    objects = [None] * world_size
    returned = dist.all_gather_object(objects, {"rank": rank, "letters": "abc"[: rank + 1]})
    print(f"rank {rank}: returned {returned}, objects: {objects}")


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
