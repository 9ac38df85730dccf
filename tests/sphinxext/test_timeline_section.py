"""The timeline of a mapping's page: each change with what tells it, in both languages."""

from __future__ import annotations

import msgspec
import pytest
from docutils.utils import new_document
from entry_fixture import NEW, SOURCE, other_entry

from apidiff.model.base import Language, Text
from apidiff.model.views import DocumentEntry, HistoryEntry
from apidiff.sphinxext.mapping_evidence import timeline_section
from apidiff.sphinxext.page_builder import PageBuilder

TEXT = Text(en="Added.", zh="新增。")
DOCUMENT = DocumentEntry(
    title="Release Notes 2.5", url="https://docs.example/2.5", framework="mindspore", version="2.5.0"
)


def change(evidence: str, after_evidence: str | None = None, api: str = NEW) -> HistoryEntry:
    return HistoryEntry(
        api=api,
        version="2.5.0",
        after="2.4.1",
        change="added",
        text=TEXT,
        evidence=evidence,
        after_evidence=after_evidence,
    )


def shown(language: Language, *history: HistoryEntry) -> str:
    found = msgspec.structs.replace(other_entry(), history=list(history), documents={"notes": DOCUMENT})
    section = timeline_section(PageBuilder(language, new_document("page"), "page"), found)
    return section.astext()


@pytest.mark.parametrize(
    ("language", "row", "words"),
    [
        ("en", change("signatures", api=SOURCE), ["Timeline", SOURCE, "2.5.0", "Added.", "signatures"]),
        ("zh", change("signatures"), ["变更历史", "新增。", "签名"]),
        ("en", change("stubs"), ["type stubs, which may be wrong"]),
        ("zh", change("stubs"), ["类型存根（可能有误）"]),
        ("en", change("notes"), ["documented: Release Notes 2.5"]),
        ("zh", change("notes"), ["文档：Release Notes 2.5"]),
        ("en", change("signatures", "notes"), ["signatures; documented: Release Notes 2.5"]),
        ("en", change("absent-document"), ["documented: absent-document"]),
    ],
)
def test_a_row(language: Language, row: HistoryEntry, words: list[str]) -> None:
    text = shown(language, row)
    assert [word for word in words if word not in text] == []


def test_one_document_for_both_versions_is_named_once() -> None:
    assert shown("en", change("notes", "notes")).count("Release Notes") == 1


def test_nothing_known() -> None:
    assert "No version is known to have it." in shown("en")
