"""torch.distributed.monitored_barrier names the ranks that do not come in time.

The script takes gloo on CPU; with nccl, which it takes where every rank has a GPU of its own, the call is refused. It
says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.monitored_barrier/torch_example.py

Output (gloo):
    rank 0: with all ranks returned None
    rank 0: raised RuntimeError, names rank 2: True
    rank 1: with all ranks returned None
    rank 1: raised RuntimeError, names rank 2: False
    rank 2: with all ranks returned None
    rank 2: stays away
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Meets all ranks at one barrier, then leaves the last rank out of another."""
    from datetime import timedelta

    group = dist.new_group(backend="gloo")  # of its own: a barrier that fails leaves its group unusable
    returned = dist.monitored_barrier(group, timeout=timedelta(seconds=5))
    print(f"rank {rank}: with all ranks returned {returned}")
    last = world_size - 1
    if rank == last:
        print(f"rank {rank}: stays away")
    else:
        try:
            dist.monitored_barrier(group, timeout=timedelta(seconds=2), wait_all_ranks=True)
        except RuntimeError as error:
            print(
                f"rank {rank}: raised {type(error).__name__}, names rank {last}: {f'Ranks {last} failed' in str(error)}"
            )
    dist.barrier()


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
