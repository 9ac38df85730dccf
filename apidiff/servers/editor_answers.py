"""Writes findings and fixes as an editor is told of them: as diagnostics and as code actions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath

import msgspec
from lsprotocol import types
from pygls.workspace import TextDocument

from apidiff.messages.labels import label
from apidiff.model.base import Language
from apidiff.porting.scan_report import Finding
from apidiff.porting.source_files import Problem
from apidiff.servers.document_lines import DocumentLines
from apidiff.servers.quick_fixes import Fix
from apidiff.writers.scan.words import problem_text

_SEVERITIES = {
    "silent": types.DiagnosticSeverity.Warning,
    "error": types.DiagnosticSeverity.Warning,
    "rewrite": types.DiagnosticSeverity.Information,
    "none": types.DiagnosticSeverity.Hint,
}

_Place = tuple[str, int, int]  # of a diagnostic: its code, line and column


def diagnostic(finding: Finding, lines: DocumentLines, language: Language) -> types.Diagnostic:
    """A finding as a diagnostic."""
    target = f" → {finding.target}" if finding.target else ""
    colon = ": " if language == "en" else "："
    address = finding.help.said_in(language) if finding.help else ""
    return types.Diagnostic(
        range=lines.range(finding),
        message=f"{finding.source}{target}{colon}{finding.headline.said_in(language)}",
        severity=_SEVERITIES[finding.risk],
        code=finding.code,
        code_description=types.CodeDescription(address) if address else None,
        source="apidiff",
        data={"fix": finding.fix, "id": finding.id},
    )


def left_out(findings: Sequence[Finding], lines: DocumentLines, language: Language) -> types.Diagnostic:
    """What is told, at the first of them, of findings that are too many to be shown."""
    message = label("servers.left_out", language, count=f"{len(findings):,}")
    return types.Diagnostic(lines.range(findings[0]), message, types.DiagnosticSeverity.Information, source="apidiff")


def passed_over(problem: Problem, language: Language) -> types.Diagnostic:
    """What is told of a part of a document that was passed over."""
    place = types.Position(problem.line - 1, 0)
    message = problem_text(msgspec.structs.replace(problem, path=PurePath(problem.path).name), language)
    return types.Diagnostic(types.Range(place, place), message, types.DiagnosticSeverity.Information, source="apidiff")


def action(
    document: TextDocument, lines: DocumentLines, fix: Fix, shown: Mapping[_Place, Sequence[types.Diagnostic]]
) -> types.CodeAction:
    """A fix as a code action, with the diagnostics that it settles. ``shown``: what `by_place` makes of all that are shown."""
    places = dict.fromkeys(_place(finding, lines) for finding in fix.settled)
    edits: list[types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit] = [
        types.TextEdit(lines.range(edit.span), edit.text) for edit in fix.edits
    ]
    identifier = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
    return types.CodeAction(
        title=fix.title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[one for place in places for one in shown.get(place, ())] or None,
        is_preferred=fix.verified or None,
        edit=types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(identifier, edits)]),
    )


def by_place(shown: Iterable[types.Diagnostic]) -> dict[_Place, list[types.Diagnostic]]:
    """The diagnostics of this server that an editor shows."""
    found: dict[_Place, list[types.Diagnostic]] = {}
    for one in shown:
        if one.source == "apidiff" and isinstance(one.code, str):  # an editor may send any JSON
            found.setdefault((one.code, one.range.start.line, one.range.start.character), []).append(one)
    return found


def _place(finding: Finding, lines: DocumentLines) -> _Place:
    start = lines.range(finding).start
    return finding.code, start.line, start.character
