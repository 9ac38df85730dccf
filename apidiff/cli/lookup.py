"""`apidiff lookup`: how one API differs from its counterpart."""

from __future__ import annotations

import argparse
import sys

import msgspec

from apidiff.cli.formatter import HelpFormatter
from apidiff.cli.output import language, show
from apidiff.lookup.answer import Answer, Unmatched
from apidiff.lookup.errors import NoCounterpart
from apidiff.lookup.index import open_index
from apidiff.lookup.lookup import lookup_json
from apidiff.writers.terminal import answer_text, unmatched_text


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command's options."""
    parser = subparsers.add_parser(
        "lookup",
        help="how one API differs from its counterpart",
        description="How one API differs from its counterpart, worst difference first.",
        formatter_class=HelpFormatter,
    )
    parser.add_argument("name", metavar="NAME", help="a PyTorch or MindSpore API: full name, alias or last part")
    parser.add_argument("--mindspore", metavar="VERSION", help="the release the answer is for (default: the newest)")
    parser.add_argument("--torch", metavar="VERSION", help="put what was observed on this release first")
    parser.add_argument("--lang", choices=("en", "zh"), help="language of the text (default: that of the locale)")
    parser.add_argument("--json", action="store_true", help="print JSON, which holds both languages")


def run(args: argparse.Namespace) -> int:
    """Prints the answer."""
    try:
        text = lookup_json(open_index(), args.name, args.mindspore, args.torch)
    except NoCounterpart as found:  # an answer, not a mistake
        if not args.json:
            show(unmatched_text(msgspec.json.decode(found.json, type=Unmatched), language(args.lang)))
            return 0
        text = found.json
    if args.json:
        sys.stdout.buffer.write(text.encode())  # JSON is UTF-8, whatever the locale
        return 0
    show(answer_text(msgspec.json.decode(text, type=Answer), language(args.lang)))
    return 0
