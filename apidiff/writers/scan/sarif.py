"""Writes a scan as SARIF 2.1.0, which code hosts and editors show beside the code."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from apidiff import __version__
from apidiff.messages.labels import label
from apidiff.model.base import Language
from apidiff.porting.finding_codes import RENAME, finding_codes
from apidiff.porting.scan_report import Finding, Rename, ScanReport
from apidiff.writers.scan.words import problem_text, sentence, words

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"silent": "error", "error": "error", "rewrite": "warning", "none": "note"}


def scan_sarif(report: ScanReport, language: Language, *, everything: bool = False) -> bytes:
    """The log: a rule for each difference of each API, a result for each finding, and one for each name that runs prove.

    Columns count characters; files are named from the current folder.
    """
    findings = report.findings if everything else report.everyday()
    rules: dict[str, dict[str, Any]] = {}
    results = [_result(finding, rules, language) for finding in findings]
    results += [_renamed(rename, rules, language) for rename in report.renames]
    numbers = {rule: number for number, rule in enumerate(rules)}
    for result in results:
        result["ruleIndex"] = numbers[result["ruleId"]]
    notes = [{"level": "warning", "message": {"text": problem_text(one, language)}} for one in report.problems]
    run = {
        "tool": {
            "driver": {
                "name": "apidiff",
                "semanticVersion": __version__,
                "language": "en-US" if language == "en" else "zh-CN",
                "rules": list(rules.values()),
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"uri": f"{Path.cwd().as_uri()}/"}},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notes}],
        "results": results,
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return msgspec.json.format(msgspec.json.encode(log), indent=1) + b"\n"


def _result(finding: Finding, rules: dict[str, dict[str, Any]], language: Language) -> dict[str, Any]:
    rule = f"{finding.code}/{finding.source}/{finding.id}"
    if rule not in rules:
        headline = finding.headline.said_in(language)
        rules[rule] = {
            "id": rule,
            "shortDescription": {"text": headline},
            "help": {"text": f"apidiff lookup {finding.source}"},
            "defaultConfiguration": {"level": _LEVELS[finding.risk]},
            "properties": {
                "tags": ["apidiff", finding.kind, finding.risk, finding.reach],
                "risk": label(f"risk.{finding.risk}", language),
            },
        }
        if finding.help is not None:
            rules[rule]["helpUri"] = finding.help.said_in(language)
    return {
        "ruleId": rule,
        "level": _LEVELS[finding.risk],
        "message": {"text": sentence(finding, language)},
        "locations": [_location(finding)],
        "properties": {"target": finding.target, "fix": finding.fix, "reach": finding.reach, "kind": finding.kind},
    }


def _renamed(rename: Rename, rules: dict[str, dict[str, Any]], language: Language) -> dict[str, Any]:
    """A name that runs prove to be the whole edit, with the edit."""
    rule = finding_codes()[RENAME]
    rules.setdefault(
        rule,
        {
            "id": rule,
            "shortDescription": {"text": words("scan.rename_rule", language)},
            "defaultConfiguration": {"level": "note"},
        },
    )
    text = words("scan.rename", language, source=rename.source, target=rename.target)
    result = {
        "ruleId": rule,
        "level": "note",
        "message": {"text": text},
        "locations": [_location(rename)],
    }
    if rename.cell is None:  # the text of a notebook's cell lies in JSON: no region of the file is that of the name
        replacement = {"deletedRegion": _region(rename), "insertedContent": {"text": rename.target}}
        change = {"artifactLocation": _artifact(rename.file), "replacements": [replacement]}
        result["fixes"] = [{"description": {"text": text}, "artifactChanges": [change]}]
    return result


def _location(at: Finding | Rename) -> dict[str, Any]:
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": _artifact(at.file)}}
    if at.cell is None:
        location["physicalLocation"]["region"] = _region(at)
    else:
        location["logicalLocations"] = [{"fullyQualifiedName": f"cell {at.cell}, line {at.line}", "kind": "cell"}]
    return location


def _region(at: Finding | Rename) -> dict[str, int]:
    return {
        "startLine": at.line,
        "startColumn": at.column,
        "endLine": at.end_line,
        "endColumn": at.end_column,
    }


def _artifact(file: str) -> dict[str, str]:
    path = Path(file)
    if path.is_absolute():
        if not path.is_relative_to(Path.cwd()):
            return {"uri": path.as_uri()}
        path = path.relative_to(Path.cwd())
    return {"uri": quote(path.as_posix()), "uriBaseId": "SRCROOT"}
