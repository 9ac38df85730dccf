"""The report on upstream's tables: what each row says, and what runs and signatures show of it.

Nothing in it is written by hand: it is derived each time from the tables, the records and the runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping as Dictionary
from enum import Enum

from apidiff.database import Data
from apidiff.database.documented import TableFile, claim_id, holders
from apidiff.derive.official_behaviour import Finding, findings
from apidiff.derive.verdicts_by_run import deciding
from apidiff.judge.correspondence import compare, read, twin_of, version_note
from apidiff.model.base import Record, Text
from apidiff.model.claim import Corresponds, ListedAs
from apidiff.model.documented import OfficialTable, TableRow
from apidiff.model.mapping import Mapping, Target
from apidiff.model.verdict import Evidence, Outcome
from apidiff.model.version import Version
from apidiff.model.views import ClaimEntry, DocumentEntry, Entry

# The notation of differences: how a line looks, and the key of the words that explain it.
NOTATION = (
    ("- x", "official.notation.minus"),
    ("+ x", "official.notation.plus"),
    ("x: a ≠ b", "official.notation.differs"),
    ("x: a ? b", "official.notation.open"),
    ("torch 1.13.0 > 1.8.1", "official.notation.torch"),
)


class Standing(Enum):
    """What a row comes to, worst first."""

    CONTRADICTED = "contradicted"  # at least one run shows otherwise
    DIFFERS = "differs"  # the signature in a package shows otherwise, no run recorded it
    NO_RECORD = "no_record"  # no mapping has the pair
    UNDECIDED = "undecided"  # nothing shows otherwise, and not all can be known
    CONFIRMED = "confirmed"  # every part is borne out by a run


class RowVerdict(Record, frozen=True, kw_only=True):
    """What is known of a row in MindSpore ``versions`` between which nothing differs.

    ``outcome``: of the claim, as in `Outcome`; ``undecided`` where a run recorded a signature that decides neither way;
    ``not run`` where the facts come from the package. ``facts``: what differs, ``open``: what is not known. ``runs``: the run
    records behind it.
    """

    versions: list[str]
    outcome: str
    facts: list[Evidence] = []
    open: list[Evidence] = []
    runs: list[str] = []


class RowReport(Record, frozen=True, kw_only=True):
    """A row with all that is known of it. ``mapping`` and ``claim`` are missing where no mapping has the pair.

    ``behaviour``: what runs show the API to do otherwise; ``lacking``: what no backend that ran it could do.
    """

    part: str
    source: str | None
    source_version: str
    target: str
    listed: str
    remark: Text | None = None
    standing: str
    mapping: str | None = None
    claim: str | None = None
    verdicts: list[RowVerdict] = []
    behaviour: list[Finding] = []
    lacking: list[Finding] = []


class TableReport(Record, frozen=True, kw_only=True):
    """A table, its rows in the table's order. ``totals``: listed as what → how many of these rows come to what."""

    name: str
    document: DocumentEntry
    title: str
    url: str
    version: str
    rows: list[RowReport]
    totals: dict[str, dict[str, int]]

    @property
    def contradicted(self) -> list[RowReport]:
        """The rows that runs contradict: those that differ in behaviour first, then by how much their signatures differ."""
        contradicted = [row for row in self.rows if row.standing == Standing.CONTRADICTED.value]
        return sorted(
            contradicted,
            key=lambda row: (-len(row.behaviour), -max((len(verdict.facts) for verdict in row.verdicts), default=0)),
        )


class RunLine(Record, frozen=True, kw_only=True):
    """A run record that the report rests on."""

    id: str
    framework: str
    framework_version: str
    backend: str
    device: str
    world_size: int
    date: str
    os: str
    python: str


class OfficialReport(Record, frozen=True, kw_only=True):
    """What upstream's tables say, and what runs show."""

    tables: list[TableReport]
    runs: list[RunLine]

    @property
    def standings(self) -> list[str]:
        """What rows come to at least once, worst first."""
        there = {standing for table in self.tables for counts in table.totals.values() for standing in counts}
        return [standing.value for standing in Standing if standing.value in there]


def official_report(data: Data, entries: Dictionary[str, Entry]) -> OfficialReport:
    """The report. ``entries``: of all mappings of ``data``."""
    tables = [_table(data, entries, file) for file in data.tables]
    used = {run for table in tables for row in table.rows for run in _runs(row)}
    runs = [
        RunLine(
            id=run_id,
            framework=record.framework,
            framework_version=record.framework_version,
            backend=record.backend,
            device=record.device,
            world_size=record.world_size,
            date=record.date,
            os=record.os,
            python=record.python,
        )
        for run_id, record in data.runs
        if run_id in used
    ]
    return OfficialReport(tables=tables, runs=runs)


def _runs(row: RowReport) -> set[str]:
    told = {line.run for finding in (*row.behaviour, *row.lacking) for line in finding.evidence}
    return told | {run for verdict in row.verdicts for run in verdict.runs}


