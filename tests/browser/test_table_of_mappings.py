"""The table of all mappings: filters, sorting, versions, and the address that says what is chosen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from accessible import SHORTEN, violations
from playwright.sync_api import Locator, Page, expect
from test_site_in_browser import LANGUAGES, PHONE, WIDE
from watched import Visit
from whole_page import whole_page

PAGE = "mappings.html"


@pytest.fixture(scope="module")
def every(shown: list[str]) -> int:
    """How many mappings the site shows."""
    return len(shown)


def _shown(page: Page) -> Locator:
    return page.locator("table.apidiff-index tbody tr")


def _open(visit: Visit, path: str) -> Page:
    """The table once all rows have come, with all that fit shown."""
    page = visit.open(path)
    expect(page.locator("apidiff-table[data-complete]")).to_be_attached()
    if (button := page.locator(".apidiff-table-all")).is_visible():
        button.click()
    return page


def _names(page: Page) -> list[str]:
    return _shown(page).locator("th").all_text_contents()


@pytest.mark.parametrize("visit", [{"java_script_enabled": False, **WIDE}], indirect=True)
@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_complete_without_script(visit: Visit, site: Path, language: str, every: int) -> None:
    page = visit.open(f"{language}/{PAGE}")
    row = page.locator("tr", has=page.locator("th", has_text=re.compile(r"^torch\.Tensor$")))
    expect(row.locator("a:visible")).to_have_count(2)
    expect(row).to_contain_text("mindspore.Tensor")
    assert page.locator("table button").count() == 0
    # What is used less stands on pages that links lead to.
    rows = whole_page(site / language / PAGE).count('<th scope="row">')
    assert rows == every
    page.locator(".apidiff-part-lid summary").first.click()
    page.locator(".apidiff-part a").first.click()
    page.wait_for_url("**/mappings.part-1.html#part-1")
    expect(_shown(page).first).to_be_visible()


# A filter: label in both languages, its option, the parameter of the address
FILTERS = [
    ("Category", "类别", "p2p", "category"),
    ("Device", "设备", "cpu-run", "device"),
    ("Device", "设备", "npu-documented", "device"),
    ("Everyday risk", "日常风险", "silent", "risk"),
    ("Status", "状态", "composed", "status"),
    ("Only APIs in PyTorch", "仅限此 PyTorch 版本", "1.13.0", "in"),
]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_filter_narrows_and_stands_in_the_address(visit: Visit, language: str, every: int) -> None:
    page = _open(visit, f"{language}/{PAGE}")
    count = page.locator(".apidiff-table-count")
    for english, chinese, value, parameter in FILTERS:
        select = page.get_by_role("combobox", name=english if language == "en" else chinese, exact=True)
        option = select.locator(f"option[value='{value}']").text_content() or ""
        select.select_option(value)
        found = _shown(page).count()
        # What an option says is how many rows it brings.
        assert option.endswith(f"({found})")
        assert 0 < found < every
        expect(count).to_contain_text(str(found))
        assert page.url.endswith(f"?{parameter}={value}")
        select.select_option("")
        assert page.url.endswith(PAGE)
        expect(_shown(page)).to_have_count(every)


@pytest.mark.parametrize(("visit", "language"), [(PHONE, "en"), (WIDE, "zh-cn")], indirect=["visit"])
def test_a_view_can_be_sent_and_comes_back(visit: Visit, language: str, every: int) -> None:
    page = _open(visit, f"{language}/{PAGE}?q=reduce&risk=silent&sort=-api")
    names = _names(page)
    assert 0 < len(names) < every
    assert names == sorted(names, reverse=True)
    assert all("reduce" in text for text in _shown(page).all_text_contents())
    page.reload()
    expect(_shown(page)).to_have_count(len(names))
    assert _names(page) == names
    _shown(page).first.locator("th a").click()
    page.wait_for_url(f"**/mappings/{names[0]}.html*")
    page.go_back()
    expect(_shown(page)).to_have_count(len(names))
    page.get_by_role("button", name="Reset the table" if language == "en" else "重置表格").click()
    page.locator(".apidiff-table-all").click()
    expect(_shown(page)).to_have_count(every)
    assert page.evaluate("location.search") == ""
    uses = page.get_by_role("columnheader", name="Uses" if language == "en" else "使用次数")
    expect(uses).to_have_attribute("aria-sort", "descending")


def test_what_the_address_does_not_know_counts_as_nothing(visit: Visit, every: int) -> None:
    page = _open(visit, f"en/{PAGE}?risk=nonsense&sort=nonsense&category=<b>")
    expect(_shown(page)).to_have_count(every)


def test_nothing_fits_is_said(visit: Visit) -> None:
    page = _open(visit, f"zh-cn/{PAGE}?q=qqzzxx")
    expect(page.locator("apidiff-table").get_by_role("status")).to_have_text("没有符合筛选条件的 API。")


def test_it_is_sorted_by_use_at_first(visit: Visit) -> None:
    page = _open(visit, f"en/{PAGE}")
    uses = [int(text) for text in page.locator("td.apidiff-uses").all_text_contents()]
    assert uses == sorted(uses, reverse=True)
    assert uses[0] > 0
    head = page.get_by_role("columnheader", name="Uses")
    expect(head).to_have_attribute("aria-sort", "descending")
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    assert page.url.endswith("?sort=uses")


def test_each_device_says_what_is_documented_and_what_was_run(visit: Visit) -> None:
    page = _open(visit, f"en/{PAGE}")
    heads = page.get_by_role("columnheader").all_inner_texts()
    assert [head.strip() for head in heads][2:5] == ["Ascend", "GPU", "CPU"]
    row = page.locator("tr", has=page.locator("th", has_text=re.compile(r"^torch\.distributed\.all_reduce$")))
    ascend, _gpu, cpu = row.locator("td.apidiff-on").all()
    expect(ascend).to_have_text("documented", use_inner_text=True)
    expect(cpu).to_contain_text("run", use_inner_text=True)


# column, the values of its cells in order
RISKS = ["silent", "error", "rewrite", "no risk", "none", "not recorded"]


def test_columns_sort_both_ways(visit: Visit) -> None:
    page = _open(visit, f"en/{PAGE}")
    head = page.get_by_role("columnheader", name="Everyday risk")
    place = head.evaluate("one => one.cellIndex")
    cells = page.locator(f"tbody tr > :nth-child({place + 1})")
    for state in ("ascending", "descending"):
        head.get_by_role("button").click()
        expect(head).to_have_attribute("aria-sort", state)
        words = cells.evaluate_all("all => all.map((one) => one.innerText.trim())")
        ranks = [RISKS.index(one) for one in words]
        assert ranks == sorted(ranks, reverse=state == "descending")
    assert page.locator("[aria-sort]").count() == 1
    assert page.url.endswith("?sort=-risk")


def test_a_device_sorts_what_runs_first(visit: Visit) -> None:
    page = _open(visit, f"en/{PAGE}?sort=cpu")
    place = page.get_by_role("columnheader", name="CPU").evaluate("one => one.cellIndex")
    cells = page.locator(f"tbody tr > :nth-child({place + 1})").evaluate_all(
        "all => all.map((one) => one.innerText.includes('run'))"
    )
    assert cells == sorted(cells, reverse=True)
    assert {*cells} == {True, False}


def test_rows_follow_the_chosen_version(visit: Visit, every: int) -> None:
    page = _open(visit, f"en/{PAGE}")
    row = page.locator("tr", has=page.locator("th", has_text=re.compile(r"^torch\.distributed\.all_reduce$")))
    expect(row.locator("td").first).to_have_text("mindspore.mint.distributed.all_reduce", use_inner_text=True)
    chooser = page.locator("apidiff-versions:visible").first.get_by_label("MindSpore")
    chooser.select_option("2.4.1")
    expect(row.locator("td").first).to_have_text("mindspore.communication.comm_func.all_reduce", use_inner_text=True)
    assert "mindspore=2.4.1" in page.url
    # Filters ask the answers of that version, and other pages keep it.
    page.get_by_role("combobox", name="Status", exact=True).select_option("current")
    old = _shown(page).count()
    page.goto(f"{visit.address}en/{PAGE}?status=current")
    expect(chooser).to_have_value("2.4.1")
    expect(_shown(page)).to_have_count(old)
    # The choice of versions is that of the whole site: it stays, and the table has no other place for it.
    page.get_by_role("columnheader", name="Everyday risk").get_by_role("button").click()
    page.get_by_role("button", name="Reset").click()
    page.locator(".apidiff-table-all").click()
    expect(chooser).to_have_value("2.4.1")
    expect(_shown(page)).to_have_count(every)
    assert "mindspore=2.4.1" in page.url
    assert "sort" not in page.url
    expect(page.get_by_role("button", name="Reset")).to_be_hidden()
    assert page.locator("apidiff-table select").filter(has_text="2.7.2").count() == 0


# MindSpore, words above the table, what is said of all_gather_object on the CPU
RUNS = [
    ("2.10.0", "Answers for MindSpore 2.10.0, as chosen at the top of the page.", True),
    ("2.3.0", "MindSpore 2.3.0 was not run: what it does is known from documents alone.", False),
]


@pytest.mark.parametrize(("mindspore", "said", "ran"), RUNS)
def test_runs_are_of_the_version_that_was_run(visit: Visit, mindspore: str, said: str, *, ran: bool) -> None:
    page = _open(visit, f"en/{PAGE}?mindspore={mindspore}")
    about = page.locator(".apidiff-table-about")
    expect(about).to_contain_text(said)
    if ran:
        expect(about).to_have_text(said)
    cells = page.locator("td.apidiff-on").all_inner_texts()
    assert any(re.search(r"\brun\b", cell) for cell in cells) == ran
    row = page.locator("tr", has=page.locator("th", has_text=re.compile(r"^torch\.distributed\.all_gather_object$")))
    expect(row.locator("td.apidiff-on").last).to_contain_text("run" if ran else "–", use_inner_text=True)


def test_what_is_not_there_is_said_in_words(visit: Visit) -> None:
    page = _open(visit, f"en/{PAGE}?mindspore=2.3.0")
    row = page.locator("tr", has=page.locator("th", has_text=re.compile(r"^torch\.distributed\.all_gather_object$")))
    shown = row.locator("td").evaluate_all("all => all.map((one) => one.innerText.trim())")
    assert shown[:6] == ["no target recorded", "–", "–", "–", "not recorded", "not recorded"]
    composed = page.locator("tr", has=page.locator("th", has_text=re.compile(r"\.all_gather_coalesced$")))
    expect(composed.locator("td").first).to_have_text("mindspore.ops.AllGather", use_inner_text=True)
    cells = page.locator("tbody td").evaluate_all("all => all.filter((one) => !one.innerText.trim()).length")
    assert cells == 0


def test_a_version_of_the_address_wins(visit: Visit) -> None:
    page = _open(visit, f"en/{PAGE}?mindspore=2.3.1&q=all_reduce")
    row = page.locator("tr", has=page.locator("th", has_text=re.compile(r"^torch\.distributed\.all_reduce$")))
    expect(row.locator("td").first).to_have_text("mindspore.ops.AllReduce", use_inner_text=True)


@pytest.mark.parametrize(
    ("visit", "language"),
    [({"color_scheme": "light", **WIDE}, "en"), ({"color_scheme": "dark", **PHONE}, "zh-cn")],
    indirect=["visit"],
)
def test_it_is_accessible_and_fits(visit: Visit, language: str) -> None:
    page = _open(visit, f"{language}/{PAGE}?q=reduce&sort=risk")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    small = page.locator("apidiff-table :is(button, select, input):visible").evaluate_all(
        "all => all.filter((one) => one.getBoundingClientRect().height < 24).map((one) => one.outerHTML)"
    )
    assert small == []
    page.evaluate(SHORTEN)
    assert violations(page) == []


def test_the_first_hundred_are_shown_until_all_are_asked_for(visit: Visit, every: int) -> None:
    page = visit.open(f"en/{PAGE}")
    expect(page.locator(".apidiff-table-count")).to_have_text(f"{every} of {every} APIs")
    expect(_shown(page)).to_have_count(min(every, 100))
    page.get_by_role("button", name=f"Show all {every} rows").click()
    expect(_shown(page)).to_have_count(every)
    expect(page.locator(".apidiff-table-all")).to_be_hidden()


def test_thousands_of_rows_are_counted_filtered_and_sorted(visit: Visit) -> None:
    """How long that takes is measured by `make bench`."""
    page = visit.open(f"en/{PAGE}")
    expect(page.locator("apidiff-table[data-complete]")).to_be_attached()
    seen = page.evaluate("""() => {
      const body = document.querySelector("table.apidiff-index tbody"), rows = [...body.rows];
      for (let number = 0; body.rows.length < 2300; number += 1)
        body.append(rows[number % rows.length].cloneNode(true));
      const names = (table) => [...table.rows].map((row) => row.querySelector("th").textContent.trim());
      const all = names(body);
      // Made anew, the element reads all rows from the table.
      const old = document.querySelector("apidiff-table");
      old.querySelectorAll("form, .apidiff-table-all").forEach((one) => one.remove());
      old.querySelectorAll("thead button").forEach((one) => one.replaceWith(one.textContent));
      const made = old.cloneNode(true);
      old.replaceWith(made);
      const count = () => made.querySelector(".apidiff-table-count").textContent;
      const text = made.querySelector("input"), told = count();
      const type = (word) => {
        text.value = word;
        text.dispatchEvent(new Event("input"));
      };
      type("torch.nn");
      const few = count();
      type("");
      made.querySelector("thead button").click();
      return { all, told, few, back: count(), sorted: names(made.querySelector("tbody")) };
    }""")
    fit = sum("torch.nn" in name for name in seen["all"])
    assert (len(seen["all"]), seen["told"], seen["back"]) == (2300, "2300 of 2300 APIs", "2300 of 2300 APIs")
    assert seen["few"] == f"{fit} of 2300 APIs"
    assert 0 < fit < 2300
    assert seen["sorted"] == sorted(seen["all"], key=str.lower)[:100]  # of which a reader may ask for the others
    assert seen["sorted"] != seen["all"][:100]
