"""torch.distributed.breakpoint stops one rank in the debugger; the others wait in a barrier until it goes on.

Nobody types here: the debugger only says that it has stopped. The script takes
gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.breakpoint/torch_example.py

Output (gloo):
    rank 0: of 3 goes on after 0.4 s or more: True
    rank 1: stopped
    rank 1: of 3 goes on after 0.4 s or more: True
    rank 2: of 3 goes on after 0.4 s or more: True
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Stops rank 1, with a debugger that does not ask for commands."""
    import pdb
    import time
    from unittest import mock

    def stop(*_: object) -> None:
        print(f"rank {rank}: stopped")
        time.sleep(0.5)

    dist.barrier()  # the ranks do not start at the same moment
    started = time.monotonic()
    with mock.patch.multiple(pdb.Pdb, set_trace=stop, message=lambda *_: None):
        dist.breakpoint(rank=1)
    print(f"rank {rank}: of {world_size} goes on after 0.4 s or more: {time.monotonic() - started > 0.4}")


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
