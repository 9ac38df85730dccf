"""Builds the page of the report on upstream's tables: totals, then what runs contradict, then every row."""

from __future__ import annotations

from docutils import nodes

from apidiff.derive.official import NOTATION, OfficialReport, RowReport, RowVerdict, TableReport
from apidiff.derive.official_behaviour import Finding, FindingEvidence
from apidiff.messages.evidence import evidence_lines
from apidiff.messages.verdict_text import verdict_text
from apidiff.sphinxext.nodes import Cell, block, code, external, joined, literal, paragraph, table
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.run_page import run_part
from apidiff.writers.exports.address import anchor


def official_sections(make: PageBuilder, report: OfficialReport) -> list[nodes.Node]:
    """Build the whole page below its title."""
    return [
        *(make.sentence(f"official.{key}") for key in ("how", "function", "unrun")),
        make.term("official.notation"),
        _notation(make),
        make.section("official-totals", make.word("official.totals"), _totals(make, report)),
        *(_table(make, table_report) for table_report in report.tables),
    ]


def _notation(make: PageBuilder) -> nodes.bullet_list:
    items = []
    for sign, key in NOTATION:
        words = make.word("site.colon") + make.word(key)
        items.append(nodes.list_item("", paragraph(literal(sign), nodes.Text(words))))
    return nodes.bullet_list("", *items)


def _totals(make: PageBuilder, report: OfficialReport) -> nodes.table:
    standings = report.standings
    header = [make.word("official.name"), make.word("official.listed")]
    header += [make.word(f"standing.{standing}") for standing in standings]
    rows: list[list[Cell]] = [
        [table_report.name, make.word(f"listed.{kind}"), *(str(counts.get(standing, 0)) for standing in standings)]
        for table_report in report.tables
        for kind, counts in table_report.totals.items()
    ]
    return table(header, rows)


def _table(make: PageBuilder, table_report: TableReport) -> nodes.section:
    name = anchor(f"official-{table_report.name}")
    source = make.term("official.source", *external(table_report.url, nodes.Text(table_report.title)))
    against: list[nodes.Node] = [_contradiction(make, name, row) for row in table_report.contradicted]
    if not against:
        against = [make.sentence("official.contradictions.none")]
    header = [make.word(f"official.{key}") for key in ("pair", "standing", "versions")]
    rows = table(header, [_row(make, row) for row in table_report.rows], classes=["apidiff-stacked"])
    return make.section(
        name,
        make.word("official.table", name=table_report.name),
        source,
        make.section(f"{name}-contradictions", make.word("official.contradictions"), *against),
        make.section(f"{name}-rows", make.word("official.rows"), block("", rows, filter=make.word("index.filter"))),
    )


def _contradiction(make: PageBuilder, name: str, row: RowReport) -> nodes.section:
    listed = make.word("site.colon").join((make.word("official.listed"), make.word(f"listed.{row.listed}")))
    place = make.word("official.row") + f" {row.part}{make.word('site.semicolon')}{listed}"
    children: list[nodes.Node] = [paragraph(nodes.Text(place))]
    children += [make.term("official.signature"), _verdicts(make, row)]
    for key, findings in (("behaviour", row.behaviour), ("lacking", row.lacking)):
        if findings:
            children += [make.term(f"official.{key}"), *(_finding(make, finding) for finding in findings)]
    children += [make.term("official.repeat"), code(f"apidiff verify {row.mapping}", "console")]
    source, target = _sides(make, row)
    return make.section(anchor(f"{name}-{row.target}"), [source, nodes.Text(" → "), target], *children)


def _sides(make: PageBuilder, row: RowReport) -> tuple[nodes.Node, nodes.Node]:
    nothing = nodes.Text(make.word("official.no_source"))
    source = make.ref("api", row.source, optional=True) if row.source else nothing
    return source, make.ref("api", row.target, optional=True)


def _verdicts(make: PageBuilder, row: RowReport) -> nodes.bullet_list:
    items = []
    for verdict in row.verdicts:
        said: list[nodes.Node] = [paragraph(*_verdict(make, verdict))]
        if row.claim and verdict.runs:
            runs = joined(
                [[make.ref("run", run, part=run_part(row.target, "signature"))] for run in verdict.runs],
                make.word("site.comma"),
            )
            claim = make.ref("claim", row.claim)
            said.append(paragraph(claim, nodes.Text(make.word("site.colon")), *runs))
        items.append(nodes.list_item("", *said))
    return nodes.bullet_list("", *items)


def _verdict(make: PageBuilder, verdict: RowVerdict) -> list[nodes.Node]:
    said: list[nodes.Node] = [
        nodes.Text(_versions(make, verdict.versions) + " "),
        make.badge("outcome", verdict.outcome),
    ]
    for lead, facts in (("", verdict.facts), (make.word("official.open") + make.word("site.colon"), verdict.open)):
        if facts:
            told = joined([[literal(line)] for line in evidence_lines(facts, make.language)], make.word("site.comma"))
            said += [nodes.Text(f" {lead}"), *told]
    return said


def _versions(make: PageBuilder, versions: list[str]) -> str:
    return f"MindSpore {make.listed(versions)}"


def _finding(make: PageBuilder, finding: Finding) -> block:
    versions = nodes.Text(f" {_versions(make, finding.versions)}{make.word('site.colon')}")
    head = paragraph(make.badge("risk", finding.risk), versions, *make.text(finding.text))
    items = [nodes.list_item("", *_evidence(make, evidence)) for evidence in finding.evidence]
    return block("", head, nodes.bullet_list("", *items), classes=["apidiff-claim"])


def _evidence(make: PageBuilder, evidence: FindingEvidence) -> list[nodes.Node]:
    words = nodes.Text(f"{make.word('site.colon')}{make.pick(verdict_text(evidence.verdict))} ")
    head = paragraph(
        make.ref("claim", evidence.claim),
        words,
        make.ref("run", evidence.run, part=run_part(evidence.claim.partition("#")[0])),
    )
    return [head, *make.evidence(evidence.facts)]


def _row(make: PageBuilder, row: RowReport) -> list[Cell]:
    source, target = _sides(make, row)
    pair = [paragraph(source), paragraph(nodes.Text("→ "), target), paragraph(nodes.Text(row.part))]
    listed: list[nodes.Node] = [nodes.Text(make.word(f"listed.{row.listed}"))]
    if row.remark:
        listed += [nodes.Text(make.word("site.colon")), *make.text(row.remark)]
    verdicts = [paragraph(*_verdict(make, verdict)) for verdict in row.verdicts]
    return [pair, [paragraph(make.badge("standing", row.standing)), make.term("official.listed", *listed)], verdicts]
