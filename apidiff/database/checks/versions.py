"""The signature files that a check has to look at."""

from __future__ import annotations

from apidiff.database.data import Data
from apidiff.database.signatures import newest_first
from apidiff.model.mapping import Target
from apidiff.model.ranges import status_at
from apidiff.model.signature import SignatureFile
from apidiff.model.version import Version
from apidiff.model.vocabulary import Status


def in_range(data: Data, target: Target) -> list[SignatureFile]:
    """The MindSpore signature files, newest first, of the versions in which ``target`` is said to be there."""
    return [
        file
        for file in newest_first(data.signatures, "mindspore")
        if status_at(target, Version(file.version)) not in {None, Status.REMOVED}
    ]
