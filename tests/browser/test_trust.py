"""From a verdict to its evidence, commands that can be copied, the page of coverage, the way to a correction."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from watched import Visit

REDUCE = "evidence/torch.distributed.reduce.html"
CLAIM = "torch.distributed.reduce--others-keep-tensor"
LANGUAGES = ["en", "zh-cn"]
DESK = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 360, "height": 780}, "has_touch": True, "is_mobile": True}


def _fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


@pytest.mark.parametrize(
    ("visit", "language", "every", "repeat"),
    [(DESK, "en", "every rank", "Repeat its runs"), (PHONE, "zh-cn", "所有 rank", "如何复现")],
    indirect=["visit"],
    ids=["desk-en", "phone-zh"],
)
def test_a_verdict_opens_its_evidence(visit: Visit, language: str, every: str, repeat: str) -> None:
    page = visit.open(f"{language}/{REDUCE}#{CLAIM}")
    claim = page.locator(f"[id='{CLAIM}']")
    claim.locator("tr", has=page.locator(".apidiff-outcome-refuted")).get_by_role("link", name="3").first.click()
    page.wait_for_url(f"**/{language}/evidence/torch-2.13.0/gloo-cpu/torch.distributed.reduce.html#*--3")
    trial = page.locator(f"[id='{page.url.rpartition('#')[2]}']")
    expect(trial).to_be_in_viewport()
    table = trial.locator("table").first
    expect(table).to_contain_text("rank 1")
    expect(table.locator("tbody").first.locator("mark").first).to_be_visible()
    expect(table).to_contain_text(every)
    assert _fits(page)
    # The command that repeats it, the run's environment, the file.
    expect(page.get_by_role("heading", name=repeat)).to_be_visible()
    command = "apidiff verify torch.distributed.reduce --backend gloo --world-size"
    expect(page.locator("#repeat pre")).to_contain_text(command)
    raw = page.locator("#runs a[href$='.json']").last
    assert page.request.get(page.evaluate("(link) => link.href", raw.element_handle())).json()["probes"]
    # And back: the verdicts that rest on it name their claims.
    back = trial.get_by_role("link", name="others-keep-tensor")
    back.click()
    page.wait_for_url(f"**/{language}/{REDUCE}#{CLAIM}")
    expect(claim.locator("details").first).to_have_attribute("open", "")


def test_address_of_a_probe_as_it_was_leads_on(visit: Visit) -> None:
    run = visit.open("en/runs.html").locator("article a[href^='runs/torch-2.13.0/gloo']").first.get_attribute("href")
    page = visit.open(f"en/{run}#torch.distributed.reduce--sync")
    row = page.locator("[id='torch.distributed.reduce--sync']")
    expect(row).to_be_in_viewport()
    row.get_by_role("link").click()
    page.wait_for_url("**/evidence/torch-2.13.0/gloo-cpu/torch.distributed.reduce.html#sync--*")


@pytest.mark.parametrize(
    "visit", [{**PHONE, "permissions": ["clipboard-read", "clipboard-write"]}], indirect=True, ids=["phone"]
)
@pytest.mark.parametrize(
    ("language", "name", "done"), [("en", "Copy to clipboard", "Copied!"), ("zh-cn", "复制到剪贴板", "复制成功!")]
)
def test_a_command_is_copied_by_keyboard_and_by_finger(visit: Visit, language: str, name: str, done: str) -> None:
    page = visit.open(f"{language}/{REDUCE}#repeat")
    buttons = page.locator("#repeat button.copybtn")
    expect(buttons.first).to_have_accessible_name(name)
    expect(buttons.first).to_be_visible()
    expect(buttons.first).to_have_css("opacity", "1")
    box = buttons.first.bounding_box()
    assert box
    assert min(box["width"], box["height"]) >= 24
    buttons.first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("[role=status]", has_text=done)).to_be_attached()
    assert page.evaluate("navigator.clipboard.readText()") == "apidiff verify torch.distributed.reduce"
    buttons.nth(2).tap()
    expect(buttons.nth(2)).to_have_attribute("data-tooltip", done)
    assert re.fullmatch(
        r"apidiff verify torch\.distributed\.reduce --backend gloo --world-size [\d,]+",
        page.evaluate("navigator.clipboard.readText()"),
    )


def test_a_copy_button_shows_itself_to_the_keyboard(visit: Visit) -> None:
    page = visit.open(f"en/{REDUCE}#repeat")
    button = page.locator("#repeat button.copybtn").first
    expect(button).to_have_css("opacity", "0")
    button.focus()
    expect(button).to_have_css("opacity", "1")


@pytest.mark.parametrize(
    ("visit", "language", "never", "ago"),
    [(PHONE, "en", "Never run here", r"\d|day|today"), (DESK, "zh-cn", "本项目从未运行", r"\d|天")],
    indirect=["visit"],
    ids=["phone-en", "desk-zh"],
)
def test_coverage(visit: Visit, language: str, never: str, ago: str) -> None:
    page = visit.open(f"{language}/coverage.html")
    assert _fits(page)
    expect(page.get_by_role("heading", name=never)).to_be_visible()
    # The numbers of each bar are those of its row in the table.
    rows = page.locator("#outcomes table tbody tr")
    assert rows.count() == page.locator("#outcomes svg").count() > 0
    for index in range(rows.count()):
        cells = [int(text) for text in rows.nth(index).locator("td").all_inner_texts()[1:]]
        assert sum(cells[:-1]) == cells[-1]
        shown = page.locator(".apidiff-coverage").nth(index).locator(".apidiff-legend").all_inner_texts()
        assert [int(text.split()[-1]) for text in shown] == [cell for cell in cells[:-1] if cell]
        widths = (
            page.locator("#outcomes svg")
            .nth(index)
            .locator("rect")
            .evaluate_all("(all) => all.map((one) => +one.getAttribute('width'))")
        )
        assert sum(widths) == 1000
    waiting = page.locator("#never-run section")
    assert waiting.count() == 3
    plain = "(one) => [...one.childNodes].map((part) => (part.nodeName == 'CODE' ? '' : part.textContent)).join('')"
    without_code = f"(all) => all.map({plain})"
    words = " ".join(waiting.locator(".apidiff-term").evaluate_all(without_code))
    assert ("软件包" in words and not re.search(r"[a-z]{2}", words)) if language != "en" else "the package " in words
    waiting.first.locator("summary").click()
    expect(waiting.first.locator("li a").first).to_be_visible()
    expect(page.locator("#changes li").first).to_be_visible()
    expect(page.locator("#records .apidiff-age").first).to_have_text(re.compile(ago))
    page.locator("#refuted-statements a[href='statements.html']").click()
    page.wait_for_url(f"**/{language}/statements.html")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_leads_to_its_record_and_a_prepared_issue(visit: Visit, language: str) -> None:
    page = visit.open(f"{language}/{REDUCE}#contribute")
    part = page.locator("#contribute")
    files = part.locator("a[href*='_records/'], a[href*='_examples/']")
    assert files.count() >= 3
    for link in files.all():
        reply = page.request.get(page.evaluate("(link) => link.href", link.element_handle()))
        assert reply.ok
        assert reply.headers["content-type"] == "text/plain; charset=utf-8"
    part.locator("summary").click()
    text = part.locator("pre")
    expect(text).to_contain_text("apidiff verify torch.distributed.reduce")
    expect(text).to_contain_text("- torch.distributed.reduce#others-keep-tensor")
    expect(part.locator("button.copybtn")).to_be_attached()


@pytest.mark.parametrize("visit", [{"java_script_enabled": False}], indirect=True)
def test_without_script_all_is_there(visit: Visit) -> None:
    page = visit.open("en/coverage.html")
    assert page.locator("#outcomes svg").count() > 0
    expect(page.locator("#records .apidiff-date").first).to_contain_text("20")
