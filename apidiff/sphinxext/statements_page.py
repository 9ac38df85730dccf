"""Builds the page of what documents state and runs show otherwise: a line per API that opens, then what the tables come to.

Two kinds of documents meet here: those that describe an API, and upstream's tables that pair the APIs of both frameworks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from docutils import nodes

from apidiff.derive.official import NOTATION, OfficialReport, RowReport, RowVerdict, Standing, TableReport
from apidiff.derive.official_behaviour import Finding
from apidiff.derive.statements import Standing as Statement
from apidiff.derive.statements import refuted_claims
from apidiff.messages.evidence import evidence_lines
from apidiff.model.verdict import Outcome
from apidiff.model.views import ClaimEntry, DocumentEntry, Entry
from apidiff.sphinxext.build_cache import MappingPage
from apidiff.sphinxext.claims import link_to_version, standing_badge, standing_of, stated_part
from apidiff.sphinxext.long_lists import portions
from apidiff.sphinxext.nodes import Cell, Inline, block, details, joined, literal, paragraph, table
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.run_page import run_part
from apidiff.writers.exports.address import anchor

_STANDINGS = [standing.value for standing in Standing]


def statements_sections(make: PageBuilder, pages: list[MappingPage], report: OfficialReport) -> list[nodes.Node]:
    """Build the whole page below its title."""
    rows = _rows_by_api(report)
    against = {page.entry.id: claims for page in pages if (claims := _contradicted(page.entry))}
    documents = {page.entry.id: page.entry.documents for page in pages}
    lines: list[tuple[str, nodes.Node]] = []
    uses = {page.entry.id: page.entry.uses for page in pages}
    for api in sorted({*against, *rows}, key=lambda api: (-uses.get(api, 0), api)):
        claims = against.get(api, [])
        statements = [_statement(make, documents[api], claim) for claim in claims]
        lines.append((api, _line(make, api, Counter(map(standing_of, claims)), statements, rows.get(api, []))))
    if not lines:
        return [make.sentence("statements.none")]
    standings = Counter(standing_of(claim) for claims in against.values() for claim in claims)
    refuted = standings[Statement.REFUTED.value]
    count = make.word(
        "statements.count",
        refuted=refuted,
        others=standings.total() - refuted,
        contradicted=sum(len(table_report.contradicted) for table_report in report.tables),
    )
    return [
        paragraph(nodes.Text(count)),
        make.section(
            "statements-by-api",
            make.word("statements.by_api"),
            make.sentence("statements.legend"),
            block("", *portions(make, lines), filter=make.word("statements.filter")),
        ),
        *_tables(make, report),
    ]


def _contradicted(entry: Entry) -> list[ClaimEntry]:
    """List the claims of this mapping that runs do not bear out, without those of a target that another mapping defines."""
    elsewhere = {target.name for target in entry.targets if target.defined_in}
    return [claim for claim in refuted_claims(entry) if claim.subject not in elsewhere]


def _rows_by_api(report: OfficialReport) -> dict[str, list[tuple[TableReport, RowReport]]]:
    """Group the rows of all tables by the mapping they are about, or by their source or target where there is none."""
    rows: dict[str, list[tuple[TableReport, RowReport]]] = {}
    for table_report in report.tables:
        for row in table_report.rows:
            rows.setdefault(row.mapping or row.source or row.target, []).append((table_report, row))
    return rows


def _statement(make: PageBuilder, documents: dict[str, DocumentEntry], claim: ClaimEntry) -> block:
    """Show a statement that runs do not bear out, the versions that show it, and the documents that make it.

    Each version leads to one run; the claim that is linked holds all of them with what they showed.
    """
    head: list[nodes.Node] = [standing_badge(make, standing_of(claim)), nodes.Text(" "), *make.text(claim.text)]
    against: dict[tuple[str, str], nodes.Node] = {}
    for row in claim.summary:
        if row.outcome == Outcome.REFUTED.value:
            against.setdefault((row.framework, row.framework_version), link_to_version(make, claim, row))
    frameworks = dict.fromkeys(framework for framework, _ in against)
    versions: list[Inline] = [
        [
            nodes.Text(f"{make.framework(framework)} "),
            *joined([[link] for (name, _), link in against.items() if name == framework], make.word("site.comma")),
        ]
        for framework in frameworks
    ]
    claim_link = make.ref("claim", claim.id, literal(f"#{claim.id.partition('#')[2]}"))
    return block(
        "",
        paragraph(*head),
        paragraph(*joined(versions, make.word("site.semicolon")), nodes.Text(make.word("site.pause")), claim_link),
        *stated_part(make, documents, claim.stated),
        classes=["apidiff-claim", "apidiff-edge-refuted"],
    )


def _line(
    make: PageBuilder,
    api: str,
    standings: Mapping[str, int],
    statements: Sequence[block],
    rows: Sequence[tuple[TableReport, RowReport]],
) -> details:
    """Show an API in one line; opened, each statement that runs do not bear out and each row of a table.

    ``standings``: how many of the statements stand how.
    """
    head: list[nodes.Node] = [literal(api)]
    for standing in Statement:
        if count := standings.get(standing.value):
            head += [nodes.Text(" "), standing_badge(make, standing.value, count)]
    if rows:
        worst = min((row.standing for _, row in rows), key=_STANDINGS.index)
        head += [nodes.Text(f" {make.word('statements.in_table')}"), make.badge("standing", worst)]
    page = paragraph(make.ref("api", api, nodes.Text(make.word("statements.page")), optional=True))
    children: list[nodes.Node] = [page] if any(row.mapping for _, row in rows) or statements else []
    children += [*statements, *(_row(make, table_report, row) for table_report, row in rows), *_findings(make, rows)]
    return make.line(anchor(api), head, *children)


def _row(make: PageBuilder, table_report: TableReport, row: RowReport) -> block:
    """Show one row of a table: the pair, what the table calls it, and what is known in each version."""
    name = make.word("official.table", name=table_report.name)
    source, target = _sides(make, row)
    listed: list[nodes.Node] = [nodes.Text(make.word(f"listed.{row.listed}"))]
    if row.remark:
        listed += [nodes.Text(make.word("site.colon")), *make.text(row.remark)]
    title = nodes.strong("", name + make.word("site.aside", text=f"{make.word('official.row')} {row.part}"))
    pair = [source, nodes.Text(" → "), target, nodes.Text(" "), make.badge("standing", row.standing)]
    children: list[nodes.Node] = [
        paragraph(title, nodes.Text(make.word("site.colon")), *pair, classes=["apidiff-wrap"]),
        make.term("official.listed", *listed),
        _verdicts(make, row),
    ]
    names = [f"official-{table_report.name}-{row.target}"]
    return _anchored(make, names, block("", *children, classes=["apidiff-claim"]))


def _findings(make: PageBuilder, rows: Sequence[tuple[TableReport, RowReport]]) -> list[nodes.Node]:
    """Show what runs found beside the signature; rows of several tables about one pair share it."""
    shown: list[nodes.Node] = []
    for key in ("behaviour", "lacking"):
        findings: dict[tuple[str, str], Finding] = {}
        for _, row in rows:
            for finding in row.behaviour if key == "behaviour" else row.lacking:
                findings.setdefault((row.target, finding.text.en), finding)
        if findings:
            items = [nodes.list_item("", *_finding(make, finding)) for finding in findings.values()]
            shown += [make.term(f"official.{key}"), nodes.bullet_list("", *items)]
    return shown


def _anchored(make: PageBuilder, names: Sequence[str], node: block) -> block:
    """Give the node those of ``names`` that no other has: a table may list a target twice."""
    ids = [anchor(name) for name in names]
    node["ids"] = [name for name in ids if name not in make.document.ids]
    if node["ids"]:
        make.document.note_explicit_target(node)
    return node


def _sides(make: PageBuilder, row: RowReport) -> tuple[nodes.Node, nodes.Node]:
    nothing = nodes.Text(make.word("official.no_source"))
    source = make.ref("api", row.source, optional=True) if row.source else nothing
    return source, make.ref("api", row.target, optional=True)


def _verdicts(make: PageBuilder, row: RowReport) -> nodes.bullet_list:
    items = []
    for verdict in row.verdicts:
        said = _verdict(make, verdict)
        if row.claim and verdict.runs:
            part = run_part(row.target, "signature")
            runs = [[make.ref("run", run, part=part)] for run in verdict.runs[:1]]
            said += [nodes.Text(" "), *joined(runs, make.word("site.comma"))]
        items.append(nodes.list_item("", paragraph(*said)))
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


def _finding(make: PageBuilder, finding: Finding) -> list[nodes.Node]:
    """Show a difference that runs found; the claim it links, of the target where there is one, holds what they showed."""
    versions = nodes.Text(f" {_versions(make, finding.versions)}{make.word('site.colon')}")
    shown: list[nodes.Node] = [make.badge("risk", finding.risk), versions, *make.text(finding.text)]
    if finding.evidence:
        claim = finding.evidence[-1].claim
        shown += [make.between_sentences(), make.ref("claim", claim, literal(f"#{claim.partition('#')[2]}"))]
    return [paragraph(*shown)]


def _tables(make: PageBuilder, report: OfficialReport) -> list[nodes.Node]:
    """Say how rows were judged, and how many come to what."""
    if not report.tables:
        return []
    how = [make.sentence(f"official.{key}") for key in ("how", "function", "unrun")]
    sections = [
        make.section("official-totals", make.word("official.totals"), _totals(make, report), *_sources(make, report)),
        make.section(
            "official-how", make.word("official.title"), *how, make.term("official.notation"), _notation(make)
        ),
    ]
    return list(sections)


def _sources(make: PageBuilder, report: OfficialReport) -> list[nodes.Node]:
    """Link each table. Addresses of the former page, which had a part per table, lead here."""
    lines: list[nodes.Node] = []
    for table_report in report.tables:
        name = anchor(f"official-{table_report.name}")
        link = make.document_link(table_report.document)
        title = nodes.strong("", make.word("official.table", name=table_report.name) + make.word("site.colon"))
        line = block("", paragraph(title, *link))
        lines.append(_anchored(make, [name, f"{name}-contradictions", f"{name}-rows"], line))
    return lines


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
