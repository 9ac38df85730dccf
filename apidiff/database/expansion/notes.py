"""Replaces the names of notes by their texts from the catalogue, notes.yaml."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from apidiff.database.expansion.origins import ORIGIN, Origin, Plain, counted
from apidiff.database.yaml import Lines
from apidiff.errors import DataError

# Keys whose values stand by names of arguments and the like, which may be called text too.
_NAMED = ("probes", "samples", "with", "fill")
_TEXTS = ("note", "text", "why", "instead", "reason", "headline", "because")


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


def fill_notes(record: Plain, notes: Notes, unneeded: list[DataError]) -> Plain:
    """``record`` with each name of a text replaced by the text: of its own notes, or of the catalogue.

    A difference or caveat that names none gets the record's own note of its ID. ``unneeded`` gets an error for each of
    those notes that is not used.
    """
    own: Plain = record.get("notes", {})
    used: set[str] = set()

    def text(key: str, origin: Origin) -> Plain:
        if key in own:
            used.add(key)
            bare: Plain = {language: own[key][language] for language in ("en", "zh")}
            return bare
        return notes.text(key, origin)

    def block(section: Plain) -> Plain:
        noted = {
            key: {name: _noted(name, entry, own) for name, entry in section[key].items()}
            for key in ("differences", "caveats")
            if key in section
        }
        done: Plain = _filled({**section, **noted}, record[ORIGIN], text)
        return done

    done = block({key: value for key, value in record.items() if key not in {"notes", "targets"}})
    values = counted(0, done)
    done["targets"] = {}
    for name, section in record["targets"].items():
        done["targets"][name] = block(section)
        # Each sample is made with each target.
        values = counted(values, {**done["targets"][name], "samples": done.get("samples", {})})
    unneeded += [
        own[key][ORIGIN].error(f"nothing names the note {key!r}", "Remove it.") for key in own if key not in used
    ]
    return done


def _filled(value: Any, origin: Origin, text: Callable[[str, Origin], Plain]) -> Any:
    if isinstance(value, list):
        return [_filled(item, origin, text) for item in value]
    if not isinstance(value, dict):
        return value
    origin = value.get(ORIGIN, origin)
    done: Plain = {}
    for key, item in value.items():
        if key in _TEXTS and isinstance(item, str):
            done[key] = text(item, origin)
        else:
            done[key] = item if key in _NAMED else _filled(item, origin, text)
    return done


def _noted(name: str, entry: Plain, own: Plain) -> Plain:
    unnamed = "note" not in entry or entry[ORIGIN].what != "record"
    return {**entry, "note": name} if unnamed and name in own else entry
