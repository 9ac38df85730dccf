"""The streams between an editor and its server: what is read is bounded, and why nothing can be written is kept."""

from __future__ import annotations

from typing import BinaryIO

_LARGEST = 64 << 20  # bytes of a message: a longer one is passed over


class Answers:
    """Output to an editor. ``fault``: why it cannot be written to."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.fault: OSError | None = None

    def write(self, data: bytes) -> None:
        """Write and flush a message; keep why it cannot be."""
        try:
            self._stream.write(data)
            self._stream.flush()
        except OSError as error:
            self.fault = error

    def flush(self) -> None:
        """Do nothing: each message is flushed as it is written."""

    def close(self) -> None:
        """Close the output; keep why it cannot be."""
        try:
            self._stream.close()
        except OSError as error:
            self.fault = error


class GuardedInput:
    """Input of which messages of absurd size are passed over, so that memory is not asked for them.

    It ends where answers cannot be written.
    """

    def __init__(self, stream: BinaryIO, answers: Answers) -> None:
        self._stream, self._answers = stream, answers

    def readline(self) -> bytes:
        """Read a line of a message's head; one that tells an absurd size says something else."""
        if self._answers.fault:
            return b""
        line = self._stream.readline(1 << 16)
        name, _, value = line.partition(b":")
        if name.strip().lower() != b"content-length":
            return line
        digits = value.strip().lstrip(b"0") or b"0"
        if not value.strip().isdigit() or len(digits) > len(str(_LARGEST)) or int(digits) > _LARGEST:
            return b"X-Passed-Over: 1\r\n"
        return b"Content-Length: " + digits + b"\r\n"

    def read(self, count: int) -> bytes:
        """Read ``count`` bytes of a message."""
        return self._stream.read(count)
