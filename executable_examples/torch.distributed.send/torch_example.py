"""torch.distributed.send sends a tensor to one other rank, and refuses to send it to the rank itself.

Element i on rank r holds (i + 1) * 10**r before the call, so a number shows which ranks went into it. The script takes
gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.send/torch_example.py

Output (gloo):
    rank 0: tensor before: [1.0, 2.0, 3.0]
    rank 0: sending to itself raises ValueError
    rank 0: send to 1 returned None
    rank 0: send to 2 returned None
    rank 1: tensor before: [10.0, 20.0, 30.0]
    rank 1: sending to itself raises ValueError
    rank 1: received from 0: [1.0, 2.0, 3.0]
    rank 2: tensor before: [100.0, 200.0, 300.0]
    rank 2: sending to itself raises ValueError
    rank 2: received from 0: [1.0, 2.0, 3.0]
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Sends a tensor of shape (3,) from rank 0 to each other rank, after trying to send it to the rank itself."""
    tensor = torch.arange(1.0, 4.0) * 10**rank
    print(f"rank {rank}: tensor before: {tensor.tolist()}")
    try:
        dist.send(tensor, dst=rank)
    except ValueError as error:
        print(f"rank {rank}: sending to itself raises {type(error).__name__}")
    if rank == 0:
        for dst in range(1, world_size):
            returned = dist.send(tensor, dst=dst)
            print(f"rank {rank}: send to {dst} returned {returned}")
    else:
        dist.recv(tensor, src=0)
        print(f"rank {rank}: received from 0: {tensor.tolist()}")


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
