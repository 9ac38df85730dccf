"""Slips of who writes a record: each is told with its line and with what to do about it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from apidiff.database import yaml
from apidiff.database.yaml import read_yaml
from apidiff.errors import DataError


class _Claim(msgspec.Struct, forbid_unknown_fields=True):
    relation: str
    note: str = ""


class _Record(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    claims: list[_Claim] = []
    others: dict[str, _Claim] | None = None


_SLIPS = {
    "a key deeper than its record": ("name: a\n  claims: []\n", ":2:", "Mend the indentation: the line above has"),
    "a key between two columns": ("name: a\nclaims:\n  - relation: x\n   note: y\n", ":4:", "the same column"),
    "a key to the left": ("name: a\nclaims:\n    - relation: x\n  note: y\n", ":4:", "the same column"),
    "a tab": ("name: a\n\tclaims: []\n", ":2:", "spaces in place of tabs"),
    "a misspelt key": ("nmae: a\n", ":1:", "Did you mean 'name'?"),
    "a misspelt key of an item": ("name: a\nclaims:\n- realtion: x\n", ":3:", "Did you mean 'relation'?"),
    "a misspelt key of a named item": ("name: a\nothers:\n  k:\n    realtion: x\n", ":4:", "Did you mean 'relation'?"),
    "a key of nothing": ("name: a\nweather: fine\n", ":2:", "Remove it or mend its spelling"),
}


@pytest.mark.parametrize("slip", _SLIPS)
def test_a_slip_is_told_with_its_line_and_remedy(slip: str, tmp_path: Path) -> None:
    text, line, remedy = _SLIPS[slip]
    path = tmp_path / "record.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_yaml(path, _Record)
    assert line in str(caught.value)
    assert remedy in str(caught.value)


def test_a_slip_among_many_keys_is_found_in_few_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step converts the whole record: with as many as there are keys, a file of 100 kB took minutes."""
    steps: list[str | None] = []
    fault = yaml._fault
    monkeypatch.setattr(yaml, "_fault", lambda *given: steps.append(fault(*given)) or steps[-1])
    path = tmp_path / "record.yaml"
    keys = [f"  k{index}: {{relation: x}}\n" for index in range(1400)]
    keys[500] = "  k500: {relation: 1}\n"
    keys[900] = "  k900: {relation: 1}\n"
    path.write_text("name: a\nothers:\n" + "".join(keys), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_yaml(path, _Record)
    assert ":503: " in str(caught.value)
    assert "others.k500.relation" in str(caught.value)
    assert 0 < len(steps) < 20


def test_a_long_integer_is_refused_before_it_is_computed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyYAML takes minutes for one of thousands of parts."""

    def compute(*_given: object) -> None:
        raise AssertionError("it was computed")

    monkeypatch.setattr(yaml._Loader, "construct_object", compute)
    path = tmp_path / "record.yaml"
    path.write_text(f"name: {'1:' * 50}1\n", encoding="utf-8")
    with pytest.raises(DataError, match="is an integer of more than 64 bits"):
        read_yaml(path, _Record)


def test_a_key_that_is_there_is_not_proposed(tmp_path: Path) -> None:
    path = tmp_path / "record.yaml"
    path.write_text("name: a\nnames: b\n", encoding="utf-8")
    with pytest.raises(DataError, match="unknown key 'names'") as caught:
        read_yaml(path, _Record)
    assert "Did you mean" not in str(caught.value)
