"""The command `apidiff`: finds the subcommand, imports its module, and turns errors into one sentence.

A subcommand is a module of this package with ``add_parser(subparsers)`` and ``run(args) -> int``. Only the one chosen is
imported: a lookup takes about as long as starting Python, and would not if it paid for the others.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from apidiff import __version__
from apidiff.cli.quick import parse_lookup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

COMMANDS = {
    "lookup": "how one API differs from its counterpart",
    "search": "APIs by name, text or behaviour, in English or Chinese",
    "show": "a record as it is written, or expanded",
    "check": "validate all data and count what is there",
    "export": "everything as JSON files or as an SQLite database",
    "report": "what upstream's mapping tables say, and what runs show",
    "verify": "run the probes under the frameworks and judge the claims",
    "runs": "list, show, compare and import run records",
    "schema": "the JSON Schema of a record",
    "signatures": "extract signatures from an installed framework or a wheel",
    "drift": "what changed between two versions of a framework, and what that touches",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line ``argv`` (default: that of the process).

    Returns 0 when all is well, 1 when a run shows something else than what is recorded, 2 for what the user can mend
    (wrong usage ends in SystemExit(2)), 130 after Ctrl-C, 141 when whoever read the output went away.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _close_stdout()
        return 141
    except Exception as error:
        sentence = _sentence(error)
        if sentence is None:
            raise
        sys.stderr.write("".join(f"apidiff: {line}\n" for line in sentence.splitlines()))
        return 2
    return code


def _run(arguments: list[str]) -> int:
    if (asked := parse_lookup(arguments)) is not None:
        from apidiff.lookup.index import open_index
        from apidiff.lookup.lookup import lookup_json

        try:
            text = lookup_json(open_index(), **asked)
        except LookupError as error:
            text = getattr(
                error, "json", ""
            )  # NoCounterpart is an answer; importing its class here would cost too much
            if not text:
                raise
        sys.stdout.buffer.write(text.encode())
        return 0
    import argparse

    from apidiff.cli.formatter import HelpFormatter

    chosen = next((word for word in arguments if not word.startswith("-")), None)
    parser = argparse.ArgumentParser(
        prog="apidiff",
        description="How PyTorch APIs differ from their MindSpore counterparts, checked by running both.",
        formatter_class=HelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"apidiff {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    if chosen not in COMMANDS:
        # Nothing will be run: help, or an error that names the commands.
        for name, text in COMMANDS.items():
            subparsers.add_parser(name, help=text)
        parser.parse_args(arguments)
        return 0
    module = _module(chosen)
    module.add_parser(subparsers)
    args = parser.parse_args(arguments)
    code: int = module.run(args)
    return code


def _module(name: str) -> ModuleType:
    from importlib import import_module

    return import_module(f"apidiff.cli.{name}")


def _sentence(error: Exception) -> str | None:
    """What to tell the user, or None where the error is a fault of this program."""
    from apidiff.errors import ApidiffError

    if isinstance(error, ApidiffError):
        from apidiff.messages.escape_invisible import visible

        return visible(str(error))
    if isinstance(error, OSError) and error.filename is None and error.errno is not None:
        # No file is named: it is standard output that cannot be written.
        _close_stdout()
        return f"The output cannot be written ({error.strerror}). Make room, or send it elsewhere."
    return None


def _close_stdout() -> None:
    """Sends what is still buffered nowhere, so that the interpreter does not fail on it again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
