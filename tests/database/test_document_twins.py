"""Chinese twins of documents: whose addresses have one, what their titles are, and that no reader is left in English."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from apidiff.database import Data
from apidiff.database.document_twins import Twins, WordRule, chinese_address, load_twins, with_twins
from apidiff.database.paths import DATA
from apidiff.database.yaml import read_yaml
from apidiff.errors import DataError
from apidiff.model.mapping import Document
from apidiff.model.vocabulary import Framework

ADDRESSES = [
    (
        "https://www.mindspore.cn/docs/en/r2.10.0/api_python/mint/mindspore.mint.distributed.gather.html",
        "https://www.mindspore.cn/docs/zh-CN/r2.10.0/api_python/mint/mindspore.mint.distributed.gather.html",
    ),
    (
        "https://mindspore.cn/docs/api/en/r1.3/api_python/a.html",
        "https://mindspore.cn/docs/api/zh-CN/r1.3/api_python/a.html",
    ),
    (
        "https://www.mindspore.cn/tutorials/en/r2.6.0/parallel/a.html",
        "https://www.mindspore.cn/tutorials/zh-CN/r2.6.0/parallel/a.html",
    ),
    (
        "https://gitee.com/mindspore/docs/blob/r2.4.0/docs/mindspore/source_en/a.md",
        "https://gitee.com/mindspore/docs/blob/r2.4.0/docs/mindspore/source_zh_cn/a.md",
    ),
    (
        "https://gitee.com/mindspore/docs/blob/r2.6.0/resource/api_updates/mint_api_updates_en.md",
        "https://gitee.com/mindspore/docs/blob/r2.6.0/resource/api_updates/mint_api_updates_cn.md",
    ),
    ("https://www.mindspore.cn/docs/zh-CN/r2.3.0/a.html", None),
    ("https://mindspore.cn/doc/api_python/en/r1.1/a.html", None),  # no Chinese one is known of that release
    ("https://docs.pytorch.org/docs/en/distributed.html", None),
    ("https://elsewhere.example/docs/en/a.html", None),
]


@pytest.mark.parametrize(("english", "chinese"), ADDRESSES)
def test_chinese_address(english: str, chinese: str | None) -> None:
    assert chinese_address(english, load_twins(DATA).addresses) == chinese


def test_documents_have_their_twins(database: Data) -> None:
    """Of MindSpore's documents in English, all but those whose Chinese form nobody knows have one."""
    english = [
        one for one in database.documents.values() if one.framework.value == "mindspore" and one.language == "en"
    ]
    alone = {one.url for one in english if not one.url_zh and "source_zh_cn" not in one.url}
    assert alone == {"https://mindspore.cn/doc/api_python/en/r1.1/mindspore/mindspore.communication.html"}
    assert all("/en/" not in one.url_zh and "source_en" not in one.url_zh for one in database.documents.values())


TITLES = [
    ("mindspore-r2.4.0-diff-all_reduce", "差异：torch.distributed.all_reduce"),
    ("mindspore-2025-07-api-mapping", "PyTorch 与 MindSpore API 映射表，2025 年 7 月"),
    ("mindspore-r2.10.0-mint-all_reduce", "mindspore.mint.distributed.all_reduce，MindSpore 2.10.0"),
    ("torch-2.13-distributed", ""),
]


@pytest.mark.parametrize(("key", "title"), TITLES)
def test_chinese_titles(database: Data, key: str, title: str) -> None:
    assert database.documents[key].title_zh == title


# rules for words, a title, what it is in Chinese
WORDS: list[tuple[list[tuple[str, str]], str, str]] = [
    ([], "All, and: none", "All，and: none"),
    ([("Release Notes", "版本说明"), ("Notes", "说明")], "Release Notes, Notes", "版本说明，说明"),
    ([("Notes", "说明"), ("Release Notes", "版本说明")], "Release Notes, Notes", "版本说明，说明"),
    ([("a", "b"), ("b", "a")], "ab", "ba"),
    ([("a", "一"), ("a", "二")], "a", "一"),
    ([("a.b", "点"), ("(c)", "丙：")], "a.b axb (c) d", "点 axb 丙：d"),
    ([("o", "oo")] * 40, "too", "toooo"),
]


@pytest.mark.parametrize(("rules", "title", "chinese"), WORDS)
def test_words_of_titles_are_replaced_once(rules: list[tuple[str, str]], title: str, chinese: str) -> None:
    """Were each rule applied to what another gave, forty that double a letter would fill the memory."""
    twins = msgspec.structs.replace(load_twins(DATA), words=[WordRule(en=en, zh=zh) for en, zh in rules])
    english = ADDRESSES[0][0]
    document = Document(title=title, url=english, framework=Framework.MINDSPORE, version="2.10.0")
    assert with_twins({"a": document}, twins)["a"].title_zh == chinese


def test_titles_stay_short_in_both_languages(tmp_path: Path) -> None:
    """They stand at each place that cites the document: 27 kB made an answer of gigabytes."""
    path = tmp_path / "documents.yaml"
    path.write_text(f"a: {{title: {'a' * 301}, url: 'https://a', framework: torch, version: '2.1'}}\n", "utf-8")
    with pytest.raises(DataError, match=r"`str` of length <= 300 in \$\.a\.title"):
        read_yaml(path, dict[str, Document])
    twins = msgspec.structs.replace(load_twins(DATA), words=[WordRule(en="a", zh="一" * 100)])
    document = Document(title="a" * 300, url=ADDRESSES[0][0], framework=Framework.MINDSPORE, version="2.10.0")
    assert with_twins({"a": document}, twins)["a"].title_zh == "一" * 300


@pytest.mark.parametrize("part", ["at", "en", "zh"])
def test_parts_of_addresses_are_short(part: str, tmp_path: Path) -> None:
    """Each stands in the addresses of many documents."""
    rule = {"at": "https://a", "en": "b", "zh": "c"}
    rule[part] += "o" * 2001
    path = tmp_path / "document_twins.yaml"
    path.write_bytes(msgspec.yaml.encode({"addresses": [rule]}))
    with pytest.raises(DataError, match=rf"length <= 2000 in \$\.addresses\[0\]\.{part}"):
        read_yaml(path, Twins)


def test_addresses_that_have_a_twin_begin_with_http(tmp_path: Path) -> None:
    path = tmp_path / "document_twins.yaml"
    path.write_text("addresses:\n- {at: h, en: ttps, zh: 'javascript:'}\n", "utf-8")
    with pytest.raises(DataError, match=r":2: Expected `str` matching regex .*https.* in \$\.addresses\[0\]\.at"):
        read_yaml(path, Twins)


@pytest.mark.parametrize(
    "rule", [f"{{en: {'o' * 101}, zh: 一}}", f"{{en: o, zh: {'一' * 101}}}", ", ".join(["{en: o, zh: 一}"] * 201)]
)
def test_words_are_few_and_short(rule: str, tmp_path: Path) -> None:
    path = tmp_path / "document_twins.yaml"
    path.write_text(f"addresses: []\nwords: [{rule}]\n", "utf-8")
    with pytest.raises(DataError, match=r"length <= \d+ in \$\.words"):
        read_yaml(path, Twins)
