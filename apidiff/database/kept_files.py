"""Seals what a build of the site keeps for the next one, so that nothing is believed that was damaged or edited since.

A seal is no signature: who can run this code can make one.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from apidiff.database.regular_files import read_regular

_SEAL = 32  # bytes of SHA-256, before the content
_MAX_BYTES = 256 * 2**20  # the largest, the texts of one language, has a twentieth of that


def sealed(stamp: bytes, content: bytes) -> bytes:
    """The bytes of a file that holds ``content``, which was made from what ``stamp`` is the digest of."""
    return _seal(stamp, content) + content


def read_sealed(path: Path, stamp: bytes) -> bytes:
    """Reads the content of a file that `sealed` made with that stamp.

    Raises OSError where it cannot be read, ValueError where it was made with another stamp or is not as it was written.
    """
    file = read_regular(path, _MAX_BYTES)
    seal, content = file[:_SEAL], file[_SEAL:]
    if seal != _seal(stamp, content):
        raise ValueError(f"{path} was made from something else, or is not as it was written")
    return content


def _seal(stamp: bytes, content: bytes) -> bytes:
    seal = hashlib.sha256(hashlib.sha256(stamp).digest())
    seal.update(content)
    return seal.digest()
