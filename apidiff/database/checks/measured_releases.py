"""Of each release that this project ran, the signatures are there: verdicts take types from them, and which APIs it has."""

from __future__ import annotations

from collections.abc import Iterator

from apidiff.database.data import Data
from apidiff.errors import Damage, DataError


def releases_have_signatures(data: Data) -> Iterator[DataError]:
    """Each release with records of ranks of this project's, and without a file of signatures; nothing of one that is broken.

    Where types are not known, what upstream's table says of a pair is neither refuted nor confirmed. Others may have run any
    release.
    """
    folder = data.root / "signatures"
    told = {error.path for error in data.broken}
    records = {(record.framework, record.framework_version): key for key, record in data.runs}
    for framework, version in sorted(records.keys() - data.signatures.keys()):
        path = folder / f"{framework}-{version}.json"
        if not told & {folder, path}:
            found = (
                f"is not there, and there are records of {framework} {version} such as {records[framework, version]}"
            )
            remedy = "Restore it from version control, or write it with `apidiff signatures extract`: some verdicts rest on it."
            yield DataError(path, None, found, remedy, Damage.UNREADABLE)
