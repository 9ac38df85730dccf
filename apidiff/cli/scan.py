"""`apidiff scan`: every reference to PyTorch in code, and what each call of it meets."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from apidiff.cli.json_output import json_pieces
from apidiff.cli.named_path import named_path
from apidiff.cli.output import show
from apidiff.cli.porting_options import add_porting_arguments, progress, read_options
from apidiff.errors import ApidiffError
from apidiff.messages.escape_invisible import file_name, visible
from apidiff.model.base import Language
from apidiff.porting.scan_report import RISKS, ScanReport, make_report
from apidiff.porting.scan_settings import FILE, read_baseline, write_baseline
from apidiff.porting.source_files import SourceFile, changed_since, is_changed
from apidiff.porting.tree_scan import scan_tree
from apidiff.real_path import RealPaths
from apidiff.standard_streams import tell
from apidiff.writers.scan.words import problem_text, words

FORMATS = ("table", "json", "sarif", "github", "markdown", "html")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = (
        "Finds every reference to PyTorch in Python files, notebooks and fenced code of Markdown\n"
        "pages, and tells which differences its call can meet with the arguments written there.\n"
        "Nothing scanned is imported or run."
    )
    parser.epilog = (
        "Lines and columns count from 1, columns in characters; an end column is the first one after.\n"
        "A comment `# apidiff: ignore` passes over its line, `# apidiff: ignore[torch.std]` one API.\n"
        "[tool.apidiff.scan] of pyproject.toml may set mindspore, device, fail-on, baseline,\n"
        "exclude (patterns of paths) and edge.\n"
        "\n"
        "exit codes: 0 scanned; 1 a finding is as bad as --fail-on says, or worse; 2 what the user can\n"
        "mend: a path that is not there, a broken setting, a release that is not known; 130 stopped\n"
        "with Ctrl-C. Files that cannot be read are told on standard error and change no exit code."
    )
    add_porting_arguments(parser, language_of="the text")
    parser.add_argument("--all", action="store_true", help="edge cases too, and 1,000 places of each")
    parser.add_argument("--json", action="store_true", help="the same as --format json")
    parser.add_argument("--format", choices=FORMATS, default="table", help="default: table")
    parser.add_argument(
        "--fail-on", choices=RISKS[:3], metavar="RISK", help="silent, error or rewrite: exit with 1 then"
    )
    parser.add_argument("--baseline", type=named_path, metavar="FILE", help="leave out the findings that FILE holds")
    parser.add_argument(
        "--write-baseline",
        type=named_path,
        metavar="FILE",
        help="write all findings to FILE and end; not with --baseline or --diff",
    )
    parser.add_argument(
        "--diff", metavar="REV", help="only files that differ from this revision of git; none of submodules"
    )


def run(args: argparse.Namespace) -> int:
    """Scans and prints. What could not be read goes to standard error.

    Raises ApidiffError where a baseline is to be written of a part of the findings: the next scan would tell all others as new.
    """
    for option, given in (("--baseline", args.baseline), ("--diff", args.diff)):
        if args.write_baseline is not None and given is not None:
            found = f"--write-baseline writes all findings, and {option} leaves some out"
            raise ApidiffError(f"scan: {found}. Leave out one of the two.")
    options = read_options(args)
    files, settings, chosen = options.files, options.settings, options.language
    shown = _changed(files, args.diff, args.paths)
    with progress(len(files), chosen) as told:
        scanned = scan_tree(files, options.index.source_names, jobs=args.jobs, told=told)
    saved = options.folder / settings.baseline if settings.baseline and args.write_baseline is None else None
    baseline = args.baseline or saved
    report = make_report(
        [file for file in scanned if shown is None or file.names.path in shown],
        options.judge,
        options.release,
        options.device,
        options.problems,
        read_baseline(baseline, None if args.baseline else options.folder / FILE) if baseline else Counter(),
    )
    for problem in report.problems:
        tell(f"apidiff: {visible(problem_text(problem, chosen))}\n")
    if args.write_baseline is not None:
        count = write_baseline(args.write_baseline, report.findings)
        sys.stdout.write(words("scan.written", chosen, path=file_name(str(args.write_baseline)), count=count) + "\n")
        return 0
    everything = args.all or settings.edge
    _print(report, "json" if args.json else args.format, chosen, everything=everything)
    limit = args.fail_on or settings.fail_on
    met = report.findings if everything else report.everyday()
    return int(limit is not None and any(RISKS.index(finding.risk) <= RISKS.index(limit) for finding in met))


def _changed(files: Sequence[SourceFile], revision: str | None, paths: Sequence[Path]) -> set[str] | None:
    """The paths that differ from ``revision``; None where all are wanted."""
    if revision is None:
        return None
    changed = changed_since(revision, [path if path.is_dir() else path.parent for path in paths])
    real = RealPaths()
    return {file.path for file in files if is_changed(file.path, changed, real)}


def _print(report: ScanReport, form: str, chosen: Language, *, everything: bool) -> None:
    """Prints the report; all but the table are UTF-8 whatever the locale."""
    out = sys.stdout.buffer
    if form == "table":
        from apidiff.writers.scan.table import scan_table

        show(scan_table(report, chosen, everything=everything))
    elif form == "json":
        out.writelines(json_pieces(report))
    elif form == "sarif":
        from apidiff.writers.scan.sarif import scan_sarif

        out.writelines(scan_sarif(report, chosen, everything=everything))
    elif form == "html":
        from apidiff.writers.scan.html import scan_html

        out.write(scan_html(report, chosen, everything=everything).encode())
    else:
        from apidiff.writers.scan.markdown import scan_annotations, scan_markdown

        if form == "markdown":
            out.write(scan_markdown(report, chosen, everything=everything).encode())
        else:
            out.writelines(f"{line}\n".encode() for line in scan_annotations(report, chosen, everything=everything))
