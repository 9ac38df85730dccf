"""What a process that makes calls runs: ``python -m apidiff.execute.single FRAMEWORK DEVICE READ_FD WRITE_FD``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from apidiff.execute.worker_process import serve_anew
from apidiff.model.mapping import Api
from apidiff.model.sample import SampleCall

if TYPE_CHECKING:  # it brings NumPy, and with it threads
    from apidiff.execute.single.adapter import SingleAdapter


def main() -> None:
    """Imports the framework, then answers requests until the pipe closes."""
    framework, device, read_fd, write_fd = sys.argv[1:]
    serve_anew(int(read_fd), int(write_fd), lambda: partial(_begin, _adapter(framework, device)))


def _begin(adapter: SingleAdapter) -> tuple[object, Callable[[Any], object]]:
    adapter.start()
    return {"version": adapter.version(), "pid": os.getpid()}, lambda request: _answer(adapter, request)


def _adapter(framework: str, device: str) -> SingleAdapter:
    if framework == "torch":
        from apidiff.execute.single.torch_adapter import TorchSingle

        return TorchSingle(device)
    from apidiff.execute.single.mindspore_adapter import MindSporeSingle

    return MindSporeSingle(device)


def _answer(adapter: SingleAdapter, request: Any) -> object:
    match request:
        case {"do": "sample", "call": call, "attempt": int(attempt)}:
            return adapter.sample(msgspec.convert(call, SampleCall), attempt)
        case {"do": "signature", "api": api}:
            return adapter.signature(msgspec.convert(api, Api))
    raise ValueError(f"unknown request {request}")


if __name__ == "__main__":
    main()
