"""torch.nn.parallel.DistributedDataParallel copies rank 0's parameters to all ranks and averages gradients in backward().

The weight on rank r starts as 10**r, and the input is 10**r there, so a gradient shows which ranks went into it: 37 is the
mean of 1, 10 and 100. The script takes gloo on CPU, or nccl where every rank has a GPU of its own, and says which on
standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.nn.parallel.DistributedDataParallel/torch_example.py

Output (gloo):
    rank 0: weight before: 1.0
    rank 0: weight after: 1.0, names: ['module.weight']
    rank 0: gradient: 37.0
    rank 0: gradient under no_sync(): 1.0
    rank 0: gradient of both passes: 74.0
    rank 1: weight before: 10.0
    rank 1: weight after: 1.0, names: ['module.weight']
    rank 1: gradient: 37.0
    rank 1: gradient under no_sync(): 10.0
    rank 1: gradient of both passes: 74.0
    rank 2: weight before: 100.0
    rank 2: weight after: 1.0, names: ['module.weight']
    rank 2: gradient: 37.0
    rank 2: gradient under no_sync(): 100.0
    rank 2: gradient of both passes: 74.0
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Wraps a layer with one weight, then makes a backward pass, one under no_sync(), and one more."""
    layer = torch.nn.Linear(1, 1, bias=False)
    layer.weight.data.fill_(10.0**rank)
    print(f"rank {rank}: weight before: {layer.weight.item()}")
    model = torch.nn.parallel.DistributedDataParallel(layer)
    print(f"rank {rank}: weight after: {layer.weight.item()}, names: {[*model.state_dict()]}")

    inputs = torch.full((1, 1), 10.0**rank)
    model(inputs).sum().backward()
    print(f"rank {rank}: gradient: {layer.weight.grad.item()}")

    model.zero_grad()
    with model.no_sync():
        model(inputs).sum().backward()
    print(f"rank {rank}: gradient under no_sync(): {layer.weight.grad.item()}")
    model(inputs).sum().backward()
    print(f"rank {rank}: gradient of both passes: {layer.weight.grad.item()}")


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
