"""Writes a scan as Markdown and as annotations of GitHub Actions."""

from __future__ import annotations

from collections.abc import Iterator

from apidiff.messages.escape_invisible import file_name, visible
from apidiff.messages.labels import label
from apidiff.model.base import Language
from apidiff.porting.scan_report import ScanReport
from apidiff.writers.markdown import code_span
from apidiff.writers.scan.table import rows_by_risk
from apidiff.writers.scan.words import LABELS, counts, place, sentence, title, words

_LEVELS = {"silent": "error", "error": "error", "rewrite": "warning", "none": "notice"}


def scan_markdown(report: ScanReport, language: Language, *, everything: bool = False) -> str:
    """The counts, a table of differences, a table of files."""
    findings = report.findings if everything else report.everyday()
    lines = [f"# {title(report, language)}", "", *(f"- {line}" for line in counts(report, language)), ""]
    if findings:
        columns = ("risk", "uses", "source", "headline", "fix", "place")
        lines += _row([label(f"scan.column.{key}", language) for key in columns])
        lines += _row(["---"] * len(columns))
        for row in rows_by_risk(findings):
            first = row.first
            lines += _row(
                [
                    label(f"risk.{first.risk}", language),
                    str(len(row.places)),
                    code_span(first.source),
                    first.headline.said_in(language),
                    label(f"scan.label.{first.fix}", language),
                    code_span(place(first)),
                ]
            )
    else:
        lines.append(words("scan.nothing", language))
    lines += [
        "",
        *_row([label("scan.column.file", language), *(label(f"scan.label.{name}", language) for name in LABELS)]),
    ]
    lines += _row(["---", *["--:"] * len(LABELS)])
    for file in report.files:
        if file.references:
            lines += _row([code_span(file_name(file.file)), *(str(getattr(file, name)) for name in LABELS)])
    return "\n".join(lines) + "\n"


def _row(cells: list[str]) -> list[str]:
    return ["| " + " | ".join(visible(" ".join(cell.split())).replace("|", "\\|") for cell in cells) + " |"]


def scan_annotations(report: ScanReport, language: Language, *, everything: bool = False) -> Iterator[str]:
    """A workflow command of GitHub Actions for each finding. Those in notebooks name no line, which a diff would not have."""
    for finding in report.findings if everything else report.everyday():
        where = f"file={_property(visible(finding.file))}"
        if finding.cell is None:
            where += (
                f",line={finding.line},col={finding.column},endLine={finding.end_line},endColumn={finding.end_column}"
            )
        head = _property(f"apidiff {label(f'risk.{finding.risk}', language)}")
        yield f"::{_LEVELS[finding.risk]} {where},title={head}::{_data(sentence(finding, language))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
