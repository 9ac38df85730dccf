"""torch.distributed.ReduceOp names the reductions of all_reduce, reduce and reduce_scatter.

The script takes gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.ReduceOp/torch_example.py

Output (gloo):
    rank 0: tensor: [1, 1]
    rank 0: SUM: [6, 9]
    rank 0: PRODUCT: [6, 15]
    rank 0: MIN: [1, 1]
    rank 0: MAX: [3, 5]
    rank 0: BAND: [0, 1]
    rank 0: BOR: [3, 7]
    rank 0: BXOR: [0, 7]
    rank 0: a text as op raises TypeError
    rank 1: tensor: [2, 3]
    rank 1: SUM: [6, 9]
    rank 1: PRODUCT: [6, 15]
    rank 1: MIN: [1, 1]
    rank 1: MAX: [3, 5]
    rank 1: BAND: [0, 1]
    rank 1: BOR: [3, 7]
    rank 1: BXOR: [0, 7]
    rank 1: a text as op raises TypeError
    rank 2: tensor: [3, 5]
    rank 2: SUM: [6, 9]
    rank 2: PRODUCT: [6, 15]
    rank 2: MIN: [1, 1]
    rank 2: MAX: [3, 5]
    rank 2: BAND: [0, 1]
    rank 2: BOR: [3, 7]
    rank 2: BXOR: [0, 7]
    rank 2: a text as op raises TypeError
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Reduces two whole numbers over all ranks with each member that works on whole numbers, then tries a text."""
    names = ("SUM", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR")
    print(f"rank {rank}: tensor: {[rank + 1, 2 * rank + 1]}")
    for name in names:
        tensor = torch.tensor([rank + 1, 2 * rank + 1])
        dist.all_reduce(tensor, op=getattr(dist.ReduceOp, name))
        print(f"rank {rank}: {name}: {tensor.tolist()}")
    try:
        dist.all_reduce(torch.tensor([rank]), op="sum")
    except TypeError as error:
        print(f"rank {rank}: a text as op raises {type(error).__name__}")


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
