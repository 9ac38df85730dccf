"""What upstream's difference pages state of parameters is taken out of their tables, and not their sentences."""

import os
from pathlib import Path

import pytest

from apidiff import cli
from apidiff.database.difference_pages import load_page_rows, pages_path
from apidiff.errors import DataError
from apidiff.signatures.difference_pages import page_rows, write_pages

HEAD = "# Differences\n\n## torch.f\n\ntext\n\n## mindspore.ops.g\n\n"
TABLE = HEAD + "| Categories | Subcategories | PyTorch | MindSpore | Difference |\n| - | - | - | - | - |\n"


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ("Parameters | Parameter 1 | input | input | -", ["parameter", "input", "input", "same"]),
        (
            "Parameters | Parameter 1 | dim | axis | Same function, different parameter names",
            ["parameter", "dim", "axis", "same"],
        ),
        (
            "Parameter | Parameter1 | p | p | Same function, different parameter names, different default values",
            ["parameter", "p", "p", "default"],
        ),
        ("Parameters | 1 | out | - | MindSpore does not have it", ["parameter", "out", "", "torch_only"]),
        ("Parameters | 1 | - | `axis` | -", ["parameter", "", "axis", "mindspore_only"]),
        ("Inputs | Input 1 | input | x | -", ["input", "input", "x", "same"]),
        ("Parameters | 1 | a | b | The shape is another one", ["parameter", "a", "b", "other"]),
        ("Parameters | 1 | a | b | Different functions", ["parameter", "a", "b", "other"]),
        ("Parameters | 1 | a, b | c | -", None),
        ("Parameters | 1 | été | c | -", None),
        ("Returns | 1 | out | out | -", None),
        ("Parameters | 1 | - | - | -", None),
    ],
)
def test_a_row_is_taken(cells: str, expected: list[str] | None) -> None:
    rows = list(page_rows("f", f"{TABLE}| {cells} |\n"))
    assert rows == ([["f", "torch.f", "mindspore.ops.g", *expected]] if expected else [])


def test_a_category_holds_until_the_next() -> None:
    lines = ["Parameters | 1 | a | a | -", " | 2 | b | b | -", "Inputs | 1 | c | c | -", " | 2 | d | d | -"]
    rows = page_rows("f", TABLE + "".join(f"|{line}|\n" for line in lines))
    assert [row[3] for row in rows] == ["parameter", "parameter", "input", "input"]


@pytest.mark.parametrize("titles", ["## torchvision.f\n\n## mindspore.f", "## torch.f", "## torch.f\n\n## torch.g"])
def test_other_pages_are_passed_over(titles: str) -> None:
    page = TABLE.replace(HEAD, f"# Differences\n\n{titles}\n\n") + "|Parameters | 1 | a | a | -|\n"
    assert list(page_rows("f", page)) == []


def test_a_release_is_written_in_place_of_what_it_was(tmp_path: Path) -> None:
    pages, data = tmp_path / "pages", tmp_path / "data"
    pages.mkdir()
    (data / "upstream").mkdir(parents=True)
    for release, name in (("r2.4.10", "old"), ("r2.7.0", "kept"), ("r2.4.10", "new")):
        (pages / "f.md").write_text(f"{TABLE}| Parameters | 1 | {name} | {name} | - |\n")
        assert write_pages(pages, release, data) == 1
    rows = load_page_rows(data)
    assert [(row.release, row.source_name) for row in rows] == [("r2.4.10", "new"), ("r2.7.0", "kept")]
    assert rows[0].document.url.endswith("/en/r2.4.10/note/api_mapping/pytorch_diff/f.html")
    with pytest.raises(DataError, match="holds no difference page"):
        write_pages(tmp_path / "nowhere", "r2.4.10", data)


def test_a_page_that_cannot_be_read_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "f.md").write_bytes(b"# \xff\n")
    assert cli.main(["signatures", "pages", str(tmp_path), "r2.4.10"]) == 2
    found = f"{tmp_path}/f.md: is not UTF-8. Check out that branch of upstream's documents anew.\n"
    assert capsys.readouterr().err == f"apidiff: {found}"
    (tmp_path / "f.md").unlink()
    os.mkfifo(tmp_path / "f.md")
    assert cli.main(["signatures", "pages", str(tmp_path), "r2.4.10"]) == 2
    assert "cannot be read (it is no regular file)" in capsys.readouterr().err


def test_a_page_of_tables_that_take_gigabytes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells that are missing in short rows are made, 65,000 for each table of 2 kB."""
    monkeypatch.setattr("apidiff.signatures.bounded_reading._MEMORY", 2**28)
    table = "|" + "a|" * 256 + "\n|" + "-|" * 256 + "\n" + "|x\n" * 256 + "\n"
    (tmp_path / "f.md").write_text(f"{HEAD}{table * 40}")
    with pytest.raises(DataError, match="cannot be read: it takes more than 40 s of a processor or 256 MiB"):
        write_pages(tmp_path, "r2.4.10", tmp_path)


# name of the page, release, what stands in it
UNREADABLE = [
    ("\udcff", "r2.4.10", {}),
    ("f", "\udcff", {}),
    ("f", "r2.4.10,x", {}),
    ("f", "r2.4.10", {"torch.f": "torch.f is verified by this project"}),
    ("f", "r2.4.10", {"mindspore.ops.g": f"mindspore.{'g' * 140_000}"}),
]


@pytest.mark.parametrize(("name", "release", "instead"), UNREADABLE)
def test_what_could_not_be_read_again_is_not_written(
    tmp_path: Path, name: str, release: str, instead: dict[str, str]
) -> None:
    """A name of 140,000 letters made a table that nothing could read, nor write anew."""
    pages, data = tmp_path / "pages", tmp_path / "data"
    pages.mkdir()
    (data / "upstream").mkdir(parents=True)
    page = f"{TABLE}| Parameters | 1 | a | a | - |\n"
    for old, new in instead.items():
        page = page.replace(old, new)
    (pages / f"{name}.md").write_text(page)
    with pytest.raises(DataError, match="is no row of a difference page"):
        write_pages(pages, release, data)
    assert load_page_rows(data) == []


@pytest.mark.parametrize(
    "line",
    [
        "r2.4.10,f",
        "r2.4.10,f,torch.f,mindspore.g,parameter,a,a,perhaps",
        "r2.4.10,f,torch.f,mindspore.g,parameter,,,same",
        "r2.4.10,f,torch.f,mindspore.g,parameter,a,,default",
        "r2.4.10,f,torch.f,mindspore.g,parameter,a,a,torch_only",
        "r2.4.10,f,torch.f,mindspore.g,parameter,a,,mindspore_only",
    ],
)
def test_a_damaged_table_is_named(tmp_path: Path, line: str) -> None:
    pages, data = tmp_path / "pages", tmp_path / "data"
    pages.mkdir()
    (data / "upstream").mkdir(parents=True)
    (pages / "f.md").write_text(f"{TABLE}| Parameters | 1 | a | a | - |\n")
    write_pages(pages, "r2.4.10", data)
    with pages_path(data).open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(DataError, match=r"difference_pages\.csv:3: is no row"):
        load_page_rows(data)
