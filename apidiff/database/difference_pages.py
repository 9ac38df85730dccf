"""Reads what upstream's difference pages state of parameters, ``upstream/difference_pages.csv``: written by a tool."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import Annotated

import msgspec

from apidiff.database.upstream_tables import csv_rows
from apidiff.errors import DataError, typed
from apidiff.model.base import Record
from apidiff.model.mapping import Document
from apidiff.model.vocabulary import Framework

COLUMNS = ["release", "page", "torch_api", "mindspore_api", "kind", "torch_name", "mindspore_name", "states"]
_ADDRESS = "https://www.mindspore.cn/docs/{language}/{release}/note/api_mapping/pytorch_diff/{page}.html"
_REMEDY = "Restore the file from version control, or write it with `apidiff signatures pages`."
# Titles and tables of somebody's pages; addresses and titles of documents are made of them.
_WORD = "[A-Za-z_][A-Za-z0-9_]{0,199}"
Release = Annotated[str, msgspec.Meta(pattern=r"\Ar[0-9]{1,5}(\.[0-9]{1,5}){0,2}\Z")]
PageName = Annotated[str, msgspec.Meta(pattern=r"\A[A-Za-z0-9_.-]{1,200}\Z")]
ApiName = Annotated[str, msgspec.Meta(pattern=rf"\A{_WORD}(\.{_WORD}){{1,9}}\Z")]
NameOrNone = Annotated[str, msgspec.Meta(pattern=rf"\A({_WORD})?\Z")]


class States(Enum):
    """What a page states of a parameter of one API and one of the other."""

    SAME = "same"  # they do the same; names may differ
    DEFAULT = "default"  # their defaults differ
    TORCH_ONLY = "torch_only"  # MindSpore has none
    MINDSPORE_ONLY = "mindspore_only"  # PyTorch has none
    OTHER = "other"  # a remark in words, which is not taken over


# Of which of the two APIs a row names a parameter; one with a remark may name either.
_NAMED = {
    States.SAME: (True, True),
    States.DEFAULT: (True, True),
    States.TORCH_ONLY: (True, False),
    States.MINDSPORE_ONLY: (False, True),
}


class PageRow(Record, frozen=True, kw_only=True):
    """What a page of ``release`` states of a parameter, or of an ``input`` that an object of a class is called with.

    ``source_name`` and ``target_name``: of the parameters, empty where there is none.
    """

    line: int
    cells: list[str]
    release: Release
    page: PageName
    source: ApiName
    target: ApiName
    kind: str
    source_name: NameOrNone
    target_name: NameOrNone
    states: States

    def __post_init__(self) -> None:
        named = bool(self.source_name), bool(self.target_name)
        if _NAMED.get(self.states, named) != named:
            raise ValueError(f"a row that states {self.states.value!r} names other parameters")

    @property
    def document(self) -> Document:
        """The page, as a document about the source."""
        en, zh = (_ADDRESS.format(language=one, release=self.release, page=self.page) for one in ("en", "zh-CN"))
        return Document(
            title=f"Differences with {self.source}",
            title_zh=f"比较与 {self.source} 的差异",
            url=en,
            url_zh=zh,
            framework=Framework.MINDSPORE,
            version=self.release.removeprefix("r"),
            api=self.source,
        )

    @property
    def key(self) -> str:
        """Of the document."""
        return f"mindspore-{self.release}-diff-{self.page}"


def pages_path(root: Path) -> Path:
    """Where below the data folder ``root`` the table lies."""
    return root / "upstream" / "difference_pages.csv"


def load_page_rows(root: Path) -> list[PageRow]:
    """Read every row; none where there is no table. Raises DataError, with file and line, for one of another form."""
    path = pages_path(root)
    if not os.path.lexists(path):
        return []
    return [page_row(path, line, cells, _REMEDY) for line, cells in csv_rows(path, COLUMNS, _REMEDY)]


def page_row(path: Path, line: int | None, cells: list[str], remedy: str) -> PageRow:
    """The row of ``cells``. Raises DataError where they are none: of ``path`` and ``line``, where they were read."""
    fields = ("release", "page", "source", "target", "kind", "source_name", "target_name", "states")
    try:
        plain = dict(zip(fields, cells, strict=True))
        return msgspec.convert({"line": line or 0, "cells": cells, **plain}, PageRow)
    except ValueError as error:  # msgspec's own error is one
        raise DataError(path, line, f"is no row of a difference page: {typed(','.join(cells))}", remedy) from error
