"""`apidiff report`: what upstream's tables say and runs show, and how much of what code uses is answered."""

from __future__ import annotations

import argparse
import sys

from apidiff.cli.json_output import json_line
from apidiff.cli.named_path import named_path
from apidiff.cli.output import language
from apidiff.errors import without_orders
from apidiff.messages.escape_invisible import visible


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    actions = parser.add_subparsers(dest="what", required=True)
    official = actions.add_parser(
        "official",
        help="on upstream's mapping tables",
        description=(
            "Writes the report on upstream's mapping tables: each row with its verdicts and their evidence. "
            "JSON holds both languages."
        ),
    )
    official.add_argument("--format", choices=("json", "md"), default="md", help="default: md")
    census = actions.add_parser(
        "census",
        help="on a count of the names that code uses",
        description=(
            "Writes which share of the references to PyTorch names in some code is answered, and which by an answer that "
            "was run. FILE is a CSV file whose first column is torch_name or method_name and whose last one is total."
        ),
    )
    census.add_argument("file", metavar="FILE", type=named_path, help="the CSV file")
    census.add_argument("--json", action="store_true", help="write JSON, with every name that has no answer")
    documents = actions.add_parser(
        "documents",
        help="on what documents state and runs show otherwise",
        description=(
            "Writes what MindSpore's docstrings and upstream's whole mapping tables state and runs show otherwise: devices, "
            "types and defaults of parameters, pairs that are called consistent. Each row names the command that repeats it."
        ),
    )
    documents.add_argument("--json", action="store_true", help="write JSON, which holds both languages")
    conditions = actions.add_parser(
        "conditions",
        help="on the conditions under which samples differ",
        description=(
            "Writes how many differences are told with a condition that samples held back bear out, which share of such "
            "samples all conditions told rightly, how many are told as what samples were seen with, because no other sample can "
            "tell of these, and how many as being on some inputs."
        ),
    )
    conditions.add_argument("--json", action="store_true", help="write JSON")
    for action in (official, census, documents, conditions):
        action.add_argument("--lang", choices=("en", "zh"), help="language of the text (default: that of the locale)")


def run(args: argparse.Namespace) -> int:
    """Writes the report to standard output, in UTF-8 whatever the locale. Raises DataError for a census that is none."""
    reports = {"official": _official, "census": _census, "documents": _documents, "conditions": _conditions}
    content = reports[args.what](args)
    sys.stdout.buffer.write(content if isinstance(content, bytes) else without_orders(visible(content)).encode())
    return 0


def _documents(args: argparse.Namespace) -> bytes | str:
    from apidiff.database import load
    from apidiff.database.checks import with_entries, without_unusable
    from apidiff.derive.document_differences import documents_report
    from apidiff.lookup import knowledge
    from apidiff.writers.documents import documents_text

    entries = knowledge.load().entries
    rows = documents_report(with_entries(without_unusable(load()), entries), entries)
    return json_line(rows, indent=1) if args.json else documents_text(rows, language(args.lang))


def _conditions(args: argparse.Namespace) -> bytes | str:
    from apidiff.database import load
    from apidiff.database.checks import without_unusable
    from apidiff.database.passed_over import tell_passed_over
    from apidiff.lookup.condition_figures import condition_figures
    from apidiff.writers.conditions import conditions_text

    data = without_unusable(load())
    tell_passed_over(data.unread, data.unchecked)
    figures = condition_figures(data)
    return json_line(figures, indent=1) if args.json else conditions_text(figures, language(args.lang))


def _official(args: argparse.Namespace) -> bytes | str:
    from apidiff.database import load
    from apidiff.database.checks import with_entries, without_unusable
    from apidiff.derive.official import official_report
    from apidiff.errors import DataError
    from apidiff.lookup import knowledge
    from apidiff.writers.official import report_markdown

    data = without_unusable(load())
    if not data.tables:
        raise DataError(data.root / "official", None, "holds no table", "Restore the folder, or reinstall apidiff.")
    entries = dict(knowledge.load().entries)
    report = official_report(with_entries(data, entries), entries)
    if args.format == "json":
        return json_line(report, indent=1)
    return report_markdown(report, language(args.lang))


def _census(args: argparse.Namespace) -> bytes | str:
    from apidiff.database.census import read_census
    from apidiff.lookup.cache import open_index
    from apidiff.lookup.census import census_report
    from apidiff.writers.census import census_text

    counts = read_census(args.file)
    report = census_report(open_index(), counts)
    return json_line(report, indent=1) if args.json else census_text(report, language(args.lang))
