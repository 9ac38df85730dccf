"""Shows a scan in a terminal: what calls meet, by risk and use, then what the database knows nothing of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table

from apidiff.messages.escape_invisible import visible
from apidiff.messages.labels import label
from apidiff.model.base import Language
from apidiff.porting.scan_report import RISKS, Finding, ScanReport
from apidiff.writers.line import Line
from apidiff.writers.scan.words import counts, place, title, words

_STYLES = {"silent": "bold red", "error": "bold yellow", "rewrite": "cyan", "none": "green"}
_UNKNOWN = 10  # names that are printed
_PLACES = 1_000  # of one difference


def scan_table(report: ScanReport, language: Language, *, everything: bool = False) -> RenderableType:
    """The result on a screen or more; ``everything``: edge cases too, and the first 1,000 places of each difference."""
    findings = report.findings if everything else report.everyday()
    parts: list[RenderableType] = [Line(title(report, language), style="bold")]
    parts += [Line(sentence) for sentence in counts(report, language)]
    if findings:  # the table begins with an empty line
        parts.append(_table(findings, language, everything=everything))
        edge = len(report.findings) - len(findings)
        if edge:
            parts.append(Line(words("scan.edge_more", language, count=f"{edge:,}"), style="dim"))
    else:
        parts += [Line(), Line(words("scan.nothing", language))]
    parts += _unknown(report, language)
    return Group(*parts)


class Row(msgspec.Struct):
    """What one difference of one API is found as: its worst first finding and all places."""

    first: Finding
    places: list[Finding]


def rows_by_risk(findings: Sequence[Finding]) -> list[Row]:
    """One row for each difference of each API, by what is said of it: the worst first, then the most used."""
    rows: dict[tuple[str, str], Row] = {}
    for finding in findings:
        row = rows.setdefault((finding.source, finding.headline.en), Row(finding, []))
        if not row.places or place(row.places[-1]) != place(finding):
            row.places.append(finding)
    return sorted(rows.values(), key=lambda row: (RISKS.index(row.first.risk), -len(row.places), row.first.source))


def _table(findings: Sequence[Finding], language: Language, *, everything: bool) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for key in ("risk", "uses", "difference", "fix", "place"):
        justify: Literal["left", "right"] = "right" if key == "uses" else "left"
        table.add_column(label(f"scan.column.{key}", language), justify=justify, overflow="fold")
    for row in rows_by_risk(findings):
        first = row.first
        places = row.places[: _PLACES if everything else 1]
        more = len(row.places) - len(places) if everything else 0
        table.add_row(
            Line(label(f"risk.{first.risk}", language), style=_STYLES[first.risk]),
            str(len(row.places)),
            Line.assemble((visible(first.source), "bold"), "\n", visible(first.headline.said_in(language))),
            Line(label(f"scan.label.{first.fix}", language)),
            Line("\n".join([*(visible(place(one)) for one in places), *([f"… +{more:,}"] if more else [])])),
        )
    return table


def _unknown(report: ScanReport, language: Language) -> Iterator[RenderableType]:
    names = [(used.labels["unknown"], used.source) for used in report.apis if used.labels.get("unknown")]
    if not names:
        return
    names.sort(key=lambda pair: (-pair[0], pair[1]))
    yield Line()
    yield Line(words("scan.unknown", language, count=len(names)))
    for uses, name in names[:_UNKNOWN]:
        yield Line(f"  {uses:>6}  {visible(name)}")
    if len(names) > _UNKNOWN:
        yield Line("  …")
