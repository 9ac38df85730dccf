"""`apidiff port`: code rewritten for MindSpore by the rules that runs have proven."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from apidiff.cli.porting_options import add_porting_arguments, progress, read_options
from apidiff.errors import ApidiffError
from apidiff.messages.escape_invisible import file_name, visible
from apidiff.model.base import Language
from apidiff.porting.changed_lines import differing_lines, edited_lines, unified_diff
from apidiff.porting.changes import PortOptions
from apidiff.porting.port_files import PortedFile, port_files, refuse_unsaved, write_ported
from apidiff.porting.port_text import Porter
from apidiff.porting.source_files import Problem, SourceFile
from apidiff.porting.source_text import PYTHON, kind_of
from apidiff.porting.tree_scan import scan_tree
from apidiff.real_path import RealPaths, real_path
from apidiff.standard_streams import tell
from apidiff.writers.exports.address import Address
from apidiff.writers.scan.words import PORT_PROBLEMS, problem_text, words

_MOST_NAMES = 8
_FAILED = PORT_PROBLEMS - {"not_encoded"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = (
        "Writes PyTorch code for MindSpore. Every edit follows a rule of the database; every byte\n"
        "outside the edits stays. What cannot be ported by a rule gets a comment that says why.\n"
        "Nothing that is ported is imported or run."
    )
    parser.epilog = (
        "Without --write, --diff or --check the ported file is written to standard output, and what was\n"
        "done to standard error. [tool.apidiff.scan] of pyproject.toml sets mindspore, device and\n"
        "exclude here too; site there, or APIDIFF_SITE_URL, is the address of the guide in comments.\n"
        "\n"
        "exit codes: 0 ported; 1 with --check, files would change, and with all, a file could not be\n"
        "written; 2 what the user can mend; 130 stopped with Ctrl-C. Files that cannot be read are told\n"
        "on standard error, one line each, and change no exit code."
    )
    add_porting_arguments(parser, language_of="comments")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--write", action="store_true", help="write the files in place")
    form.add_argument("--diff", action="store_true", help="print what would change")
    form.add_argument("--check", action="store_true", help="name the files that would change, and exit with 1 then")
    label = parser.add_mutually_exclusive_group()
    label.add_argument("--safe", action="store_true", help="make edits that runs have verified (default)")
    label.add_argument("--unsafe", action="store_true", help="also those with conditions, which a comment names")
    parser.add_argument("--force", action="store_true", help="write files with changes that are in no commit too")


def run(args: argparse.Namespace) -> int:
    """Ports and prints or writes. What could not be ported goes to standard error."""
    options = read_options(args)
    chosen = options.language
    places, outside = _each_once(options.files, args.paths)
    files = list(places.values())
    site = Address.configured(options.settings.site).pages(chosen)
    made = PortOptions(unsafe=args.unsafe, language=chosen, site=site)
    porter = Porter(options.judge, options.index.source_names, made)
    if not (args.write or args.diff or args.check) and len(files) > 1:
        raise ApidiffError(f"{len(files)} files do not go to standard output. Add --diff, --check or --write.")
    if args.write and not args.force:
        refuse_unsaved(list(places))
    with progress(len(files), chosen) as told:
        scanned = scan_tree(
            files, options.index.source_names, jobs=args.jobs, told=told, ported=True, writes=porter.writes
        )
    _tell([*options.problems, *outside], chosen)
    place_of = {Path(file.path): place for place, file in places.items()}
    code = partial = 0
    for file in port_files(scanned, porter):
        if isinstance(file, Problem):
            _tell([file], chosen)
            code = code or int(file.code in _FAILED)
        else:
            failed = _one(file, place_of[file.path], args, chosen)
            partial += not failed and file.ported.is_partial
            code = max(code, failed)
    if partial:
        tell(words("porting.partial", chosen, count=partial) + "\n")
    return code


def _each_once(files: Iterable[SourceFile], paths: Sequence[Path]) -> tuple[dict[Path, SourceFile], list[Problem]]:
    """The files by the place where each lies, and what has come to lead out of ``paths`` since they were listed.

    They come without the links to one that is there too: what was ported by one name is not ported again by another.
    """
    found: dict[Path, SourceFile] = {}
    outside = []
    real = RealPaths()
    tops = {str(real_path(path)) for path in paths}
    below = tuple({os.path.join(top, "") for top in tops})  # noqa: PTH118 - these are texts
    for file in files:
        lies = real.of(file.path)
        if lies not in tops and not lies.startswith(below):
            outside.append(Problem(file.path, "outside"))
        elif (place := Path(lies)) not in found or not Path(file.path).is_symlink():
            found[place] = file
    return found, outside


def _one(file: PortedFile, place: Path, args: argparse.Namespace, chosen: Language) -> int:
    """Prints or writes a file; returns the exit code that it asks for."""
    path = str(file.path)
    if args.check:
        if file.changed:
            sys.stdout.write(words("porting.would_change", chosen, path=file_name(path)) + "\n")
        return int(file.changed)
    if args.diff:
        sys.stdout.flush()
        sys.stdout.buffer.writelines(_diff(file, file_name(path)))
    elif args.write:
        if file.changed and (problem := write_ported(file, place)) is not None:
            _tell([problem], chosen)
            return 1
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(file.after)
    tell(_summary(file, chosen) + "\n")
    if names := _unknown(file):
        tell(words("porting.unknown_names", chosen, names=", ".join(names)) + "\n")
    return 0


def _unknown(file: PortedFile) -> list[str]:
    """The names of a file that the database does not hold, the most used first, and a mark where there are more than a few."""
    counts = Counter(one.source for one in file.ported.changes if (one.state, one.label) == ("kept", "unknown"))
    names = [visible(name) for name, _ in counts.most_common(_MOST_NAMES)]
    return [*names, "…"] if len(counts) > len(names) else names


def _diff(file: PortedFile, path: str) -> Iterable[bytes]:
    """A diff of the bytes of a file, which may be in any encoding, with the lines that `patch` knows: a form feed ends none."""
    before, after = io.BytesIO(file.before).readlines(), io.BytesIO(file.after).readlines()
    name = path.lstrip("/").encode()
    # A rare encoding has line feeds that are no ends of lines.
    if kind_of(file.path) == PYTHON and file.text.count("\n") == file.before.count(b"\n"):
        changes = edited_lines(file.text.encode(), file.ported.edits, before, after)
    else:
        changes = differing_lines(before, after)
    for line in unified_diff(before, after, changes, (b"a/" + name, b"b/" + name)):
        yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _summary(file: PortedFile, chosen: Language) -> str:
    ported = file.ported
    if not ported.changes:
        return words("porting.unchanged", chosen, path=file_name(str(file.path)))
    return words(
        "porting.summary",
        chosen,
        path=file_name(str(file.path)),
        made=ported.count("made"),
        verified=ported.count("made", "verified"),
        unsafe=ported.count("made", "unsafe"),
        left=ported.count("left"),
        manual=ported.count("manual"),
        unknown=ported.count("kept", "unknown"),
    )


def _tell(problems: Sequence[Problem], chosen: Language) -> None:
    for problem in problems:
        tell(f"apidiff: {visible(problem_text(problem, chosen))}\n")
