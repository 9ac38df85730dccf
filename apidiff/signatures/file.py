"""The file of a framework version: one API a line, sorted, so that a difference between versions reads as one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from apidiff.atomic_write import write_file
from apidiff.errors import ApidiffError
from apidiff.model.signature import SignatureFile


def render(signatures: SignatureFile) -> str:
    """The text of the file; the same signatures give the same text."""
    lines = [
        "{",
        *(f'"{key}": {_json(getattr(signatures, key))},' for key in ("framework", "version", "tool", "listed")),
    ]
    lines.append(f'"apis": {{{_entries(signatures.apis)}}},')
    lines.append(f'"unreadable": {{{_entries(signatures.unreadable)}}}')
    return "\n".join([*lines, "}", ""])


def write(signatures: SignatureFile, folder: Path) -> Path:
    """Writes ``<framework>-<version>.json`` into ``folder`` and returns its path; an existing file is replaced whole.

    Raises ApidiffError where that is not possible; then nothing is left behind.
    """
    path = folder / f"{signatures.framework}-{signatures.version}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_file(path, render(signatures).encode())
    except OSError as error:
        found = f"{path}: cannot be written ({error.strerror})"
        raise ApidiffError(f"{found}. Give a folder that can be written to with --into.") from error
    return path


def _entries(entries: Mapping[str, object]) -> str:
    """The inside of a JSON object, one entry a line; empty for none."""
    lines = [f"{_json(name)}: {_json(value)}" for name, value in sorted(entries.items())]
    return "\n" + ",\n".join(lines) + "\n" if lines else ""


def _json(value: object) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()
