"""Takes the statements on parameters out of upstream's difference pages: ``upstream/difference_pages.csv`` of the data.

They are the Markdown pages of ``docs/mindspore/source_en/note/api_mapping/pytorch_diff`` of a checkout of
https://gitee.com/mindspore/docs, at the branch of a release. Sentences are not taken.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from apidiff.atomic_write import locked, write_files
from apidiff.database.difference_pages import COLUMNS, States, load_page_rows, page_row, pages_path
from apidiff.database.paths import DATA
from apidiff.database.regular_files import read_text
from apidiff.errors import DataError
from apidiff.signatures.bounded_reading import read_bounded

if TYPE_CHECKING:
    from markdown_it.token import Token

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_REMEDY = "Check out that branch of upstream's documents anew."
# The words of remarks such as "Same function, different parameter names", which state no difference but that of the names.
_OF_NAMES = {
    *("same", "consistent", "function", "functions", "functionality", "different", "parameter", "parameters"),
    *(
        "name",
        "names",
        "is",
        "are",
        "the",
        "only",
        "but",
        "no",
        "difference",
        "differences",
        "interface",
        "input",
        "and",
    ),
}


def page_rows(page: str, markdown: str) -> Iterator[list[str]]:
    """Yield a row of the table for each parameter or input that the table of a page names on its own.

    A page is passed over that does not compare an API of PyTorch itself with one of MindSpore.
    """
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    source, target, *_ = [*_titles(tokens), "", ""]
    if not (source.startswith("torch.") and target.startswith("mindspore.")):
        return
    category = ""
    for cells in _cells(tokens):
        category = cells[0].lower() or category
        kind = next((kind for kind in ("parameter", "input") if category.startswith(kind[:5])), None)
        names = ["" if cell.strip("`* ") == "-" else cell.strip("`* ") for cell in cells[2:4]]
        if kind and any(names) and all(not name or _NAME.fullmatch(name) for name in names):
            yield [page, source, target, kind, *names, _states(names, cells[4]).value]


def _titles(tokens: Sequence[Token]) -> list[str]:
    return [
        tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open" and token.tag == "h2"
    ]


def _cells(tokens: Sequence[Token]) -> Iterator[list[str]]:
    """Yield the rows of the tables that have five columns: category, number, PyTorch's name, MindSpore's, the difference."""
    cells: list[str] = []
    for at, token in enumerate(tokens):
        if token.type == "tr_open":
            cells = []
        elif token.type == "td_open":
            cells.append(tokens[at + 1].content.strip())
        elif token.type == "tr_close" and len(cells) == 5:
            yield cells


def _states(names: Sequence[str], remark: str) -> States:
    if not all(names):
        return States.TORCH_ONLY if names[0] else States.MINDSPORE_ONLY
    words = re.findall(r"[a-z]+", remark.lower())
    if any(word.startswith("default") for word in words):
        return States.DEFAULT
    different = re.search(r"different functions?|functions? (is|are) different", remark.lower())
    return States.SAME if set(words) <= _OF_NAMES and not different else States.OTHER


def write_pages(folder: Path, release: str, data: Path = DATA) -> int:
    """Write what the pages of ``folder`` state in place of what was taken from ``release``. Returns the number of rows.

    Raises DataError where there is no page, where one of them or the table that is there cannot be read, and where a page,
    the ``release`` or what it states could not be read again, or takes far more to read than upstream's do.
    """
    found = read_bounded(folder, partial(_rows, folder, release))
    if not found:
        raise DataError(
            folder, None, "holds no difference page", "Name the folder `pytorch_diff` of upstream's documents."
        )
    with locked(data):
        path = pages_path(data)
        kept = [row.cells for row in load_page_rows(data) if row.release != release]
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerows([COLUMNS, *sorted([*kept, *found], key=lambda row: row[:2])])
        write_files({path: text.getvalue().encode()})
    return len(found)


def _rows(folder: Path, release: str) -> list[list[str]]:
    """All rows of the pages. A page of 70 kB may hold tables for which their parser makes cells of gigabytes."""
    pages = [(path, row) for path in sorted(folder.glob("*.md")) for row in page_rows(path.stem, _text(path))]
    return [page_row(path, None, [release, *row], _REMEDY).cells for path, row in pages]


def _text(page: Path) -> str:
    try:
        return read_text(page)
    except OSError as error:
        raise DataError(page, None, f"cannot be read ({error.strerror})", _REMEDY) from error
    except UnicodeDecodeError as error:
        raise DataError(page, None, "is not UTF-8", _REMEDY) from error
