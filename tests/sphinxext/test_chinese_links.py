"""Every link of a Chinese page leads to the Chinese document where there is one, and of an English page to the English."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import msgspec
import pytest
from small_site import Site

from apidiff.database import Data
from apidiff.database.document_twins import AddressRule, chinese_address, load_twins
from apidiff.database.paths import DATA
from apidiff.derive.official import official_report
from apidiff.model.views import Entry
from apidiff.writers.markdown import MappingText
from apidiff.writers.official import report_markdown

ENGLISH = "https://www.mindspore.cn/docs/en/r2.10.0/api_python/reduce.html"
CHINESE = "https://www.mindspore.cn/docs/zh-CN/r2.10.0/api_python/reduce.html"
_LINK = re.compile(r"https?://[^\s\"'<>)]+")


@pytest.fixture(scope="module")
def rules() -> list[AddressRule]:
    return load_twins(DATA).addresses


def english(text: str, rules: Iterable[AddressRule]) -> list[str]:
    """The addresses in ``text`` of documents that have a Chinese twin."""
    return [address for address in _LINK.findall(text) if chinese_address(address, rules)]


def test_links_in_english_are_found(rules: list[AddressRule]) -> None:
    assert english(f'<a href="{ENGLISH}">1</a> <a href="{CHINESE}">2</a> https://docs.pytorch.org/docs/en/', rules) == [
        ENGLISH
    ]


@pytest.mark.parametrize(("language", "wanted"), [("en", ENGLISH), ("zh_CN", CHINESE)])
def test_pages_lead_to_documents_of_their_language(
    make_site: Callable[..., Site], rules: list[AddressRule], language: str, wanted: str
) -> None:
    site = make_site("links", language)
    for key, entry in site.content.entries.items():
        documents = {
            name: msgspec.structs.replace(document, url=ENGLISH, url_zh=CHINESE)
            for name, document in entry.documents.items()
        }
        site.content.entries[key] = msgspec.structs.replace(entry, documents=documents)
    pages = site.build().pages()
    assert any(wanted in html for html in pages.values())
    found = {name: links for name, html in pages.items() if (links := english(html, rules))}
    assert bool(found) == (language == "en"), found


def test_markdown_in_chinese_leads_to_chinese_documents(
    rules: list[AddressRule], database: Data, all_entries: dict[str, Entry]
) -> None:
    texts = {key: MappingText.made(entry, "zh").at([]) for key, entry in all_entries.items()}
    texts["official"] = report_markdown(official_report(database, all_entries), "zh")
    assert {key: links for key, text in texts.items() if (links := english(text, rules))} == {}
    assert english(MappingText.made(all_entries["torch.distributed.reduce"], "en").at([]), rules)
