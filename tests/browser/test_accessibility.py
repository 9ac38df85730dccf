"""What opens and what is pointed at is accessible as far as axe can tell, and what axe cannot tell is looked at here."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from accessible import SHORTEN, violations
from page_types import DESK, HEAVY, PHONE, path_of
from playwright.sync_api import Browser, expect
from watched import WCAG, Visit, settle

OPENED = [
    ("colours", DESK, "header .theme-switch-button:visible"),
    ("menu", PHONE, ".primary-toggle"),
    ("contents", PHONE, ".secondary-toggle"),
]


@pytest.mark.turning(days=12)
@pytest.mark.parametrize("visit", [{"color_scheme": mode} for mode in ("light", "dark")], indirect=True)
@pytest.mark.parametrize(("name", "size", "button"), OPENED)
def test_axe_finds_nothing_in_what_opens(visit: Visit, name: str, size: Any, button: str) -> None:
    visit.page.set_viewport_size(size)
    page = visit.open("zh-cn/guide/porting.html")
    page.locator(button).click()
    settle(page)
    assert violations(page) == []


# Buttons and what looks like one, wherever they stand.
_BUTTONS = "button, [type=submit], .btn, .dropdown-item, .apidiff-button, summary, .pic-choice label"
_WITH_BUTTONS = ("index", "mappings", "heavy mapping", "port", "search")  # all kinds of buttons there are
_CONTRAST = WCAG | {"runOnly": {"type": "rule", "values": ["color-contrast"]}}


@pytest.mark.turning(days=4)
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_buttons_can_be_read_under_the_pointer_and_in_focus(
    browser: Browser, site: Path, address: str, mode: Any
) -> None:
    context = browser.new_context(viewport=DESK, color_scheme=mode, reduced_motion="reduce")
    page = context.new_page()
    protocol = context.new_cdp_session(page)
    protocol.send("DOM.enable")
    protocol.send("CSS.enable")
    found = {}
    for kind in _WITH_BUTTONS:
        page.goto(address + path_of(site, "en", kind), wait_until="load")
        page.evaluate(SHORTEN)
        settle(page)
        root = protocol.send("DOM.getDocument")["root"]["nodeId"]
        buttons = protocol.send("DOM.querySelectorAll", {"nodeId": root, "selector": _BUTTONS})["nodeIds"]
        for states in (["hover"], ["focus", "focus-visible"]):
            for one in buttons:
                protocol.send("CSS.forcePseudoState", {"nodeId": one, "forcedPseudoClasses": states})
            if faults := violations(page, _CONTRAST, _BUTTONS):
                found[kind, *states] = faults
    context.close()
    assert found == {}


@pytest.mark.parametrize("visit", [{"viewport": PHONE}], indirect=True)
@pytest.mark.parametrize("kind", ["heavy mapping", "guide", "run"])
def test_regions_have_names_of_their_own(visit: Visit, site: Path, kind: str) -> None:
    page = visit.open(path_of(site, "zh-cn", kind))
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    settle(page)
    regions = page.locator("[role=region][aria-label^='代码']")
    names = regions.evaluate_all("(all) => all.map((one) => one.getAttribute('aria-label'))")
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("visit", [{"viewport": {"width": 390, "height": 844}}], indirect=True)
@pytest.mark.parametrize("language", ["en", "zh-cn"])
def test_the_menu_of_a_phone_shows_its_buttons_whole(visit: Visit, language: str) -> None:
    page = visit.open(f"{language}/guide/index.html")
    page.locator(".primary-toggle").click()
    settle(page)
    edge = page.locator("dialog[open]").bounding_box()
    assert edge
    for one in page.locator("dialog[open] :is(button, select, a):visible").all():
        box = one.bounding_box()
        assert box
        assert box["x"] + box["width"] <= edge["x"] + edge["width"], one.inner_text()


BAD = {
    "image-alt": "<img src='_static/favicon.svg'>",
    "color-contrast": "<p class='faint'>faint words</p>",
    "target-size": "<button class='tiny'>a</button><button class='tiny'>b</button>",
    "link-name": "<a href='index.html'></a>",
}


def test_faults_are_found(visit: Visit) -> None:
    page = visit.open("en/index.html")
    page.evaluate(
        """(markup) => {
          document.querySelector("article").insertAdjacentHTML("beforeend", markup);
          for (const one of document.querySelectorAll(".faint")) one.style.color = "#ddd";
          for (const one of document.querySelectorAll(".tiny"))
            Object.assign(one.style, { width: "8px", height: "8px", padding: 0, overflow: "hidden", margin: 0 });
        }""",
        "".join(BAD.values()),
    )
    visit.faults.found.clear()
    assert BAD.keys() <= {rule for rule, _ in violations(page)}


@pytest.mark.parametrize("visit", [{"viewport": {"width": 360, "height": 740}}], indirect=True)
@pytest.mark.parametrize(("language", "word"), [("en", "Table: "), ("zh-cn", "表格：")])
def test_a_table_that_scrolls_is_a_named_region_on_the_way_of_the_keyboard(
    visit: Visit, language: str, word: str
) -> None:
    page = visit.open(f"{language}/{HEAVY}#versions")
    region = page.locator("[role=region].pst-scrollable-table-container:visible").first
    expect(region).to_have_attribute("tabindex", "0")
    expect(region).to_have_attribute("aria-label", re.compile(f"^{word}."))
    region.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("(one) => one.scrollLeft > 0", arg=region.element_handle())
    page.set_viewport_size({"width": 2400, "height": 900})
    expect(page.locator("#versions .pst-scrollable-table-container")).not_to_have_attribute("tabindex", "0")


def test_the_skip_link_comes_first_and_leads_to_the_text(visit: Visit) -> None:
    page = visit.open("zh-cn/index.html")
    page.keyboard.press("Tab")
    link = page.locator("#pst-skip-link a")
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")


def test_focus_can_be_seen_wherever_it_goes(visit: Visit) -> None:
    page = visit.open(f"en/{HEAVY}")
    unseen = []
    for _ in range(35):
        page.keyboard.press("Tab")
        found = page.evaluate("""() => {
          const one = document.activeElement, style = getComputedStyle(one), mark = one.getBoundingClientRect();
          const shown = (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2) || style.boxShadow !== "none";
          return shown && mark.width > 0 ? "" : one.outerHTML.slice(0, 120);
        }""")
        unseen += [found] if found else []
    assert unseen == []


@pytest.mark.parametrize("visit", [{"reduced_motion": "reduce"}], indirect=True)
def test_reduced_motion_is_respected(visit: Visit) -> None:
    page = visit.open("en/index.html")
    moving = page.evaluate("""() => [...document.querySelectorAll("*")].filter((one) => {
      const style = getComputedStyle(one);
      return style.scrollBehavior === "smooth" || [style.transitionDuration, style.animationDuration]
        .some((all) => all.split(",").some((time) => parseFloat(time) * (time.trim().endsWith("ms") ? 1 : 1000) > 1));
    }).length""")
    assert moving == 0


@pytest.mark.parametrize("visit", [{"color_scheme": "dark"}], indirect=True)
@pytest.mark.parametrize("language", ["en", "zh-cn"])
def test_print_shows_the_text_alone_and_all_of_it_on_white(visit: Visit, language: str) -> None:
    page = visit.open(f"{language}/{HEAVY}")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.emulate_media(media="print")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    for hidden in ("#pst-header", "#pst-secondary-sidebar", "button.copybtn >> nth=0"):
        expect(page.locator(hidden)).to_be_hidden()
    page.set_viewport_size({"width": 720, "height": 1000})
    cut = page.evaluate("""() => [...document.querySelectorAll("pre, .pst-scrollable-table-container")]
      .filter((one) => one.checkVisibility() && one.getBoundingClientRect().width + 1 < one.scrollWidth).length""")
    assert cut == 0
    page.emulate_media(media="screen")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
