"""Porting a snippet: what is found in code, and what is said of it, through the page in a real browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from accessible import violations
from playwright.sync_api import Browser, Page, expect
from snippets import ANSWERS, CASES, DIST, D
from test_site_in_browser import LANGUAGES, PHONE, WIDE
from watched import Faults, Visit

SAMPLE = (
    "from torch.distributed import *\n"
    + DIST
    + "f = dist.all_reduce\nf(x, group=g)\ndist.monitored_barrier()\ndist.nope()\n"
)


def open_port(visit: Visit, language: str) -> Page:
    page = visit.open(f"{language}/port.html")
    page.locator(".apidiff-port-box").first.focus()
    return page


def put(page: Page, code: str) -> None:
    """Put code into the box, as pasting does, and wait until it is shown."""
    script = "(box, code) => { box.focus(); box.value = code; box.dispatchEvent(new Event('input', {bubbles: true})) }"
    page.locator("#apidiff-port-code").evaluate(script, code)
    page.wait_for_function(
        "code => document.querySelector('.apidiff-port-source')?.textContent === code", arg=code.replace("\r\n", "\n")
    )


def finds(page: Page) -> list[tuple[str, str]]:
    """The finds listed, as in `CASES`; a name that the database lacks starts with a question mark."""
    script = """() => [...document.querySelectorAll("details[data-number]")].map((one) =>
      [one.dataset.place, (one.querySelector(".apidiff-badge.apidiff-risk-unknown") ? "?" : "") + one.dataset.api])"""
    return [(place, api.removeprefix(D)) for place, api in page.evaluate(script)]


def choose(page: Page, torch: str, mindspore: str) -> None:
    """What the chooser of versions tells the page."""
    script = """pair => document.dispatchEvent(new CustomEvent("apidiff-versions", {detail: pair}))"""
    page.evaluate(script, {"torch": torch, "mindspore": mindspore})


@pytest.mark.parametrize("visit", [{**PHONE, "color_scheme": "dark"}], indirect=True)
def test_finds_in_code(visit: Visit) -> None:
    page = open_port(visit, "zh-cn")
    wrong = {}
    for name, code, expected in CASES:
        put(page, code)
        found = finds(page)
        marks = page.locator(".apidiff-port-mark").count()
        if found != expected or marks != len(expected):
            wrong[name] = {"found": found, "expected": expected, "marks": marks}
    assert wrong == {}
    for size in (PHONE, WIDE):
        page.set_viewport_size(size["viewport"])
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_answers_follow_the_versions(visit: Visit) -> None:
    page = open_port(visit, "en")
    for code, torch, mindspore, target, goal, risk in ANSWERS:
        put(page, code)
        choose(page, torch, mindspore)
        expect(page.locator(".apidiff-port-versions")).to_have_text(f"PyTorch {torch} → MindSpore {mindspore}")
        find = page.locator("details[data-number]").last
        for text in (target, goal):
            if text is not None:
                expect(find.locator(".apidiff-port-goal")).to_contain_text(text)
        if risk is not None:
            assert find.get_attribute("data-risk") == risk, code
    put(page, DIST + "dist.all_gather_single(x, y)")
    choose(page, "2.13.0", "2.10.0")
    assert "no such API" not in page.locator(".apidiff-port-finds").inner_text()
    choose(page, "2.1.0", "2.10.0")
    expect(page.locator(".apidiff-port-finds")).to_contain_text("The source of PyTorch 2.1.0 has no such API.")
    put(page, DIST + "dist.ReduceOp.AVG\ndist.ReduceOp.NOSUCH")
    choose(page, "1.13.0", "2.10.0")
    expect(page.locator(".apidiff-port-finds")).to_contain_text("PyTorch 1.13.0 has no such member.")
    expect(page.locator(".apidiff-port-names")).to_have_text("Not in the database: torch.distributed.ReduceOp.NOSUCH")


# A call of reduce, what stands first, and what is named as not passed.
PASSED = [
    ("dist.reduce(x, 0)", {"dst"}, {"async_op", "group", "group_dst", "op"}),
    ("dist.reduce(x, dst=0, group=g)", {"dst", "group"}, {"async_op", "group_dst", "op"}),
    ("dist.reduce(x, 0, dist.ReduceOp.SUM, g, True)", {"async_op", "dst", "group", "op"}, {"group_dst"}),
    ("dist.reduce(x, group_dst=0)", {"group_dst"}, {"async_op", "group", "op"}),
    ("dist.reduce(*args)", set(), set()),
    ("f = dist.reduce", set(), set()),
]
NAMES = """([head, tail]) => {
  const lid = document.querySelector("details[data-number]");
  const found = {first: [], apart: []};
  let part = "";
  for (const one of lid.children) {
    if (one.matches(".apidiff-port-heading")) part = one.textContent === head ? "first" : "";
    const names = (from) => [...from.querySelectorAll(":scope > p:first-child code")].map((code) => code.textContent);
    if (part === "first" && one.matches(".apidiff-difference")) found.first.push(...names(one));
    if (one.matches("details") && one.querySelector("summary").textContent.startsWith(tail))
      for (const inner of one.querySelectorAll(".apidiff-difference")) found.apart.push(...names(inner));
  }
  return found;
}"""


def test_differences_about_what_is_passed_stand_first(visit: Visit) -> None:
    page = open_port(visit, "en")
    for call, first, apart in PASSED:
        put(page, DIST + call)
        found = page.evaluate(NAMES, ["About what is passed here", "About parameters that are not passed"])
        assert set(found["first"]) <= first | apart, (call, found)
        assert set(found["apart"]) <= apart, (call, found)
        assert not apart or found["apart"], call
        assert bool(found["first"]) <= bool(first), call
    put(page, DIST + "dist.reduce(x, 0, op=o)")
    assert "op" in page.evaluate(NAMES, ["About what is passed here", "About parameters that are not passed"])["first"]
    put(page, DIST + "dist.reduce(x, 0)")
    choose(page, "2.1.0", "2.10.0")  # older than group_dst
    found = page.evaluate(NAMES, ["About what is passed here", "About parameters that are not passed"])
    assert found["apart"]
    assert "group_dst" not in found["apart"]


NOTES = [
    (
        "from torch.distributed import *\nbarrier()",
        "Line 1: the star import is assumed to bind every name of torch.distributed",
    ),
    ("from helpers import *\n" + DIST + "dist.barrier()", "Line 1: the star import from helpers"),
    ("x = 1\ndist.barrier()", "Line 2: dist is bound nowhere in this code and is taken for torch.distributed."),
    (DIST + "dist.barrier(", "Not all of this is valid Python (places: 1, the first on line 2)"),
    (DIST + "dist.barrier()\nx = " + "(" * 3000, "nested so deeply"),
]


def test_what_is_assumed_is_said(visit: Visit) -> None:
    page = open_port(visit, "en")
    for code, note in NOTES:
        put(page, code)
        expect(page.locator(".apidiff-port-notes")).to_contain_text(note)
    put(page, DIST + "dist.barrier()")
    expect(page.locator(".apidiff-port-notes")).to_be_hidden()


HOSTILE = (
    DIST
    + """x = "</script><img src=x onerror=alert(1)>"; dist.all_reduce("<b>")
