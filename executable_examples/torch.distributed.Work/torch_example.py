"""torch.distributed.Work is what a call with async_op=True returns: it can be asked and waited for.

Element i on rank r holds (i + 1) * 10**r before the call, so a number shows which ranks went into it. The script takes
gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.Work/torch_example.py

Output (gloo):
    rank 0: wait() returned True, tensor: [111.0, 222.0, 333.0]
    rank 0: is_completed() returned True, again wait(): True
    rank 0: the future holds [[111.0, 222.0, 333.0]]
    rank 0: rank 1 is late, wait() returned before it came: False
    rank 0: the values were there before rank 1 came: False, tensor: [111.0, 222.0, 333.0]
    rank 1: wait() returned True, tensor: [111.0, 222.0, 333.0]
    rank 1: is_completed() returned True, again wait(): True
    rank 1: the future holds [[111.0, 222.0, 333.0]]
    rank 1: the values were there before rank 1 came: False, tensor: [111.0, 222.0, 333.0]
    rank 2: wait() returned True, tensor: [111.0, 222.0, 333.0]
    rank 2: is_completed() returned True, again wait(): True
    rank 2: the future holds [[111.0, 222.0, 333.0]]
    rank 2: rank 1 is late, wait() returned before it came: False
    rank 2: the values were there before rank 1 came: False, tensor: [111.0, 222.0, 333.0]
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Sums a tensor of shape (3,) over all ranks and asks the handle; then again, with rank 1 four seconds late."""
    import time

    tensor = torch.arange(1.0, 4.0) * 10**rank
    handle = dist.all_reduce(tensor, async_op=True)
    print(f"rank {rank}: wait() returned {handle.wait()}, tensor: {tensor.tolist()}")
    print(f"rank {rank}: is_completed() returned {handle.is_completed()}, again wait(): {handle.wait()}")
    value = handle.get_future().value()
    print(f"rank {rank}: the future holds {[part.tolist() for part in value]}")

    dist.barrier()
    started = time.monotonic()
    if rank == 1:
        time.sleep(4)
    late = torch.arange(1.0, 4.0) * 10**rank
    handle = dist.all_reduce(late, async_op=True)
    handle.wait()
    waited = time.monotonic() - started
    values = late.tolist()
    read = time.monotonic() - started
    if rank != 1:
        print(f"rank {rank}: rank 1 is late, wait() returned before it came: {waited < 2}")
    print(f"rank {rank}: the values were there before rank 1 came: {read < 2}, tensor: {values}")


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
