"""In narrow windows nothing is cut off: tables of sentences wrap or stand below one another, names in lids break."""

from __future__ import annotations

import pytest
from page_types import LANGUAGES
from watched import Visit

PHONE, TABLET = 360, 768
# (width, page, what must not be wider than the room it has)
FITTING = [
    (PHONE, "index.html", "table.apidiff-used"),
    (TABLET, "index.html", "table.apidiff-used"),
    (PHONE, "mappings.html", "table.apidiff-index"),
    (TABLET, "mappings.html", "table.apidiff-index"),
    (PHONE, "runs.html", "table"),
    (PHONE, "guide/failures.html", "table"),
    (PHONE, "risks.html", "summary"),
    (PHONE, "counterparts.html", "summary"),
]
_WIDER = """(selector) => [...document.querySelectorAll(`main ${selector}`)].filter((one) => one.checkVisibility())
  .filter((one) => {
    const room = (one.closest(".pst-scrollable-table-container, apidiff-table") ?? one.parentElement).clientWidth;
    return one.scrollWidth > room + 1;
  }).map((one) => one.textContent.trim().slice(0, 60))"""


@pytest.mark.turning(days=8, kind="page")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("width", "page", "selector"), FITTING)
def test_nothing_is_cut_off(visit: Visit, language: str, width: int, page: str, selector: str) -> None:
    visit.page.set_viewport_size({"width": width, "height": 800})
    visit.page.goto(f"{visit.address}{language}/{page}")
    assert visit.page.locator(f"main {selector}").count()
    assert visit.page.evaluate(_WIDER, selector) == []


def test_what_is_cut_off_is_found(visit: Visit) -> None:
    visit.page.set_viewport_size({"width": PHONE, "height": 800})
    visit.page.set_content(
        f"<main><details><summary style='white-space: nowrap'>{'word ' * 60}</summary></details></main>"
    )
    assert len(visit.page.evaluate(_WIDER, "summary")) == 1
