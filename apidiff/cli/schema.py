"""`apidiff schema`: the JSON Schema of a record."""

from __future__ import annotations

import argparse
import sys

from apidiff.database.schema import SCHEMAS, schema_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.description = "Prints the JSON Schema that files of a kind are checked against."
    parser.add_argument(
        "record", nargs="?", default="mapping", choices=sorted(SCHEMAS), help="the kind (default: %(default)s)"
    )


def run(args: argparse.Namespace) -> int:
    """Prints the schema."""
    sys.stdout.write(schema_text(args.record))
    return 0