def _table(data: Data, entries: Dictionary[str, Entry], file: TableFile) -> TableReport:
    document = data.documents[file.table.document]
    rows = [_row(data, entries, file, row) for row in file.table.rows]
    listed = [listing.value for listing in ListedAs if any(row.listed == listing.value for row in rows)]
    return TableReport(
        name=file.name,
        document=DocumentEntry.of(document),
        title=document.title,
        url=document.url,
        version=document.version,
        rows=rows,
        totals={kind: dict(Counter(row.standing for row in rows if row.listed == kind)) for kind in listed},
    )


def _row(data: Data, entries: Dictionary[str, Entry], file: TableFile, row: TableRow) -> RowReport:
    key = next(holders(data.mappings, row), None)
    claim: ClaimEntry | None = None
    behaviour: list[Finding] = []
    lacking: list[Finding] = []
    if key is not None:
        claim = next(claim for claim in entries[key].claims if claim.id == f"{row.target}#{claim_id(file.name)}")
        if row.listed is not ListedAs.DIFF:
            behaviour, lacking = _behaviour(data.mappings[key], entries[key], row.target)
    verdicts = [*_observed(claim), *_unrun(data, file.table, row, claim)]
    return RowReport(
        part=row.part,
        source=row.source,
        source_version=row.source_version,
        target=row.target,
        listed=row.listed.value,
        remark=row.remark,
        standing=_standing(row, verdicts, behaviour, known=key is not None).value,
        mapping=key,
        claim=claim.id if claim else None,
        verdicts=sorted(verdicts, key=lambda verdict: Version(verdict.versions[-1]), reverse=True),
        behaviour=behaviour,
        lacking=lacking,
    )


def _standing(row: TableRow, verdicts: list[RowVerdict], behaviour: list[Finding], *, known: bool) -> Standing:
    outcomes = {verdict.outcome for verdict in verdicts}
    consistent = row.listed is ListedAs.CONSISTENT
    if Outcome.REFUTED.value in outcomes or (consistent and behaviour):
        return Standing.CONTRADICTED
    if not known:
        return Standing.NO_RECORD
    unrun = [verdict for verdict in verdicts if verdict.outcome == Outcome.NOT_RUN.value]
    if any(verdict.facts for verdict in unrun) and (consistent or row.source is None):
        return Standing.DIFFERS
    return Standing.CONFIRMED if Outcome.HOLDS.value in outcomes else Standing.UNDECIDED


def _behaviour(mapping: Mapping, entry: Entry, name: str) -> tuple[list[Finding], list[Finding]]:
    target: Target = next(target for target in mapping.targets if target.api.name == name)
    shown = next(target for target in entry.targets if target.name == name)
    by_id = {claim.id: claim for claim in entry.claims}
    claims = {
        f"{api.name}#{claim.id}": (claim, by_id[f"{api.name}#{claim.id}"])
        for api in (mapping.source, target.api)
        for claim in api.claims
    }
    texts = {difference.id: difference.text for difference in shown.differences}
    return findings(target.differences, texts, claims, (mapping.source.name, name))


def _observed(claim: ClaimEntry | None) -> list[RowVerdict]:
    """The verdicts of runs, those of versions that differ in nothing as one."""
    verdicts: dict[tuple[str, tuple[Evidence, ...]], tuple[list[str], list[str]]] = {}
    for seen in deciding(claim) if claim else []:
        versions, runs = verdicts.setdefault((seen.outcome.value, tuple(seen.facts)), ([], []))
        if seen.framework_version not in versions:
            versions.append(seen.framework_version)
        runs.append(seen.run)
    return [
        RowVerdict(versions=_ordered(versions), outcome=outcome, facts=list(facts), runs=sorted(runs))
        for (outcome, facts), (versions, runs) in verdicts.items()
    ]


def _unrun(data: Data, table: OfficialTable, row: TableRow, claim: ClaimEntry | None) -> list[RowVerdict]:
    """What the packages' signatures show in versions that gave no verdict, those that differ in nothing as one."""
    seen = {observed.framework_version for observed in deciding(claim)} if claim else set()
    recorded = {
        record.framework_version
        for _, record in data.runs
        if record.framework == "mindspore" and row.target in record.signature_of
    }
    body = Corresponds(source=row.source, source_version=row.source_version, listed=row.listed, excused=table.excused)
    shown: dict[tuple[str, tuple[Evidence, ...], tuple[Evidence, ...]], list[str]] = {}
    for (framework, version), file in data.signatures.items():
        if framework != "mindspore" or version in seen or not file.tells_parameters(row.target):
            continue
        outcome = "undecided" if claim and version in recorded else Outcome.NOT_RUN.value
        side = compare(body, read(file.apis[row.target]), data.signatures)
        facts = [*version_note(body, data.signatures), *side.differences] if side and side.differences else []
        if twin := twin_of(row.target, body, data.signatures):
            facts.append(twin)
        shown.setdefault((outcome, tuple(facts), tuple(side.undecided if side else ())), []).append(version)
    return [
        RowVerdict(versions=_ordered(versions), outcome=outcome, facts=list(facts), open=list(undecided))
        for (outcome, facts, undecided), versions in shown.items()
    ]


def _ordered(versions: list[str]) -> list[str]:
    return sorted(versions, key=Version)
