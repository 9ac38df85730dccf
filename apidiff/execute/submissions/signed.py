"""Signatures of run records: the file ``X.json.minisig`` beside ``X.json``, checked by the program minisign.

Nothing is computed here; what is read of a signature is which key it names.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from enum import Enum
from pathlib import Path

from apidiff.errors import DataError
from apidiff.execute.submissions.safe_read import read_regular
from apidiff.execute.submissions.signers import Signer, id_of, load_signers
from apidiff.model.base import Record
from apidiff.process_group import run

PROGRAM = "minisign"
MAX_BYTES = 16 * 2**10  # of a signature: minisign's own limits on its comments come to 9 KiB
_DEADLINE_S = 20.0
_SIGNATURE_BYTES = 74
_GLOBAL = re.compile(r"[A-Za-z0-9+/]{86}==")  # the last line: the signature of the one before it and of the comment
_REMEDY = "Ask for the signature again, or leave it away: a record need not be signed."


class State(Enum):
    """What is known of a record's signature. One that does not verify is none of these: it is refused."""

    UNSIGNED = "unsigned"
    VERIFIED = "verified"
    UNKNOWN_KEY = "unknown_key"
    NOT_CHECKED = "not_checked"


class Signed(Record, frozen=True, kw_only=True):
    """Whether a record is signed. ``signer``: whose key it is, where that is known. ``key``: the ID of the key.

    ``not_checked``: the signature names a key of the signer's, and minisign is not there to check it.
    """

    state: State = State.UNSIGNED
    signer: str = ""
    about: str = ""
    key: str = ""


def signature_path(record: Path) -> Path:
    """Where the signature of the record in ``record`` lies, if it has one."""
    return record.with_name(f"{record.name}.minisig")


def read_signature(record: Path) -> bytes | None:
    """The bytes of the signature beside ``record``, None where there is none. Raises DataError for what cannot be one."""
    path = signature_path(record)
    try:
        content = read_regular(path, MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DataError(path, None, f"cannot be read ({error.strerror})", "Check that it is readable.") from error
    refuse_large(path, len(content))
    return content


def refuse_large(path: Path, size: int) -> None:
    """Raises DataError for a signature of more bytes than one has."""
    if size > MAX_BYTES:
        raise DataError(path, None, f"is larger than {MAX_BYTES // 2**10} KiB, which no signature is", _REMEDY)


def load_signed(root: Path, run_ids: Iterable[str]) -> dict[str, Signed]:
    """What the signatures of the records below ``root`` say, by the ID of the run. Raises DataError as `signed_by` does."""
    signers = load_signers()
    return {run_id: signed_at(root / "runs" / f"{run_id}.json", signers) for run_id in run_ids}


def signed_at(record: Path, signers: Mapping[str, Signer]) -> Signed:
    """What the signature beside ``record`` says. Raises DataError as `signed_by` does."""
    signature = read_signature(record)
    return Signed() if signature is None else signed_by(record, record.read_bytes(), signature, signers)


def signed_by(record: Path, content: bytes, signature: bytes | None, signers: Mapping[str, Signer]) -> Signed:
    """What ``signature`` says of ``content``, the bytes of the file ``record``, which is named in messages only.

    Raises DataError for a signature that is none, or that does not verify with the known key that it names.
    """
    if signature is None:
        return Signed()
    path = signature_path(record)
    key = _key_of(signature)
    if key is None:
        raise DataError(path, None, "is no signature that minisign made, or was cut", _REMEDY)
    signer = signers.get(key)
    if signer is None:
        return Signed(state=State.UNKNOWN_KEY, key=key)
    program = shutil.which(PROGRAM)
    if program is None:
        return Signed(state=State.NOT_CHECKED, signer=signer.name, about=signer.about, key=key)
    if said := _refusal(program, content, signature, signer.key):
        found = f"is no signature of {record.name} by {signer.name}: {said}"
        raise DataError(path, None, found, f"The record or the signature was changed. {_REMEDY}")
    return Signed(state=State.VERIFIED, signer=signer.name, about=signer.about, key=key)


def _key_of(signature: bytes) -> str | None:
    """The ID of the key that a signature names; None where it has not the four lines of one."""
    try:
        lines = signature.decode("utf-8").rstrip("\n").split("\n")
    except UnicodeDecodeError:
        return None
    if len(lines) != 4 or not _GLOBAL.fullmatch(lines[3].rstrip("\r")):
        return None
    return id_of(lines[1].rstrip("\r"), _SIGNATURE_BYTES)


def _refusal(program: str, content: bytes, signature: bytes, key: str) -> str:
    """Why minisign refuses the signature; empty where it verifies.

    It is given copies in a folder of its own: what is checked is what was read, whatever the files' names are.
    """
    with tempfile.TemporaryDirectory(prefix="apidiff-signed-") as folder:
        (Path(folder) / "record").write_bytes(content)
        (Path(folder) / "signature").write_bytes(signature)
        command = [program, "-V", "-m", "record", "-x", "signature", "-P", key]
        try:
            done = run(command, _DEADLINE_S, folder=Path(folder), guarded=False)
        except OSError as error:
            return f"{program} cannot be started ({error.strerror})"
        except subprocess.TimeoutExpired:
            return f"{program} gave no answer in {_DEADLINE_S:g} s"
    if done.code == 0:
        return ""
    return f"{program} says {done.last_line[:200]!r}" if done.last_line else f"{program} ended with {done.code}"
