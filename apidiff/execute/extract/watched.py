"""Extracts samples in a process of its own, which an input may end or hold up without harm to the others."""

from __future__ import annotations

import multiprocessing
from multiprocessing.connection import Connection
from types import TracebackType

import msgspec

from apidiff.execute.extract.extract import Extractor
from apidiff.model.extracted_samples import ExtractedSamples
from apidiff.model.mapping import Api

DEADLINE = 600.0  # seconds for one API; the slowest take some ten


class Ended(Exception):
    """The inputs of an API ended the process, or took longer than the deadline; its text says which."""


class WatchedExtractor:
    """Asks ``extractor``, which has computed nothing yet, in a child process, made anew after it ended."""

    def __init__(self, extractor: Extractor, deadline: float = DEADLINE) -> None:
        self._extractor, self._deadline = extractor, deadline
        self._child: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None

    def __enter__(self) -> WatchedExtractor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def extract(self, api: Api) -> ExtractedSamples | None:
        """The samples of ``api``, as `Extractor.extract`. Raises Ended where no answer came."""
        if self._pipe is None:
            self._start()
        assert self._pipe is not None
        assert self._child is not None
        try:
            self._pipe.send(api)
            if not self._pipe.poll(self._deadline):
                self._end()
                raise Ended(f"no end within {self._deadline:g} s")
            made: bytes | None = self._pipe.recv()
        except (EOFError, ConnectionError) as error:
            self._child.join()
            code = self._child.exitcode
            self._end()
            raise Ended(f"PyTorch ended the process with code {code}") from error
        return msgspec.json.decode(made, type=ExtractedSamples) if made is not None else None

    def _start(self) -> None:
        context = multiprocessing.get_context("fork")  # PyTorch is imported once, and no thread of it was started
        self._pipe, theirs = context.Pipe()
        self._child = context.Process(target=_answer, args=(self._pipe, theirs, self._extractor), daemon=True)
        self._child.start()
        theirs.close()

    def _end(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.join()
        if self._pipe is not None:
            self._pipe.close()
        self._child = self._pipe = None


def _answer(ours: Connection, pipe: Connection, extractor: Extractor) -> None:
    ours.close()
    while True:
        try:
            api = pipe.recv()
        except EOFError:
            return
        made = extractor.extract(api)
        # As JSON: what is unpickled no longer is the default that it equals, and would be written.
        pipe.send(msgspec.json.encode(made) if made is not None else None)