dist.__proto__.constructor; dist['</textarea><script>document.title=1</script>'](1)
dist.constructor("${alert(1)}"); constructor(1); toString(); __proto__.x()
"""
)
NOT_THERE = ["?torch.distributed.__proto__.constructor", "?torch.distributed.constructor"]


def test_hostile_code_is_text(visit: Visit) -> None:
    page = open_port(visit, "zh-cn")
    title = page.title()
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    put(page, HOSTILE)
    assert page.locator("apidiff-port :is(img, script, b)").count() == 0
    assert [api for _, api in finds(page)] == ["all_reduce", *NOT_THERE]
    assert (page.title(), dialogs) == (title, [])


def test_nothing_is_loaded_before_the_box_is_used(visit: Visit) -> None:
    asked: list[str] = []
    visit.page.on("request", lambda request: asked.append(request.url))
    page = visit.open("en/port.html")
    page.wait_for_load_state("networkidle")
    late = re.compile(r"port-parser|_port/")
    assert [url for url in asked if late.search(url)] == []
    page.locator("#apidiff-port-code").click()
    page.wait_for_load_state("networkidle")
    assert len([url for url in asked if late.search(url)]) == 2
    put(page, SAMPLE)
    assert "all_reduce" not in page.url
    posted = [url for url in asked if "all_reduce" in url]
    assert posted == []
    assert page.evaluate("JSON.stringify(localStorage)").count("all_reduce") == 0


@pytest.mark.parametrize("path", ["counterparts.html", "mappings.html"])
def test_other_pages_lead_there_and_do_not_load_it(visit: Visit, path: str) -> None:
    asked: list[str] = []
    visit.page.on("request", lambda request: asked.append(request.url))
    page = visit.open(f"zh-cn/{path}")
    page.wait_for_load_state("networkidle")
    assert [url for url in asked if "elements/port" in url] == []
    page.locator("header").get_by_role("link", name="移植代码片段").first.click()
    page.wait_for_url("**/zh-cn/port.html")


def test_from_a_folder(browser: Browser, site: Path) -> None:
    page = browser.new_page()
    faults = Faults(site.as_uri())
    faults.watch(page)
    page.goto((site / "zh-cn" / "port.html").as_uri())
    put(page, DIST + "dist.all_reduce(x)")
    assert finds(page) == [("2:1", "all_reduce")]
    page.locator(".apidiff-port-page").click()
    page.wait_for_url("**/mappings/torch.distributed.all_reduce.html?*")
    assert faults.found == []
    page.close()


def test_link_keeps_the_versions_and_the_code_is_there_on_return(visit: Visit) -> None:
    page = open_port(visit, "en")
    put(page, SAMPLE)
    choose(page, "2.6.0", "2.4.0")
    page.locator(".apidiff-port-page").last.click()
    page.wait_for_url("**/mappings/torch.distributed.monitored_barrier.html?torch=2.6.0&mindspore=2.4.0")
    page.go_back()
    expect(page.locator("#apidiff-port-code")).to_have_value(SAMPLE)
    expect(page.locator("details[data-number]").first).to_be_visible()
    page.locator("button[data-act=clear]").click()
    expect(page.locator(".apidiff-port-result")).to_be_hidden()
    page.reload()
    expect(page.locator("#apidiff-port-code")).to_have_value("")


def test_code_and_list_lead_to_each_other(visit: Visit) -> None:
    page = open_port(visit, "en")
    put(page, DIST + "\n" * 80 + "dist.barrier()\n" + "dist.get_rank()\n" * 14)
    lid = page.locator("#port-find-3")
    expect(lid).not_to_have_attribute("open", "")
    address = page.url
    page.locator("#port-mark-3").click()
    expect(lid).to_have_attribute("open", "")
    expect(lid.locator("summary").first).to_be_focused()
    lid.locator("a[data-mark]").press("Enter")
    expect(page.locator("#port-mark-3")).to_be_focused()
    expect(page.locator("#port-mark-3")).to_have_attribute("aria-current", "true")
    page.locator("#port-find-1 > summary").press("Enter")
    expect(page.locator("#port-find-1")).to_have_attribute("open", "")
    expect(page.locator("#port-mark-1")).to_be_in_viewport()
    assert page.url == address


REPORTS = {
    "en": ["# Porting report", "PyTorch 2.13.0 → MindSpore 2.10.0", "not in the database: 1", "Line 4, column 1: `f`"],
    "zh-cn": ["# 移植报告", "由 PyTorch 2.13.0 到 MindSpore 2.10.0", "未收录：1 个", "第 4 行第 1 列：`f`"],
}


@pytest.mark.parametrize("visit", [{"permissions": ["clipboard-read", "clipboard-write"]}], indirect=True)
@pytest.mark.parametrize("language", LANGUAGES)
def test_report_is_copied(visit: Visit, language: str) -> None:
    page = open_port(visit, language)
    put(page, SAMPLE + "dist.reduce  (\n'`<b>`')\n")
    page.locator("button[data-act=copy]").click()
    expect(page.locator(".apidiff-port-copied")).not_to_be_empty()
    text = page.evaluate("navigator.clipboard.readText()")
    assert [part for part in REPORTS[language] if part not in text] == []
    assert "→ `mindspore.mint.distributed.all_reduce`" in text


def test_report_can_be_copied_by_hand(visit: Visit) -> None:
    page = open_port(visit, "en")
    put(page, SAMPLE)
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')) }")
    page.locator("button[data-act=copy]").click()
    shown = page.get_by_label("Porting report")
    expect(shown).to_be_visible()
    assert shown.input_value().startswith("# Porting report")


@pytest.mark.parametrize("visit", [{"java_script_enabled": False}], indirect=True)
@pytest.mark.parametrize(("language", "words"), [("en", "needs JavaScript"), ("zh-cn", "需要 JavaScript")])
def test_without_script_the_page_says_what_to_do(visit: Visit, language: str, words: str) -> None:
    page = visit.open(f"{language}/port.html")
    expect(page.locator("apidiff-port")).to_contain_text(words)
    expect(page.locator("apidiff-port")).to_contain_text("apidiff lookup")
    page.locator("apidiff-port a").click()
    page.wait_for_url(f"**/{language}/mappings.html")


def test_failed_load_is_told_and_tried_again(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.route("**/port-parser.js*", lambda route: route.abort())
    page.goto(address + "en/port.html")
    page.locator("#apidiff-port-code").focus()
    expect(page.locator(".apidiff-port-says")).to_contain_text("could not be loaded")
    page.unroute("**/port-parser.js*")
    put(page, DIST + "dist.barrier()")
    assert finds(page) == [("2:1", "barrier")]
    page.close()


NOT_ANALYSED = {"en": "This code could not be analysed.", "zh-cn": "无法分析这段代码。"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_failed_analysis_is_told_and_nothing_is_left_of_the_code_before(
    browser: Browser, address: str, language: str
) -> None:
    page = browser.new_page()
    page.goto(f"{address}{language}/port.html")
    page.locator("#apidiff-port-code").focus()
    put(page, SAMPLE)
    page.evaluate(
        "() => { window.sort = Array.prototype.sort; Array.prototype.sort = () => { throw new RangeError() } }"
    )
    page.locator("#apidiff-port-code").fill("dist.barrier()")
    expect(page.locator(".apidiff-port-summary")).to_contain_text(NOT_ANALYSED[language])
    choose(page, "2.1.0", "2.10.0")
    expect(page.locator(".apidiff-port-summary")).to_contain_text(NOT_ANALYSED[language])
    assert (finds(page), page.locator(".apidiff-port-source").count()) == ([], 0)
    expect(page.locator("button[data-act=copy]")).to_be_hidden()
    expect(page.locator(".apidiff-port-notes")).to_be_hidden()
    page.evaluate("() => { Array.prototype.sort = window.sort }")
    put(page, DIST + "dist.barrier()")
    assert finds(page) == [("2:1", "barrier")]
    expect(page.locator("button[data-act=copy]")).to_be_visible()
    page.close()


def test_code_with_a_very_long_list(visit: Visit) -> None:
    page = open_port(visit, "en")
    put(page, "import torch\ntorch.zzz(1)\n")
    put(page, "x = [" + "1," * 150_000 + "]\n")
    expect(page.locator(".apidiff-port-counts")).to_contain_text("No API that this database speaks of is used here")
    assert finds(page) == []


FUNCTION = """def step_{n}(model, group=None):
    for parameter in model.parameters():
        x = parameter.grad.view(-1)[1:3] + scale(a=1, b=[y for y in z if y], c={{"k": "v"}})
        if x is None and total > 3:
            continue
        work = dist.all_reduce(x, op=dist.ReduceOp.SUM, group=group, async_op=True)
        work.wait()
    total = f"{{total:.3f}} {{dist.get_rank()}}"
    text = '''dist.barrier()'''
    return total
