"""uses.yaml: counts of references in real code."""

from __future__ import annotations

from pathlib import Path

import pytest

from apidiff.database import DataError
from apidiff.database.paths import DATA
from apidiff.database.scope import load_scope
from apidiff.database.uses import load_uses

PACKAGES = 'packages: {timm: "1.0.31"}\n'


def test_references_add_up_over_packages(tmp_path: Path) -> None:
    counts = "counts: {torch.a: {timm: 3, diffusers: 4}}\n"
    (tmp_path / "uses.yaml").write_text('packages: {timm: "1", diffusers: "2"}\n' + counts)
    uses = load_uses(tmp_path)
    assert (uses.of("torch.a"), uses.of("torch.b")) == (7, 0)


def test_without_a_file_nothing_is_counted(tmp_path: Path) -> None:
    assert load_uses(tmp_path).counts == {}


# what the file counts, what the error says
WRONG = [
    ("counts: {torch.a: {numpy: 3}}\n", "torch.a is counted in numpy, which `packages` does not name"),
    ("counts: {torch.a: {timm: 0}}\n", "1"),
    (f"counts: {{torch.a: {{timm: {10**9 + 1}}}}}\n", "Expected `int` <= 1000000000"),
]


@pytest.mark.parametrize(("counts", "said"), WRONG)
def test_what_cannot_be_a_count_is_refused(tmp_path: Path, counts: str, said: str) -> None:
    (tmp_path / "uses.yaml").write_text(PACKAGES + counts)
    with pytest.raises(DataError, match=r"uses\.yaml:2") as error:
        load_uses(tmp_path)
    assert said in str(error.value)


def test_every_name_is_one_that_the_database_speaks_of() -> None:
    scope = load_scope().torch
    listed, whole = scope.listed(), tuple(name for name in scope.noticed() if name.endswith("."))
    for name in load_uses(DATA).counts:
        assert name in listed or name.startswith(whole), name
