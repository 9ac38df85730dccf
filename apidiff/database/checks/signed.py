"""Signatures of run records: each is beside a record, and verifies where its key is known."""

from __future__ import annotations

from collections.abc import Iterator

from apidiff.database.data import Data
from apidiff.errors import DataError
from apidiff.execute.submissions.signed import signed_at
from apidiff.execute.submissions.signers import load_signers


def signatures_verify(data: Data) -> Iterator[DataError]:
    """What is wrong with signatures. Raises DataError where conf/signers.toml is broken."""
    signers = load_signers()
    for path in sorted((data.root / "runs").glob("*/*.minisig")):
        record = path.with_suffix("")
        try:
            if record.is_file():
                signed_at(record, signers)
                continue
            yield DataError(path, None, "lies beside no record", "Delete it, or bring back the record that it signs.")
        except DataError as error:
            yield error
