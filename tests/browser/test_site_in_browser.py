"""The served site in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from watched import Faults, Visit, wait_until

REDUCE = "mappings/torch.distributed.reduce.html"
EVIDENCE = "evidence/torch.distributed.reduce.html"
LANGUAGES = ["en", "zh-cn"]
WIDE = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 360, "height": 740}}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_of_a_run_leads_to_its_record(visit: Visit, language: str) -> None:
    page = visit.open(f"{language}/runs.html")
    page.locator("article a[href^='runs/']").first.click()
    page.wait_for_url("**/runs/*/*.html")
    raw = page.locator("article a[href$='.json']").first
    assert page.request.get(raw.evaluate("(link) => link.href")).json()["probes"]


def test_the_watch_sees_faults(browser: Browser, address: str) -> None:
    page = browser.new_page()
    faults = Faults(address)
    faults.watch(page)
    page.goto(address + "llms.txt")  # the policy of a page would not let a request leave
    page.evaluate("() => { fetch('http://127.0.0.2:9/away').catch(() => 0); setTimeout(() => { throw Error('x') }) }")
    page.evaluate("fetch('nowhere.html')")
    wait_until(page, lambda: {line.split(":")[0] for line in faults.found} >= {"page error", "left the origin", "404"})
    page.close()


@pytest.mark.parametrize(
    ("here", "there", "tag", "anchor"),
    [
        ("en", "zh-cn", "zh-CN", "#torch.distributed.reduce--others-keep-tensor"),
        ("zh-cn", "en", "en", "#returns"),
    ],
    ids=["to-chinese", "to-english"],
)
def test_switch_keeps_page_and_anchor(visit: Visit, here: str, there: str, tag: str, anchor: str) -> None:
    page = visit.open(f"{here}/{EVIDENCE}{anchor}")
    page.locator("header a[data-apidiff-language]").first.click()
    page.wait_for_url(f"**/{there}/**")
    assert page.url == f"{visit.address}{there}/{EVIDENCE}{anchor}"
    assert (page.locator("html").get_attribute("lang") or "").lower() == tag.lower()
    expect(page.locator(f"[id='{anchor[1:]}']")).to_be_in_viewport()


def test_switch_follows_an_anchor_chosen_on_the_page(visit: Visit) -> None:
    page = visit.open(f"en/{EVIDENCE}")
    page.evaluate("location.hash = '#repeat'")
    page.locator("header a[data-apidiff-language]").first.click()
    page.wait_for_url(f"**/zh-cn/{EVIDENCE}#repeat")


@pytest.mark.parametrize("visit", [{"java_script_enabled": False}], indirect=True)
def test_without_script_the_switch_keeps_the_page(visit: Visit) -> None:
    page = visit.open(f"en/{REDUCE}#returns")
    page.locator("header a[data-apidiff-language]").first.click()
    page.wait_for_url(f"**/zh-cn/{REDUCE}")


@pytest.mark.turning(days=6)
@pytest.mark.parametrize(
    ("visit", "folder"),
    [({"locale": "zh-CN"}, "zh-cn"), ({"locale": "en-GB"}, "en"), ({"locale": "de-DE"}, "en")],
    indirect=["visit"],
)
def test_root_leads_to_the_readers_language(visit: Visit, folder: str) -> None:
    visit.page.goto(visit.address)
    visit.page.wait_for_url(f"**/{folder}/index.html")


@pytest.mark.parametrize("visit", [{"java_script_enabled": False}], indirect=True)
@pytest.mark.parametrize("folder", LANGUAGES)
def test_root_works_without_script(visit: Visit, folder: str) -> None:
    visit.open("").locator(f"a[href='{folder}/index.html']").click()
    visit.page.wait_for_url(f"**/{folder}/index.html")


def test_link_to_a_claim_opens_it(visit: Visit) -> None:
    anchor = "torch.distributed.reduce--others-keep-tensor"
    page = visit.open(f"en/{EVIDENCE}#{anchor}")
    claim = page.locator(f"[id='{anchor}']")
    expect(claim.locator("details")).to_have_attribute("open", "")
    expect(claim).to_contain_text("Stated by")


@pytest.mark.turning(days=6)
@pytest.mark.parametrize("anchor", ["torch.distributed.reduce--others-keep-tensor", "timeline", "repeat"])
def test_an_address_of_evidence_on_the_page_of_a_mapping_leads_to_where_it_stands(visit: Visit, anchor: str) -> None:
    page = visit.open(f"zh-cn/{REDUCE}?mindspore=2.9.0&torch=2.13.0#{anchor}")
    page.wait_for_url(f"**/zh-cn/{EVIDENCE}?mindspore=2.9.0&torch=2.13.0#{anchor}")
    expect(page.locator(f"[id='{anchor}']")).to_be_in_viewport()


def test_what_a_difference_rests_on_is_one_step_away(visit: Visit) -> None:
    page = visit.open(f"en/{REDUCE}#difference-other-ranks")
    difference = page.locator("#difference-other-ranks")
    expect(difference).to_be_in_viewport()
    difference.get_by_role("link", name="Evidence").first.click()
    page.wait_for_url(f"**/{EVIDENCE}#proof--difference-other-ranks")
    expect(page.locator("#proof--difference-other-ranks details").first).to_have_attribute("open", "")


def test_filter_hides_rows(visit: Visit) -> None:
    page = visit.open("zh-cn/counterparts.html")
    page.get_by_label("筛选表格行").fill("all_to_all")
    shown = page.locator("article tbody tr:visible")
    expect(shown.first).to_contain_text("all_to_all")
    expect(shown.filter(has_not_text="all_to_all")).to_have_count(0)
    assert 0 < shown.count() < page.locator("article tbody tr").count()
    assert page.locator("section[id^=module-]:visible").count() < page.locator("section[id^=module-]").count()
