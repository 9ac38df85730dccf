"""Reads files that others may have put there: regular ones only, and no more bytes than they may have.

A pipe or a device could keep the reader waiting indefinitely.
"""

from __future__ import annotations

import errno
import lzma
import os
import stat
import struct
import zipfile
import zlib
from pathlib import Path

_PIECE = 2**16  # bytes
_MEMORY = 128 * 2**20  # bytes: what unpacking .xz may take; the largest of its usual settings takes 65 MiB
_LONGEST_TEXT = 2**20  # bytes: the longest of our lists has a quarter of that
# Of others all that a piece of a zip holds is unpacked before the first byte comes out: gigabytes of two kilobytes.
BOUNDED_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
# What `zipfile` raises for archives that are damaged or made to break their reader.
BROKEN_ZIP = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)


def read_regular(path: Path, most: int, folder: int | None = None) -> bytes:
    """Reads the first ``most`` bytes of a file. Raises OSError where it cannot be read or is no regular file.

    ``folder``: an open one in which ``path`` begins.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC, dir_fd=folder)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        # To ask for as much as there is at once: a buffer of ``most`` bytes costs more than the reading.
        content = os.read(handle, min(most, status.st_size + 1))
        while len(content) < most and (more := os.read(handle, min(most - len(content), _PIECE))):
            content += more
        return content
    finally:
        os.close(handle)


def is_own(status: os.stat_result, others: int = 0o022) -> bool:
    """Whether a file or folder is this user's, and grants others none of the permissions ``others``: by default, writing."""
    return status.st_uid == os.geteuid() and not status.st_mode & others


def read_text(path: Path) -> str:
    """Reads a UTF-8 file as `read_regular` does. Raises OSError also where it is too large, UnicodeDecodeError for other text."""
    content = read_regular(path, _LONGEST_TEXT + 1)
    if len(content) > _LONGEST_TEXT:
        raise OSError(errno.EFBIG, f"it is larger than {_LONGEST_TEXT // 2**20} MiB", str(path))
    return content.decode("utf-8")


def unpack(path: Path, content: bytes, most: int) -> bytes:
    """Decompresses the first ``most`` bytes of what the file ``path`` holds, as its name says: .gz, .xz, or not compressed.

    Raises zlib.error or lzma.LZMAError for what is not compressed so, EOFError where it was cut.
    """
    if path.suffix == ".gz":
        return gunzip(content, most)
    if path.suffix != ".xz":
        return content
    unpacking = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)
    unpacked = unpacking.decompress(content, most)
    if not unpacking.eof and len(unpacked) < most:
        raise EOFError("it ends before its end was marked")
    if unpacking.unused_data:
        raise lzma.LZMAError("something follows its end")
    return unpacked


def gunzip(content: bytes, most: int) -> bytes:
    """Decompresses the first ``most`` bytes of a gzip file. Raises zlib.error for what is none, EOFError where it was cut."""
    unpacking = zlib.decompressobj(wbits=31)
    unpacked = unpacking.decompress(content, most)
    if not unpacking.eof and len(unpacked) < most:
        raise EOFError("it ends before its end was marked")
    if unpacking.unused_data:
        raise zlib.error("something follows its end")
    return unpacked
