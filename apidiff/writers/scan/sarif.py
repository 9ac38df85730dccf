"""Writes a scan as SARIF 2.1.0, which code hosts and editors show beside the code."""

from __future__ import annotations

from collections.abc import Iterator
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


_AT_ONCE = 1_000  # results: about a megabyte
# What stands before, between and behind results as they are in a log, four levels deep.
_BEFORE, _BETWEEN, _BEHIND = msgspec.json.format(b"[[[[null,null]]]]", indent=1).split(b"null")


def scan_sarif(report: ScanReport, language: Language, *, everything: bool = False) -> Iterator[bytes]:
    """The log: a rule for each difference of each API, a result for each finding, and one for each name that runs prove.

    Columns count characters; files are named from the current folder. It comes in pieces: thousands of results may be in it.
    """
    places: list[Finding | Rename] = [*(report.findings if everything else report.everyday()), *report.renames]
    rules: dict[str, dict[str, Any]] = {}
    for place in places:
        if (name := _rule_name(place)) not in rules:
            rules[name] = {"id": name, **_rule(place, language)}
    numbers = {rule: number for number, rule in enumerate(rules)}
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
        "results": [None] if places else [],
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    text = msgspec.json.format(msgspec.json.encode(log), indent=1) + b"\n"
    if not places:
        yield text
        return
    before, _, behind = text.rpartition(b"null")
    for start in range(0, len(places), _AT_ONCE):
        results = [_result(place, numbers, language) for place in places[start : start + _AT_ONCE]]
        written = msgspec.json.format(msgspec.json.encode([[[results]]]), indent=1)
        yield before + written.removeprefix(_BEFORE).removesuffix(_BEHIND)
        before = _BETWEEN
    yield behind


def _rule_name(place: Finding | Rename) -> str:
    return f"{place.code}/{place.source}/{place.id}" if isinstance(place, Finding) else finding_codes()[RENAME]


def _rule(place: Finding | Rename, language: Language) -> dict[str, Any]:
    if isinstance(place, Rename):
        return {
            "shortDescription": {"text": words("scan.rename_rule", language)},
            "defaultConfiguration": {"level": "note"},
        }
    rule: dict[str, Any] = {
        "shortDescription": {"text": place.headline.said_in(language)},
        "help": {"text": f"apidiff lookup {place.source}"},
        "defaultConfiguration": {"level": _LEVELS[place.risk]},
        "properties": {
            "tags": ["apidiff", place.kind, place.risk, place.reach],
            "risk": label(f"risk.{place.risk}", language),
        },
    }
    if place.help is not None:
        rule["helpUri"] = place.help.said_in(language)
    return rule


def _result(place: Finding | Rename, numbers: dict[str, int], language: Language) -> dict[str, Any]:
    rule = _rule_name(place)
    told = _found(place, language) if isinstance(place, Finding) else _renamed(place, language)
    return {"ruleId": rule, **told, "ruleIndex": numbers[rule]}


def _found(finding: Finding, language: Language) -> dict[str, Any]:
    return {
        "level": _LEVELS[finding.risk],
        "message": {"text": sentence(finding, language)},
        "locations": [_location(finding)],
        "properties": {"target": finding.target, "fix": finding.fix, "reach": finding.reach, "kind": finding.kind},
    }


def _renamed(rename: Rename, language: Language) -> dict[str, Any]:
    """A name that runs prove to be the whole edit, with the edit."""
    text = words("scan.rename", language, source=rename.source, target=rename.target)
    result: dict[str, Any] = {"level": "note", "message": {"text": text}, "locations": [_location(rename)]}
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
