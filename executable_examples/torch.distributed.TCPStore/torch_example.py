"""torch.distributed.TCPStore: rank 0 keeps keys and values, the other ranks read and change them over TCP.

Rank 0 takes a free port and tells it to the others. The script takes
gloo on CPU, or nccl where every rank has a GPU of its own, and says which on standard error.

Command:
    torchrun --standalone --nproc-per-node 3 executable_examples/torch.distributed.TCPStore/torch_example.py

Output (gloo):
    rank 0: get waits until the key is set: b'value 1'
    rank 0: the sum of all add calls: 111, read with get: b'111'
    rank 0: delete_key returns True, then False
    rank 0: get of a key that nobody sets raises DistStoreError
    rank 1: get waits until the key is set: b'value 2'
    rank 1: the sum of all add calls: 111, read with get: b'111'
    rank 2: get waits until the key is set: b'value 0'
    rank 2: the sum of all add calls: 111, read with get: b'111'
"""

import os
import sys

import torch
import torch.distributed as dist


def example(rank: int, world_size: int) -> None:
    """Sets, waits, counts, deletes, and asks for a key that nobody sets."""
    from datetime import timedelta

    port = torch.zeros(1, dtype=torch.int64)
    if rank == 0:
        store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False, timeout=timedelta(seconds=5))
        port += store.port
    dist.broadcast(port, 0)
    if rank != 0:
        store = dist.TCPStore("127.0.0.1", int(port), timeout=timedelta(seconds=5))
    store.set(f"from {rank}", f"value {rank}")
    print(f"rank {rank}: get waits until the key is set: {store.get(f'from {(rank + 1) % world_size}')}")
    store.add("sum", 10**rank)
    dist.barrier()
    print(f"rank {rank}: the sum of all add calls: {store.add('sum', 0)}, read with get: {store.get('sum')}")
    dist.barrier()
    if rank == 0:
        print(f"rank {rank}: delete_key returns {store.delete_key('sum')}, then {store.delete_key('sum')}")
        store.set_timeout(timedelta(seconds=1))
    dist.barrier()
    if rank == 0:
        try:
            store.get("sum")
        except RuntimeError as error:
            print(f"rank {rank}: get of a key that nobody sets raises {type(error).__name__}")
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
