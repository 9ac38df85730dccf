"""Reads the extracted signatures: one JSON file per framework version."""

from __future__ import annotations

from pathlib import Path

import msgspec

from apidiff.errors import DataError
from apidiff.model.signature import SignatureFile

_REMEDY = "Write it anew with `apidiff signatures extract`."


def load_signatures(folder: Path) -> dict[tuple[str, str], SignatureFile]:
    """The files ``<framework>-<version>.json`` in ``folder`` by framework and version; none if there is no folder.

    Raises DataError for a file that cannot be read, does not fit the model or whose name is not what it holds.
    """
    found: dict[tuple[str, str], SignatureFile] = {}
    for path in sorted(folder.glob("*.json")):
        try:
            signatures = msgspec.json.decode(path.read_bytes(), type=SignatureFile)
        except OSError as error:
            raise DataError(path, None, f"cannot be read ({error.strerror})", "Check that it is readable.") from error
        except msgspec.DecodeError as error:
            raise DataError(path, None, f"holds no signatures: {error}", _REMEDY) from error
        expected = f"{signatures.framework}-{signatures.version}.json"
        if path.name != expected:
            raise DataError(path, None, f"is named {path.name!r} but holds {expected!r}", _REMEDY)
        found[signatures.framework, signatures.version] = signatures
    return found
