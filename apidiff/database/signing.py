"""Checks signatures of run records, ``X.json.minisig`` beside ``X.json``, by the program minisign and the keys that are known.

So is the signature of the list of this project's own records. Nothing is computed here; what is read of a signature is which
key it names. Known keys stand in ``conf/signers.toml``.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import subprocess
import termios
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import msgspec

from apidiff.atomic_write import locked, write_files
from apidiff.database.measurer_names import looks_like, name_fault
from apidiff.database.paths import conf_file
from apidiff.database.regular_files import read_regular
from apidiff.database.runs import files_of, is_packed, read_packed, signature_path, unpacked, whole_digest
from apidiff.database.toml import read_toml
from apidiff.errors import ApidiffError, DataError, decoding_fault
from apidiff.find_program import find_program
from apidiff.folder_walk import visible_files
from apidiff.model.base import NonEmpty, Record
from apidiff.model.signed import Signed, State
from apidiff.model.trust import Trust
from apidiff.process_group import run, run_beside
from apidiff.scratch_folder import scratch_folder

PROGRAM = "minisign"
_DEADLINE_S = 20.0
# A program that gave no answer in its time is not asked again before: there may be hundreds of signatures.
_SILENT_S = 60.0
_silent_until: dict[str, float] = {}  # by the path of the program
_REFUSED = {1, 2}  # its exit codes for a signature that does not verify, and for one that it cannot read
_SIGNATURE_BYTES = 74
MAX_SIGNATURE = 16 * 2**10  # bytes: minisign's own limits on its comments come to 9 KiB
_GLOBAL = re.compile(r"[A-Za-z0-9+/]{86}==")  # the last line: the signature of the one before it and of the comment
_REMEDY = "Ask for the signature again, or leave it away: a record need not be signed."
# Of a record that lies there packed in several ways, which state is told.
_FIRST = (
    State.ATTESTED,
    State.VERIFIED,
    State.NOT_CHECKED,
    State.REFUSED,
    State.UNKNOWN_KEY,
    State.UNSIGNED,
)

_HEAD = re.compile(r"^[ \t]*\[\[[ \t]*signer[ \t]*\]\]", re.MULTILINE)
_MOST_SAID = 2**16  # bytes: minisign says a line or two
_KEY_BYTES = 42  # of a public key: its algorithm, its ID, the key
_EXAMPLE = "Write one table [[signer]] per signer, with name, key and about; the head of the file has an example."


def sign(path: Path, key: Path) -> Path:
    """Signs the file ``path`` with the secret key in the file ``key``, by minisign, which asks for a password where it has one.

    Returns the path of the signature, which takes the place of a former one. Raises ApidiffError where there is none, and where
    the file was changed in the meantime: its folder is not locked while somebody types.
    """
    program = find_program(PROGRAM)
    if program is None:
        raise ApidiffError(f"there is no {PROGRAM} to sign with. Install it (Debian: apt-get install {PROGRAM}).")
    content = read_packed(path)
    with scratch_folder("apidiff-signed-") as folder:
        # A copy is signed: what is compared below. The signature says its name.
        copy, made = folder / path.name, folder / "signature"
        command = [program, "-S", "-m", str(copy), "-x", str(made), "-s", str(key.absolute())]
        try:
            copy.write_bytes(content)
        except OSError as error:
            found = f"{path} was not signed: its copy cannot be written to {folder.parent} ({error.strerror})"
            raise ApidiffError(f"{found}. Make room there, or name another folder: TMPDIR=/somewhere") from error
        try:
            with _terminal_as_it_was():
                code = run_beside(command, output=subprocess.DEVNULL)
            signature = made.read_bytes()
        except OSError as error:
            found = f"{path} was not signed: {PROGRAM} made no signature"
            raise ApidiffError(
                f"{found}. Is {key} a secret key, and is there a terminal to type its password in?"
            ) from error
    if code:
        raise ApidiffError(f"{path} was not signed: {PROGRAM} ended with {code}. Is {key} a secret key?")
    with locked(path.parent):
        if read_packed(path) != content:
            raise DataError(path, None, "was changed while it was signed, so it was not signed", "Sign it again.")
        write_files({signature_path(path): signature})
    return signature_path(path)


@contextmanager
def _terminal_as_it_was() -> Iterator[None]:
    """Set the terminal, if there is one, as it was: a program that asks for a password and is ended leaves it without echo."""
    with ExitStack() as stack:
        with suppress(OSError, termios.error):
            terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
            stack.callback(os.close, terminal)
            stack.callback(_set_terminal, terminal, termios.tcgetattr(terminal))
        yield


def _set_terminal(terminal: int, attributes: list[Any]) -> None:
    with suppress(OSError, termios.error):
        if os.tcgetpgrp(terminal) == os.getpgrp():  # who sets it from the background is stopped
            termios.tcsetattr(terminal, termios.TCSADRAIN, attributes)


def load_signed(root: Path, run_ids: Iterable[str], signers: Mapping[str, Signer]) -> dict[str, Signed]:
    """Checks the signatures of the records below ``root``, by the ID of the run; what does not verify is told by its state."""
    return {run_id: _signed_run(run_id, root / "runs", signers) for run_id in run_ids}


def _signed_run(run_id: str, runs: Path, signers: Mapping[str, Signer]) -> Signed:
    """Checks the signatures of the record with the ID ``run_id``; one that verifies counts, whatever lies beside it.

    It may lie there packed in several ways, and anybody may have put the others there. Of a compressed record and one that is
    not the names differ in their end only, and so may what they hold. Of several that verify, by keys of several signers, the
    one counts whose signer the record names as who measured it.
    """
    files = files_of(run_id, runs)
    states = [signed_file(run_id, record, signers) for record in files]
    best = min(states, key=lambda signed: _FIRST.index(signed.state), default=Signed())
    equals = {record: signed for record, signed in zip(files, states, strict=True) if signed.state is best.state}
    if best.state is State.VERIFIED and len({signed.signer for signed in equals.values()}) > 1:
        # What lies beside them unsigned may say anything.
        return next((signed for record, signed in equals.items() if signed.signer == _measured_by(record)), best)
    return best


class _Measured(msgspec.Struct):
    measured_by: str | None = None


def _measured_by(record: Path) -> str | None:
    """Who made the record, as it says; None where it says nothing or cannot be read."""
    try:
        return msgspec.json.decode(unpacked(record, read_packed(record)), type=_Measured).measured_by
    except (DataError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def signed_file(run_id: str, record: Path, signers: Mapping[str, Signer]) -> Signed:
    """Tells what is known of the signature beside one of the files of the record with the ID ``run_id``."""
    try:
        signature = read_signature(record)
        if signature is None:
            return Signed()
        content = read_packed(record)
        # Before it is unpacked, which may take a second.
        signed = msgspec.structs.replace(signed_by(record, content, signature, signers), unlinked=is_packed(record))
        if signed.trust is not Trust.UNSIGNED and whole_digest(unpacked(record, content)) != run_id.rpartition("-")[2]:
            return Signed(state=State.REFUSED, unlinked=is_packed(record))
        return signed
    except DataError:
        return Signed(state=State.REFUSED, unlinked=is_packed(record))


def signed_at(record: Path, signers: Mapping[str, Signer]) -> Signed:
    """Checks the signature beside ``record``. Raises DataError as `signed_by` does, and where there is no such file."""
    signature = read_signature(record)
    return Signed() if signature is None else signed_by(record, read_packed(record), signature, signers)


def signed_by(record: Path, content: bytes, signature: bytes | None, signers: Mapping[str, Signer]) -> Signed:
    """Checks ``signature`` on ``content``, the bytes of the file ``record``, which is named in messages only.

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
    program = find_program(PROGRAM)
    not_checked = Signed(state=State.NOT_CHECKED, signer=signer.name, about=signer.about, key=key)
    if program is None or time.monotonic() < _silent_until.get(program, 0.0):
        return not_checked
    try:
        said = _refusal(program, content, signature, signer.key)
    except subprocess.TimeoutExpired:
        _silent_until[program] = time.monotonic() + _SILENT_S
        return not_checked
    except OSError:  # it was not asked, or gave no answer
        return not_checked
    if said:
        found = f"is no signature of {record.name} by {signer.name}: {said}"
        raise DataError(path, None, found, f"The record or the signature was changed. {_REMEDY}")
    state = State.ATTESTED if signer.kind is SignerKind.CI else State.VERIFIED
    return Signed(state=state, signer=signer.name, about=signer.about, key=key)


