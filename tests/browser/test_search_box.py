"""Searching: the box on every page and the search page, served and from files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from accessible import violations
from playwright.sync_api import Browser, Page, expect
from test_site_in_browser import LANGUAGES, PHONE, WIDE
from watched import Visit

REDUCE = "mappings/torch.distributed.reduce.html"
HINT = {"en": "Search APIs and behaviour", "zh-cn": "搜索 API 与行为"}


# The index is read and built when the box is first used, on a machine that may be busy with other tests.


def _box(page: Page) -> None:
    page.keyboard.press("/")
    expect(page.locator("apidiff-search input:visible")).to_be_focused()


def _type(page: Page, words: str) -> None:
    _box(page)
    page.keyboard.insert_text(words)
    expect(page.locator("[role=option]:visible").first).to_be_visible()


# What is typed, and the name of the first result, in both languages; None: any, but some.
RANKED = [
    ("torch.distributed.reduce", "torch.distributed.reduce"),
    ("dist.reduce", "torch.distributed.reduce"),
    ("reduce", "torch.distributed.reduce"),
    ("all_reduce", "torch.distributed.all_reduce"),
    ("all_redcue", "torch.distributed.all_reduce"),
    ("torch.distributed.all_gathr", "torch.distributed.all_gather"),
    ("reduce_scater", "torch.distributed.reduce_scatter"),
    ("redcue", "torch.distributed.reduce"),
    ("AllGather", "mindspore.ops.AllGather"),
    ("allgather", "mindspore.ops.AllGather"),
    ("mindspore.mint.distributed.all_reduce", "mindspore.mint.distributed.all_reduce"),
    ("ms.ops.AllReduce", "mindspore.ops.AllReduce"),
    ("barrier", "torch.distributed.barrier"),
    ("all_red", "torch.distributed.all_reduce"),
    ("group_dst", None),
    ("apidiff.lookup", "apidiff.lookup"),
]
CHINESE = [
    ("规约操作", "规约操作"),
    ("规约", "规约"),
    ("原地修改", "原地修改"),
    ("昇腾", None),
    ("约", "约"),
    ("冗余规约", "规约"),
]
ENGLISH = [("overwritten", None), ("in place", "place"), ("gloo ascend", None)]


def _ask(page: Page, words: str) -> dict[str, object]:
    """The first answers of the engine of this page."""
    script = """async (words) => {
      window.engine ??= new window.apidiffSearchEngine(window.apidiffSearch);
      await window.engine.ready;
      const { total, show } = window.engine.ask(words);
      return { total, found: show(0, 10).map(({ entry, name, line }) => ({
        name: entry.name, kind: entry.kind,
        marked: [name, line].flatMap(({ text, marks }) => marks.map(([from, to]) => text.slice(from, to))),
      })) };
    }"""
    found: dict[str, object] = page.evaluate(script, words)
    return found


def _loaded(page: Page) -> None:
    """Wait for the engine and the index. The site's policy forbids what ``wait_for_function`` does."""
    page.evaluate("""async () => {
      while (!(window.apidiffSearchEngine && window.apidiffSearch)) await new Promise((go) => setTimeout(go, 50));
    }""")


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_rank_first_and_words_are_found(visit: Visit, language: str) -> None:
    page = visit.open(f"{language}/index.html")
    _box(page)
    _loaded(page)
    wrong = []
    for words, first in RANKED:
        found = _ask(page, words)["found"]
        if not found or (first and found[0]["name"] != first):
            wrong.append((words, first, [one["name"] for one in found[:3]]))
    for words, marked in CHINESE if language == "zh-cn" else ENGLISH:
        found = _ask(page, words)["found"]
        if not found or (marked and not any(marked in one["marked"] for one in found)):
            wrong.append((words, marked, found[:2]))
    assert wrong == []
    assert _ask(page, "qqzzxxqqzz")["total"] == 0


