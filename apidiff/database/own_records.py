"""Lists the run records that this project made: `own_records.txt` of the data, a line for each.

    <SHA-256 of the bytes>  torch-2.13.0/gloo-cpu-3

What the list says is said by whoever may change this repository: its history is its provenance. A signature,
`own_records.txt.minisig`, adds who of the known signers stands for it; a list that its signature does not fit vouches for
nothing. A record that is not in it is not shown as this project's, whatever it says of itself. The list only grows: a record
that another took the place of was this project's too. A run that is recorded adds its own; ``apidiff runs own`` adds those that
are here, name no measurer and are not signed: what is worth something by a key alone falls with the key.
"""

from __future__ import annotations

import errno
import re
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from apidiff.atomic_write import locked, write_files
from apidiff.database.paths import DATA, in_checkout
from apidiff.database.regular_files import read_regular
from apidiff.database.runs import read_run, record_paths, record_stem, run_id, signature_path
from apidiff.database.signing import PROGRAM, Signer, load_signers, signed_at
from apidiff.database.single_runs import PREFIX, read_single_run
from apidiff.errors import Damage, DataError
from apidiff.model.signed import Signed, State

_LINE = re.compile(r"(?P<digest>[0-9a-f]{64})  (?P<run>[A-Za-z0-9._-]+/[A-Za-z0-9._-]+)")
_MOST = 256 * 2**20  # bytes: some 2 million records
_REMEDY = "Restore the line from version control."
_SIGN_ANEW = (
    "Restore own_records.txt from version control. If all lines are meant: delete the signature, and sign it anew."
)
_TOLD = 100  # lines of another form; a few megabytes of them would take gigabytes of errors


def own_records_path(root: Path) -> Path:
    """Where below the data folder ``root`` the list lies."""
    return root / "own_records.txt"


class Line(NamedTuple):
    """A line of the list: its number, and the ID of a record in two parts, the digest and what goes before it."""

    number: int
    digest: str
    run: str


def load_own_records(root: Path, broken: list[DataError] | None = None) -> dict[str, str]:
    """Reads the list as `own_lines` does: digest → what was run, the ID without the digest; empty where there is none."""
    return {line.digest: line.run for line in own_lines(root, broken)}


def own_lines(root: Path, broken: list[DataError] | None = None) -> list[Line]:
    """Reads the lines of the list; none where there is no list.

    Raises DataError for a line of another form; given a list ``broken``, adds the error there and passes the line over. Of many
    such lines the first ones are told each, the others by their number.
    """
    path = own_records_path(root)
    try:
        content = read_regular(path, _MOST + 1)
        if len(content) > _MOST:
            raise OSError(errno.EFBIG, f"it is larger than {_MOST // 2**20} MiB", str(path))
    except FileNotFoundError:
        return []
    except OSError as error:
        unread = DataError(
            path, None, f"cannot be read ({error.strerror})", "Restore it from version control.", Damage.UNREADABLE
        )
        if broken is None:
            raise unread from error
        broken.append(unread)
        return []
    # What is no UTF-8 makes a line of another form.
    text = content.decode("utf-8", "replace")
    own: list[Line] = []
    others = 0
    # What other characters break lines for Python, a reader sees within one.
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else [], 1):
        match = _LINE.fullmatch(line.removesuffix("\r"))
        if match is None:
            others += 1
            if others > _TOLD:
                continue
            other = DataError(path, number, "is no SHA-256 and name of a run", _REMEDY, Damage.FORM)
            if broken is None:
                raise other
            broken.append(other)
            continue
        own.append(Line(number, match["digest"], match["run"]))
    if broken is not None and others > _TOLD:
        found = f"{others - _TOLD} more lines are no SHA-256 and name of a run"
        broken.append(DataError(path, None, found, "Restore the file from version control.", Damage.FORM))
    return own


def signed_list(root: Path, signers: Mapping[str, Signer]) -> Signed:
    """Tells what is known of records that the list of this project's own has, by the signature of the list.

    Raises DataError where that does not verify: then the list was changed after it was signed.
    """
    try:
        signed = signed_at(own_records_path(root), signers)
    except DataError as error:
        raise DataError(error.path, error.line, error.found, _SIGN_ANEW, error.damage) from error
    if signed.state in {State.VERIFIED, State.ATTESTED}:
        return msgspec.structs.replace(signed, state=State.IN_SIGNED_LIST)
    return Signed(state=State.LISTED, key=signed.key if signed.state is State.NOT_CHECKED else "")


def refuse_changed_list(root: Path) -> None:
    """Raises DataError where the list was changed after a known signer signed it, or where nobody can tell.

    Who lists more takes the signature away, and nothing else tells of the change.
    """
    if root == DATA and not in_checkout():  # to which nothing is added
        return
    if signed_list(root, load_signers()).unchecked:
        found = f"is not checked: there is no {PROGRAM} that answers"
        remedy = f"Install a {PROGRAM} that runs, and see that {tempfile.gettempdir()} has room."
        raise DataError(signature_path(own_records_path(root)), None, found, remedy)


class Added(NamedTuple):
    """What came of adding to the list: the IDs of the runs that are new, and whether a signature of it was removed."""

    runs: list[str]
    unsigned: bool


def add_own_records(root: Path, made: Mapping[str, str]) -> Added:
    """Adds ``made`` (digest → ID of the run) to the list below ``root``, if that has one.

    None is added to the list of an installed package: what its user ran, this project did not. A signature that the list had
    is removed where it no longer fits. Raises DataError where it cannot be read or written, and as `refuse_changed_list` does.
    """
    path = own_records_path(root)
    if root == DATA and not in_checkout():
        return Added([], unsigned=False)
    if not path.exists() or not made.keys() - load_own_records(root).keys():
        return Added([], unsigned=False)
    with locked(root):
        refuse_changed_list(root)
        own = load_own_records(root)
        new = {digest: run for digest, run in made.items() if digest not in own}
        if not new:  # another process added them, and may have signed the list since
            return Added([], unsigned=False)
        more = {digest: run.removesuffix(f"-{digest}") for digest, run in new.items()}
        lines = sorted((run, digest) for digest, run in (own | more).items())
        content = "".join(f"{digest}  {run}\n" for run, digest in lines).encode()
        was_signed = signature_path(path).exists()
        write_files({path: content}, without=[signature_path(path)])
    return Added(list(new.values()), unsigned=was_signed)


def without_measurer(folder: Path, listed: Collection[str]) -> dict[str, str]:
    """The records below ``folder`` that name no measurer and whose digest is not ``listed`` yet: digest → ID.

    Raises DataError for one that cannot be read, is named otherwise or holds what no run shows: what is listed is not looked
    at again.
    """
    made = {}
    for path in record_paths(folder):
        if record_stem(path).rpartition("-")[2] in listed:
            continue
        record = read_single_run(path) if path.name.startswith(PREFIX) else read_run(path)
        if record.measured_by is None:
            made[run_id(path).rpartition("-")[2]] = run_id(path)
    return made
