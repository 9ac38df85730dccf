"""Heavy pages: none weighs more than a reader should have to load, and what they keep elsewhere comes when it is asked for."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from accessible import SHORTEN, violations
from page_types import DESK, LANGUAGES, PHONE, PROOF
from playwright.sync_api import Browser, expect
from watched import Visit

from tests.bench.page_weight import HEAVIEST_KB, MEDIAN_KB, page_sizes


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_page_is_heavy(site: Path, language: str) -> None:
    sizes = page_sizes(site / language)
    assert [(name, size) for name, size in sizes if size > HEAVIEST_KB] == []
    assert sizes[len(sizes) // 2][1] <= MEDIAN_KB


@pytest.mark.parametrize("visit", [{"java_script_enabled": False, "viewport": DESK}], indirect=True)
def test_without_script_a_link_leads_to_the_part(visit: Visit) -> None:
    page = visit.open(f"en/{PROOF}")
    lid = page.locator("#claims details:has(> p.apidiff-part)").first
    head = lid.locator(":scope > summary").inner_text()
    lid.locator(":scope > summary").click()
    lid.get_by_role("link", name="Show this on a page of its own").click()
    page.wait_for_url(f"**/{PROOF.removesuffix('.html')}.part-*.html#part-*")
    part = page.locator(f"[id='{page.url.rpartition('#')[2]}']")
    expect(part.locator("h2").first).to_have_text(head)
    page.get_by_role("link", name="Back to the whole page").click()
    page.wait_for_url(f"**/{PROOF}")


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_opened_comes_to_the_page(visit: Visit, language: str) -> None:
    page = visit.open(f"{language}/{PROOF}")
    part = page.locator("#proofs p.apidiff-part, #claims p.apidiff-part").first
    lid = page.locator("#proofs details:has(> p.apidiff-part), #claims details:has(> p.apidiff-part)").first
    mark = lid.evaluate("(one) => (one.id ||= 'opened')")
    expect(part).to_be_attached()
    lid.evaluate("(one) => (one.open = true)")
    expect(page.locator(f"[id='{mark}'] > p.apidiff-part")).to_have_count(0)
    assert len(page.locator(f"[id='{mark}']").inner_text()) > 60


def test_a_link_to_a_part_opens_the_whole_page(visit: Visit, site: Path) -> None:
    goal, start = next(
        (goal, path.relative_to(site).as_posix())
        for path in sorted((site / "en" / "evidence").glob("*.html"))
        if ".part-" not in path.name
        for goal in re.findall(r'href="([^"/]*\.part-\d+\.html#[^"]+)"', path.read_text("utf-8"))
        if "#part-" not in goal
    )
    page = visit.open(start)
    page.evaluate("document.querySelectorAll('main details').forEach((lid) => (lid.open = true))")
    page.locator(f"a[href='{goal}']").first.evaluate("(link) => link.click()")
    page.wait_for_url(f"**/{re.sub('[.]part-[0-9]+', '', goal)}")


def test_an_anchor_in_a_part_is_shown(visit: Visit, site: Path) -> None:
    held: dict[str, str] = {}
    for table in sorted((site / "en").rglob("*.parts.json")):
        ids = set(re.findall(r'id="([^"]+)"', table.with_suffix("").with_suffix(".html").read_text("utf-8")))
        deep = [anchor for anchor in json.loads(table.read_text("utf-8"))["anchors"] if anchor not in ids]
        if deep:
            held[table.relative_to(site).as_posix().removesuffix(".parts.json") + ".html"] = deep[-1]
    assert held
    for path, anchor in list(held.items())[:: max(1, len(held) // 6)]:
        page = visit.open(f"{path}#{anchor}")
        expect(page.locator(f"[id='{anchor}']")).to_be_in_viewport()


@pytest.mark.turning(days=8)
@pytest.mark.parametrize(("mode", "size"), [("light", DESK), ("dark", PHONE)])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_of_parts_is_sound(
    browser: Browser, site: Path, address: str, language: str, mode: str, size: object
) -> None:
    parts = sorted(
        (site / language).glob("evidence/torch.distributed.*.part-2.html"), key=lambda path: path.stat().st_size
    )
    page = browser.new_page(viewport=size, color_scheme=mode)  # type: ignore[arg-type]
    page.goto(address + parts[0].relative_to(site).as_posix())
    assert page.locator("h1").count() == 1
    page.evaluate(SHORTEN)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.close()
