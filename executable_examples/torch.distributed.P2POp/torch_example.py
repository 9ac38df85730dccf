"""torch.distributed.P2POp tells of one send or receive; nothing is sent before batch_isend_irecv.

Element i on rank r holds (i + 1) * 10**r before the call, so a number shows which ranks went into it. The script takes
gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.P2POp/torch_example.py

Output (gloo):
    rank 0: isend, peer 1, tensor [1.0, 2.0, 3.0]
    rank 0: irecv, peer 2, tensor [1.0, 2.0, 3.0]
    rank 0: a text as operation raises ValueError
    rank 1: isend, peer 2, tensor [10.0, 20.0, 30.0]
    rank 1: irecv, peer 0, tensor [10.0, 20.0, 30.0]
    rank 1: a text as operation raises ValueError
    rank 2: isend, peer 0, tensor [100.0, 200.0, 300.0]
    rank 2: irecv, peer 1, tensor [100.0, 200.0, 300.0]
    rank 2: a text as operation raises ValueError
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Describes a send and a receive around the ring of ranks; the operation is a function, not a text."""
    tensor = torch.arange(1.0, 4.0) * 10**rank
    for function, peer in ((dist.isend, rank + 1), (dist.irecv, rank - 1)):
        operation = dist.P2POp(function, tensor, peer % world_size)
        print(f"rank {rank}: {operation.op.__name__}, peer {operation.peer}, tensor {operation.tensor.tolist()}")
    try:
        dist.P2POp("isend", tensor, (rank + 1) % world_size)
    except ValueError as error:
        print(f"rank {rank}: a text as operation raises {type(error).__name__}")


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
