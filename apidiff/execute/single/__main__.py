"""The loop of a process that makes calls: reads one request a line from a pipe, answers one line.

``python -m apidiff.execute.single FRAMEWORK DEVICE READ_FD WRITE_FD``. It is killed, with all that it started, when the other
end of the pipe closes.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import msgspec

from apidiff.execute.parent_death import end_with_parent
from apidiff.model import Api
from apidiff.model.sample import SampleCall

if TYPE_CHECKING:  # it brings NumPy, and with it threads
    from apidiff.execute.single.adapter import SingleAdapter


def main() -> None:
    """Starts the framework, then serves requests until the pipe closes."""
    framework, device, read_fd, write_fd = sys.argv[1:]
    end_with_parent(int(read_fd), int(write_fd))
    with os.fdopen(int(read_fd), "rb") as requests, os.fdopen(int(write_fd), "wb", buffering=0) as answers:
        adapter = _adapter(framework, device)
        adapter.start()
        answers.write(msgspec.json.encode({"version": adapter.version()}) + b"\n")
        for line in requests:
            answers.write(msgspec.json.encode(_answer(adapter, msgspec.json.decode(line))) + b"\n")
    os._exit(0)  # nothing is left to save, and a framework may hang in its own tear-down


def _adapter(framework: str, device: str) -> SingleAdapter:
    if framework == "torch":
        from apidiff.execute.single.torch_adapter import TorchSingle

        return TorchSingle(device)
    from apidiff.execute.single.mindspore_adapter import MindSporeSingle

    return MindSporeSingle(device)


def _answer(adapter: SingleAdapter, request: dict[str, Any]) -> Any:
    match request:
        case {"do": "sample", "call": call}:
            return adapter.sample(msgspec.convert(call, SampleCall))
        case {"do": "signature", "api": api}:
            from apidiff.execute.ranks.found import signature_of

            return signature_of(msgspec.convert(api, Api))
    raise ValueError(f"unknown request {request}")


if __name__ == "__main__":
    main()
