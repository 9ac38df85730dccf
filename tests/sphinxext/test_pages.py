"""What the pages hold, in both languages."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec
import pytest
from entry_fixture import COMPOSED, NEW, OLD, SOURCE, UNMATCHED, UNNAMED, USED
from small_site import Built, Site

from apidiff.derive.answers import answer_at, current_target
from apidiff.model.base import Text
from apidiff.model.version import Version

MakeSite = Callable[..., Site]
Plain = Callable[[str], Built]
PAGE = f"mappings/{SOURCE}"
PROOF = f"evidence/{SOURCE}"
EVIDENCE = f"evidence/torch-2.13.0/gloo-cpu/{SOURCE}"


def _ids(html: str) -> list[str]:
    return re.findall(r'\sid="([^"]+)"', html)


def _text(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html))


def test_both_languages_have_the_same_pages_and_anchors(plain: Plain) -> None:
    english, chinese = plain("en"), plain("zh_CN")
    assert english.warnings == chinese.warnings == ""
    assert english.pages().keys() == chinese.pages().keys()
    for name, html in english.pages().items():
        assert _ids(html) == _ids(chinese.pages()[name]), name
    assert "twin" in _ids(chinese.html("notes"))


def test_a_heading_without_a_label_is_noticed(make_site: MakeSite) -> None:
    site = make_site("c", "zh_CN")
    (site.src / "notes.md").write_text("# 标题\n\n## 没有标签\n", "utf-8")
    assert any(re.fullmatch(r"id\d+", one) for one in _ids(site.build().html("notes")))


def test_order_of_the_mapping_page(plain: Plain) -> None:
    ids = _ids(plain("en").html(PAGE))
    wanted = [SOURCE, NEW, f"{NEW}--code", f"{NEW}--differences", "differences"]
    wanted += ["difference-group-dst", "difference-others", f"{NEW}--parameters", f"{NEW}--members"]
    wanted += [f"{NEW}--signatures", OLD, f"{OLD}--differences", f"{OLD}--difference-group-dst", "versions"]
    assert [one for one in ids if one in wanted] == wanted


def test_order_of_the_evidence_page(plain: Plain) -> None:
    ids = _ids(plain("en").html(PROOF))
    wanted = ["proofs", "proof--difference-others", "examples", "claims", "returns", f"{SOURCE}--others-keep-tensor"]
    wanted += ["refuted", "parameters", f"{OLD}--parameters", "signatures", f"{OLD}--signatures", f"{NEW}--signatures"]
    wanted += ["timeline", "repeat", "contribute"]
    assert [one for one in ids if one in wanted] == wanted


ENGLISH = [
    "On MindSpore 2.10.0, use",
    "silent in-place behaviour",
    "Ranks other than dst have their tensor overwritten by gloo",
    "2.4 – 2.8",
    "deprecated",
    "only in source",
    "group_dst ≥ 2.6",
    "wait 2.8 – 2.9",
    "Before: torch.distributed.reduce",
]


ENGLISH_EVIDENCE = [
    "gloo, 3 ranks: rank 1 holds [110, 220].",
    "torchrun --nproc-per-node 3 torch_example.py",
    "rank 0: [111, 222]",
    "Differences with torch.distributed.reduce, for MindSpore 2.4.10, part PyTorch, sentence 2",
    "Other processes' tensors remain unchanged.".replace("'", "&#39;"),
    "rank 1: tensor [10, 20] → [110, 220]",
    "hccl: no run record",
    "The kernel is not registered on CPU.",
    "apidiff verify torch.distributed.reduce --backend gloo",
    "apidiff lookup torch.distributed.reduce --mindspore 2.10",
]


@pytest.mark.parametrize("words", ENGLISH)
def test_english_page_says(english_page: str, words: str) -> None:
    assert words in english_page.replace("'", "&#39;") or words in english_page


@pytest.mark.parametrize("words", ENGLISH_EVIDENCE)
def test_english_evidence_says(plain: Plain, words: str) -> None:
    text = _text(plain("en").html(PROOF))
    assert words in text.replace("'", "&#39;") or words in text
    assert words not in _text(plain("en").html(PAGE))  # the answer is read without it


CHINESE = [
    "在 MindSpore 2.10.0 上使用",
    "无提示出错",
    "原地修改",
    "已弃用",
    "仅源有",
    "改写前：",
    "如何复现",
]
CHINESE_EVIDENCE = ["未运行", "与实测不符的陈述", "如何复现"]


@pytest.mark.parametrize("words", CHINESE)
def test_chinese_page_says(chinese_page: str, words: str) -> None:
    assert words in chinese_page


@pytest.mark.parametrize("words", CHINESE_EVIDENCE)
def test_chinese_evidence_says(plain: Plain, words: str) -> None:
    assert words in _text(plain("zh_CN").html(PROOF))


@pytest.fixture
def english_page(plain: Plain) -> str:
    return _text(plain("en").html(PAGE))


@pytest.fixture
def chinese_page(plain: Plain) -> str:
    return _text(plain("zh_CN").html(PAGE))


def test_refuted_statement_is_shown_with_its_run(make_site: MakeSite) -> None:
    site = make_site()
    built = site.build()
    for page, evidence in ((PROOF, EVIDENCE.removeprefix("evidence/")), ("statements", EVIDENCE)):
        html = built.html(page)
        refuted = html[html.index('id="refuted"' if page == PROOF else "apidiff-edge-refuted") :]
        assert "apidiff-outcome-refuted" in refuted
        assert f'href="{evidence}.html#sync--3"' in refuted
    assert "root-has-sum" not in built.html("statements")


CURRENT = [("2.10.0", NEW), ("2.9.0", NEW), ("2.8.9", OLD), ("2.4.0", OLD), ("2.3.0", None)]


@pytest.mark.parametrize(("version", "name"), CURRENT)
def test_current_target(make_site: MakeSite, version: str, name: str | None) -> None:
    entry = make_site().content.entries[SOURCE]
    found = current_target(entry, version)
    assert Version(version)
    assert (found.name if found else None) == name


ANSWERS = [
    (SOURCE, "2.10.0", ("maps_to", "silent", ["others", "group-dst"])),
    (SOURCE, "2.3.0", (None, None, [])),
    (COMPOSED, "2.10.0", ("composed", "error", ["hangs"])),
    (COMPOSED, "2.7.2", ("no_counterpart", "rewrite", [])),
    ("torch.distributed.barrier", "2.10.0", (None, None, [])),
]


@pytest.mark.parametrize(("name", "version", "expected"), ANSWERS)
def test_answer_at_a_version(
    make_site: MakeSite, name: str, version: str, expected: tuple[str | None, str | None, list[str]]
) -> None:
    kind, risk, differences = answer_at(make_site().content.entries[name], version)
    assert (kind, risk, [one.id for one in differences]) == expected


# language, what the page of a mapping without a target says
WITHOUT_TARGET = [
    (
        "en",
        [
            "On MindSpore 2.10.0",
            "composed",
            "A barrier with a deadline does it.",
            "What to mind of the PyTorch API itself, worst first.",
            "It may hang.",
            "≤ 2.7 no counterpart no counterpart rewrite",
            "Nothing in MindSpore does the same; “Instead” says what to write.",
            "≥ 2.8: composed",
            "After: the recipe",
            f"Uses: {USED}, mindspore.Tensor",
            "Instead: Sleep.",
            "A guide, for MindSpore 2.7, part remarks",
        ],
    ),
    (
        "zh_CN",
        [
            "在 MindSpore 2.10.0 上",
            "组合实现",
            "带超时的屏障即可。",
            "替代方案：改用休眠。",
            "≤ 2.7：无对应 API",
        ],
    ),
]


@pytest.mark.parametrize(("language", "said"), WITHOUT_TARGET)
def test_page_of_a_mapping_without_a_target(plain: Plain, language: str, said: list[str]) -> None:
    text = _text(plain(language).html(f"mappings/{COMPOSED}"))
    assert [words for words in said if words not in text] == []


def test_recipe_stands_whole_on_the_evidence_page(plain: Plain) -> None:
    text = _text(plain("en").html(f"evidence/{COMPOSED}"))
    for words in ("mint.distributed.barrier() # the whole script", "rank 0: came by"):
        assert words in text


def test_indexes_have_a_section_for_each_category(plain: Plain) -> None:
    built = plain("en")
    html = built.html("glance")
    assert [one for one in _ids(html) if one.startswith("category-")] == ["category-collective", "category-debug"]
    assert f'href="mappings/{COMPOSED}.html"' in html
    assert "apidiff-answer-composed" in html
    assert "It may hang." in _text(built.html("risks"))


# language, what the page from MindSpore to PyTorch says
FROM_MINDSPORE = [
    (
        "en",
        [
            f"{NEW} {SOURCE} ≥ 2.9 recommended",
            f"{OLD} {SOURCE} 2.4 – 2.8 recommended · ≥ 2.9 deprecated",
            f"{USED} {COMPOSED} ≥ 2.8 composed",
            f"{UNMATCHED} No PyTorch API corresponds to it. It names a communicator. Nearest: {COMPOSED}"
            " Stated by: A page",
            f"{UNNAMED} No record names it.",
        ],
    ),
    ("zh_CN", [f"{UNMATCHED} 没有与之对应的 PyTorch API。返回通信域名称。", f"{USED} {COMPOSED} ≥ 2.8 组合实现"]),
]


@pytest.mark.parametrize(("language", "said"), FROM_MINDSPORE)
def test_page_from_mindspore_to_pytorch(plain: Plain, language: str, said: list[str]) -> None:
    built = plain(language)
    text = _text(built.html("counterparts"))
    assert [words for words in said if words not in text] == []
    assert f'href="mappings/{SOURCE}.html#{NEW}"' in built.html("counterparts")
    assert built.domain.find("api", UNMATCHED) == ("counterparts", UNMATCHED)
    assert built.domain.find("api", NEW) == (f"mappings/{SOURCE}", NEW)


LINES = [
    ("zh_CN", "第一行，\n第二行", "第一行，第二行"),
    ("zh_CN", "用 MindSpore\n时", "用 MindSpore\n时"),
    ("en", "一\n二", "一\n二"),
]


@pytest.mark.parametrize(("language", "text", "expected"), LINES)
def test_lines_of_chinese_join_without_a_space(make_site: MakeSite, language: str, text: str, expected: str) -> None:
    site = make_site("lines", language)
    (site.src / "notes.md").write_text(f"# Notes\n\n{text}\n", "utf-8")
    assert f"<p>{expected}</p>" in site.build().html("notes")


OFFICIAL = {
    "en": ("PyTorch documentation", "MindSpore documentation", "https://www.mindspore.cn/docs/en/r2.10.0/reduce.html"),
    "zh_CN": ("PyTorch 文档", "MindSpore 文档", "https://www.mindspore.cn/docs/zh-CN/r2.10.0/reduce.html"),
}


def test_words_in_place_of_a_name_are_no_code(make_site: MakeSite) -> None:
    site = make_site()
    goal = "torch.distributed.reduce"
    (site.src / "notes.md").write_text(
        f"# Notes\n\n{{apidiff:mapping}}`the page <{goal}>`, {{apidiff:mapping}}`{goal}`\n"
    )
    named, plain = re.findall(r"<a [^>]*torch\.distributed\.reduce\.html[^>]*>(.*?)</a>", site.build().html("notes"))
    assert "<code" not in named
    assert re.sub("<[^>]*>", "", named) == "the page"
    assert "<code" in plain


@pytest.mark.parametrize("language", OFFICIAL)
def test_official_documentation_stands_beside_each_signature(make_site: MakeSite, language: str) -> None:
    torch, mindspore, address = OFFICIAL[language]
    site = make_site("official-links", language)
    entry = site.content.entries[SOURCE]
    torch_page = "https://docs.pytorch.org/docs/2.13/distributed.html"
    official = {SOURCE: Text(en=torch_page, zh=torch_page), NEW: Text(en=OFFICIAL["en"][2], zh=OFFICIAL["zh_CN"][2])}
    site.content.entries[SOURCE] = msgspec.structs.replace(entry, official=official)
    html = site.build().html(PAGE)
    signatures = html[html.index(f'id="{NEW}--signatures"') :]
    assert signatures.index(torch) < signatures.index(mindspore) < signatures.index(f'id="{OLD}"')
    assert f'href="{address}"' in signatures


@pytest.mark.parametrize("role", ["api", "mapping", "claim", "run"])
def test_a_role_that_is_told_to_lead_nowhere(make_site: MakeSite, role: str) -> None:
    """By the exclamation mark that all references of Sphinx know."""
    site = make_site()
    (site.src / "notes.md").write_text(f"# Notes\n\nSee {{apidiff:{role}}}`!no.such.name`.\n\n(twin)=\n## Twin\n")
    built = site.build()
    assert built.warnings == ""
    assert re.search(
        r'<p>See <code class="[^"]*"><span class="pre">no.such.name</span></code>\.</p>', built.html("notes")
    )
