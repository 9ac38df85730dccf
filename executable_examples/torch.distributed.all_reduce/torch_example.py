"""torch.distributed.all_reduce adds up in place: every rank's tensor becomes the sum.

Element i on rank r holds (i + 1) * 10**r before the call, so a number shows which ranks went into it. The script takes
gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.all_reduce/torch_example.py

Output (gloo):
    rank 0: tensor before: [1.0, 2.0, 3.0]
    rank 0: sync returned None, tensor after: [111.0, 222.0, 333.0]
    rank 0: async returned Work, tensor after wait(): [111.0, 222.0, 333.0]
    rank 0: buffer after: [1.0, 2.0, 3.0, 444.0, 555.0, 666.0, 7.0, 8.0, 9.0]
    rank 1: tensor before: [10.0, 20.0, 30.0]
    rank 1: sync returned None, tensor after: [111.0, 222.0, 333.0]
    rank 1: async returned Work, tensor after wait(): [111.0, 222.0, 333.0]
    rank 1: buffer after: [10.0, 20.0, 30.0, 444.0, 555.0, 666.0, 70.0, 80.0, 90.0]
    rank 2: tensor before: [100.0, 200.0, 300.0]
    rank 2: sync returned None, tensor after: [111.0, 222.0, 333.0]
    rank 2: async returned Work, tensor after wait(): [111.0, 222.0, 333.0]
    rank 2: buffer after: [100.0, 200.0, 300.0, 444.0, 555.0, 666.0, 700.0, 800.0, 900.0]
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Sums a tensor of shape (3,) over all ranks: waiting in the call, through the handle, then as a slice of a larger one."""
    tensor = torch.arange(1.0, 4.0) * 10**rank
    print(f"rank {rank}: tensor before: {tensor.tolist()}")
    returned = dist.all_reduce(tensor)
    print(f"rank {rank}: sync returned {returned}, tensor after: {tensor.tolist()}")

    tensor = torch.arange(1.0, 4.0) * 10**rank
    handle = dist.all_reduce(tensor, async_op=True)
    handle.wait()
    print(f"rank {rank}: async returned {type(handle).__name__}, tensor after wait(): {tensor.tolist()}")

    buffer = torch.arange(1.0, 10.0) * 10**rank
    dist.all_reduce(buffer[3:6])
    print(f"rank {rank}: buffer after: {buffer.tolist()}")


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
