"""The servers for editors and agents, as processes: each is given a message, then asked something that it must answer."""

from __future__ import annotations

import functools
import itertools
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import IO, Any

from hypothesis import strategies as st

from tests.fuzz.ending import KEPT
from tests.fuzz.mutations import mutated, with_hostile_values

_ANSWERS_WITHIN_S = 300.0  # a start reads the index; an answer takes milliseconds
_CODE = "import torch\nx = torch.eye(3)\nx.std()\ny = torch.mean(x, -1)\n"
_URI = "file:///project/model.py"


def _message(method: str, number: int | None = None, **params: Any) -> bytes:
    asked = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(asked if number is None else {**asked, "id": number}).encode()


_DOCUMENT = {"textDocument": {"uri": _URI}}
_RANGE = {"start": {"line": 0, "character": 0}, "end": {"line": 3, "character": 2}}
EDITOR = [
    _message("textDocument/didOpen", textDocument={"uri": _URI, "languageId": "python", "version": 1, "text": _CODE}),
    _message(
        "textDocument/didChange",
        textDocument={"uri": _URI, "version": 2},
        contentChanges=[{"range": _RANGE, "text": "y"}],
    ),
    _message("textDocument/didSave", **_DOCUMENT),
    _message("textDocument/didClose", **_DOCUMENT),
    _message("textDocument/hover", 1, **_DOCUMENT, position={"line": 1, "character": 10}),
    _message("textDocument/codeAction", 2, **_DOCUMENT, range=_RANGE, context={"diagnostics": []}),
    _message("$/cancelRequest", id=2),
    _message("workspace/didChangeConfiguration", settings={"apidiff": {"language": "zh"}}),
    _message(
        "initialize", 3, processId=None, rootUri=None, capabilities={}, initializationOptions={"mindspore": "2.10"}
    ),
]
AGENT = [
    *(
        _message("tools/call", number, name=name, arguments=given)
        for number, (name, given) in enumerate(
            [
                ("lookup", {"name": "torch.abs", "mindspore": "2.10", "language": "zh"}),
                ("search", {"words": "all gather", "limit": 3}),
                ("scan", {"code": _CODE, "device": "cpu"}),
                ("port", {"code": _CODE}),
                ("evidence", {"name": "torch.abs", "about": "dtype"}),
            ]
        )
    ),
    _message("tools/list", 7),
    _message("initialize", 8, protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "a", "version": "1"}),
    _message("notifications/cancelled", requestId=3),
]


def messages(genuine: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """Genuine messages with bytes or values changed."""
    return st.sampled_from(genuine).flatmap(lambda message: st.one_of(mutated(message), with_hostile_values(message)))


class Served:
    """A server that is kept until a message ends it, which some may: then another is started."""

    def __init__(self, command: str) -> None:
        self._command = command
        self._numbers = itertools.count(10**6)
        self._process: subprocess.Popen[bytes] | None = None
        KEPT.callback(self._end)

    def give(self, message: bytes) -> bool:
        """Sends a message, then a question. Returns whether it was answered; raises where it neither was nor ended."""
        if self._process is None:
            self._start()
        number = next(self._numbers)
        asked = _message("textDocument/hover", number, **_DOCUMENT, position={"line": 1, "character": 10})
        try:
            self._send(message)
            self._send(asked if self._command == "lsp" else _message("ping", number))
        except BrokenPipeError:
            pass
        try:
            while (line := self._lines.get(timeout=_ANSWERS_WITHIN_S)) is not None:
                if f'"id":{number}'.encode() in line.replace(b" ", b""):
                    return True
        except queue.Empty:
            self._end()
            self._process = None
            raise AssertionError("the server neither answers nor ends") from None
        self._refuse_traceback()
        return False

    def _refuse_traceback(self) -> None:
        assert self._process
        self._process.wait(120)
        errors = self._errors.decode("utf-8", "replace")
        self._process = None
        assert "Traceback" not in errors, errors[-3000:]

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "apidiff", self._command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._errors = bytearray()
        assert self._process.stdout
        assert self._process.stderr
        threading.Thread(target=_collect, args=(self._process.stderr, self._errors), daemon=True).start()
        threading.Thread(target=_read, args=(self._process.stdout, self._lines), daemon=True).start()
        protocol = "2025-06-18"
        self._send(
            _message("initialize", 0, processId=None, rootUri=None, capabilities={})
            if self._command == "lsp"
            else _message(
                "initialize", 0, protocolVersion=protocol, capabilities={}, clientInfo={"name": "a", "version": "1"}
            )
        )
        while b'"id":0' not in (line := self._lines.get(timeout=_ANSWERS_WITHIN_S) or b"").replace(b" ", b""):
            assert self._process.poll() is None, line
        self._send(_message("initialized" if self._command == "lsp" else "notifications/initialized"))

    def _send(self, message: bytes) -> None:
        assert self._process
        assert self._process.stdin
        head = b"Content-Length: %d\r\n\r\n" % len(message) if self._command == "lsp" else b""
        tail = b"" if self._command == "lsp" else b"\n"
        self._process.stdin.write(
            head + (message if head else message.replace(b"\n", b" ").replace(b"\r", b" ")) + tail
        )
        self._process.stdin.flush()

    def _end(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()


def _collect(stream: IO[bytes], into: bytearray) -> None:
    for line in stream:
        into.extend(line)


def _read(stream: IO[bytes], messages: queue.Queue[bytes | None]) -> None:
    """Puts each message that a server sends: a line, or what a heading says the length of."""
    while line := stream.readline():
        name, _, value = line.partition(b":")
        if name == b"Content-Length":
            while stream.readline().strip():
                pass
            messages.put(stream.read(int(value)))
        else:
            messages.put(line)
    messages.put(None)


@functools.cache
def editor() -> Served:
    return Served("lsp")


@functools.cache
def agent() -> Served:
    return Served("mcp")
