"""`apidiff export`: everything, for other programs."""

from __future__ import annotations

import argparse
import sys

from apidiff.cli.named_path import named_path
from apidiff.lookup.knowledge import load
from apidiff.messages.escape_invisible import file_name
from apidiff.writers.export import export_json, export_sqlite

_EXPORTS = {"json": export_json, "sqlite": export_sqlite}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.description = "Writes everything into a folder: all of it or, where that fails, nothing."
    parser.add_argument("format", choices=sorted(_EXPORTS), help="one JSON file per mapping, or one SQLite database")
    parser.add_argument(
        "folder", metavar="DIR", type=named_path, help="is created if needed; an earlier export is replaced"
    )


def run(args: argparse.Namespace) -> int:
    """Writes the export and prints where it is."""
    known = load()
    for path in _EXPORTS[args.format](known.entries, known.counterparts, args.folder):
        sys.stdout.write(f"{file_name(str(path))}\n")
    return 0
