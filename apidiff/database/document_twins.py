"""Finds the Chinese twins of English documents: ``document_twins.yaml`` says whose addresses have one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from apidiff.database.yaml import read_yaml
from apidiff.model.base import NonEmpty, Record
from apidiff.model.mapping import Document

FILE = "document_twins.yaml"


class AddressRule(Record, frozen=True, kw_only=True):
    """English addresses that begin with ``at`` and hold ``en`` have a twin that holds ``zh`` there."""

    at: NonEmpty
    en: NonEmpty
    zh: NonEmpty


class WordRule(Record, frozen=True, kw_only=True):
    """What a title has in Chinese for ``en``."""

    en: NonEmpty
    zh: NonEmpty


class Twins(Record, frozen=True, kw_only=True):
    """The rules for addresses, and those for words of titles, longer ones first."""

    addresses: list[AddressRule]
    words: list[WordRule] = []


def load_twins(root: Path) -> Twins:
    """The rules of the data below ``root``. Raises DataError where the file is broken."""
    path = root / FILE
    return read_yaml(path, Twins)[0] if path.is_file() else Twins(addresses=[])


def chinese_address(address: str, rules: Iterable[AddressRule]) -> str | None:
    """The address of the Chinese twin, or None where no rule fits: not every document has one."""
    for rule in rules:
        before, found, after = address.partition(rule.en)
        if found and before.startswith(rule.at):
            return f"{before}{rule.zh}{after}"
    return None


def with_twins(documents: Mapping[str, Document], twins: Twins) -> dict[str, Document]:
    """``documents`` with the address and the title of each one's Chinese twin."""
    return {key: _with_twin(document, twins) for key, document in documents.items()}


def _with_twin(document: Document, twins: Twins) -> Document:
    address = chinese_address(document.url, twins.addresses)
    if address is None or document.url_zh:
        return document
    title = document.title
    for rule in twins.words:
        title = title.replace(rule.en, rule.zh)
    title = title.replace("： ", "：").replace(", ", "，")
    return msgspec.structs.replace(document, url_zh=address, title_zh=document.title_zh or title)
