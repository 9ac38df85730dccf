"""The secret of one launched run, by which its processes know each other.

It is made for the run: given by the launcher's environment or in a file, or else made by rank 0 in the user's state folder,
where the other processes of this machine, or of machines that share it, read it until all have joined. It is never sent: each
side proves that it has it, over numbers that both sides draw.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import hmac
import ipaddress
import os
import re
import secrets
import socket
import stat
import time
from collections.abc import Mapping
from pathlib import Path

from apidiff.database import ApidiffError
from apidiff.database.regular_files import is_own, read_regular
from apidiff.execute.remote.launcher import Place
from apidiff.execute.state_folder import state_folder

SECRET, SECRET_FILE = "APIDIFF_SECRET", "APIDIFF_SECRET_FILE"
_SHORTEST = 16  # characters
_LONGEST = 4096
_NAME = re.compile("[0-9a-f]{64}")
_DEAD_S = 3600.0  # processes wait three minutes for each other


def given_secret(environment: Mapping[str, str]) -> bytes | None:
    """Reads the secret that the environment gives; None where it gives none. Raises ApidiffError for one that is too short."""
    text = environment.get(SECRET, "")
    secret = os.fsencode(text)
    if not text and (name := environment.get(SECRET_FILE)):
        try:
            content = read_regular(Path(name), _LONGEST + 1)
            if len(content) > _LONGEST:
                raise OSError(errno.EFBIG, f"it is larger than {_LONGEST} bytes", name)
            text = content.decode().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ApidiffError(
                f"verify: {SECRET_FILE}={name!r} cannot be read. Name a text file in UTF-8 that every machine has, of "
                f"{_LONGEST} bytes at most."
            ) from error
        secret = text.encode()  # the bytes of the file, whatever the locale
    if not text:
        return None
    if len(text) < _SHORTEST:
        raise ApidiffError(
            f"verify: the secret of a launched run has at least {_SHORTEST} characters; make a longer one."
        )
    return secret


def make_secret(place: Place) -> bytes:
    """Makes the secret of a run in the user's state folder, for rank 0. Raises ApidiffError where it cannot be written."""
    path = secret_path(place)
    secret = secrets.token_hex(32).encode()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _remove_old(path.parent)
        path.unlink(missing_ok=True)  # of a run that was killed
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(secret)
    except OSError as error:
        raise ApidiffError(
            f"verify: the secret of this run cannot be written to {path} ({error.strerror}). "
            f"Give one on every machine: {SECRET}, or {SECRET_FILE}."
        ) from error
    return secret


def _remove_old(folder: Path) -> None:
    """Removes the secrets of runs that were killed before all their processes had joined; no other file, and through no link."""
    if folder.is_symlink():
        return
    for path in folder.iterdir():
        with contextlib.suppress(OSError):
            state = path.lstat()
            old = state.st_mtime < time.time() - _DEAD_S
            if old and _NAME.fullmatch(path.name) and stat.S_ISREG(state.st_mode) and is_own(state, 0o077):
                path.unlink()


def read_secret(place: Place) -> bytes | None:
    """Reads what rank 0 made; None where there is none yet, or another user could have written it."""
    with contextlib.suppress(OSError):
        handle = os.open(secret_path(place), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            state = os.fstat(file.fileno())
            mine = stat.S_ISREG(state.st_mode) and is_own(state, 0o077)
            return file.read(_LONGEST) or None if mine else None
    return None


def remove_secret(place: Place, secret: bytes) -> None:
    """Removes what rank 0 made; what another run has put there since stays."""
    if read_secret(place) == secret:
        with contextlib.suppress(OSError):
            secret_path(place).unlink()


def secret_path(place: Place) -> Path:
    """Where the secret of the run of ``place`` lies, if no variable gives it."""
    meeting = f"{place.launcher} {place.job} {place.host} {place.port} {place.world_size}{_network_of(place.host)}"
    return state_folder() / "launched" / hashlib.sha256(meeting.encode()).hexdigest()


def _network_of(host: str) -> str:
    """Tells apart machines and containers that share the state folder, where each has an address of its own by this name."""
    with contextlib.suppress(ValueError, OSError):
        if host == "localhost" or ipaddress.ip_address(host).is_loopback:
            return f" {socket.gethostname()} {Path('/proc/self/ns/net').readlink()}"
    return ""


def proof(secret: bytes, *said: object) -> str:
    """Proves knowledge of ``secret`` over what was said."""
    return hmac.new(secret, "\n".join(map(str, said)).encode(), hashlib.sha256).hexdigest()


def is_proof(given: str, secret: bytes, *said: object) -> bool:
    """Whether ``given`` proves it."""
    return hmac.compare_digest(given.encode(), proof(secret, *said).encode())
