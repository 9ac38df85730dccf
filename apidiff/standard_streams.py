"""Standard streams of a process that is a command alone: those that are closed, or that nothing can be written to."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO

from apidiff.errors import ApidiffError, typed


def open_closed_streams() -> None:
    """Opens those that are closed; a note on standard error says that nothing is printed. What is printed is buffered."""
    # What is opened next would get the number of a closed stream, and be written into.
    for stream in range(3):
        try:
            os.fstat(stream)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    closed = sys.stdout is None
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - for the whole process
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123
    if isinstance(sys.stdout, io.TextIOWrapper) and isinstance(sys.stdout.buffer, io.RawIOBase):
        # Unbuffered, as PYTHONUNBUFFERED has it, what a full disk does not take is dropped without an error.
        number, encoding, errors = sys.stdout.fileno(), sys.stdout.encoding, sys.stdout.errors
        sys.stdout = open(number, "w", encoding=encoding, errors=errors, closefd=False)  # noqa: SIM115
    if closed and _takes_text(sys.stderr):
        sys.stderr.write("apidiff: note: standard output is closed, so nothing is printed.\n")


def refuse_encoding_of_no_text() -> None:
    """Raises ApidiffError where a standard stream has an encoding that fails on any text, as that of domain names does.

    From here on these streams are UTF-8, so that it can be told.
    """
    refused = [stream for stream in (sys.stdout, sys.stderr) if not _takes_text(stream)]
    if not refused:
        return
    encoding = refused[0].encoding
    for stream in refused:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    raise ApidiffError(f"Python cannot write text in the encoding {typed(encoding)}. Set PYTHONIOENCODING=utf-8.")


def _takes_text(stream: TextIO) -> bool:
    try:
        "x".encode(stream.encoding, "backslashreplace")
    except UnicodeError:
        return False
    return True


def print_text(text: str) -> None:
    """Writes to standard output, what it has no letters for as escapes. Raises ApidiffError where that cannot be."""
    try:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(
                errors="backslashreplace"
            )  # a folder's name need not be text; what is buffered is written
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        close_stdout()
        reason = f"The output cannot be written ({error.strerror}). Make room, or send it elsewhere."
        raise ApidiffError(reason) from error


def tell(text: str) -> None:
    """Writes to standard error, unless that is full: then nobody can be told, and the exit code stays what it is."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        send_nowhere(sys.stderr)


def close_stdout() -> None:
    """Sends what is still buffered nowhere, so that the interpreter does not fail on it again when it ends."""
    send_nowhere(sys.stdout)


def send_nowhere(stream: TextIO) -> None:
    """Sends what a standard stream holds, and what is written to it from now on, nowhere."""
    number = stream.fileno()
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
    except OSError:  # as many files are open as may be: closed, the stream makes room for it
        os.close(number)
        nowhere = os.open(os.devnull, os.O_WRONLY)
    if nowhere != number:
        os.dup2(nowhere, number)