def test_a_lone_character_on_a_page_breaks_no_word(visit: Visit) -> None:
    page = visit.open("zh-cn/index.html")
    _box(page)
    _loaded(page)
    before = _ask(page, "规约")
    page.evaluate("""() => {
      window.apidiffSearch.entries.push({ kind: "page", name: "约", address: "x.html", text: "约" });
      window.engine = undefined;
    }""")
    assert _ask(page, "规约") == before
    assert "约" in [one["name"] for one in _ask(page, "约")["found"]]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("visit", "language", "words"), [(WIDE, "en", "reduce"), (PHONE, "zh-cn", "规约操作")], indirect=["visit"]
)
def test_the_box_answers_while_one_types(visit: Visit, language: str, words: str) -> None:
    page = visit.open(f"{language}/{REDUCE}")
    assert page.evaluate("window.apidiffSearch") is None, "the index is loaded before anybody searches"
    field = page.get_by_role("combobox", name=HINT[language])
    expect(field).to_have_count(1)
    field.click()
    page.keyboard.insert_text(words)
    options = page.locator("[role=option]:visible")
    expect(options.first).to_be_visible()
    expect(field).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_role("listbox")).to_have_id(field.get_attribute("aria-controls") or "")
    expect(options.first.locator(".apidiff-badge, mark").first).to_be_visible()
    box = page.locator(".apidiff-search-popup:visible").bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= page.viewport_size["width"]  # type: ignore[index]
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.keyboard.press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    expect(field).to_have_attribute("aria-activedescendant", options.first.get_attribute("id") or "")
    page.keyboard.press("ArrowUp")
    expect(field).not_to_have_attribute("aria-activedescendant", re.compile(".*"))
    page.keyboard.press("ArrowUp")
    expect(options.last).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(options).to_have_count(0)
    expect(field).to_have_value(words)
    page.keyboard.press("ArrowDown")
    goal = options.first.get_attribute("href") or ""
    page.keyboard.press("Enter")
    page.wait_for_url(goal)


# An engine that has indexed everything only when the test says so.
HELD = """
let engine;
Object.defineProperty(window, "apidiffSearchEngine", {
  set: (found) => { engine = found; },
  get: () => engine && class extends engine {
    constructor(data) {
      super(data);
      const whole = this.ready;
      this.ready = new Promise((go) => { window.finishIndexing = () => whole.then(go); });
    }
  },
});
"""


def test_a_list_closed_while_the_index_is_made_stays_closed(visit: Visit) -> None:
    visit.page.add_init_script(HELD)
    page = visit.open(f"en/{REDUCE}")
    _type(page, "reduce")
    page.keyboard.press("Escape")
    options = page.locator("[role=option]:visible")
    expect(options).to_have_count(0)
    page.evaluate("async () => { await window.finishIndexing(); await new Promise((go) => setTimeout(go)); }")
    assert options.count() == 0


def test_slash_is_a_character_where_one_writes(visit: Visit) -> None:
    page = visit.open("en/mappings.html")
    field = page.get_by_label("Name or target")
    field.press("/")
    expect(field).to_have_value("/")
    expect(field).to_be_focused()


def test_the_box_waits_for_an_input_method(visit: Visit) -> None:
    """While pinyin is being composed, the letters in the field are not yet what is searched for."""
    page = visit.open("zh-cn/index.html")
    _box(page)
    session = visit.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": "gui'yue", "selectionStart": 7, "selectionEnd": 7})
    _loaded(page)
    expect(page.locator("[role=option]:visible")).to_have_count(0)
    session.send("Input.insertText", {"text": "规约"})
    expect(page.locator("[role=option]:visible").first).to_be_visible()


def test_groups_are_named(visit: Visit) -> None:
    page = visit.open("zh-cn/index.html")
    _type(page, "all_reduce")
    listbox = page.get_by_role("listbox")
    expect(listbox.get_by_role("group", name="PyTorch API").get_by_role("option").first).to_contain_text("all_reduce")
    expect(listbox.get_by_role("group", name="MindSpore API").get_by_role("option").first).to_contain_text("mindspore")


