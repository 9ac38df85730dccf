"""`apidiff scan`: every reference to PyTorch in code."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import msgspec

from apidiff.cli.output import language
from apidiff.lookup.cache import open_index
from apidiff.messages.labels import Language, filled
from apidiff.porting.source_files import Problem, find_sources
from apidiff.porting.tree_scan import scan_tree


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.description = (
        "Finds every reference to PyTorch in Python files, notebooks and fenced code of Markdown pages. Nothing scanned is "
        "imported or run. Lines and columns count from 1, columns in characters."
    )
    parser.add_argument("paths", metavar="PATH", nargs="+", type=Path, help="files or folders")
    parser.add_argument("--json", action="store_true", help="write JSON, one object with every reference")
    parser.add_argument("--jobs", type=int, metavar="N", help="how many processes scan (default: one per core)")
    parser.add_argument("--lang", choices=("en", "zh"), help="language of the text (default: that of the locale)")


def run(args: argparse.Namespace) -> int:
    """Prints what was found; what could not be read goes to standard error."""
    files, problems = find_sources(args.paths)
    names = open_index().source_names
    scanned = scan_tree(files, names, jobs=args.jobs)
    chosen = language(args.lang)
    for problem in [*problems, *(problem for file in scanned for problem in file.names.problems)]:
        sys.stderr.write(f"apidiff: {problem_text(problem, chosen)}\n")
    if args.json:
        references = [
            {
                "file": file.names.path,
                "line": one.span.line,
                "column": one.span.column,
                "end_line": one.span.end_line,
                "end_column": one.span.end_column,
                "cell": one.span.cell,
                "source": one.name,
                "role": one.role,
                "possible": one.possible,
                "answered": one.name in names.apis,
            }
            for file in scanned
            for one in file.references
        ]
        sys.stdout.buffer.write(msgspec.json.encode({"files": len(files), "references": references}) + b"\n")
        return 0
    counts = Counter(one.name for file in scanned for one in file.references if not one.possible)
    for name, count in sorted(counts.items(), key=lambda row: (-row[1], row[0])):
        sys.stdout.write(f"{count:7}  {name}\n")
    return 0


def problem_text(problem: Problem, language: Language) -> str:
    """Say what could not be read."""
    text = filled(f"scan.problem.{problem.code}", path=problem.path, line=problem.line, detail=problem.detail)
    return text.en if language == "en" else text.zh
