"""The report on upstream's tables as Markdown, to be sent as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from apidiff.derive.official import NOTATION, OfficialReport, RowReport, RowVerdict, TableReport
from apidiff.derive.official_behaviour import Finding
from apidiff.messages.evidence import evidence_lines
from apidiff.messages.labels import label
from apidiff.messages.verdict_text import verdict_text
from apidiff.model.base import Language, Text
from apidiff.writers.markdown import code_span, link, prose, table_cell


def report_markdown(report: OfficialReport, language: Language) -> str:
    """The whole report in one language; every line of evidence stands with its claim and its run record."""
    return "".join(f"{line.rstrip()}\n" for line in _Report(language).lines(report))


class _Report:
    """The report's parts as lines."""

    def __init__(self, language: Language) -> None:
        self.language: Language = language

    def lines(self, report: OfficialReport) -> Iterator[str]:
        yield f"# {self._word('title')}"
        for part in ("how", "function", "unrun"):
            yield from ("", self._word(part))
        yield from ("", f"{self._word('notation')}{self._sign('colon')}", "")
        for sign, key in NOTATION:
            yield f"- {code_span(sign)}{self._sign('colon')}{label(key, self.language)}"
        yield from ("", f"## {self._word('totals')}", "")
        yield from _grid(*self._totals(report))
        for table in report.tables:
            yield from self._table(table)
        yield from ("", f"## {self._word('runs')}", "")
        yield from self._runs(report)

    def _table(self, table: TableReport) -> Iterator[str]:
        yield from ("", f"## {self._word('table', name=table.name)}", "")
        title, address = table.document.name(self.language), table.document.address(self.language)
        yield f"{self._word('source')}{self._sign('colon')}{link(prose(title), address)}"
        yield from ("", f"### {self._word('contradictions')}")
        for row in table.contradicted:
            yield from self._contradiction(row)
        if not table.contradicted:
            yield from ("", self._word("contradictions.none"))
        yield from ("", f"### {self._word('rows')}", "")
        header = [self._word(key) for key in ("row", "pair", "listed", "standing", "versions")]
        yield from _grid(header, [self._cells(row) for row in table.rows])

    def _totals(self, report: OfficialReport) -> tuple[list[str], list[list[str]]]:
        standings = report.standings
        header = [
            self._word("name"),
            self._word("listed"),
            *(label(f"standing.{standing}", self.language) for standing in standings),
        ]
        rows = [
            [
                table.name,
                label(f"listed.{kind}", self.language),
                *(str(counts.get(standing, 0)) for standing in standings),
            ]
            for table in report.tables
            for kind, counts in table.totals.items()
        ]
        return header, rows

    def _contradiction(self, row: RowReport) -> Iterator[str]:
        listed = label(f"listed.{row.listed}", self.language)
        yield from ("", f"#### {self._pair(row)}", "")
        yield f"{self._word('row')} {prose(row.part)}{self._sign('semicolon')}{self._word('listed')}{self._sign('colon')}{listed}"
        yield from ("", f"{self._word('signature')}{self._sign('colon')}", "")
        for verdict in row.verdicts:
            yield f"- {self._verdict(verdict)}"
            if row.claim and verdict.runs:
                yield f"  - {code_span(row.claim)} [{self._sign('comma').join(map(code_span, verdict.runs))}]"
        for key, findings in (("behaviour", row.behaviour), ("lacking", row.lacking)):
            if findings:
                yield from ("", f"{self._word(key)}{self._sign('colon')}", "")
            for finding in findings:
                yield from self._finding(finding)
        yield from ("", f"{self._word('repeat')}{self._sign('colon')}`apidiff verify {row.mapping}`")

    def _finding(self, finding: Finding) -> Iterator[str]:
        yield f"- {self._versions(finding.versions)}{self._sign('colon')}{self._text(finding.text)}"
        for proof in finding.evidence:
            verdict = self._text(verdict_text(proof.verdict))
            yield f"  - {code_span(proof.claim)}{self._sign('colon')}{verdict} [{code_span(proof.run)}]"
            yield from (f"    - {code_span(line)}" for line in evidence_lines(proof.facts, self.language))

    def _cells(self, row: RowReport) -> list[str]:
        listed = label(f"listed.{row.listed}", self.language)
        remark = f"{self._sign('colon')}{self._text(row.remark)}" if row.remark else ""
        standing = label(f"standing.{row.standing}", self.language)
        verdicts = "<br>".join(self._verdict(verdict) for verdict in row.verdicts)
        return [prose(row.part), self._pair(row), listed + remark, standing, verdicts]

    def _verdict(self, verdict: RowVerdict) -> str:
        said = f"{self._versions(verdict.versions)}{self._sign('colon')}{label(f'outcome.{verdict.outcome}', self.language)}"
        for lead, facts in (("", verdict.facts), (self._word("open"), verdict.open)):
            if facts:
                told = self._sign("comma").join(code_span(line) for line in evidence_lines(facts, self.language))
                said += f"{self._sign('semicolon')}{lead}{self._sign('colon') if lead else ''}{told}"
        return said

    def _versions(self, versions: Iterable[str]) -> str:
        return f"MindSpore {self._sign('comma').join(versions)}"

    def _pair(self, row: RowReport) -> str:
        source = code_span(row.source) if row.source else self._word("no_source")
        return f"{source} → {code_span(row.target)}"

    def _runs(self, report: OfficialReport) -> Iterator[str]:
        keys = ("id", "framework", "backend", "device", "world_size", "date", "os", "python")
        rows = []
        for run in report.runs:
            framework = f"{label(f'framework.{run.framework}', self.language)} {run.framework_version}"
            rows.append(
                [
                    code_span(run.id),
                    framework,
                    run.backend,
                    run.device,
                    str(run.world_size),
                    run.date,
                    prose(run.os),
                    prose(run.python),
                ]
            )
        yield from _grid([label(f"run.{key}", self.language) for key in keys], rows)

    def _word(self, key: str, **values: str) -> str:
        return label(f"official.{key}", self.language, **values)

    def _sign(self, key: str) -> str:
        return label(f"site.{key}", self.language)

    def _text(self, text: Text) -> str:
        return prose(text.said_in(self.language))


def _grid(header: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    yield _line(header)
    yield _line(["---"] * len(header))
    yield from map(_line, rows)


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(map(table_cell, cells)) + " |"
