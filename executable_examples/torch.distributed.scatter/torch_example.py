"""torch.distributed.scatter gives every rank one tensor of the list on one rank; the others pass no list.

Element i on rank r holds (i + 1) * 10**r before the call, so a number shows which ranks went into it. The script takes
gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.scatter/torch_example.py

Output (gloo):
    rank 0: scatter_list before: [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    rank 0: sync returned None, tensor after: [1.0, 2.0]
    rank 0: async returned Work, tensor after wait(): [1.0, 2.0]
    rank 1: scatter_list before: None
    rank 1: sync returned None, tensor after: [3.0, 4.0]
    rank 1: async returned Work, tensor after wait(): [3.0, 4.0]
    rank 2: scatter_list before: None
    rank 2: sync returned None, tensor after: [5.0, 6.0]
    rank 2: async returned Work, tensor after wait(): [5.0, 6.0]
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Scatters tensors of shape (2,) from rank 0, first waiting in the call, then through the handle."""
    numbers = torch.arange(1.0, 2 * world_size + 1) * 10**rank
    scatter_list = list(numbers.split(2)) if rank == 0 else None
    tensor = torch.full((2,), -1.0)
    sent = scatter_list and [part.tolist() for part in scatter_list]
    print(f"rank {rank}: scatter_list before: {sent}")
    returned = dist.scatter(tensor, scatter_list, src=0)
    print(f"rank {rank}: sync returned {returned}, tensor after: {tensor.tolist()}")

    tensor = torch.full((2,), -1.0)
    handle = dist.scatter(tensor, scatter_list, src=0, async_op=True)
    handle.wait()
    print(f"rank {rank}: async returned {type(handle).__name__}, tensor after wait(): {tensor.tolist()}")


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
