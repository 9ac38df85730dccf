"""Trains the classifier of train_torch.py on two ranks with MindSpore: same data, same first weights, same losses.

DistributedDataParallel of MindSpore has no kernel on CPU, so the script averages the gradients itself.
The device is the one named by the environment variable DEVICE_TARGET, CPU if it is not set.
On Ascend this has not been run.

Command:
    GLOG_v=3 msrun --worker_num 2 --local_worker_num 2 --join True --log_dir build/msrun executable_examples/ddp_training/train_mindspore.py
"""  # noqa: E501

import os
import tempfile
from pathlib import Path

import mindspore
import numpy as np
from mindspore import Tensor, mint, nn, ops
from mindspore.communication import get_group_size, get_rank, init
from mindspore.dataset import DistributedSampler, GeneratorDataset
from mindspore.mint import distributed as dist

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


def make_model() -> nn.Cell:
    return nn.SequentialCell(mint.nn.Linear(4, 16), mint.nn.ReLU(), mint.nn.Linear(16, 3))


def average(gradients: tuple[Tensor, ...], world_size: int) -> tuple[Tensor, ...]:
    """Returns the mean of each gradient over all ranks, with one all_reduce for all of them."""
    flat = ops.cat(
        [gradient.reshape(-1) for gradient in gradients]
    )  # a copy: all_reduce of a view goes wrong on CPU, without an error
    dist.all_reduce(flat)
    flat = flat / world_size
    parts = flat.split([gradient.size for gradient in gradients])
    return tuple(part.copy().reshape(gradient.shape) for part, gradient in zip(parts, gradients, strict=True))


def wait_for_all() -> None:
    """Returns once all ranks have called it: on CPU the first barrier() of a process does not wait, reading a sum does."""
    ready = Tensor(np.ones(1, np.float32))
    dist.all_reduce(ready)
    ready.asnumpy()


def main() -> None:
    mindspore.set_device(os.environ.get("DEVICE_TARGET", "CPU"))
    init()  # before the first Tensor
    rank, world_size = get_rank(), get_group_size()

    features, classes = make_data()
    classes = classes.astype(np.int32)  # nn.CrossEntropyLoss takes no int64
    sampler = DistributedSampler(world_size, rank, shuffle=SHUFFLE)
    dataset = GeneratorDataset(list(zip(features, classes, strict=True)), ["features", "classes"], sampler=sampler)
    loader = dataset.batch(BATCH)

    model = make_model()
    weights = model.trainable_params()
    if rank == 0:  # the other ranks have random weights until the next loop
        for parameter, weight in zip(weights, first_weights(), strict=True):
            parameter.set_data(Tensor(weight))
    for parameter in weights:
        value = parameter.copy()
        dist.broadcast(value, src=0)
        parameter.set_data(value)
    loss_fn = nn.CrossEntropyLoss()
    optimizer = nn.SGD(weights, learning_rate=0.1, momentum=0.9)

    def forward(inputs: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        outputs = model(inputs)
        return loss_fn(outputs, labels), outputs

    backward = mindspore.value_and_grad(forward, None, weights, has_aux=True)

    for epoch in range(EPOCHS):
        totals = Tensor(np.zeros(3, np.float32))  # loss, right answers, samples
        for inputs, labels in loader.create_tuple_iterator(num_epochs=1):
            (loss, outputs), gradients = backward(inputs, labels)
            optimizer(average(gradients, world_size))
            right = (outputs.argmax(1) == labels).sum()
            totals += Tensor([loss.item() * len(labels), right.item(), len(labels)], mindspore.float32)
        dist.all_reduce(totals)
        loss, right, samples = totals.tolist()
        if rank == 0:
            print(f"rank 0: epoch {epoch}: loss {loss / samples:.6f}, accuracy {right / samples:.4f}", flush=True)

    path = Path(tempfile.gettempdir(), f"train_mindspore_{os.environ['MS_SCHED_PORT']}.ckpt")
    if rank == 0:
        mindspore.save_checkpoint(model, str(path))
    wait_for_all()
    trained = make_model()
    mindspore.load_checkpoint(str(path), net=trained)
    loss = loss_fn(trained(Tensor(features)), Tensor(classes))
    print(f"rank {rank}: checkpoint: loss {loss.item():.6f}", flush=True)

    wait_for_all()  # nobody reads the file any more
    if rank == 0:
        path.unlink()


if __name__ == "__main__":
    main()
