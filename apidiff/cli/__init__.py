"""The command `apidiff`: finds the subcommand, runs it, and turns errors into one sentence.

A subcommand is a module of this package with ``add_arguments(parser)`` and ``run(args) -> int``.
"""

from __future__ import annotations

import argparse
import atexit
import codecs
import errno
import gc
import io
import os
import re
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

from apidiff import __version__
from apidiff.ending_signals import end_at_once, end_behind, end_in_order
from apidiff.errors import ApidiffError, printable, shortened, typed
from apidiff.standard_streams import close_stdout, open_closed_streams, refuse_encoding_of_no_text, tell

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

FAULT = 70  # exit code for a fault of this program, as sysexits.h has it
_LIBRARY = re.compile(r"\.so(\.\w+)*: ")  # as the system names one that it cannot load, some with their version
_SIZE = re.compile(r"[1-9][0-9]{0,2}")  # columns and lines of a terminal
# What no command can help: a file or folder that this user may not read or write, or that is none; a disk that is full or broken.
_OF_THE_SYSTEM = {
    errno.EACCES,
    errno.EPERM,
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EROFS,
    errno.EIO,
    errno.EFBIG,
    errno.EINVAL,
    errno.ELOOP,
    # What somebody else did to a file or folder meanwhile.
    errno.EISDIR,
    errno.ENOTDIR,
    errno.EEXIST,
    errno.ENOENT,
    errno.ENOTEMPTY,
    errno.ESTALE,
}
# What the limits of a user or of the system say, whatever it was that was one too many.
_OF_LIMITS = {errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM}
COMMANDS = {
    "lookup": "how one API differs from its counterpart",
    "search": "APIs by name, text or behaviour, in English or Chinese",
    "scan": "every reference to PyTorch in code, and what each call of it meets",
    "port": "code rewritten for MindSpore, each edit with its label",
    "lsp": "serve an editor: diagnostics, answers and edits as one types",
    "mcp": "serve an agent: lookup, search, scan, port, evidence",
    "show": "a record as it is written, or expanded",
    "check": "validate all data and count what is there",
    "export": "everything as JSON files or as an SQLite database",
    "report": "what upstream's mapping tables say, and how much of what code uses is answered",
    "verify": "run the probes under the frameworks and judge the claims",
    "runs": "list, show, compare and import run records",
    "schema": "the JSON Schema of a record",
    "signatures": "extract signatures from an installed framework or a wheel",
    "samples": "extract the calls that PyTorch's own test inputs make",
    "drift": "what changed between two versions of a framework, and what that touches",
}


