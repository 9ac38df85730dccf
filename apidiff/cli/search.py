"""`apidiff search`: APIs by name, text or behaviour."""

from __future__ import annotations

import argparse
import sys

from apidiff.cli.counts import positive
from apidiff.cli.json_output import json_line
from apidiff.cli.output import language, show
from apidiff.lookup.knowledge import load
from apidiff.writers.terminal import search_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.description = "Finds APIs by name, text or behaviour, in English or Chinese; best first."
    parser.add_argument("words", metavar="WORDS", nargs="+", help="e.g. all_reduce in place, or 规约 就地")
    parser.add_argument("--lang", choices=("en", "zh"), help="language of the text (default: that of the locale)")
    parser.add_argument("--limit", type=positive, default=10, metavar="N", help="show at most N APIs (default: 10)")
    parser.add_argument("--json", action="store_true", help="print JSON, which holds both languages")


def run(args: argparse.Namespace) -> int:
    """Prints what was found; 0 even where nothing was."""
    result = load().search(" ".join(args.words), limit=args.limit)
    if args.json:
        sys.stdout.buffer.write(json_line(result))
    else:
        show(search_text(result, language(args.lang)))
    return 0
