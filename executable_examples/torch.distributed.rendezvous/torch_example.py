"""torch.distributed.rendezvous brings the processes of a job together and gives each a store, its rank and their number.

The address is the one that the launcher put into MASTER_ADDR and MASTER_PORT. The script takes
gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.rendezvous/torch_example.py

Output (gloo):
    rank 0: rank 0 of 3, read b'value 1'
    rank 1: rank 1 of 3, read b'value 2'
    rank 2: rank 2 of 3, read b'value 0'
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Meets at the launcher's address and uses the store."""
    store, my_rank, number = next(dist.rendezvous("env://"))
    store.set(f"from {my_rank}", f"value {my_rank}")
    print(f"rank {rank}: rank {my_rank} of {number}, read {store.get(f'from {(my_rank + 1) % world_size}')}")
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