class HelpFormatter(argparse.HelpFormatter):
    """Lays out help at a fixed width, so that it reads the same everywhere."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=100)


class Parser(argparse.ArgumentParser):
    """Reads a command line. Raises OSError where the help cannot be written, which argparse passes over."""

    def error(self, message: str) -> NoReturn:
        """Ends the command; a word that is not understood may be the name of a stranger's file."""
        super().error(printable(shortened(message)))

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        if file is None or file is not sys.stdout:
            super()._print_message(message, file)
            return
        if isinstance(file, io.TextIOWrapper):
            file.reconfigure(errors="replace")  # as for answers: '?' rather than an error
        file.write(message)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line ``argv`` (default: that of the process).

    Returns 0 when all is well, 1 when a run shows something else than what is recorded, 2 for what the user can mend
    (wrong usage ends in SystemExit(2)), 70 for a fault of this program, 130 after Ctrl-C, 141 when whoever read the output went
    away, 143 after SIGTERM, 129 when its terminal was closed.
    """
    if argv is None:
        _stand_alone()
    try:
        if argv is None:
            refuse_encoding_of_no_text()
        return _run(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        close_stdout()
        return 141
    except Exception as error:  # noqa: BLE001 - whatever it is, its exit code is one of its own
        if code := end_behind(error):
            return code
        sentence = _sentence(error)
        if sentence is None:
            import traceback  # takes as long to import as a fiftieth of a lookup, and is seldom needed

            traceback.print_exc()
            tell("apidiff: this is a fault of apidiff. Report it with what is above.\n")
            return FAULT
        tell("".join(f"apidiff: {line}\n" for line in sentence.splitlines()))
        if isinstance(error, MemoryError) and argv is None:
            os._exit(2)  # threads of libraries that got no memory may never end
        return 2
    finally:
        if argv is None:
            end_at_once()  # all is put away: an exception would only be told by whoever ends the process


def _run(arguments: list[str]) -> int:
    """Runs a command line. Raises OSError where its output cannot be written, whether it is an answer or the help."""
    _refuse_unusable(arguments)
    try:
        args = _parse(arguments)
        code: int = args.run(args)
    except SystemExit:
        sys.stdout.flush()
        tell("")
        raise
    sys.stdout.flush()
    return code


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(
        prog="apidiff",
        description="How PyTorch APIs differ from their MindSpore counterparts, checked by running both.",
        formatter_class=HelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"apidiff {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    chosen = next((word for word in arguments if not word.startswith("-")), None)
    # All are named in the help and in the error for another word. Of what a command needs only the chosen one is imported.
    for name in [chosen] if chosen in COMMANDS else COMMANDS:
        subparser = subparsers.add_parser(name, help=COMMANDS[name], formatter_class=HelpFormatter)
        if name == chosen:
            module = import_module(f"apidiff.cli.{name}")
            module.add_arguments(subparser)
            subparser.set_defaults(run=module.run)
    return parser.parse_args(arguments)


def _stand_alone() -> None:
    """Prepares a process that is this command alone: for standard streams that are closed, terminals of any width, SIGTERM."""
    open_closed_streams()
    for name in ("COLUMNS", "LINES"):
        if not _SIZE.fullmatch(os.environ.get(name, "")):
            os.environ.pop(name, None)
    end_in_order()
    _collect_rarely()
    # Of code that is read, and is a stranger's: Python would print its line as it is.
    warnings.filterwarnings("ignore", category=SyntaxWarning)


def _is_text(argument: str) -> bool:
    """Whether an argument is text and can name a file: the system decodes some characters that Python does not encode."""
    try:
        os.fsencode(argument)
    except UnicodeEncodeError:
        return False
    return not any("\ud800" <= character <= "\udfff" for character in argument)


def _refuse_unusable(arguments: Sequence[str]) -> None:
    """Raises ApidiffError for an argument that is no text, which could not be printed either, for ``--option=--`` and ``-- --``.

    Of the latter two argparse makes an empty list, whatever kind of value is wanted.
    """
    for number, argument in enumerate(arguments, 1):
        if "\0" in argument or not _is_text(argument):
            encoding = sys.getfilesystemencoding().upper()
            locale = "" if encoding == "UTF-8" else ", or set LC_ALL=C.UTF-8"
            raise ApidiffError(
                f"Argument {number} is not {encoding} text, or holds a NUL. Write it, or name the file, in {encoding}{locale}."
            )
        if argument.startswith("-") and argument.endswith("=--"):
            raise ApidiffError(
                f"Argument {number}: '--' is no value of an option. Give another, or leave the option out."
            )
        if argument == "--" and "--" in arguments[: number - 1]:
            raise ApidiffError(
                f"Argument {number}: '--' stands there twice. Leave it out, or write ./-- for a file of that name."
            )


def _collect_rarely() -> None:
    """Sets the garbage collector for a command: most end before there is garbage, and the search took a sixth of a lookup."""
    gc.set_threshold(50_000, 10, 10)
    atexit.register(gc.freeze)  # nor is what is left searched when the process ends


def _sentence(error: Exception) -> str | None:
    """What to tell the user, or None where the error is a fault of this program."""
    if isinstance(error, ApidiffError):
        from apidiff.messages.escape_invisible import visible

        return visible(str(error))
    if isinstance(error, UnicodeEncodeError) and error.encoding == _encoding() != "utf-8":
        close_stdout()
        return f"Standard output is in {error.encoding}, which lacks characters of this. Set PYTHONIOENCODING=utf-8."
    if isinstance(error, LookupError) and not _handles_errors():
        close_stdout()
        return f"Python knows no way {typed(str(sys.stdout.errors))} to write to standard output. Set PYTHONIOENCODING=utf-8."
    if isinstance(error, ImportError) and (error.name or "").partition(".")[0] == "apidiff":
        return f"A part of apidiff does not fit the rest ({error}). If it was changed just now, run it again; else reinstall it."
    if isinstance(error, ImportError) and (library := _unloaded(error)):
        return f"A library cannot be loaded ({library}). Free memory, or install it anew."
    if isinstance(error, MemoryError):
        return "Memory ran out. Free some, or have the command read less."
    if reason := _limit(error):
        return (
            f"The system gives no more files, processes, threads or memory ({reason}). "
            "Free some; `ulimit -a` tells the limits."
        )
    if isinstance(error, FileNotFoundError) and str(error).startswith("[Errno 2] No usable temporary directory"):
        return "No folder for temporary files can be written. Make room, or name one: TMPDIR=/somewhere"
    if isinstance(error, FileNotFoundError) and error.filename is None:
        # No file is named: it is the current folder that is asked for.
        return "The current folder was deleted. Go to another one."
    if isinstance(error, OSError) and error.filename is None and error.errno is not None:
        # No file is named: it is standard output that cannot be written.
        close_stdout()
        return f"The output cannot be written ({error.strerror}). Make room, or send it elsewhere."
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        return "A name is longer than a file's name can be. Name something that is there."
    if isinstance(error, OSError) and error.errno in _OF_THE_SYSTEM:
        return f"{os.fsdecode(error.filename)!r}: {error.strerror}. Mend that, or name another place."
    return None


def _unloaded(error: ImportError) -> str | None:
    """What the system says of a compiled library that it cannot load, as where memory is short; NumPy says more of its own."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ImportError):
            for line in str(cause).splitlines():
                if _LIBRARY.search(line):
                    return line
        cause = cause.__cause__ or cause.__context__
    return None


def _limit(error: Exception) -> str | None:
    """What the system says where it gives no more of something; None for another error."""
    if isinstance(error, RuntimeError) and str(error) == "can't start new thread":
        return str(error)
    if not isinstance(error, OSError) or error.errno not in _OF_LIMITS:
        return None
    if hasattr(error, "characters_written"):  # of an output that does not wait for its reader
        return None
    return error.strerror


def _handles_errors() -> bool:
    """Whether Python knows what is to become of characters that the encoding of standard output lacks."""
    try:
        codecs.lookup_error(sys.stdout.errors or "strict")
    except LookupError:
        return False
    return True


def _encoding() -> str:
    """The encoding of standard output, as its errors name it."""
    try:
        "\U0010ffff\ud800".encode(sys.stdout.encoding)
    except UnicodeEncodeError as error:
        return error.encoding
    return ""
