"""Real keys and signatures, made by the program minisign."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from apidiff.database.runs import signature_path
from apidiff.database.signing import Signer, id_of

needs_minisign = pytest.mark.skipif(
    shutil.which("minisign") is None, reason="the program minisign is missing (Debian: apt-get install minisign)"
)


class Key:
    """A key pair without a password in a folder of its own."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name, self.public, self.secret = name, folder / f"{name}.pub", folder / f"{name}.key"
        _minisign("-G", "-W", "-p", str(self.public), "-s", str(self.secret))

    @property
    def signer(self) -> Signer:
        return Signer(name=self.name, key=self.public.read_text().splitlines()[1], about="a test")

    def sign(self, path: Path) -> bytes:
        """Sign the file as the documentation says; the bytes of the signature beside it."""
        _minisign("-S", "-m", str(path), "-s", str(self.secret))
        return signature_path(path).read_bytes()


def _minisign(*arguments: str) -> None:
    subprocess.run(["minisign", *arguments], check=True, capture_output=True, timeout=300, stdin=subprocess.DEVNULL)


def known_as(key: Key) -> dict[str, Signer]:
    found = id_of(key.signer.key, 42)
    assert found
    return {found: key.signer}
