"""Statements of documents that runs show otherwise, made of an entry by hand."""

import dataclasses

import pytest

from apidiff.database import Data, DataError
from apidiff.database.upstream_tables import TABLES, UpstreamRow
from apidiff.derive.document_differences import document_rows, documents_report
from apidiff.model.base import Text
from apidiff.model.condition import Condition
from apidiff.model.signature import Signature, SignatureFile, SignatureKind, SignatureParameter
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


def release(*parameters: SignatureParameter) -> SignatureFile:
    signature = Signature(kind=SignatureKind.FUNCTION, parameters=list(parameters))
    return SignatureFile(framework="mindspore", version="2.10.0", tool="none", apis={"mindspore.mint.f": signature})


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


BOTH = "Union[int, tuple[int], list[int]]"


@pytest.mark.parametrize(("shown", "tables", "kinds"), ROWS)
def test_what_runs_show_otherwise(shown: Entry, tables: list[str], kinds: list[str]) -> None:
    parameter = SignatureParameter(name="dim", documented=BOTH)
    rows = document_rows(
        {"torch.f": shown},
        release(parameter),
        [listed(status) for status in tables],
        {TABLES[0].document: TEXT},
    )
    assert [row.kind for row in rows] == kinds
    assert all(row.command.startswith("apidiff verify torch.f") for row in rows)


def test_a_table_of_an_unknown_document_has_no_address() -> None:
    rows = document_rows({"torch.f": entry([differs("value")])}, release(), [listed("consistent")], {})
    assert [(row.kind, row.address) for row in rows] == [("consistent", None)]


def test_without_signatures_of_mindspore_the_report_says_so(database: Data) -> None:
    without = {key: file for key, file in database.signatures.items() if key[0] == "torch"}
    with pytest.raises(DataError, match=r"signatures: holds no file of MindSpore that can be read\. Restore"):
        documents_report(dataclasses.replace(database, signatures=without), {})


def test_a_documented_default_that_the_signature_contradicts() -> None:
    parameters = [
        SignatureParameter(name="gamma", default="0.1", documented_default="0.5"),
        SignatureParameter(name="eps", default="1e-08"),
    ]
    [row] = document_rows({"torch.f": entry([])}, release(*parameters), [], {})
    assert (row.kind, row.stated, row.shown[0].en) == ("default", "gamma=0.5", "the signature has `gamma=0.1`")
    assert row.command.endswith('from mindspore.mint import f; print(inspect.signature(f))"')


def test_a_type_that_the_document_does_not_give_contradicts_nothing() -> None:
    refused = entry([differs("error", "error", TUPLE)])
    assert (
        document_rows({"torch.f": refused}, release(SignatureParameter(name="dim", documented="tuple(int)")), [], {})
        == []
    )
