"""torchrun, the program of torch.distributed.run: what each process it starts is told through environment variables.

The script takes
gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.run/torch_example.py

Output (gloo):
    rank 0: RANK=0, LOCAL_RANK=0, WORLD_SIZE=3
    rank 0: of 3, also set: MASTER_ADDR, MASTER_PORT
    rank 1: RANK=1, LOCAL_RANK=1, WORLD_SIZE=3
    rank 1: of 3, also set: MASTER_ADDR, MASTER_PORT
    rank 2: RANK=2, LOCAL_RANK=2, WORLD_SIZE=3
    rank 2: of 3, also set: MASTER_ADDR, MASTER_PORT
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Shows the variables that a script reads."""
    told = ("RANK", "LOCAL_RANK", "WORLD_SIZE")
    print(f"rank {rank}: {', '.join(f'{name}={os.environ[name]}' for name in told)}")
    there = [name for name in ("MASTER_ADDR", "MASTER_PORT", "RANK_ID", "MS_WORKER_NUM") if name in os.environ]
    print(f"rank {rank}: of {world_size}, also set: {', '.join(there)}")


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
