"""`apidiff lookup`: how one API differs from its counterpart."""

from __future__ import annotations

import argparse
import sys

from apidiff.cli.json_output import json_line
from apidiff.errors import ApidiffError
from apidiff.lookup.answer import Answer, Unmatched
from apidiff.lookup.cache import open_index
from apidiff.lookup.errors import LookupFailed, NoCounterpart, UnknownName
from apidiff.lookup.index import Index
from apidiff.lookup.knowledge import KnowledgeBase


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.description = "What replaces an API, where it runs, and what everyday code meets; --all prints the rest."
    parser.add_argument(
        "name", metavar="NAME", help="a PyTorch or MindSpore API: full name, alias or last part, or a call of it"
    )
    parser.add_argument(
        "--mindspore", metavar="VERSION", help="the release the answer is for (default: the newest that was run)"
    )
    parser.add_argument("--torch", metavar="VERSION", help="put what was observed on this release first")
    parser.add_argument("--lang", choices=("en", "zh"), help="language of the text (default: that of the locale)")
    parser.add_argument("--all", action="store_true", help="print everything: texts, claims, runs, versions")
    parser.add_argument(
        "--trust",
        choices=("project", "signed", "all"),
        default="all",
        help="tell only verdicts of this project's own records, or also of signed ones (default: all, each with its standing)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON, which holds both languages")


def run(args: argparse.Namespace) -> int:
    """Prints the answer."""
    try:
        index = open_index(mapped=True)
        answer: Answer | Unmatched = _looked_up(index, args)
    except NoCounterpart as error:  # an answer, not a mistake
        answer = error.unmatched
    except LookupFailed as error:
        from apidiff.cli.output import language

        raise ApidiffError(error.said.said_in(language(args.lang))) from error
    if isinstance(answer, Answer) and args.trust != "all":
        from apidiff.lookup.trusted import Trusted, with_trusted

        answer = with_trusted(answer, Trusted(args.trust))
    if args.json:
        sys.stdout.buffer.write(json_line(answer))
        return 0
    # Rich takes longer to import than a lookup takes that prints JSON.
    from apidiff.cli.output import language, show
    from apidiff.writers.terminal import answer_text

    show(answer_text(answer, language(args.lang), everything=args.all))
    return 0


def _looked_up(index: Index, args: argparse.Namespace) -> Answer:
    """The answer for the name, or for the API that it stands for in code: ``F.softmax(x, dim=-1)``, ``x.view``."""
    known, releases = KnowledgeBase(index), {"mindspore": args.mindspore, "torch": args.torch}
    try:
        return known.lookup(args.name, **releases)
    except UnknownName:
        # To read code takes longer to import than a lookup takes.
        from apidiff.porting.torch_names import TorchNames, read_result_types
        from apidiff.servers.typed_names import api_meant

        meant = api_meant(index, TorchNames(index.source_names, read_result_types()), args.name)
        if meant not in index.names:
            raise
        return known.lookup(meant, **releases)
