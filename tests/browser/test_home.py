"""The home page: where to type stands first, legends last; and former addresses lead to the pages of today."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from page_types import DESK, LANGUAGES, PHONE
from playwright.sync_api import expect
from watched import Visit

from apidiff.writers.exports.address import MOVED

# What stands on the page, from its top.
PARTS = [
    "apidiff-search.apidiff-search-home",
    "apidiff-port textarea",
    "#most-used table",
    "#measured-last time",
    "#figures .apidiff-figures",
    "#apis",
    "#by-risk .apidiff-meanings",
]


@pytest.mark.parametrize("visit", [{"viewport": DESK}, {"viewport": PHONE}], indirect=True, ids=["desk", "phone"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_its_parts_stand_in_order(visit: Visit, language: str) -> None:
    page = visit.open(f"{language}/index.html")
    tops = [page.locator(part).first.evaluate("(one) => one.getBoundingClientRect().top") for part in PARTS]
    assert tops == sorted(tops)
    # Where to type is seen at once.
    expect(page.locator(f"{PARTS[0]} input")).to_be_in_viewport()
    expect(page.locator("input[type=search]:visible")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_api_is_two_keys_away(visit: Visit, language: str) -> None:
    page = visit.open(f"{language}/index.html")
    page.keyboard.press("/")
    field = page.locator(".apidiff-search-home input")
    expect(field).to_be_focused()
    field.press_sequentially("all_reduce")
    expect(page.locator("[role=option]:visible").first).to_contain_text("torch.distributed.all_reduce")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{language}/mappings/torch.distributed.all_reduce.html*")


@pytest.mark.parametrize("language", LANGUAGES)
def test_pasted_code_is_answered_on_the_spot(visit: Visit, language: str) -> None:
    page = visit.open(f"{language}/index.html")
    page.locator("#apidiff-port-code").fill("import torch.distributed as dist\ndist.all_reduce(x)\n")
    expect(page.locator(".apidiff-port-finds")).to_contain_text("mindspore.mint.distributed.all_reduce")


def test_what_is_used_most_stands_first(visit: Visit) -> None:
    page = visit.open("en/index.html")
    uses = [int(text) for text in page.locator("#most-used tbody td:last-child").all_text_contents()]
    assert len(uses) == 12
    assert uses == sorted(uses, reverse=True)


@pytest.mark.parametrize("visit", [{"java_script_enabled": False}], indirect=True)
def test_without_script_one_can_still_ask(visit: Visit) -> None:
    page = visit.open("en/index.html")
    page.locator(".apidiff-search-home input").fill("reduce")
    page.locator(".apidiff-search-home button").click()
    page.wait_for_url("**/en/search.html?q=reduce")


# Former addresses with an anchor that is there today.
ANCHORS = {
    "refuted": "torch.distributed.all_reduce",
    "official": "official-2025-07",
    "changed": "changed-mindspore-2.10.0",
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("former", MOVED)
def test_former_addresses_lead_to_the_pages_of_today(visit: Visit, language: str, former: str) -> None:
    page = visit.open(f"{language}/{former}.html?mindspore=2.9.0#{ANCHORS[former]}")
    page.wait_for_url(
        re.compile(rf"/{language}/{MOVED[former]}\.html\?.*mindspore=2\.9\.0.*#{re.escape(ANCHORS[former])}$")
    )
    expect(page.locator(f"[id='{ANCHORS[former]}']")).to_be_attached()
    if former == "refuted":
        expect(page.locator("details.apidiff-line[open]")).to_have_count(1)


@pytest.mark.parametrize("visit", [{"java_script_enabled": False}], indirect=True)
def test_without_script_they_do_so_too(visit: Visit) -> None:
    page = visit.open("zh-cn/refuted.html")
    page.wait_for_url("**/zh-cn/statements.html")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("former", MOVED)
def test_they_name_their_icon(site: Path, language: str, former: str) -> None:
    """A browser asks for ``/favicon.ico`` where a page names none, and that one is not there."""
    assert '<link rel="icon" href="_static/favicon.svg"/>' in (site / language / f"{former}.html").read_text("utf-8")
