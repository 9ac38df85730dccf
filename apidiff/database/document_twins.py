"""Finds the Chinese twins of English documents: ``document_twins.yaml`` says whose addresses have one."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from apidiff.database.document_addresses import Part
from apidiff.database.yaml import read_yaml
from apidiff.model.base import Address, Record
from apidiff.model.mapping import LONGEST_TITLE, Document

FILE = "document_twins.yaml"
Words = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]


class AddressRule(Record, frozen=True, kw_only=True):
    """English addresses that begin with ``at`` and hold ``en`` have a twin that holds ``zh`` there."""

    at: Address
    en: Part
    zh: Part


class WordRule(Record, frozen=True, kw_only=True):
    """What a title has in Chinese for ``en``."""

    en: Words
    zh: Words


class Twins(Record, frozen=True, kw_only=True):
    """The rules for addresses, and those for words of titles."""

    addresses: Annotated[list[AddressRule], msgspec.Meta(max_length=200)]
    words: Annotated[list[WordRule], msgspec.Meta(max_length=200)] = []


def load_twins(root: Path) -> Twins:
    """The rules of the data below ``root``. Raises DataError where the file is broken."""
    path = root / FILE
    return read_yaml(path, Twins)[0] if os.path.lexists(path) else Twins(addresses=[])


def chinese_address(address: str, rules: Iterable[AddressRule]) -> str | None:
    """The address of the Chinese twin, or None where no rule fits: not every document has one."""
    for rule in rules:
        before, found, after = address.partition(rule.en)
        if found and before.startswith(rule.at):
            return f"{before}{rule.zh}{after}"
    return None


def with_twins(documents: Mapping[str, Document], twins: Twins) -> dict[str, Document]:
    """``documents`` with the address and the title of each one's Chinese twin."""
    titled = _translator(twins.words)

    def with_twin(document: Document) -> Document:
        address = chinese_address(document.url, twins.addresses)
        if address is None or document.url_zh:
            return document
        title = document.title_zh or titled(document.title)
        return msgspec.structs.replace(document, url_zh=address, title_zh=title[:LONGEST_TITLE])

    return {key: with_twin(document) for key, document in documents.items()}


def _translator(rules: Sequence[WordRule]) -> Callable[[str], str]:
    """Writes a title in Chinese: all its words at once, longer ones first, so that no rule finds what another has put there."""
    words = {rule.en: rule.zh for rule in reversed(rules)}
    known = re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))) or "(?!)")

    def titled(title: str) -> str:
        title = known.sub(lambda found: words[found[0]], title)
        return title.replace("： ", "：").replace(", ", "，")

    return titled