def signature_errors(root: Path) -> Iterator[DataError]:
    """Finds what is wrong with the signatures below ``root``. Raises DataError where conf/signers.toml is broken."""
    signers = load_signers()
    for path in visible_files(root / "runs", "*/*.minisig", []):  # what cannot be listed is told with the records
        record = path.with_suffix("")
        try:
            if record.is_file():
                signed_at(record, signers)
                continue
            yield DataError(path, None, "lies beside no record", "Delete it, or bring back the record that it signs.")
        except DataError as error:
            yield error


def read_signature(record: Path) -> bytes | None:
    """Reads the signature beside ``record``; None where there is none. Raises DataError for what cannot be one."""
    path = signature_path(record)
    try:
        content = read_regular(path, MAX_SIGNATURE + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DataError(path, None, f"cannot be read ({error.strerror})", "Check that it is readable.") from error
    refuse_large_signature(path, len(content))
    return content


def refuse_large_signature(path: Path, size: int) -> None:
    """Raises DataError for a signature of more bytes than one has."""
    if size > MAX_SIGNATURE:
        raise DataError(path, None, f"is larger than {MAX_SIGNATURE // 2**10} KiB, which no signature is", _REMEDY)


def _key_of(signature: bytes) -> str | None:
    """Reads the ID of the key that a signature names; None where it has not the four lines of one."""
    try:
        lines = signature.decode("utf-8").rstrip("\n").split("\n")
    except UnicodeDecodeError:
        return None
    if len(lines) != 4 or not _GLOBAL.fullmatch(lines[3].rstrip("\r")):
        return None
    return id_of(lines[1].rstrip("\r"), _SIGNATURE_BYTES)


def _refusal(program: str, content: bytes, signature: bytes, key: str) -> str:
    """Asks minisign why it refuses the signature; empty where it verifies.

    Raises OSError and TimeoutExpired where it gave no answer: it cannot be started, is late, was killed by a signal, or ended
    with another code than its own for what it refuses: a loader that lacks a library has one, too. It is given copies in a
    folder of its own: what is checked is what was read, whatever the files' names are.
    """
    with scratch_folder("apidiff-signed-") as folder:
        (folder / "record").write_bytes(content)
        (folder / "signature").write_bytes(signature)
        command = [program, "-V", "-m", "record", "-x", "signature", "-P", key]
        done = run(command, _DEADLINE_S, folder=folder, guarded=False, printed=_MOST_SAID)
    if done.code == 0:
        return ""
    if done.code not in _REFUSED:
        how = f"was ended by signal {-done.code}" if done.code < 0 else f"ended with {done.code}"
        raise OSError(f"{program} {how}{f': {done.last_line[:200]!r}' if done.last_line else ''}")
    return f"{program} says {done.last_line[:200]!r}" if done.last_line else f"{program} ended with {done.code}"


class SignerKind(Enum):
    """Who has a key: somebody, or this project's CI alone, which signs what it made itself."""

    PERSON = "person"
    CI = "ci"


class Signer(Record, frozen=True, kw_only=True):
    """A key of which it is known whose it is. ``key``: as minisign writes it. ``about``: who that is, in free text."""

    name: NonEmpty
    key: str
    about: str = ""
    kind: SignerKind = SignerKind.PERSON


class _File(Record, frozen=True, kw_only=True):
    signer: Annotated[list[Signer], msgspec.Meta(max_length=100)] = []


def load_signers(path: Path | None = None) -> dict[str, Signer]:
    """Reads the signers in ``path`` (default: those of this project) by the ID of their key.

    Raises DataError where the file is broken, a key is none, a name is nobody's, or two signers share a key or names that
    look alike.
    """
    path = path or conf_file("signers.toml")

    def broken(text: str, error: msgspec.ValidationError) -> DataError:
        table = re.search(r"signer\[(\d+)\]", str(error))
        return DataError(path, _line(text, int(table[1]) if table else 0), decoding_fault(error), _EXAMPLE)

    signers = read_toml(path, _File, broken).signer
    text = path.read_text(encoding="utf-8")
    known: dict[str, Signer] = {}
    keys: set[bytes] = set()
    names: dict[str, str] = {}  # by what a reader takes them for
    for number, signer in enumerate(signers):
        key_id = id_of(signer.key, _KEY_BYTES)
        if key_id is None:
            remedy = "Copy the last line of the signer's file minisign.pub: 56 characters that begin with RW."
            raise DataError(
                path, _line(text, number), f"the key of {signer.name!r} is no public key of minisign", remedy
            )
        if fault := name_fault(signer.name):
            found = f"the name {signer.name[:40]!r} {fault}"
            raise DataError(path, _line(text, number), found, "Write who signs: a person, a team or a machine.")
        key, seen_as = _key_itself(signer), looks_like(signer.name)
        other = names.get(seen_as)
        if other is not None or key_id in known or key in keys:
            found = f"the name or the key of {signer.name!r} is there twice"
            if other not in {None, signer.name}:
                found = f"the name {signer.name!r} looks like {other!r}, another signer's"
            raise DataError(
                path, _line(text, number), found, "Keep one of the two, or give each a name and a key of its own."
            )
        known[key_id], names[seen_as] = signer, signer.name
        keys.add(key)
    return known


def _key_itself(signer: Signer) -> bytes:
    """What signatures are checked with, without the ID, which anybody may write before it."""
    return base64.b64decode(signer.key)[10:]


def _line(text: str, number: int) -> int | None:
    """Finds the line at which the table of the signer begins."""
    head = next(islice(_HEAD.finditer(text), number, None), None)
    return head and text.count("\n", 0, head.start()) + 1


def id_of(encoded: str, size: int) -> str | None:
    """Reads the ID of the key in a public key or a signature of minisign, as minisign prints it; None where it is neither.

    ``size``: how many bytes it has. After two that name the algorithm, Ed (in signatures also ED), eight are the ID.
    """
    try:
        content = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(content) != size or content[:2] not in {b"Ed", b"ED"}:
        return None
    return content[2:10][::-1].hex().upper()
