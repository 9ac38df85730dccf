"""torch.distributed.new_group makes a group of some ranks and returns it as an object.

The script takes gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.new_group/torch_example.py

Output (gloo):
    rank 0: 1 of 3 ranks, new_group returned ProcessGroup, not a member: False
    rank 0: get_rank(group) is 0, get_world_size(group) is 2
    rank 0: sum over the group: [101.0], another group for the same ranks: True
    rank 1: 1 of 3 ranks, new_group returned int, not a member: True
    rank 1: get_rank(group) is -1, get_world_size(group) is -1
    rank 2: 1 of 3 ranks, new_group returned ProcessGroup, not a member: False
    rank 2: get_rank(group) is 1, get_world_size(group) is 2
    rank 2: sum over the group: [101.0], another group for the same ranks: True
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Every rank makes the group of ranks 0 and 2, also the one outside; only the members use it."""
    group = dist.new_group([0, 2])
    again = dist.new_group([0, 2])
    outside = group == dist.GroupMember.NON_GROUP_MEMBER
    print(f"rank {rank}: 1 of {world_size} ranks, new_group returned {type(group).__name__}, not a member: {outside}")
    print(
        f"rank {rank}: get_rank(group) is {dist.get_rank(group)}, get_world_size(group) is {dist.get_world_size(group)}"
    )
    if outside:
        return
    number = torch.tensor([10.0**rank])
    dist.all_reduce(number, group=group)
    print(f"rank {rank}: sum over the group: {number.tolist()}, another group for the same ranks: {group is not again}")


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
