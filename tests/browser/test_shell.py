"""What the site's own scripts do for every page, by keyboard and without a server; and how much a page weighs."""

from __future__ import annotations

import gzip
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from page_types import COMPOSED, DESK, HEAVY, LANGUAGES, PHONE, PROOF
from playwright.sync_api import Browser, expect
from watched import Faults, Visit

# A first visit to a mapping's page, with all it needs; the shell is what every page needs before its own text.
_PAGE_BYTES = 150_000
_SHELL_BYTES = 60_000

COLOURS = [
    ("light", "深色", "dark", DESK),
    ("dark", "浅色", "light", PHONE),
    ("light", "跟随系统", "light", PHONE),
    ("dark", "跟随系统", "dark", DESK),
]


@pytest.mark.parametrize("part", ["#%", "#%E4%", "#%ff", "#%zz", "#difference-%", "#%00", "#"])
def test_an_address_whose_part_is_no_encoding_is_opened(visit: Visit, part: str) -> None:
    """With the page, and on it: `visit` fails where a script raises."""
    for path in ("en/index.html", f"en/{PROOF}", "zh-cn/port.html"):
        page = visit.open(f"{path}{part}")
        expect(page.locator("html")).to_have_attribute("data-theme", re.compile("light|dark"))
        page.evaluate("part => { location.hash = ''; location.hash = part; }", part)
        page.wait_for_timeout(30)
        assert page.locator("h1").count() == 1


@pytest.mark.turning(days=2)
@pytest.mark.parametrize(("system", "choice", "shown", "size"), COLOURS)
def test_colours_are_chosen_by_keyboard_and_kept(
    browser: Browser, address: str, system: Any, choice: str, shown: str, size: Any
) -> None:
    context = browser.new_context(viewport=size, color_scheme=system)
    page = context.new_page()
    page.goto(f"{address}zh-cn/index.html")
    expect(page.locator("html")).to_have_attribute("data-theme", system)
    if size is PHONE:
        page.locator(".primary-toggle").press("Enter")
    button = page.locator(".theme-switch-button:visible")
    button.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    page.locator(".theme-change-button:visible", has_text=choice).press("Enter")
    expect(button).to_have_attribute("aria-expanded", "false")
    expect(page.locator("html")).to_have_attribute("data-theme", shown)
    page.goto(f"{address}en/index.html")
    expect(page.locator("html")).to_have_attribute("data-theme", shown)
    context.close()


def test_escape_closes_a_menu_and_gives_the_focus_back(visit: Visit) -> None:
    page = visit.open("en/index.html")
    button = page.locator(".theme-switch-button:visible")
    button.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(button).to_be_focused()
    expect(page.locator(".theme-change-button:visible")).to_have_count(0)


@pytest.mark.turning(days=2)
@pytest.mark.parametrize("visit", [{"viewport": PHONE}], indirect=True)
@pytest.mark.parametrize(
    ("button", "link", "goal"),
    [(".primary-toggle", "差异", "risks.html"), (".secondary-toggle", "如何复现", f"{PROOF}#repeat")],
    ids=["menu", "contents"],
)
def test_the_sidebars_of_a_phone_work_by_keyboard(visit: Visit, button: str, link: str, goal: str) -> None:
    page = visit.open(f"zh-cn/{PROOF}")
    toggle = page.locator(button)
    toggle.press("Enter")
    dialog = page.locator("dialog[open]")
    expect(toggle).to_have_attribute("aria-expanded", "true")
    assert dialog.get_attribute("aria-label")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(toggle).to_be_focused()
    toggle.press("Enter")
    page.locator("dialog[open] a", has_text=link).first.press("Enter")
    page.wait_for_url(f"**/{goal}")
    expect(page.locator("dialog[open]")).to_have_count(0)


def test_the_contents_follow_the_reader(visit: Visit) -> None:
    page = visit.open(f"en/{PROOF}")
    page.evaluate("document.querySelector('#examples').scrollIntoView()")
    current = page.locator("#pst-page-toc-nav a[aria-current]")
    expect(current).to_have_attribute("href", re.compile("^#example"))


