"""Official documentation beside signatures: which document is about an API, and its address in both languages."""

from __future__ import annotations

from apidiff import database
from apidiff.derive.official_documents import official_address
from apidiff.model.base import Text
from apidiff.model.claim import Claim, Completes, Stated
from apidiff.model.mapping import Api, Document
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


def test_most_targets_in_use_have_official_documentation() -> None:
    data = database.load()
    collective = [mapping for mapping in data.mappings.values() if mapping.execution is Execution.COLLECTIVE]
    targets = [target for mapping in collective for target in mapping.targets]
    found = [target for target in targets if official_address(target.api, data.documents)]
    assert len(found) > 0.85 * len(targets)
