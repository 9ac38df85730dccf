"""Rows of parameters and members say which versions have what, and the newest default."""

from __future__ import annotations

import pytest

from apidiff.lookup.entry import row_entries
from apidiff.messages.differences import row_difference
from apidiff.model.base import Text
from apidiff.model.mapping import ParameterRow
from apidiff.model.signature import Signature, SignatureFile, SignatureKind, SignatureParameter
from apidiff.model.vocabulary import Relation, Risk

API, TARGET = "torch.distributed.f", "mindspore.mint.distributed.f"


def file(
    framework: str, version: str, name: str, parameters: dict[str, str | None], members: list[str]
) -> SignatureFile:
    found = [SignatureParameter(name=key, default=default) for key, default in parameters.items()]
    signature = Signature(kind=SignatureKind.CLASS, parameters=found, members=members)
    return SignatureFile(framework=framework, version=version, tool="test", apis={name: signature})


TORCH = [
    file("torch", "2.13.0", API, {"a": "1", "new": None}, ["SUM", "AVG"]),
    file("torch", "2.6.0", API, {"a": "0", "old": "7"}, ["SUM"]),
]
MINDSPORE = [
    file("mindspore", "2.10.0", TARGET, {"a": "1"}, ["SUM"]),
    file("mindspore", "2.9.0", "mindspore.other", {}, []),
]


# what, row, defaults, ranges
ROWS = [
    ("parameter", ParameterRow(source="a", target="a", relations=[Relation.SAME]), ("1", "1"), (None, None)),
    ("parameter", ParameterRow(source="new", relations=[Relation.ONLY_IN_SOURCE]), (None, None), ("≥ 2.13", None)),
    ("parameter", ParameterRow(source="old", relations=[Relation.ONLY_IN_SOURCE]), ("7", None), ("≤ 2.6", None)),
    ("member", ParameterRow(source="SUM", target="SUM", relations=[Relation.SAME]), (None, None), (None, None)),
    ("member", ParameterRow(source="AVG", relations=[Relation.ONLY_IN_SOURCE]), (None, None), ("≥ 2.13", None)),
]


@pytest.mark.parametrize(("what", "row", "defaults", "ranges"), ROWS)
def test_row(
    what, row: ParameterRow, defaults: tuple[str | None, str | None], ranges: tuple[str | None, str | None]
) -> None:
    (found,) = row_entries([row], what, (API, TORCH), (TARGET, MINDSPORE))
    assert (found.source_default, found.target_default) == defaults
    assert (found.source_range, found.target_range) == ranges


def test_a_version_whose_parameters_cannot_be_read_decides_nothing() -> None:
    dark = SignatureFile(
        framework="torch",
        version="2.15.0",
        tool="test",
        apis={API: Signature(kind=SignatureKind.CLASS)},
        unreadable={f"{API}.__init__": "compiled", f"{API}.*": "compiled"},
    )
    for what, name in (("parameter", "a"), ("member", "SUM")):
        row = ParameterRow(source=name, relations=[Relation.ONLY_IN_SOURCE])
        (found,) = row_entries([row], what, (API, [dark, *TORCH]), (TARGET, MINDSPORE))  # type: ignore[arg-type]
        assert found.source_range is None


@pytest.mark.parametrize(
    ("what", "difference", "kind", "english", "chinese"),
    [
        (
            "parameter",
            "parameter-new-one",
            "parameter",
            "Parameter `new_one` (PyTorch ≥ 2.13): ",
            "参数 `new_one`（PyTorch ≥ 2.13）：",
        ),
        (
            "member",
            "member-new-one",
            "member",
            "Member `new_one` (PyTorch ≥ 2.13): ",
            "成员 `new_one`（PyTorch ≥ 2.13）：",
        ),
    ],
)
def test_the_difference_that_a_row_makes(what, difference: str, kind: str, english: str, chinese: str) -> None:
    files = [file("torch", "2.13.0", API, {"new_one": None}, ["new_one"]), file("torch", "2.6.0", API, {}, ["x"])]
    note = Text(en="Mind it.", zh="请留意。")
    row = ParameterRow(source="new_one", relations=[Relation.ONLY_IN_SOURCE], risk=Risk.REWRITE, note=note)
    (entry,) = row_entries([row], what, (API, files), (TARGET, MINDSPORE))
    found = row_difference(entry, what)
    assert found
    assert (found.id, found.kind, found.risk) == (difference, kind, "rewrite")
    assert found.text.en == f"{english}Exists only in PyTorch. Mind it."
    assert found.text.zh == f"{chinese}仅 PyTorch 有。请留意。"


def test_defaults_that_change_are_told_by_version() -> None:
    row = ParameterRow(source="a", target="a", relations=[Relation.SAME])
    (entry,) = row_entries([row], "parameter", (API, TORCH), (TARGET, MINDSPORE))
    assert [(default.value, default.range) for default in entry.source_defaults] == [("0", "≤ 2.6"), ("1", "≥ 2.13")]
    assert entry.target_defaults == []  # one and the same
