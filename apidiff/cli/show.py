"""`apidiff show`: a record as it is written, or expanded, with where each part of it comes from."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from apidiff.database.data import UnknownMapping, expanded_record, mapping_path
from apidiff.database.expansion.origins import ORIGIN, Origin
from apidiff.database.paths import DATA
from apidiff.database.regular_files import read_text
from apidiff.errors import DataError
from apidiff.messages.escape_invisible import visible

_ITEMS = ("probes", "claims", "parameters", "members", "differences", "caveats", "otherwise")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.description = "Prints the record of a source API as it is written, or what it becomes."
    parser.add_argument("name", metavar="NAME", help="the full name of the source API, which is the ID of its record")
    parser.add_argument(
        "--expanded",
        action="store_true",
        help="after profiles, notes and signatures are put in; a comment says where each part comes from",
    )


def run(args: argparse.Namespace) -> int:
    """Prints the record. Raises UnknownMapping where there is none of the name, DataError where it is broken."""
    if not all(part.isidentifier() for part in args.name.split(".")):
        raise UnknownMapping.of(args.name)  # it would name a file elsewhere
    path = mapping_path(DATA, args.name)
    if not path.is_file():
        raise UnknownMapping.of(args.name)
    if args.expanded:
        record = expanded_record(DATA, args.name)
        sys.stdout.write(visible("\n".join(_lines(record, ""))) + "\n")
    else:
        try:
            sys.stdout.write("\r\n".join(map(_shown, read_text(path).split("\r\n"))))
        except UnicodeDecodeError as error:
            raise DataError(path, None, "is not UTF-8 text", "Save it as UTF-8.") from error
    return 0


def _shown(text: str) -> str:
    """``text`` visible; a carriage return alone would hide what stands before it."""
    return visible(text).replace("\r", "\\r")


def _lines(block: dict[str, Any], indent: str) -> Iterator[str]:
    """The entries of ``block`` as YAML; those that have an origin of their own end in a comment that names it."""
    for key, value in block.items():
        if key in {ORIGIN, "with", "profile", "without", "like"} or value in ({}, []):
            continue
        if key in {*_ITEMS, "source", "targets"} or "parameters" in value or "claims" in value:
            yield f"{indent}{_flow(key)}:"
            if isinstance(value, list):
                for item in value:
                    yield f"{indent}  - {_flow(item)}{_comment(item)}"
            else:
                yield from _lines(value, f"{indent}  ")
        else:
            yield f"{indent}{_flow(key)}: {_flow(value)}{_comment(value)}"


def _flow(value: Any) -> str:
    text = yaml.safe_dump(_bare(value), default_flow_style=True, width=10**6, allow_unicode=True, sort_keys=False)
    return text.removesuffix("\n").removesuffix("\n...")


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _bare(item) for key, item in value.items() if key != ORIGIN}
    return [_bare(item) for item in value] if isinstance(value, list) else value


def _comment(value: Any) -> str:
    if not isinstance(value, dict) or ORIGIN not in value:
        return ""
    origin: Origin = value[ORIGIN]
    place = f", {Path(origin.path).name}:{origin.line}" if origin.line else ""
    return f"  # {origin.what}{place}"
