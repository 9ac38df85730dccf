"""Where a rank's tensors lie, and that they are made there: with numbers of devices as torch would tell them."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from apidiff.execute.ranks.torch_adapter import TorchAdapter, device_of  # noqa: E402

# (kind, devices of the machine, ranks on it, the device of each)
PLACES = [
    ("cpu", 0, 3, ["cpu", "cpu", "cpu"]),
    ("cuda", 1, 4, ["cuda:0", "cuda:0", "cuda:0", "cuda:0"]),
    ("cuda", 2, 3, ["cuda:0", "cuda:1", "cuda:0"]),
    ("cuda", 4, 4, ["cuda:0", "cuda:1", "cuda:2", "cuda:3"]),
    ("cuda", 0, 1, ["cuda:0"]),  # torch then says itself that there is none
]


@pytest.mark.parametrize(("kind", "count", "ranks", "places"), PLACES)
def test_ranks_go_round_the_devices(
    monkeypatch: pytest.MonkeyPatch, kind: str, count: int, ranks: int, places: list[str]
) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    assert [str(device_of(kind, local)) for local in range(ranks)] == places


@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize("dtype", ["float32", "int64", "bfloat16"])
@pytest.mark.parametrize("strided", [False, True])
def test_tensors_are_made_on_the_ranks_device(device: str, dtype: str, strided: bool) -> None:
    adapter = TorchAdapter("gloo", "cuda")
    adapter._device = torch.device(device)  # what `start` finds out where there is a GPU
    made = adapter.make_tensor(np.arange(6, dtype="float32").reshape(2, 3), dtype, strided=strided)
    assert (made.device.type, made.dtype, tuple(made.shape)) == (device, getattr(torch, dtype), (2, 3))
    assert adapter.contiguous(made) is not strided
    if device == "cpu":
        assert adapter.to_numpy(made).tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(("kind", "waits"), [("cpu", 0), ("cuda", 1)])
def test_a_device_is_waited_for(monkeypatch: pytest.MonkeyPatch, kind: str, waits: int) -> None:
    waited = []
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: waited.append(1))
    adapter = TorchAdapter("gloo", kind)
    adapter._device = torch.device(kind)  # what `start` finds out
    adapter.synchronise()
    assert len(waited) == waits
