"""Tells what was passed over of the data: files that are damaged, and signatures that nothing here checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from apidiff.database.own_records import own_records_path
from apidiff.database.runs import files_of, record_path, signature_path
from apidiff.database.signing import PROGRAM, Signer, load_signers, signed_file
from apidiff.errors import DataError
from apidiff.model.signed import State
from apidiff.standard_streams import tell


def tell_passed_over(damaged: Sequence[object], unchecked: Sequence[str]) -> None:
    """Writes a line each on standard error, where there are any. `apidiff check` fails on them."""
    if unchecked:
        more = f" and {len(unchecked) - 1} more" if len(unchecked) > 1 else ""
        tell(
            f"apidiff: note: the signature of {unchecked[0]}{more} is not checked, and counts for nothing: {PROGRAM} is "
            "missing or gave no answer.\n"
        )
    if damaged:
        more = f" And {len(damaged) - 1} more: apidiff check names them." if len(damaged) > 1 else ""
        tell(f"apidiff: note: damaged, and passed over: {damaged[0]}{more}\n")


def unchecked_errors(root: Path, unchecked: Sequence[str]) -> Iterator[DataError]:
    """Names what nothing here checked below ``root``, for who would publish what is made without it."""
    own = own_records_path(root)
    signers = load_signers() if unchecked else {}
    for name in unchecked:
        path = own if name == own.name else _unchecked_file(name, root / "runs", signers)
        found = f"names a known key, and is not checked: {PROGRAM} is missing or gave no answer"
        yield DataError(signature_path(path), None, found, f"Install a {PROGRAM} that runs.")


def _unchecked_file(run: str, runs: Path, signers: Mapping[str, Signer]) -> Path:
    """The file of a record whose signature was not checked; it may lie there packed in several ways."""
    found = [path for path in files_of(run, runs) if signed_file(run, path, signers).state is State.NOT_CHECKED]
    return found[0] if found else record_path(run, runs)
