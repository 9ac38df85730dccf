"""`apidiff search`: APIs by name, text or behaviour."""

from __future__ import annotations

import argparse
import sys

import msgspec

from apidiff.cli.formatter import HelpFormatter
from apidiff.cli.output import language, show
from apidiff.lookup.index import open_index
from apidiff.lookup.search import search
from apidiff.writers.terminal_search import search_text


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command's options."""
    parser = subparsers.add_parser(
        "search",
        help="APIs by name, text or behaviour, in English or Chinese",
        description="Finds APIs by name, text or behaviour, in English or Chinese; best first.",
        formatter_class=HelpFormatter,
    )
    parser.add_argument("words", metavar="WORDS", nargs="+", help="e.g. all_reduce in place, or 归约 就地")
    parser.add_argument("--lang", choices=("en", "zh"), help="language of the text (default: that of the locale)")
    parser.add_argument("--limit", type=_positive, default=10, metavar="N", help="show at most N APIs (default: 10)")
    parser.add_argument("--json", action="store_true", help="print JSON, which holds both languages")


def run(args: argparse.Namespace) -> int:
    """Prints what was found; 0 even where nothing was."""
    result = search(open_index(), " ".join(args.words), args.limit)
    if args.json:
        sys.stdout.buffer.write(msgspec.json.encode(result) + b"\n")
    else:
        show(search_text(result, language(args.lang)))
    return 0


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"expected a number of 1 or more but got {text!r}")
    return int(text)
