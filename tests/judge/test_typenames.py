"""Rows of (what is written, the types it names) and of (torch's, MindSpore's, how they relate)."""

from __future__ import annotations

import pytest

from apidiff.judge.typenames import relation, type_names

NAMES: list[tuple[str | None, set[str] | None]] = [
    ("Tensor", {"Tensor"}),
    ("-" * 1_900 + "1", None),
    ("list[" * 300 + "int" + "]" * 300, None),
    ("torch.Tensor", {"Tensor"}),
    ("Optional[List[Tensor]]", {"list[Tensor]"}),
    ("list[Tensor], optional", {"list[Tensor]"}),
    ("[int]", {"list[int]"}),
    ("Union(tuple(int), list(int))", {"tuple[int]", "list[int]"}),
    ("Tuple[int, ...]", {"tuple[int]"}),
    ("str or Backend", {"str", "Backend"}),
    ("'Store' | None", {"Store"}),
    ("Callable", {"function"}),
    ("int, invalid", {"int"}),
    ("datetime.timedelta", {"timedelta"}),
    ("object", {"Any"}),
    ("optional", None),
    ("None", None),
    ("SomethingElse", None),
    ("list[SomethingElse]", None),
    ("two words", None),
    ("", None),
    (None, None),
]


@pytest.mark.parametrize(("text", "names"), NAMES)
def test_type_names(text: str | None, names: set[str] | None) -> None:
    assert type_names(text) == names


RELATIONS = [
    ("Tensor", "torch.Tensor", "equal"),
    ("Backend", "str", "equal"),
    ("Callable", "Union[str, function]", "equal"),
    ("int", "float", "equal"),
    ("list[Tensor]", "list", "equal"),
    ("Tensor", "Any", "equal"),
    ("Optional[ProcessGroup]", "str", "disjoint"),
    ("ReduceOp", "str", "disjoint"),
    ("Tensor", "list[Tensor]", "disjoint"),
    ("list[Tensor]", "list[int]", "disjoint"),
    ("Union[int, str]", "int", "unknown"),
    ("Any", "str", "unknown"),
    ("list", "list[int]", "unknown"),
    ("list[Union[int, str]]", "list[int]", "unknown"),
    ("float", "int", "unknown"),
    ("Mystery", "str", "unknown"),
    (None, "str", "unknown"),
    ("str", None, "unknown"),
]


@pytest.mark.parametrize(("source", "target", "expected"), RELATIONS)
def test_relation(source: str | None, target: str | None, expected: str) -> None:
    assert relation(source, target).value == expected
