"""`apidiff mcp`: serves an agent over standard input and output."""

from __future__ import annotations

import argparse
import os
import sys

from apidiff.ending_signals import end_putting_away
from apidiff.errors import ApidiffError
from apidiff.lookup.cache import open_index


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.description = (
        "Serves an agent that speaks the Model Context Protocol: lookup, search, scan and port of a snippet, evidence of runs. "
        "Nothing that it sends is run. The agent starts it."
    )
    parser.add_argument(
        "--mindspore",
        metavar="VERSION",
        help="the release where a question names none (default: the newest that was run)",
    )


def run(args: argparse.Namespace) -> int:
    """Serves until the agent goes away."""
    try:
        from apidiff.servers.agent_server import serve
    except ModuleNotFoundError as error:
        raise ApidiffError(f"mcp needs {error.name}. Install it: pip install 'apidiff[mcp]'") from error
    index = open_index()
    end_putting_away()  # the thread that reads would be waited for, and one that renews the index may have files
    try:
        # A copy, which is closed in the end: that stays open which is flushed when the command ends.
        with os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8") as stdout:
            serve(index, args.mindspore, stdout)
    except* BrokenPipeError as faults:
        raise BrokenPipeError from faults  # the agent went away, as whoever reads another command's output may
    except* OSError as faults:
        raise ApidiffError(
            f"The agent cannot be answered ({_cause(faults)}). Look at what reads the output."
        ) from faults
    return 0


def _cause(faults: BaseExceptionGroup[OSError]) -> str:
    first = faults.exceptions[0]
    return _cause(first) if isinstance(first, BaseExceptionGroup) else first.strerror or str(first)
