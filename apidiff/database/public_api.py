"""Which names count as public, and which of MindSpore's have no PyTorch counterpart."""

from __future__ import annotations

from pathlib import Path

from apidiff.database.scope import load_scope
from apidiff.database.yaml import Lines, read_yaml
from apidiff.model import Version
from apidiff.model.base import DottedName
from apidiff.model.signature import SignatureFile
from apidiff.model.unmatched import MindsporeOnly

_PARTS = (".__init__", ".__call__", ".*")  # of an API that is there itself
ONLY_FILE = "mindspore_only.yaml"

OnlyFile = dict[DottedName, MindsporeOnly]
"""What the file of MindSpore APIs holds to which no PyTorch API corresponds."""


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
    return sorted(files, key=lambda file: Version(file.version), reverse=True)


def load_mindspore_only(root: Path) -> tuple[OnlyFile, Lines]:
    """The file below the data folder ``root`` with its lines; nothing where there is none. Raises DataError."""
    path = root / ONLY_FILE
    return read_yaml(path, OnlyFile) if path.is_file() else ({}, {})
