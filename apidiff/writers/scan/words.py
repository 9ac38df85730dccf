"""The words of a scan's reports, in either language."""

from __future__ import annotations

from apidiff.messages.escape_invisible import file_name
from apidiff.messages.labels import filled, label
from apidiff.model.base import Language, Text
from apidiff.porting.judgement import DEVICES
from apidiff.porting.scan_report import Finding, ScanReport
from apidiff.porting.source_files import Problem

PORT_PROBLEMS = {
    *("changed_meanwhile", "cannot_write", "broken", "broken_line", "not_encoded"),
    *("ported_large", "ported_many_tokens", "wide"),
}
"""The codes of problems of a port, not of reading."""
LABELS = ("verified", "unsafe", "manual", "unknown")


def words(key: str, language: Language, **values: Text | str | int) -> str:
    """The message under ``key`` in ``language``, filled in."""
    return filled(key, **values).said_in(language)


def problem_text(problem: Problem, language: Language) -> str:
    """Say what could not be read."""
    path, detail = file_name(problem.path), file_name(problem.detail)
    place = {"line": problem.line} if problem.cell is None else {"line": problem.line, "cell": problem.cell}
    key = f"scan.problem.{problem.code}" if problem.cell is None else f"scan.problem_in_cell.{problem.code}"
    if problem.code in PORT_PROBLEMS:
        key = f"port_problem.{problem.code}"
    return words(key, language, path=path, detail=detail, **place)


def title(report: ScanReport, language: Language) -> str:
    """For which release and device the scan was made."""
    if report.device is None:
        return words("scan.title", language, version=report.mindspore)
    device = label(f"device.{DEVICES[report.device]}", language)
    return words("scan.title_on", language, version=report.mindspore, device=device)


def counts(report: ScanReport, language: Language) -> list[str]:
    """How many references there are and how they are answered, a sentence each."""
    sentences = [
        words(
            "scan.counts",
            language,
            files=f"{len(report.files):,}",
            references=f"{report.references:,}",
            answered=f"{report.answered:,}",
        )
    ]
    if report.references:
        shares = report.shares()
        parts = {name: f"{100 * shares[name] / report.references:.1f}" for name in LABELS}
        sentences.append(
            words(
                "scan.shares",
                language,
                verified=parts["verified"],
                unsafe=parts["unsafe"],
                manual=parts["manual"],
                unknown=parts["unknown"],
            )
        )
    if report.possible:
        sentences.append(words("scan.possible", language, count=f"{report.possible:,}"))
    if report.baselined:
        sentences.append(words("scan.baselined", language, count=f"{report.baselined:,}"))
    return sentences


def place(finding: Finding) -> str:
    """Where a finding is: ``model.py:12:5``; in a notebook with the cell: ``a.ipynb#3:12:5``."""
    cell = f"#{finding.cell}" if finding.cell is not None else ""
    return f"{file_name(finding.file)}{cell}:{finding.line}:{finding.column}"


def sentence(finding: Finding, language: Language) -> str:
    """A finding in a line: its code, the API, what it becomes, what is to be minded."""
    target = f" → {finding.target}" if finding.target else ""
    colon = ": " if language == "en" else "："
    return f"{finding.code} {finding.source}{target}{colon}{finding.headline.said_in(language)}"
