"""The loop of one rank: reads one request a line from a pipe, answers one line.

``python -m apidiff.execute.ranks FRAMEWORK BACKEND DEVICE READ_FD WRITE_FD``. It is killed, with all that it started, when the
other end of the pipe closes.
"""

from __future__ import annotations

import io
import os
import sys
import traceback
from typing import TYPE_CHECKING, Any

import msgspec

from apidiff.execute.parent_death import end_with_parent
from apidiff.model import Api

if TYPE_CHECKING:  # it brings NumPy, and with it threads
    from apidiff.execute.ranks.adapter import Adapter


def main() -> None:
    """Joins the world, then serves requests until the pipe closes."""
    framework, backend, device, read_fd, write_fd = sys.argv[1:]
    end_with_parent(int(read_fd), int(write_fd))
    sys.stdout, sys.stderr = _log(1), _log(2)
    with os.fdopen(int(read_fd), "rb") as requests, os.fdopen(int(write_fd), "wb", buffering=0) as answers:
        adapter = _adapter(framework, backend, device)
        adapter.start()
        started = {"rank": adapter.rank, "world_size": adapter.world_size, "version": adapter.version()}
        answers.write(msgspec.json.encode(started) + b"\n")
        for line in requests:
            answers.write(msgspec.json.encode(_answer(adapter, msgspec.json.decode(line))) + b"\n")
    # Frameworks may hang or abort in their own tear-down once a peer is gone; nothing is left to save.
    os._exit(0)


class _Log(io.FileIO):
    """The log, or nothing where the disk is full: what a call prints must not look like an error of the call."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def _log(fd: int) -> io.TextIOWrapper:
    return io.TextIOWrapper(_Log(fd, "wb", closefd=False), "utf-8", "backslashreplace", write_through=True)


def _adapter(framework: str, backend: str, device: str) -> Adapter:
    if framework == "torch":
        from apidiff.execute.ranks.torch_adapter import TorchAdapter

        return TorchAdapter(backend, device)
    from apidiff.execute.ranks.mindspore_adapter import MindSporeAdapter

    return MindSporeAdapter(device)


def _answer(adapter: Adapter, request: dict[str, Any]) -> Any:
    match request:
        case {"do": "probe", "api": api, "probe": probe}:
            return adapter.probe(msgspec.convert(api, Api), probe)
        case {"do": "example", "path": path}:
            return adapter.example(path)
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
