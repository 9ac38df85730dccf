"""The list of undecided names may only shrink."""

import dataclasses
from pathlib import Path

import pytest

from apidiff.database import Data, undecided
from apidiff.database.undecided import read_undecided, undecided_fits, write_undecided


@pytest.fixture
def listed(database: Data, tmp_path: Path) -> Data:
    return dataclasses.replace(database, root=tmp_path)


def test_the_list_of_today_fits(database: Data) -> None:
    assert list(undecided_fits(database)) == []
    assert read_undecided(database.root)


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["torch.all_is_well"], "1 are"),
        (["torch.nn.Linear"], "torch.nn.Linear has a record"),
        (["torch.all_is_well", "torch.all_is_well"], "stands there twice"),
    ],
)
def test_what_does_not_fit_is_told(listed: Data, names: list[str], found: str) -> None:
    write_undecided(names, "2.13.0", listed.root)
    assert any(found in str(error) for error in undecided_fits(listed))


def test_more_names_than_the_scope_says_are_refused(database: Data, listed: Data) -> None:
    names = [name for _, name in read_undecided(database.root)]
    write_undecided([*names, "torch.one_more"], "2.13.0", listed.root)
    assert ["may only shrink" in str(error) for error in undecided_fits(listed)] == [True]
    write_undecided(names[1:], "2.13.0", listed.root)
    assert [f"Lower it to {len(names) - 1}" in str(error) for error in undecided_fits(listed)] == [True]


def test_a_list_that_is_no_text_is_one_error(listed: Data) -> None:
    (listed.root / undecided.FILE).write_bytes(b"\xff")
    with pytest.raises(undecided.DataError, match="cannot be read"):
        read_undecided(listed.root)
