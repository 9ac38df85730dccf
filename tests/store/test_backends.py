"""What a user's name of a backend means, and what ``conf/backends.toml`` says of each."""

from __future__ import annotations

import pytest

from apidiff.model.trace import backend_name
from apidiff.store import ApidiffError
from apidiff.store.backends import Devices, called, load_backends

BACKENDS = load_backends()
# (name, framework, what it means)
NAMES = [
    ("gloo", None, ["gloo-cpu torch"]),
    ("gloo-cpu", None, ["gloo-cpu torch"]),
    ("gloo-cuda", None, ["gloo-cuda torch"]),
    ("nccl", None, ["nccl-cuda torch", "nccl-cuda mindspore"]),
    ("nccl", "torch", ["nccl-cuda torch"]),
    ("nccl-cuda", "mindspore", ["nccl-cuda mindspore"]),
    ("hccl", None, ["hccl-npu torch", "hccl-npu mindspore"]),
    ("mccl", None, ["mccl-cpu mindspore"]),
]


@pytest.mark.parametrize(("name", "framework", "meant"), NAMES)
def test_names(name: str, framework: str | None, meant: list[str]) -> None:
    assert [f"{one.full_name} {one.framework}" for one in called(BACKENDS, name, framework)] == meant


@pytest.mark.parametrize(("name", "framework"), [("glue", None), ("gloo-npu", None), ("mccl", "torch"), ("", None)])
def test_no_backend_of_that_name(name: str, framework: str | None) -> None:
    with pytest.raises(
        ApidiffError, match=r"No backend is called .* There are: gloo-cpu \(torch\), gloo-cuda \(torch\), "
    ):
        called(BACKENDS, name, framework)


def test_a_backend_is_told_by_name_framework_and_device() -> None:
    places = [(one.name, one.framework, one.device) for one in BACKENDS]
    assert len(set(places)) == len(places)


@pytest.mark.parametrize("one", BACKENDS, ids=lambda one: f"{one.full_name}-{one.framework}")
def test_every_backend_that_is_not_on_cpu_says_how_ranks_use_its_devices(one) -> None:
    assert (one.devices is None) is (one.device == "cpu")
    assert (one.devices is Devices.SHARED) is (one.full_name == "gloo-cuda")
    assert called(BACKENDS, backend_name(one.name, one.device), one.framework) == [one]
