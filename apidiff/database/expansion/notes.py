"""Replaces the names of notes by their texts from the catalogue, notes.yaml."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from apidiff.database.expansion.origins import ORIGIN, Origin, Plain
from apidiff.database.yaml import Lines
from apidiff.errors import DataError

_TEXTS = ("note", "text", "why", "instead", "reason")


@dataclass
class Notes:
    """The catalogue. ``used``: the keys that records and profiles name."""

    path: Path
    texts: dict[str, Plain]
    lines: Lines
    used: set[str] = field(default_factory=set)

    def text(self, key: str, origin: Origin) -> Plain:
        """The note called ``key``. Raises DataError for none."""
        if key not in self.texts:
            remedy = f"Write the text there as {{en, zh}}, or name a note of {self.path.name}."
            raise origin.error(f"there is no note {key!r}", remedy)
        self.used.add(key)
        return self.texts[key]

    def unused(self) -> list[DataError]:
        """An error for each note that nothing names."""
        return [
            DataError(self.path, self.lines.get((key,)), f"nothing names the note {key!r}", "Remove it.")
            for key in self.texts
            if key not in self.used
        ]


def fill_notes(value: Any, notes: Notes, origin: Origin) -> Any:
    """``value`` with each name under a key for texts replaced by the text."""
    if isinstance(value, dict):
        origin = value.get(ORIGIN, origin)
        return {
            key: notes.text(item, origin)
            if key in _TEXTS and isinstance(item, str)
            else item
            if key == "probes"  # an argument may be called text too
            else fill_notes(item, notes, origin)
            for key, item in value.items()
        }
    return [fill_notes(item, notes, origin) for item in value] if isinstance(value, list) else value
