"""Statements of documents that runs show otherwise, made of an entry by hand."""

import pytest

from apidiff.database.upstream_tables import TABLES, UpstreamRow
from apidiff.derive.document_differences import document_rows
from apidiff.model.base import Text
from apidiff.model.call_facts import Condition
from apidiff.model.signature import Signature, SignatureKind, SignatureParameter
from apidiff.model.views import AgreementEntry, DifferenceEntry, Entry, RepeatEntry, RunsOnEntry, TargetEntry

TEXT = Text(en="x", zh="x")
REPEAT = RepeatEntry(sample="plain", command="apidiff verify torch.f --sample plain", script="")
AGREEMENT = AgreementEntry(
    facet="value", agreement="agrees", framework_version="2.10.0", source_version="2.13.0", device="cpu", counts={}
)


def entry(differences: list[DifferenceEntry], *, documented: bool = True, outcome: str = "holds") -> Entry:
    places = [
        RunsOnEntry(device="npu", documented=True, outcome="not run"),
        RunsOnEntry(device="cpu", documented=documented, outcome=outcome, outcomes={"2.10.0": outcome}),
    ]
    target = TargetEntry(
        name="mindspore.mint.f",
        kind="function",
        ranges=[],
        parameters=[],
        differences=differences,
        risk="none",
        runs_on=places,
        agreements=[AGREEMENT],
    )
    return Entry(
        id="torch.f",
        category="math",
        summary=TEXT,
        aliases=[],
        source="torch.f",
        signatures={},
        risk="none",
        targets=[target],
        claims=[],
    )


def differs(kind: str, risk: str = "silent", when: list[list[Condition]] | None = None) -> DifferenceEntry:
    return DifferenceEntry(id=kind, kind=kind, risk=risk, text=TEXT, headline=TEXT, repeat=REPEAT, when=when or [])


def listed(status: str) -> UpstreamRow:
    return UpstreamRow(
        table=TABLES[0],
        line=2,
        source="torch.f",
        source_version="2.1",
        target="mindspore.mint.f",
        listed=status,
        page="",
    )


TUPLE = [[Condition(test="sequence", name="dim")]]
ROWS = [
    (entry([]), [], []),
    (entry([differs("backend_support")], outcome="unsupported"), [], ["device"]),
    (entry([], documented=False), [], ["no_device"]),
    (entry([differs("error", "error", TUPLE)]), [], ["type"]),
    (entry([differs("error", "error")]), [], []),
    (entry([differs("value")]), ["consistent"], ["consistent"]),
    (entry([]), ["consistent"], []),
    (entry([]), ["diff"], ["different"]),
    (entry([differs("value")]), ["diff", "text"], []),
]


@pytest.mark.parametrize(("shown", "tables", "kinds"), ROWS)
def test_what_runs_show_otherwise(shown: Entry, tables: list[str], kinds: list[str]) -> None:
    signature = Signature(
        kind=SignatureKind.FUNCTION, parameters=[SignatureParameter(name="dim", documented="Union[int, tuple[int]]")]
    )
    rows = document_rows(
        {"torch.f": shown},
        {"mindspore.mint.f": signature},
        [listed(status) for status in tables],
        {TABLES[0].document: TEXT},
    )
    assert [row.kind for row in rows] == kinds
    assert all(row.command.startswith("apidiff verify torch.f") for row in rows)
