"""`apidiff schema`: the JSON Schema of a record."""

from __future__ import annotations

import argparse
import sys

from apidiff.cli.formatter import HelpFormatter
from apidiff.database.schema import SCHEMAS, schema_text


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command's options."""
    parser = subparsers.add_parser(
        "schema",
        help="the JSON Schema of a record",
        description="Prints the JSON Schema that files of a kind are checked against.",
        formatter_class=HelpFormatter,
    )
    parser.add_argument(
        "record", nargs="?", default="mapping", choices=sorted(SCHEMAS), help="the kind (default: %(default)s)"
    )


def run(args: argparse.Namespace) -> int:
    """Prints the schema."""
    sys.stdout.write(schema_text(args.record))
    return 0
