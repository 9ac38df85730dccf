"""What a rank runs: ``python -m apidiff.execute.ranks FRAMEWORK BACKEND DEVICE READ_FD WRITE_FD``.

With ``scheduler DEVICE`` before the pipe's numbers it is the process that brings MindSpore's ranks together; that one is
asked nothing.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from apidiff.execute.one_release import Started, runs_here
from apidiff.execute.worker_process import serve
from apidiff.model.mapping import Api
from apidiff.process_group import end_with_parent

if TYPE_CHECKING:  # it brings NumPy, and with it threads
    from apidiff.execute.ranks.adapter import Adapter


def main() -> None:
    """Joins the world, then answers requests until the pipe closes."""
    *what, read_fd, write_fd = sys.argv[1:]
    if what[0] == "scheduler":
        end_with_parent(int(read_fd), int(write_fd))
        _schedule(what[1])
    else:
        serve(int(read_fd), int(write_fd), lambda: _join(*what))


def _join(framework: str, backend: str, device: str) -> tuple[object, Callable[[Any], object]]:
    adapter = _adapter(framework, backend, device)
    adapter.start()
    started = Started(adapter.rank, adapter.world_size, adapter.version(), runs_here(framework))
    return started, lambda request: _answer(adapter, request)


def _schedule(device: str) -> None:
    """Brings MindSpore's ranks together, until they have left."""
    import mindspore
    from mindspore.communication import init

    mindspore.set_device({"cpu": "CPU", "cuda": "GPU", "npu": "Ascend"}[device])
    init()


def _adapter(framework: str, backend: str, device: str) -> Adapter:
    if framework == "torch":
        from apidiff.execute.ranks.torch_adapter import TorchAdapter

        return TorchAdapter(backend, device)
    from apidiff.execute.ranks.mindspore_adapter import MindSporeAdapter

    return MindSporeAdapter(device)


def _answer(adapter: Adapter, request: Any) -> object:
    match request:
        case {"do": "probe", "api": api, "probe": probe}:
            return adapter.probe(msgspec.convert(api, Api), probe)
        case {"do": "example", "path": path, "code": code}:
            return adapter.example(path, code)
        case {"do": "signature", "api": api}:
            return adapter.signature(msgspec.convert(api, Api))
        case {"do": "canary"}:
            return _canary(adapter)
    raise ValueError(f"unknown request {request}")


def _canary(adapter: Adapter) -> bool:
    try:
        return adapter.canary()
    except Exception:  # noqa: BLE001 - an earlier failure may come up here as anything; all mean that the rank is spoilt
        traceback.print_exc()
        return False


if __name__ == "__main__":
    main()