"""


@pytest.mark.parametrize(
    "code", ["torch.add(" * 3000, "torch.nn.Sequential(" * 3000 + "1" + ")" * 3000], ids=["open", "closed"]
)
def test_the_first_code_may_be_nested_deeply(visit: Visit, code: str) -> None:
    """A script that was not called before takes most of the stack."""
    page = open_port(visit, "en")
    put(page, f"import torch\n{code}")
    expect(page.locator("apidiff-port")).to_contain_text("its inner part was left out")


def test_very_long_code(visit: Visit) -> None:
    page = open_port(visit, "en")
    put(page, DIST + "dist.barrier()")
    code = DIST + "".join(FUNCTION.format(n=number) for number in range(1000))
    put(page, code)
    expect(page.locator(".apidiff-port-counts")).to_contain_text("Places: 3000, known APIs: 3")
    assert page.locator(".apidiff-port-mark").count() == 3000
    assert page.locator("details[data-number]").count() < 3000
    page.locator("#port-mark-2999").dispatch_event("click")
    expect(page.locator("#port-find-2999")).to_have_attribute("open", "")


@pytest.mark.parametrize(
    ("visit", "language"),
    [({"color_scheme": "light", **WIDE}, "en"), ({"color_scheme": "dark", **PHONE}, "zh-cn")],
    indirect=["visit"],
    ids=["en-desk-light", "zh-phone-dark"],
)
def test_accessibility(visit: Visit, language: str) -> None:
    page = open_port(visit, language)
    put(page, SAMPLE + "dist.barrier(")
    page.locator("button[data-act=copy]").focus()
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    page.locator("#port-mark-1").click()
    assert violations(page) == []


def test_summary_counts_and_names_what_is_unknown(visit: Visit) -> None:
    page = open_port(visit, "zh-cn")
    put(page, SAMPLE)
    expect(page.locator(".apidiff-port-names")).to_have_text("未收录的名称：torch.distributed.nope")
    counts = page.locator(".apidiff-port-counts").inner_text()
    places = [int(number) for number in re.findall(r"：(\d+) 处", counts)]
    assert sum(places) == len([api for _, api in finds(page) if not api.startswith("?")])


def test_sample_shows_something(visit: Visit) -> None:
    page = visit.open("zh-cn/port.html")
    page.locator("button[data-act=sample]").click()
    expect(page.locator("details[data-number]").first).to_be_visible()
    assert {"all_reduce", "ReduceOp", "init_process_group"} <= {api for _, api in finds(page)}
