"""Tells where official documentation of an API stands by its name: ``document_addresses.yaml`` has the rules."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import msgspec

from apidiff.database.yaml import read_yaml
from apidiff.model.base import Address, AddressOrNone, NonEmpty, Record, Text

FILE = "document_addresses.yaml"
LONGEST = 2000  # characters: each part stands in the addresses of many pages
_MOST_NAMES = 4  # in an address: a name may be as long as any
Part = Annotated[NonEmpty, msgspec.Meta(max_length=LONGEST)]
PartOrNone = Annotated[str, msgspec.Meta(max_length=LONGEST)]


class PageRules(Record, frozen=True, kw_only=True):
    """The pages of one framework's documentation: those of ``version``, which begin with ``at``, in Chinese with ``zh``.

    ``pages``: a name, or the beginning of names → the rest of the address; None where there is no page.
    """

    version: NonEmpty
    at: Address
    zh: AddressOrNone = ""
    pages: dict[Part, PartOrNone | None]

    def __post_init__(self) -> None:
        for key, page in self.pages.items():
            if page is not None and page.count("$name") > _MOST_NAMES:
                raise ValueError(f"pages of {key!r} have `$name` more than {_MOST_NAMES} times")

    def address(self, name: str) -> Text | None:
        """The address of the page about ``name`` by the longest rule that fits; None without one, or without a page."""
        fitting = [key for key in self.pages if key == name or (key.endswith(".") and name.startswith(key))]
        page = self.pages[max(fitting, key=len)] if fitting else None
        if page is None:
            return None
        page = page.replace("$name", name)
        return Text(en=self.at + page, zh=(self.zh or self.at) + page)


def load_addresses(root: Path) -> dict[str, PageRules]:
    """The rules of the data below ``root`` by framework. Raises DataError where the file is broken."""
    path = root / FILE
    return read_yaml(path, dict[str, PageRules])[0] if os.path.lexists(path) else {}
