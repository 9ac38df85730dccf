"""`apidiff lsp`: serves an editor over standard input and output."""

from __future__ import annotations

import argparse
import os
import sys

from apidiff.cli.output import language
from apidiff.ending_signals import end_at_once
from apidiff.errors import ApidiffError
from apidiff.lookup.cache import open_index
from apidiff.porting.judgement import DEVICES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.description = (
        "Serves an editor that speaks the Language Server Protocol: diagnostics as one types, the answer of the name under "
        "the cursor, edits by their label. The editor starts it."
    )
    parser.add_argument("--stdio", action="store_true", help="what some editors add; nothing else is served")
    parser.add_argument(
        "--mindspore", metavar="VERSION", help="the release to port to (default: the newest that was run)"
    )
    parser.add_argument("--device", choices=tuple(DEVICES), help="the device to port to (default: none in particular)")
    parser.add_argument("--edge", action="store_true", help="show edge cases too")
    parser.add_argument("--lang", choices=("en", "zh"), help="language of the text (default: that of the locale)")


def run(args: argparse.Namespace) -> int:
    """Serves until the editor ends the session. Returns 1 where it did not shut it down before."""
    try:
        from apidiff.servers.language_server import Choices, serve
    except ModuleNotFoundError as error:
        raise ApidiffError(f"lsp needs {error.name}. Install it: pip install 'apidiff[lsp]'") from error
    choices = Choices(language(args.lang), args.mindspore, args.device, args.edge)
    index = open_index()
    end_at_once()  # nothing is to be put away, and the thread that reads would be waited for
    # The server closes what it writes to; that stays open which is flushed when the command ends.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as stdout:
        return serve(index, choices, sys.stdin.buffer, stdout)
