"""What is known of names of PyTorch: the file that ships with the package, and what classes inherit from."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from apidiff.errors import DataError
from apidiff.model.result_types import ResultTypes
from apidiff.model.source_names import SourceNames
from apidiff.porting import torch_names
from apidiff.porting.torch_names import TorchNames, read_result_types


def _read(types: ResultTypes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ResultTypes:
    path = tmp_path / "result_types.json"
    path.write_bytes(msgspec.json.encode(types))
    monkeypatch.setattr(torch_names, "_FILE", path)
    return read_result_types()


SAID = ["", "!", "a.B()", "a.B()[]", "a.B()[][]", "a.B()|a.B()[]", "!|a.B()", "_a.b_1()"]
UNSAID = [
    *("torch.Tensor()|", "|torch.Tensor()", "|", "[]", "()", "()[]", "!|[]", "a.B", "a.B[]", "a.B()()", "a.B[]()"),
    *("a.B()!", "!!", "!()", "~", "@a.B()", " a.B()", "a.B()\n", ".a()", "a.B()||!", "|".join(["a.B()"] * 1000)),
]


@pytest.mark.parametrize("field", ["results", "attributes"])
@pytest.mark.parametrize(("written", "is_read"), [*((one, True) for one in SAID), *((one, False) for one in UNSAID)])
def test_what_values_are_is_written_in_one_way(
    field: str, written: str, is_read: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scan takes such values apart: of an empty one it would look at the first letter."""
    types = read_result_types()
    types = msgspec.structs.replace(types, **{field: {**getattr(types, field), "torch.zeros": written}})
    if is_read:
        assert _read(types, tmp_path, monkeypatch) == types
        return
    with pytest.raises(DataError, match=r"result_types\.json: is missing or damaged\. .* reinstall apidiff"):
        _read(types, tmp_path, monkeypatch)


OTHERS = [
    ("aliases", {"torch.a.b": ""}),
    ("aliases", {"torch.a.b": "@a.b"}),
    ("classes", {"torch.A": ["torch.B"] * 101}),
]


@pytest.mark.parametrize(("field", "value"), OTHERS)
def test_what_else_is_damaged_is_told(
    field: str, value: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DataError, match=r"result_types\.json: is missing or damaged"):
        _read(msgspec.structs.replace(read_result_types(), **{field: value}), tmp_path, monkeypatch)


# how many classes stand above `torch.A0`, the last of which is a layer; whether that one is known as a layer
ABOVE = [(1, True), (199, True), (200, False), (40_000, False)]


@pytest.mark.parametrize(("count", "is_layer"), ABOVE)
def test_a_class_of_more_ancestors_than_any_has_is_unknown(
    source_names: SourceNames, count: int, is_layer: bool
) -> None:
    """Else each attribute of its objects would be looked for in all of them."""
    classes = {f"torch.A{number}": [f"torch.A{number + 1}"] for number in range(count - 1)}
    classes[f"torch.A{count - 1}"] = ["torch.nn.Module"]
    types = msgspec.structs.replace(read_result_types(), classes=classes)
    names = TorchNames(source_names, types)
    assert names.is_layer("torch.A0") == is_layer
    assert names.attribute("torch.A0()", "train") == ("torch.nn.Module.train" if is_layer else None)
