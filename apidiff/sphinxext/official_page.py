"""The page of the report on upstream's tables: totals, then what runs contradict, then every row."""

from __future__ import annotations

from docutils import nodes

from apidiff.derive.official import NOTATION, OfficialReport, RowReport, RowVerdict, TableReport
from apidiff.derive.official_behaviour import Finding, FindingEvidence
from apidiff.messages.evidence import evidence_lines
from apidiff.sphinxext.nodes import Cell, block, code, external, joined, literal, paragraph, table
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.run_page import run_part
from apidiff.writers.exports.address import anchor


def official_sections(make: PageBuilder, report: OfficialReport) -> list[nodes.Node]:
    """The whole page below its title."""
    return [
        *(paragraph(nodes.Text(make.word(f"official.{key}"))) for key in ("how", "function", "unrun")),
        make.term("official.notation"),
        _notation(make),
        make.section("official-totals", make.word("official.totals"), _totals(make, report)),
        *(_table(make, one) for one in report.tables),
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
    header += [make.word(f"standing.{one}") for one in standings]
    rows: list[list[Cell]] = [
        [one.name, make.word(f"listed.{kind}"), *(str(counts.get(standing, 0)) for standing in standings)]
        for one in report.tables
        for kind, counts in one.totals.items()
    ]
    return table(header, rows)


def _table(make: PageBuilder, one: TableReport) -> nodes.section:
    name = anchor(f"official-{one.name}")
    source = make.term("official.source", *external(one.url, nodes.Text(one.title)))
    against: list[nodes.Node] = [_contradiction(make, name, row) for row in one.contradicted]
    if not against:
        against = [paragraph(nodes.Text(make.word("official.contradictions.none")))]
    header = [make.word(f"official.{key}") for key in ("pair", "standing", "versions")]
    rows = table(header, [_row(make, row) for row in one.rows], classes=["apidiff-stacked"])
    return make.section(
        name,
        make.word("official.table", name=one.name),
        source,
        make.section(f"{name}-contradictions", make.word("official.contradictions"), *against),
        make.section(f"{name}-rows", make.word("official.rows"), block("", rows, filter=make.word("index.filter"))),
    )


def _contradiction(make: PageBuilder, name: str, row: RowReport) -> nodes.section:
    listed = make.word("site.colon").join((make.word("official.listed"), make.word(f"listed.{row.listed}")))
    place = make.word("official.row") + f" {row.part}{make.word('site.semicolon')}{listed}"
    children: list[nodes.Node] = [paragraph(nodes.Text(place))]
    children += [make.term("official.signature"), _verdicts(make, row)]
    for key, found in (("behaviour", row.behaviour), ("lacking", row.lacking)):
        if found:
            children += [make.term(f"official.{key}"), *(_finding(make, one) for one in found)]
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
    return f"MindSpore {make.word('site.comma').join(versions)}"


def _finding(make: PageBuilder, finding: Finding) -> block:
    versions = nodes.Text(f" {_versions(make, finding.versions)}{make.word('site.colon')}")
    head = paragraph(make.badge("risk", finding.risk), versions, *make.text(finding.text))
    items = [nodes.list_item("", *_evidence(make, one)) for one in finding.evidence]
    return block("", head, nodes.bullet_list("", *items), classes=["apidiff-claim"])


def _evidence(make: PageBuilder, one: FindingEvidence) -> list[nodes.Node]:
    words = nodes.Text(f"{make.word('site.colon')}{make.pick(one.verdict)} ")
    head = paragraph(
        make.ref("claim", one.claim), words, make.ref("run", one.run, part=run_part(one.claim.partition("#")[0]))
    )
    return [head, *make.evidence(one.facts)]


def _row(make: PageBuilder, row: RowReport) -> list[Cell]:
    source, target = _sides(make, row)
    pair = [paragraph(source), paragraph(nodes.Text("→ "), target), paragraph(nodes.Text(row.part))]
    listed: list[nodes.Node] = [nodes.Text(make.word(f"listed.{row.listed}"))]
    if row.remark:
        listed += [nodes.Text(make.word("site.colon")), *make.text(row.remark)]
    verdicts = [paragraph(*_verdict(make, one)) for one in row.verdicts]
    return [pair, [paragraph(make.badge("standing", row.standing)), make.term("official.listed", *listed)], verdicts]
