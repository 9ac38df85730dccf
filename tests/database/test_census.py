"""A census of code: a CSV file is read, or refused with file, line and remedy."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from apidiff.database.census import read_census
from apidiff.errors import DataError


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("torch_name,timm,total\ntorch.cat,1,3\n\ntorch.long,0,2\n", {"torch.cat": 3, "torch.long": 2}),
        ("\ufefftorch_name,total\ntorch.cat,3\n", {"torch.cat": 3}),  # as spreadsheets write it
        ("method_name,total\nview,7\nadd_,0\n", {"torch.Tensor.view": 7, "torch.Tensor.add_": 0}),
    ],
)
def test_reads_totals_by_full_name(tmp_path: Path, text: str, counts: dict[str, int]) -> None:
    (tmp_path / "census.csv").write_text(text)
    assert list(read_census(tmp_path / "census.csv").items()) == list(counts.items())


# what the file holds, the line that the error names, what it says
WRONG = [
    ("", ":1", "the header is ''"),
    ("name,total\ntorch.cat,1\n", ":1", "'torch_name' or 'method_name'"),
    ("torch_name,timm\ntorch.cat,1\n", ":1", "'total'"),
    ("torch_name,total\ntorch.cat,1\ntorch.cat,2\n", ":3", "torch.cat stands in two rows"),
    ("torch_name,total\ntorch.cat,many\n", ":2", "the total of torch.cat is 'many'"),
    ("torch_name,total\ntorch.cat," + "9" * 5000 + "\n", ":2", "a whole number"),
    ("torch_name," + "a" * 100_000 + "\n", ":1", "the header is 'torch_name,aaa"),
    (",".join(["name"] * 1_000_000) + "\n", ":1", "the header is 'name,name"),
    ("torch_name,total\n" + "a" * 1_000 + ",many\n", ":2", "is 'many'"),
    ("torch_name,total\n" + ("a" * 1_000 + ",1\n") * 2, ":3", "stands in two rows"),
    ("torch_name,total\n" + "torch." + "A." * 500 + ",1\n", ":2", "a name of 1006 characters"),
    ("torch_name,total\nall are answered,1\n", ":2", "'all are answered' is no name as code uses it"),
    ("torch_name,total\n,1\n", ":2", "'' is no name"),
    ("torch_name,total\ntorch.cat,-1\n", ":2", "a whole number"),
    ("torch_name,timm,total\ntorch.cat,1\n", ":2", "2 columns below a header of 3"),
    ("torch_name,total\n", "", "counts no reference"),
    ("torch_name,total\n" + "".join(f"a{n},1\n" for n in range(200_001)), ":200002", "more than 200000 names"),
    ('torch_name,total\n"torch.cat,1\n', "", "no CSV file"),
]


@pytest.mark.parametrize(("text", "line", "said"), WRONG)
def test_what_is_no_census_is_refused(tmp_path: Path, text: str, line: str, said: str) -> None:
    path = tmp_path / "census.csv"
    path.write_text(text)
    with pytest.raises(DataError) as error:
        read_census(path)
    assert str(error.value).startswith(f"{path}{line}: ")
    assert said in str(error.value)
    assert len(str(error.value)) < len(str(path)) + 300


@pytest.mark.parametrize("content", [b"torch_name,total\n\xff\xfe,1\n", None])
def test_what_cannot_be_read_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "census.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match="Name a CSV file"):
        read_census(path)


def test_what_need_not_end_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "endless.csv").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.csv")
    for name in ("endless.csv", "pipe.csv"):
        with pytest.raises(DataError, match="it is no regular file"):
            read_census(tmp_path / name)
