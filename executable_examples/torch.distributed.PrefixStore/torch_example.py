"""torch.distributed.PrefixStore puts a word in front of every key, so that two users of one store do not meet.

Rank 0 keeps the store and tells its port to the others. The script takes
gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.PrefixStore/torch_example.py

Output (gloo):
    rank 0: key 1 is b'1 from 1' under first and b'2 from 1' under second
    rank 0: the store itself holds it as first/key 1: b'1 from 1'
    rank 1: key 2 is b'1 from 2' under first and b'2 from 2' under second
    rank 1: the store itself holds it as first/key 2: b'1 from 2'
    rank 2: key 0 is b'1 from 0' under first and b'2 from 0' under second
    rank 2: the store itself holds it as first/key 0: b'1 from 0'
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Sets the same key under two prefixes and reads both."""
    from datetime import timedelta

    port = torch.zeros(1, dtype=torch.int64)
    if rank == 0:
        store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False, timeout=timedelta(seconds=5))
        port += store.port
    dist.broadcast(port, 0)
    if rank != 0:
        store = dist.TCPStore("127.0.0.1", int(port), timeout=timedelta(seconds=5))
    first, second = dist.PrefixStore("first", store), dist.PrefixStore("second", store)
    first.set(f"key {rank}", f"1 from {rank}")
    second.set(f"key {rank}", f"2 from {rank}")
    other = f"key {(rank + 1) % world_size}"
    print(f"rank {rank}: {other} is {first.get(other)} under first and {second.get(other)} under second")
    print(f"rank {rank}: the store itself holds it as first/{other}: {store.get(f'first/{other}')}")
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
