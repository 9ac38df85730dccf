"""`apidiff report`: what upstream's tables say of pairs of APIs, and what runs show."""

from __future__ import annotations

import argparse
import sys

import msgspec

from apidiff.cli.output import language
from apidiff.database import load
from apidiff.derive.official import official_report
from apidiff.lookup.entry import entries
from apidiff.messages.official_text import report_markdown


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.description = (
        "Writes the report on upstream's mapping tables: each row with its verdicts and their evidence."
    )
    parser.add_argument("what", choices=["official"], help="the report: on upstream's mapping tables")
    parser.add_argument("--lang", choices=("en", "zh"), help="language of the text (default: that of the locale)")
    parser.add_argument("--format", choices=("json", "md"), default="md", help="default: md; JSON holds both languages")


def run(args: argparse.Namespace) -> int:
    """Writes the report to standard output, in UTF-8 whatever the locale."""
    data = load()
    report = official_report(data, entries(data))
    if args.format == "json":
        text = msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n"
    else:
        text = report_markdown(report, language(args.lang)).encode()
    sys.stdout.buffer.write(text)
    return 0
