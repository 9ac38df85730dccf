"""Official documentation beside signatures: which document is about an API, and its address in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from apidiff.database import Data
from apidiff.database.document_addresses import FILE, PageRules, load_addresses
from apidiff.derive.official_documents import official_address
from apidiff.errors import DataError
from apidiff.model.base import Text
from apidiff.model.claim import Claim, Completes, Stated
from apidiff.model.mapping import Api, Document
from apidiff.model.mapping import Mapping as ApiMapping
from apidiff.model.vocabulary import Execution, Framework


def _document(url: str, version: str, api: str | None = None) -> Document:
    framework = Framework.TORCH if "pytorch" in url else Framework.MINDSPORE
    chinese = url.replace("/en/", "/zh-CN/") if "/en/" in url else ""
    return Document(title="a page", url=url, framework=framework, version=version, api=api, url_zh=chinese)


MODULE = "https://docs.pytorch.org/docs/{}/distributed.html"
DOCUMENTS = {
    "old": _document(
        "https://www.mindspore.cn/docs/en/r2.9.0/api_python/mindspore.ops.a.html", "2.9.0", "mindspore.ops.a"
    ),
    "new": _document(
        "https://www.mindspore.cn/docs/en/r2.10.0/api_python/mindspore.ops.a.html", "2.10.0", "mindspore.ops.a"
    ),
    "diff": _document("https://gitee.com/mindspore/docs/blob/r2.11.0/pytorch_diff/a.md", "2.11.0", "mindspore.ops.a"),
    "torch-old": _document(MODULE.format("2.6"), "2.6"),
    "torch-new": _document(MODULE.format("2.13"), "2.13"),
}


def _api(name: str, *stated: Stated) -> Api:
    claims = (
        [Claim(id="completes", completes=Completes(), reason=Text(en="a", zh="a"), stated=list(stated))]
        if stated
        else []
    )
    return Api(name=name, claims=claims)


def test_the_newest_document_about_the_api_is_taken() -> None:
    address = official_address(_api("mindspore.ops.a"), DOCUMENTS)
    assert address.en == "https://www.mindspore.cn/docs/en/r2.10.0/api_python/mindspore.ops.a.html"
    assert address.zh == "https://www.mindspore.cn/docs/zh-CN/r2.10.0/api_python/mindspore.ops.a.html"
    assert official_address(_api("mindspore.ops.b"), DOCUMENTS) is None


def test_of_the_page_of_a_module_the_part_about_the_api_is_named() -> None:
    cited = [Stated(document=key, part="gather/parameters/dst") for key in ("torch-old", "torch-new")]
    address = official_address(_api("torch.distributed.gather", *cited), DOCUMENTS)
    assert address.zh == MODULE.format("2.13") + "#torch.distributed.gather"
    elsewhere = Stated(document="torch-new", part="scatter")
    assert official_address(_api("torch.distributed.gather", elsewhere), DOCUMENTS) is None


RULES = {
    "torch": PageRules(
        version="2.13.0",
        at="https://docs.pytorch.org/docs/2.13/",
        pages={"torch.": "generated/$name.html", "torch.nn.init.": "nn.init.html#$name", "torch.inf": None},
    ),
    "mindspore": PageRules(
        version="2.10.0", at="https://m/en/", zh="https://m/zh-CN/", pages={"mindspore.mint.": "mint/$name.html"}
    ),
}
ADDRESSES = [
    ("torch.cat", "https://docs.pytorch.org/docs/2.13/generated/torch.cat.html", None),
    ("torch.nn.init.ones_", "https://docs.pytorch.org/docs/2.13/nn.init.html#torch.nn.init.ones_", None),
    ("torch.inf", None, None),
    ("torch.infinity", "https://docs.pytorch.org/docs/2.13/generated/torch.infinity.html", None),
    ("mindspore.mint.cat", "https://m/en/mint/mindspore.mint.cat.html", "https://m/zh-CN/mint/mindspore.mint.cat.html"),
    ("mindspore.nn.Cell", None, None),
    ("numpy.cos", None, None),
]


@pytest.mark.parametrize(("name", "english", "chinese"), ADDRESSES)
def test_without_a_document_rules_tell_the_address(name: str, english: str | None, chinese: str | None) -> None:
    address = official_address(_api(name), {}, RULES)
    assert (address.en if address else None) == english
    assert (address.zh if address else None) == (chinese or english)


LONG = "a" * 2001
TOO_LONG = [
    f"at: https://{LONG}, pages: {{}}",
    f"at: https://a, zh: https://{LONG}, pages: {{}}",
    f"at: https://a, pages: {{? {LONG} : b}}",
    f"at: https://a, pages: {{b: {LONG}}}",
]


@pytest.mark.parametrize("rule", TOO_LONG)
def test_a_part_that_many_addresses_would_have_is_short(rule: str, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(f'torch: {{version: "1", {rule}}}\n', "utf-8")
    with pytest.raises(DataError, match=rf"{FILE}:1: (Expected `str.* of length <= 2000|a key of 2001 characters)"):
        load_addresses(tmp_path)


NO_PAGE = ["at: 'javascript:alert(1)//'", "at: https://", "at: ''", "at: https://a, zh: 'data:text/html,'"]


@pytest.mark.parametrize("rule", NO_PAGE)
def test_an_address_begins_with_http(rule: str, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(f'torch: {{version: "1", pages: {{}}, {rule}}}\n', "utf-8")
    with pytest.raises(DataError, match=rf"{FILE}:1: Expected `str` matching regex '.*https"):
        load_addresses(tmp_path)


def test_a_document_on_record_comes_before_a_rule() -> None:
    rules = {"mindspore": PageRules(version="2.10.0", at="https://m/", pages={"mindspore.": "$name"})}
    address = official_address(_api("mindspore.ops.a"), DOCUMENTS, rules)
    assert address.en == "https://www.mindspore.cn/docs/en/r2.10.0/api_python/mindspore.ops.a.html"


def test_most_apis_in_use_have_official_documentation(database: Data) -> None:
    for execution in Execution:
        mappings = [mapping for mapping in database.mappings.values() if mapping.execution is execution]
        targets = [target.api for mapping in mappings for target in mapping.targets]
        found = [api for api in targets if official_address(api, database.documents, database.addresses)]
        assert len(found) > 0.85 * len(targets)
    sources = [mapping.source for mapping in database.mappings.values() if mapping.execution is Execution.SINGLE]
    found = [api for api in sources if official_address(api, database.documents, database.addresses)]
    assert len(found) > 0.95 * len(sources)


def test_every_rule_is_of_an_api_on_record(database: Data) -> None:
    """A rule for a single name that no record names any more is to go."""
    names = {name for mapping in database.mappings.values() for name in (mapping.source.name, *_targets(mapping))}
    rules = {key for rule in database.addresses.values() for key in rule.pages}
    assert {key for key in rules if not key.endswith(".")} <= names


def _targets(mapping: ApiMapping) -> list[str]:
    return [target.api.name for target in mapping.targets]
