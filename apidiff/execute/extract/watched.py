"""Extracts samples in a process of its own, which an input may end or hold up without harm to the others."""

from __future__ import annotations

import contextlib
import multiprocessing
import time
from multiprocessing.connection import Connection
from types import TracebackType

import msgspec

from apidiff.ending_signals import held, leave_to_parent
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
        self.fatal: dict[bytes, int | None] = {}
        """Calls of the API that was asked for last, as JSON, with the code by which each ended the process."""

    def __enter__(self) -> WatchedExtractor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def extract(self, api: Api) -> ExtractedSamples | None:
        """The samples of ``api``, as `Extractor.extract`, without those that end the process; ``fatal`` then holds these.

        Raises Ended where no answer came.
        """
        self.fatal = {}
        while True:
            if self._pipe is None:
                self._start()
            assert self._pipe is not None
            assert self._child is not None
            trying: bytes | None = None
            try:
                self._pipe.send((api, list(self.fatal)))
                until = time.monotonic() + self._deadline
                while self._pipe.poll(max(0.0, until - time.monotonic())):
                    is_answer, found = self._pipe.recv()
                    if is_answer:
                        return msgspec.json.decode(found, type=ExtractedSamples) if found is not None else None
                    trying = found
                self._end()
                raise Ended(f"no end within {self._deadline:g} s")
            except (EOFError, ConnectionError) as error:
                self._child.join()
                code = self._child.exitcode
                self._end()
                if trying is None or trying in self.fatal:
                    raise Ended(f"PyTorch ended the process with code {code}") from error
                self.fatal[trying] = code

    def _start(self) -> None:
        context = multiprocessing.get_context("fork")  # PyTorch is imported once, and no thread of it was started
        self._pipe, theirs = context.Pipe()
        self._child = context.Process(target=_answer, args=(self._pipe, theirs, self._extractor), daemon=True)
        with held():  # in the child too, until it leaves signals to this process
            self._child.start()
        theirs.close()

    def _end(self) -> None:
        if self._child is not None and self._child.pid is not None:  # else it could not be started
            self._child.kill()
            self._child.join()
        if self._pipe is not None:
            self._pipe.close()
        self._child = self._pipe = None


def _answer(ours: Connection, pipe: Connection, extractor: Extractor) -> None:
    leave_to_parent()
    ours.close()
    with contextlib.suppress(EOFError, ConnectionError):  # whoever asks has ended
        while True:
            api, fatal = pipe.recv()
            made = extractor.extract(api, fatal, lambda call: pipe.send((False, call)))
            # As JSON: what is unpickled no longer is the default that it equals, and would be written.
            pipe.send((True, msgspec.json.encode(made) if made is not None else None))
