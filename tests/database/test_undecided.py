"""The list of undecided names may only shrink."""

import dataclasses
from pathlib import Path

import pytest

from apidiff.database import Data
from apidiff.database.undecided import FILE, read_undecided, undecided_fits, write_undecided
from apidiff.errors import DataError


@pytest.fixture
def listed(database: Data, tmp_path: Path) -> Data:
    return dataclasses.replace(database, root=tmp_path)


def test_the_list_of_today_fits(database: Data) -> None:
    assert list(undecided_fits(database)) == []
    listed = read_undecided(database.root)
    assert listed is not None
    assert len(listed.names) == listed.most


def told(data: Data, text: str) -> str:
    (data.root / FILE).write_text(text)
    return "\n".join(str(error) for error in undecided_fits(data))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# some\nmost: 1\ntorch.all_is_well\n", ""),
        ("most: 1\ntorch.nn.Linear\n", f"{FILE}:2: torch.nn.Linear has a record"),
        ("most: 2\ntorch.twice\ntorch.twice\n", f"{FILE}:3: torch.twice stands there twice"),
        ("most: 1\ntorch.one\ntorch.more\n", "says that it holds 1 names at most, and holds 2. Write records"),
        ("most: 3\ntorch.one\n", "says that it holds 3 names at most, and holds 1. Lower it to 1"),
    ],
)
def test_what_does_not_fit_is_told(listed: Data, text: str, found: str) -> None:
    assert found in told(listed, text)
    assert bool(told(listed, text)) is bool(found)


def test_what_is_written_fits(listed: Data) -> None:
    write_undecided({"torch.b", "torch.a"}, "2.13.0", listed.root)
    assert list(undecided_fits(listed)) == []
    held = read_undecided(listed.root)
    assert held is not None
    assert (held.most, list(held.names.values())) == (2, ["torch.a", "torch.b"])


@pytest.mark.parametrize(
    "content",
    [
        b"\xff",
        b"torch.abs\n",
        b"most: many\n",
        b"",
        b"most: " + b"9" * 5000 + b"\n",
        b"most: 1000000000\n",
        "most: ٣\n".encode(),
    ],
)
def test_a_broken_list_is_one_error(listed: Data, content: bytes) -> None:
    (listed.root / FILE).write_bytes(content)
    with pytest.raises(DataError, match=FILE):
        read_undecided(listed.root)
