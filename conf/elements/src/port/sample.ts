/** A snippet that shows what the panel can do. */
export const SAMPLE = `import os

import torch
import torch.distributed as dist
from torch.distributed import ReduceOp, all_gather as gather_all


def average_gradients(model, group=None):
    size = dist.get_world_size(group)
    for parameter in model.parameters():
        work = dist.all_reduce(parameter.grad, op=ReduceOp.AVG, group=group, async_op=True)
        work.wait()


def total_on_first_rank(loss):
    dist.reduce(loss, dst=0)
    return loss.item() if dist.get_rank() == 0 else None


def main():
    dist.init_process_group("nccl", rank=int(os.environ["RANK"]), world_size=2)
    pieces = [torch.empty(4) for _ in range(dist.get_world_size())]
    gather_all(pieces, torch.ones(4))
    dist.monitored_barrier()
    dist.destroy_process_group()
`;
