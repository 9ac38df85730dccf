"""What the list of this project's own records says, and what is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from apidiff.database.listed_records import unfit_lines
from apidiff.database.own_records import own_records_path
from apidiff.database.paths import DATA

A, B, C = "torch-2.13.0/gloo-cpu-2", "torch-2.13.0/gloo-cpu-3", "torch-2.13.0/gloo-cpu-4"
FIRST, SECOND, THIRD = ("0" * 64, "1" * 64, "2" * 64)

# (lines of the list, records that are there, what is told with the number of its line)
LISTS: list[tuple[list[tuple[str, str]], list[tuple[str, str]], list[tuple[int, str]]]] = [
    ([(FIRST, A), (SECOND, B)], [(FIRST, A), (SECOND, B)], []),
    ([(FIRST, A), (SECOND, A)], [(SECOND, A)], []),  # one took the place of the other
    ([(FIRST, A)], [(FIRST, A), (SECOND, B)], []),  # of others
    (
        [(FIRST, A), (SECOND, B), (THIRD, B)],
        [(FIRST, A)],
        [(2, f"lists {B}-111111111111, and no listed record of {B} is there")],
    ),
    ([(FIRST, A)], [(SECOND, A)], [(1, f"no listed record of {A} is there")]),
    ([(FIRST, B)], [(FIRST, A)], [(1, f"lists the record 000000000000 as {B}, and it is of {A}")]),
    (
        [(FIRST, A), (SECOND, C)],
        [(FIRST, A), (SECOND, B)],
        [(2, f"lists the record 111111111111 as {C}, and it is of {B}")],
    ),
]


@pytest.mark.parametrize(("lines", "there", "told"), LISTS)
def test_what_is_listed_is_there(
    tmp_path: Path, lines: list[tuple[str, str]], there: list[tuple[str, str]], told: list[tuple[int, str]]
) -> None:
    own_records_path(tmp_path).write_text("".join(f"{digest}  {run}\n" for digest, run in lines))
    for digest, run in there:
        path = tmp_path / "runs" / f"{run}-{digest}.json.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    found = unfit_lines(tmp_path)
    assert [(error.path, error.line) for error in found] == [(own_records_path(tmp_path), line) for line, _ in told]
    for error, (_, said) in zip(found, told, strict=True):
        assert said in str(error)


def test_what_this_project_lists_is_there() -> None:
    assert unfit_lines(DATA) == []
