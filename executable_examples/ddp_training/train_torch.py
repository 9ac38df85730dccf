"""Trains a classifier on two ranks with torch.nn.parallel.DistributedDataParallel.

Data and first weights come from NumPy, so that train_mindspore.py can start from the same ones.

Command:
    torchrun --standalone --nproc-per-node 2 executable_examples/ddp_training/train_torch.py
"""

import os
import tempfile
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

EPOCHS = 4
BATCH = 8  # per rank
SHUFFLE = False  # True in your training; both scripts of this pair have to see the same batches


def make_data() -> tuple[np.ndarray, np.ndarray]:
    """Returns features of shape (96, 4) and their classes, of shape (96,), from 0 to 2."""
    random = np.random.default_rng(0)
    features = random.normal(size=(96, 4)).astype(np.float32)
    return features, np.argmax(features @ random.normal(size=(4, 3)), axis=1)


def first_weights() -> list[np.ndarray]:
    """Returns what the two layers start with: weight, bias, weight, bias."""
    random = np.random.default_rng(1)
    shapes = [(16, 4), (16,), (3, 16), (3,)]
    return [random.normal(scale=0.5, size=shape).astype(np.float32) for shape in shapes]


def make_model() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))


def main() -> None:
    dist.init_process_group("gloo")
    rank = dist.get_rank()

    features, classes = make_data()
    dataset = TensorDataset(torch.from_numpy(features), torch.from_numpy(classes))
    sampler = DistributedSampler(dataset, shuffle=SHUFFLE)
    loader = DataLoader(dataset, batch_size=BATCH, sampler=sampler)

    model = make_model()
    if rank == 0:  # the other ranks have random weights until the next line but one
        for parameter, weight in zip(model.parameters(), first_weights(), strict=True):
            parameter.data.copy_(torch.from_numpy(weight))
    model = DistributedDataParallel(model)
    loss_fn = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)
        totals = torch.zeros(3)  # loss, right answers, samples
        for inputs, labels in loader:
            optimizer.zero_grad()
            outputs = model(inputs)
            loss = loss_fn(outputs, labels)
            loss.backward()  # averages the gradients over all ranks
            optimizer.step()
            right = (outputs.argmax(1) == labels).sum()
            totals += torch.tensor([loss.item() * len(labels), right.item(), len(labels)])
        dist.all_reduce(totals)
        loss, right, samples = totals.tolist()
        if rank == 0:
            print(f"rank 0: epoch {epoch}: loss {loss / samples:.6f}, accuracy {right / samples:.4f}", flush=True)

    path = Path(tempfile.gettempdir(), f"train_torch_{os.environ['MASTER_PORT']}.pt")
    if rank == 0:
        torch.save(model.module.state_dict(), path)
    dist.barrier()  # the file is whole once rank 0 has come here
    trained = make_model()
    trained.load_state_dict(torch.load(path))
    loss = loss_fn(trained(torch.from_numpy(features)), torch.from_numpy(classes))
    print(f"rank {rank}: checkpoint: loss {loss.item():.6f}", flush=True)

    dist.barrier()  # nobody reads the file any more
    if rank == 0:
        path.unlink()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