@pytest.mark.parametrize(
    ("language", "before", "after"), [("en", "Copy to clipboard", "Copied!"), ("zh-cn", "复制到剪贴板", "复制成功!")]
)
def test_code_is_copied(browser: Browser, address: str, language: str, before: str, after: str) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{address}{language}/{PROOF}#repeat")
    button = page.locator("#repeat button.copybtn").first
    expect(button).to_have_accessible_name(before)
    button.press("Enter")
    expect(button).to_have_accessible_name(after)
    expect(page.get_by_role("status").filter(has_text=after)).to_be_attached()
    assert page.evaluate("navigator.clipboard.readText()") == "apidiff verify torch.distributed.reduce"
    context.close()


def test_code_is_copied_where_there_is_no_clipboard(browser: Browser, address: str) -> None:
    context = browser.new_context(permissions=["clipboard-read"])
    page = context.new_page()
    page.add_init_script("delete Navigator.prototype.clipboard")
    page.goto(f"{address}en/{PROOF}#repeat")
    button = page.locator("#repeat button.copybtn").first
    button.press("Enter")
    expect(button).to_have_accessible_name("Copied!")
    context.close()


@pytest.mark.parametrize("visit", [{"java_script_enabled": False, "color_scheme": "dark"}], indirect=True)
def test_without_script_nothing_is_offered_that_needs_it(visit: Visit) -> None:
    page = visit.open(f"en/{HEAVY}")
    expect(page.locator(".theme-switch-button >> visible=true")).to_have_count(0)
    expect(page.locator(".search-button__button >> visible=true")).to_have_count(0)
    badge = page.locator(".apidiff-badge").first
    assert badge.evaluate("(one) => getComputedStyle(one).backgroundColor") != "rgba(0, 0, 0, 0)"


@pytest.mark.parametrize(
    ("visit", "language"), [({"viewport": DESK}, "en"), ({"viewport": PHONE}, "zh-cn")], indirect=["visit"]
)
def test_a_mapping_page_is_light(visit: Visit, site: Path, language: str) -> None:
    loaded: dict[str, int] = {}
    visit.page.on("response", lambda reply: loaded.setdefault(reply.url, len(gzip.compress(reply.body()))))
    heaviest = max(
        (site / language / "mappings").glob("*.html"), key=lambda path: len(gzip.compress(path.read_bytes()))
    )
    visit.open(heaviest.relative_to(site).as_posix()).wait_for_load_state("networkidle")
    shell = {url: size for url, size in loaded.items() if not url.endswith(".html")}
    print(
        f"{heaviest.name}: {sum(loaded.values())} bytes compressed, {sum(shell.values())} of them in {len(shell)} files"
    )
    assert sum(loaded.values()) < _PAGE_BYTES
    assert sum(shell.values()) < _SHELL_BYTES


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_site_works_from_wherever_it_was_unpacked(
    browser: Browser, site: Path, tmp_path: Path, language: str
) -> None:
    moved = tmp_path / "a folder, 另一处" / "site"
    # The page at the root takes its script and styles from the English part.
    for path in {
        "en/_static",
        f"{language}/_static",
        f"{language}/index.html",
        f"{language}/{HEAVY}",
        f"{language}/{COMPOSED}",
    }:
        (moved / path).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (site / path).is_dir() else shutil.copy
        copy(site / path, moved / path)
    shutil.copy(site / "index.html", moved)
    context = browser.new_context(locale="zh-CN" if language == "zh-cn" else "en")
    page = context.new_page()
    faults = Faults(moved.as_uri())
    faults.watch(page)
    page.goto((moved / "index.html").as_uri())
    page.wait_for_url(f"**/{language}/index.html")
    page.locator("#category-collective summary").click()
    page.locator(f"article a[href$='{HEAVY}']").first.click()
    page.wait_for_url(f"**/{HEAVY}")
    expect(page.locator("button.copybtn").first).to_be_attached()
    assert page.locator(".apidiff-badge").first.evaluate("(one) => getComputedStyle(one).borderRadius") != "0px"
    page.locator("#pst-header .navbar-brand").click()
    page.wait_for_url(f"**/{language}/index.html")
    context.close()
    assert faults.found == []


def test_an_address_without_a_page_is_answered_in_both_languages(visit: Visit) -> None:
    page = visit.page
    reply = page.goto(f"{visit.address}zh-cn/mappings/no/such.html")
    assert reply is not None
    assert reply.status == 404
    visit.faults.found.clear()
    expect(page.locator("h1")).to_contain_text("页面不存在")
    assert page.evaluate("getComputedStyle(document.body).maxWidth") != "none"
    page.locator("a[href='/zh-cn/index.html']").click()
    page.wait_for_url("**/zh-cn/index.html")