@pytest.mark.parametrize(("language", "words"), [("en", "overwritten tensor"), ("zh-cn", "规约操作")])
def test_enter_leads_to_every_result(visit: Visit, language: str, words: str) -> None:
    page = visit.open(f"{language}/index.html")
    _type(page, words)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{language}/search.html?q=*")
    results = page.locator(".apidiff-results li")
    expect(results.first).to_be_visible()
    field = page.locator("apidiff-search-page input")
    expect(field).to_have_value(words)
    expect(page.locator("apidiff-search-page").get_by_role("status")).to_contain_text(str(results.count()))
    field.fill("reduce_scatter")
    expect(results.first).to_contain_text("torch.distributed.reduce_scatter")
    assert page.url.endswith("search.html?q=reduce_scatter")
    page.reload()
    expect(results.first).to_contain_text("torch.distributed.reduce_scatter")
    results.first.locator("a").click()
    page.wait_for_url(f"**/{language}/mappings/torch.distributed.reduce_scatter.html")
    page.go_back()
    expect(results.first).to_contain_text("torch.distributed.reduce_scatter")


def test_many_results_come_in_steps(visit: Visit) -> None:
    page = visit.open("en/search.html?q=torch")
    results = page.locator(".apidiff-results li")
    expect(results).to_have_count(40)
    page.get_by_role("button", name="Show more").click()
    expect(results).to_have_count(80)
    expect(results.nth(40).locator("a")).to_be_focused()


def test_nothing_found_says_so(visit: Visit) -> None:
    page = visit.open("zh-cn/search.html?q=qqzzxxqqzz")
    expect(page.locator("apidiff-search-page").get_by_role("status")).to_have_text("没有找到与“qqzzxxqqzz”相关的内容。")


@pytest.mark.parametrize("visit", [{"java_script_enabled": False}], indirect=True)
@pytest.mark.parametrize(("language", "words"), [("en", "needs JavaScript"), ("zh-cn", "需要 JavaScript")])
def test_without_script_the_box_leads_to_a_page_that_says_what_to_do(visit: Visit, language: str, words: str) -> None:
    page = visit.open(f"{language}/{REDUCE}")
    field = page.locator("apidiff-search input:visible")
    field.fill("reduce")
    field.press("Enter")
    page.wait_for_url(f"**/{language}/search.html?q=reduce")
    expect(page.locator("article")).to_contain_text(words)
    page.locator("article a[href='mappings.html']").click()
    page.wait_for_url(f"**/{language}/mappings.html")


@pytest.mark.parametrize(("language", "words"), [("en", "dist.reduce"), ("zh-cn", "规约操作")])
def test_it_works_from_a_file(browser: Browser, site: Path, language: str, words: str) -> None:
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
    page.goto((site / language / "risks.html").as_uri())
    _type(page, words)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(f"file://**/{language}/mappings/*")
    page.goto((site / language / "search.html").as_uri() + f"?q={words}")
    expect(page.locator(".apidiff-results li").first).to_be_visible()
    page.close()
    assert errors == []


def test_a_failed_load_says_so_and_is_tried_again(visit: Visit) -> None:
    visit.page.route("**/_search/index.js", lambda route: route.abort())
    page = visit.open("en/index.html")
    _box(page)
    status = page.locator("apidiff-search:has(input:focus)").get_by_role("status")
    expect(status).to_have_text("The index could not be loaded.")
    page.unroute("**/_search/index.js")
    visit.faults.found.clear()
    page.keyboard.press("Tab")
    _type(page, "reduce")


@pytest.mark.parametrize(
    ("visit", "language", "words"),
    [({"color_scheme": "light", **WIDE}, "en", "all_reduce"), ({"color_scheme": "dark", **WIDE}, "zh-cn", "规约")],
    indirect=["visit"],
)
def test_the_open_list_is_accessible(visit: Visit, language: str, words: str) -> None:
    page = visit.open(f"{language}/index.html")
    _type(page, words)
    page.keyboard.press("ArrowDown")
    assert violations(page) == []
    page.locator(".apidiff-search-popup:visible").evaluate(
        "one => one.querySelector('[role=listbox]').removeAttribute('aria-label')"
    )
    page.locator("[role=combobox]:visible").evaluate("one => one.setAttribute('aria-expanded', 'perhaps')")
    assert "aria-valid-attr-value" in [name for name, _ in violations(page)]
