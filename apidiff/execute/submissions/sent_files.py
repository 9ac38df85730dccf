"""Reads untrusted files: run records with the signatures beside them, one by one or in the one zip that `make gpu` packs.

A zip is read in memory, within bounds, and never unpacked to the disk.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from apidiff.database.regular_files import BOUNDED_METHODS, BROKEN_ZIP, read_regular
from apidiff.database.runs import signature_path
from apidiff.database.signing import MAX_SIGNATURE, read_signature, refuse_large_signature
from apidiff.errors import DataError, typed

MAX_BYTES = 8 * 2**20  # of a record, and of a zip of them: the largest record so far has less than one
MAX_MEMBERS = 500  # of a zip
MAX_UNPACKED = 24 * 2**20  # of what a zip holds
MAX_TOGETHER = 96 * 2**20  # of all that is sent at once: to look at a record of 8 MiB takes a second
_LONGEST = 200  # name of a record
_NAME = re.compile(r"[\w.+-]+\.json", re.ASCII)  # of a record in a zip: errors begin with it
_SHOWN = 5  # names of what is passed over
_AGAIN = "Ask for the file again, as make gpu or make npu wrote it, or for the records one by one."

# Told what was passed over.
Note = Callable[[str], None]


class Sent(NamedTuple):
    """A record as it came: what it is called in messages, its bytes, and those of its signature if it has one."""

    path: Path
    content: bytes
    signature: bytes | None


def read_sent(path: Path, note: Note = lambda _text: None) -> list[Sent]:
    """Reads the record in ``path``, or all those in the zip ``path``. Raises DataError for what is neither."""
    try:
        content = read_regular(path, MAX_BYTES + 1)
    except OSError as error:
        raise DataError(
            path, None, f"cannot be read ({error.strerror})", "Check that it is a readable file."
        ) from error
    _refuse_large(path, len(content))
    if path.suffix.lower() != ".zip":
        return [Sent(path, content, read_signature(path))]
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _members(path, archive, note)
    except BROKEN_ZIP as error:
        raise DataError(
            path, None, f"is no zip that can be read: {str(error)[:200] or 'it was cut'}", _AGAIN
        ) from error


def _refuse_large(path: Path, size: int) -> None:
    if size > MAX_BYTES:
        what = "A run record" if path.suffix.lower() != ".zip" else "A zip of run records"
        raise DataError(
            path, None, f"is larger than {MAX_BYTES // 2**20} MiB", f"{what} is smaller; send another file."
        )


def _members(path: Path, archive: zipfile.ZipFile, note: Note) -> list[Sent]:
    """Reads the records at the top of a zip, with their signatures."""
    members = archive.infolist()
    if len(members) > MAX_MEMBERS:
        raise DataError(path, None, f"holds {len(members)} files; at most {MAX_MEMBERS} are read", _AGAIN)
    top = {
        member.filename: member
        for member in members
        if len(member.filename) < _LONGEST and not {*"/\\"} & {*member.filename}
    }
    records = [name for name in top if name.endswith(".json")]
    if odd := next((name for name in records if not _NAME.fullmatch(name)), None):
        raise DataError(path, None, f"holds {typed(odd)}, which no record is called", _AGAIN)
    wanted = {*records, *(signature_path(Path(name)).name for name in records)} & top.keys()
    _refuse_members(path, [member for member in members if member.filename in wanted])
    if not records:
        raise DataError(path, None, "holds no run record: no file *.json at its top", _AGAIN)
    if over := [member.filename for member in members if member.filename not in wanted]:
        more = f" and {len(over) - _SHOWN} more" if len(over) > _SHOWN else ""
        note(f"{path}: passed over: {', '.join(map(typed, over[:_SHOWN]))}{more}")
    sent = []
    for name in records:
        signature = top.get(signature_path(Path(name)).name)
        content = _read(archive, top[name], MAX_BYTES)
        signed = _read(archive, signature, MAX_SIGNATURE) if signature else None
        _refuse_large(path / name, len(content))
        refuse_large_signature(signature_path(path / name), len(signed or b""))
        sent.append(Sent(path / name, content, signed))
    return sent


def _refuse_members(path: Path, members: Sequence[zipfile.ZipInfo]) -> None:
    """Raises DataError for what its directory already tells: nothing has been unpacked yet."""
    names = [member.filename for member in members]
    for member in members:
        if names.count(member.filename) > 1:
            raise DataError(path / member.filename, None, "is twice in the zip", _AGAIN)
        if member.flag_bits & 1:
            raise DataError(path / member.filename, None, "is encrypted", "Ask for a zip without a password.")
        if member.compress_type not in BOUNDED_METHODS:
            raise DataError(path / member.filename, None, "is packed otherwise than by deflate", _AGAIN)
        if member.filename.endswith(".json"):
            _refuse_large(path / member.filename, member.file_size)
        else:
            refuse_large_signature(path / member.filename, member.file_size)
    if (size := sum(member.file_size for member in members)) > MAX_UNPACKED:
        found = f"unpacks to {size // 2**20} MiB; at most {MAX_UNPACKED // 2**20} MiB are read"
        raise DataError(path, None, found, "Send fewer records at a time.")


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int) -> bytes:
    """Reads a member: one byte more than ``most`` where it has more than its directory says."""
    with archive.open(member) as file:
        return file.read(most + 1)
