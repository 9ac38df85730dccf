"""Groups along the rows and columns of a mesh of ranks in MindSpore: each rank makes the groups of its own lines only.

Rank r holds 10**r, so a sum shows which ranks went into it. Three ranks form one row, four form two rows of two. The
device is the one named by the environment variable DEVICE_TARGET, CPU if it is not set, and is printed on standard
error. On Ascend, put DEVICE_TARGET=Ascend before the command; that has not been run, so no output is shown for it.

Command:
    GLOG_v=3 msrun --worker_num 3 --local_worker_num 3 --join True --log_dir build/msrun executable_examples/torch.distributed.init_device_mesh/mindspore_recipe.py

Output (CPU):
    rank 0: dimension 0, ranks [0]: sum [1.0]
    rank 0: dimension 1, ranks [0, 1, 2]: sum [111.0]
    rank 0: sum over all ranks: [111.0]
    rank 1: dimension 0, ranks [1]: sum [10.0]
    rank 1: dimension 1, ranks [0, 1, 2]: sum [111.0]
    rank 1: sum over all ranks: [111.0]
    rank 2: dimension 0, ranks [2]: sum [100.0]
    rank 2: dimension 1, ranks [0, 1, 2]: sum [111.0]
    rank 2: sum over all ranks: [111.0]
"""  # noqa: E501

import atexit
import os
import sys
import time

if __name__ == "__main__":
    exit_code = 0
    # When one rank ends with an error, msrun kills the others; one killed before MindSpore has signed it off from the
    # scheduler keeps msrun waiting for 30 seconds. Registered before MindSpore is imported, this waits after sign-off.
    atexit.register(lambda: time.sleep(5 if exit_code else 0))

import mindspore
import numpy as np
from mindspore import Tensor
from mindspore.communication import get_group_size, get_rank, init
from mindspore.mint import distributed as dist

API = "mindspore.mint.distributed.new_group"
EXIT_UNSUPPORTED = 3


def example(rank: int, world_size: int) -> None:
    """Sums along each dimension of the mesh, then over all ranks."""

    def line_groups(mesh: np.ndarray) -> list[tuple[list[int], str]]:
        place = tuple(np.argwhere(mesh == rank)[0])
        groups = []
        for dimension in range(mesh.ndim):
            ranks = mesh[tuple(slice(None) if axis == dimension else at for axis, at in enumerate(place))].tolist()
            groups.append((ranks, dist.new_group(ranks)))  # never a group that this rank is not in
        return groups

    rows = 2 if world_size % 2 == 0 else 1
    for dimension, (ranks, group) in enumerate(line_groups(np.arange(world_size).reshape(rows, -1))):
        number = Tensor(np.array([10.0**rank], dtype=np.float32))
        dist.all_reduce(number, group=group)
        print(f"rank {rank}: dimension {dimension}, ranks {ranks}: sum {number.asnumpy().tolist()}")
    number = Tensor(np.array([10.0**rank], dtype=np.float32))
    dist.all_reduce(number)
    print(f"rank {rank}: sum over all ranks: {number.asnumpy().tolist()}")


def main() -> int:
    """Starts the communication, runs the example on this rank and returns its exit code."""
    sys.stdout.reconfigure(line_buffering=True, write_through=False)  # whole lines: those of the ranks must not mix
    device = os.environ.get("DEVICE_TARGET", "CPU")
    mindspore.set_device(device)
    init()
    rank, world_size = get_rank(), get_group_size()
    if rank == 0:
        print(f"DEVICE_TARGET: {device}", file=sys.stderr)
    status = 0
    try:
        example(rank, world_size)
    except RuntimeError as error:
        if "unregistered" not in str(error):
            raise
        reason = str(error).strip().splitlines()[0]
        print(f"rank {rank}: {API} has no kernel on {device} in MindSpore {mindspore.__version__}: {reason}")
        status = EXIT_UNSUPPORTED
    dist.barrier()
    return status


if __name__ == "__main__":
    exit_code = main()
    sys.exit(exit_code)
