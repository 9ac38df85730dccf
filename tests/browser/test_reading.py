"""How pages read: sentences have the room, names break at their joints, marks and dates are those of the language."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from page_types import DESK, LANGUAGES
from playwright.sync_api import expect
from watched import Visit
from whole_page import whole_page

_WIDTHS = "(all) => all.map((one) => one.getBoundingClientRect().width)"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", ["risks.html", "statements.html"])
def test_a_line_opens_and_the_filter_looks_into_it(visit: Visit, language: str, path: str) -> None:
    page = visit.open(f"{language}/{path}")
    lines = page.locator("details.apidiff-line")
    every = lines.count()
    assert every > 20
    assert page.locator("details.apidiff-line[open]").count() == 0
    lines.first.locator("summary").click()
    expect(lines.first.locator("a:visible").first).to_be_visible()
    page.locator("input.apidiff-filter").first.fill("all_to_all_single")
    shown = page.locator("section:has(> div > input.apidiff-filter)").first.locator("details.apidiff-line:visible")
    expect(shown.filter(has_not_text="all_to_all_single")).to_have_count(0)
    assert 0 < shown.count() < every


@pytest.mark.parametrize("visit", [{"viewport": DESK}], indirect=True)
@pytest.mark.parametrize("language", LANGUAGES)
def test_coverage_is_seen_to_its_last_column(visit: Visit, language: str) -> None:
    page = visit.open(f"{language}/coverage.html")
    frame = page.locator("#outcomes .pst-scrollable-table-container").first
    assert frame.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    aligned = page.locator("#never-run > .pst-scrollable-table-container tbody tr").first.locator("td")
    sides = aligned.evaluate_all("(all) => all.map((one) => getComputedStyle(one).textAlign)")
    assert [side == "right" for side in sides] == [False, False, False, True]


@pytest.mark.parametrize(
    "path", ["mappings/torch.distributed.reduce.html", "mappings/torch.distributed.all_gather.html"]
)
def test_names_in_the_contents_break_at_their_joints(visit: Visit, path: str) -> None:
    page = visit.open(f"en/{path}")
    broken = page.locator(".page-toc :is(code.pre, code span.pre)").evaluate_all("""(all) => all.flatMap((one) => {
      const walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT), found = [];
      while (walker.nextNode()) {
        const range = document.createRange();
        range.selectNodeContents(walker.currentNode);
        if (range.getClientRects().length > 1) found.push(one.textContent);
      }
      return found;
    })""")
    assert broken == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_dates_can_be_read_and_are_exact(visit: Visit, language: str) -> None:
    page = visit.open(f"{language}/runs.html")
    for one in page.locator("time").all()[:5]:
        assert (one.get_attribute("datetime") or "").endswith("Z")
        assert "T" not in one.inner_text().replace("UTC", "")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_home_page_says_what_its_words_mean(visit: Visit, language: str) -> None:
    page = visit.open(f"{language}/index.html")
    assert page.locator("article section section").last.get_attribute("id") == "by-risk"
    assert page.locator("ul.apidiff-meanings").count() == 2
    assert page.locator("ul.apidiff-meanings .apidiff-badge").count() == 7


# By page: what stands there, and what does not.
MARKS = {
    "zh-cn/new.html": [("mccl（cpu）", "mccl (cpu)")],
    "zh-cn/evidence/torch.distributed.reduce.html": [
        ("MindSpore 2.8.0，mccl：", "MindSpore 2.8.0、mccl："),
        ("；MindSpore 2.", "mccl（cpu）、MindSpore"),
    ],
    "en/evidence/torch.distributed.reduce.html": [("mccl on cpu; MindSpore 2.", "mccl on cpu, MindSpore")],
    "en/counterparts.html": [("(this API is named as the nearest)", "<this")],
    "en/guide/ascend.html": [("<the address of this repository>", "<this repository>")],
}


@pytest.mark.parametrize("path", MARKS)
def test_marks_and_words(site: Path, path: str) -> None:
    text = unescape(re.sub("<[^>]*>", "", whole_page(site / path)))
    assert [words for words, _ in MARKS[path] if words not in text] == []
    assert [wrong for _, wrong in MARKS[path] if wrong in text] == []
