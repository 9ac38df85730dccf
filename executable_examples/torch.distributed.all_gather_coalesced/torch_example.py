"""torch.distributed.all_gather_coalesced fills, on every rank, a list of tensors for each rank.

Element i on rank r holds (i + 1) * 10**r before the call, so a number shows which ranks went into it. The script takes
gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.all_gather_coalesced/torch_example.py

Output (gloo):
    rank 0: inputs before: [[1.0, 2.0], [3.0]]
    rank 0: sync returned None, outputs after: [[[1.0, 2.0], [3.0]], [[10.0, 20.0], [30.0]], [[100.0, 200.0], [300.0]]]
    rank 0: async returned Future, outputs after wait(): [[[1.0, 2.0], [3.0]], [[10.0, 20.0], [30.0]], [[100.0, 200.0], [300.0]]]
    rank 1: inputs before: [[10.0, 20.0], [30.0]]
    rank 1: sync returned None, outputs after: [[[1.0, 2.0], [3.0]], [[10.0, 20.0], [30.0]], [[100.0, 200.0], [300.0]]]
    rank 1: async returned Future, outputs after wait(): [[[1.0, 2.0], [3.0]], [[10.0, 20.0], [30.0]], [[100.0, 200.0], [300.0]]]
    rank 2: inputs before: [[100.0, 200.0], [300.0]]
    rank 2: sync returned None, outputs after: [[[1.0, 2.0], [3.0]], [[10.0, 20.0], [30.0]], [[100.0, 200.0], [300.0]]]
    rank 2: async returned Future, outputs after wait(): [[[1.0, 2.0], [3.0]], [[10.0, 20.0], [30.0]], [[100.0, 200.0], [300.0]]]
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Gathers tensors of shapes (2,) and (1,) from every rank, first waiting in the call, then through the future."""
    inputs = [torch.arange(1.0, 3) * 10**rank, torch.full((1,), 3.0) * 10**rank]
    outputs = [[torch.full((2,), -1.0), torch.full((1,), -1.0)] for _ in range(world_size)]
    print(f"rank {rank}: inputs before: {[part.tolist() for part in inputs]}")
    returned = dist.all_gather_coalesced(outputs, inputs)
    received = [[part.tolist() for part in parts] for parts in outputs]
    print(f"rank {rank}: sync returned {returned}, outputs after: {received}")

    outputs = [[torch.full((2,), -1.0), torch.full((1,), -1.0)] for _ in range(world_size)]
    future = dist.all_gather_coalesced(outputs, inputs, async_op=True)
    future.wait()
    received = [[part.tolist() for part in parts] for parts in outputs]
    print(f"rank {rank}: async returned {type(future).__name__}, outputs after wait(): {received}")


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
