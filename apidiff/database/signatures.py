"""Reads the extracted signatures, one JSON file per framework version, and which names they make public."""

from __future__ import annotations

from pathlib import Path

import msgspec

from apidiff.database.regular_files import read_regular
from apidiff.database.scope import load_scope
from apidiff.errors import Damage, DataError, decoding_fault
from apidiff.folder_walk import visible_files
from apidiff.model.signature import SignatureFile
from apidiff.model.version import Version, read_version

_PARTS = (".__init__", ".__call__", ".*")  # of an API that is there itself
_MAX_BYTES = 4 * 2**20  # the largest has a fifth of that
_MOST_FILES = 100
_REMEDY = "Write it anew with `apidiff signatures extract`."


def load_signatures(folder: Path, broken: list[DataError] | None = None) -> dict[tuple[str, str], SignatureFile]:
    """The files ``<framework>-<version>.json`` in ``folder`` by framework and version; none if there is no folder.

    Raises DataError for a folder or file that cannot be read, and a file that does not fit the model or whose name is not what it
    holds; given a list ``broken``, adds the error there and passes the file over.
    """
    found: dict[tuple[str, str], SignatureFile] = {}
    for number, path in enumerate(visible_files(folder, "*.json", broken), 1):
        try:
            if number > _MOST_FILES:
                problem = f"is one file more than {_MOST_FILES}"
                raise DataError(path, None, problem, "Take out those of old versions.", Damage.SIZE)
            signatures = _read(path)
        except DataError as error:
            if broken is None:
                raise
            broken.append(error)
            continue
        found[signatures.framework, signatures.version] = signatures
    return found


def _read(path: Path) -> SignatureFile:
    try:
        signatures = msgspec.json.decode(read_regular(path, _MAX_BYTES), type=SignatureFile)
        Version(signatures.version)
    except OSError as error:
        raise DataError(
            path, None, f"cannot be read ({error.strerror})", "Check that it is readable.", Damage.UNREADABLE
        ) from error
    except (ValueError, RecursionError) as error:  # msgspec's errors, those of text and of versions are of the former
        raise DataError(path, None, f"holds no signatures: {decoding_fault(error)}", _REMEDY, Damage.FORM) from error
    expected = f"{signatures.framework}-{signatures.version}.json"
    if path.name != expected:
        raise DataError(path, None, f"is named {path.name!r} but holds {expected!r}", _REMEDY, Damage.NAME)
    return signatures


def public_names(file: SignatureFile) -> list[str]:
    """The public names of a framework version, also those whose signature could not be read."""
    return sorted({*file.apis, *(name for name in file.unreadable if not name.endswith(_PARTS))})


def names_to_match(file: SignatureFile) -> list[str]:
    """The public names of a MindSpore version that need a source or a reason to have none.

    A file also holds names that are read only because answers refer to them.
    """
    scope = load_scope().mindspore
    return [name for name in public_names(file) if scope.needs_counterpart(name)]


def newest_first(signatures: dict[tuple[str, str], SignatureFile], framework: str) -> list[SignatureFile]:
    """The signature files of ``framework``, newest version first."""
    files = [file for (name, _), file in signatures.items() if name == framework]
    return sorted(files, key=lambda file: read_version(file.version), reverse=True)
