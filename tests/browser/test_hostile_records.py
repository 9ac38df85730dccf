"""Records that hold markup, opened in a browser: nothing runs, with the policy and without it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile_records import HOSTILE, soil
from playwright.sync_api import Browser
from small_site import Built, Site
from watched import wait_until

from apidiff.sphinxext import site_content

ROOT = Path(__file__).resolve().parents[2]
# The site's own theme, templates and scripts around the small site.
_CONF = f"""
from apidiff.sphinxext.theme import slim_theme as setup
html_theme = "pydata_sphinx_theme"
templates_path = [{str(ROOT / "conf" / "templates")!r}]
html_static_path = [{str(ROOT / "conf" / "static")!r}]
html_js_files = ["elements/early.js", ("elements/shell.js", {{"defer": "defer"}})]
html_css_files = ["apidiff.css", "platform.css"]
html_context = {{"default_mode": ""}}
html_sidebars = {{"**": []}}
html_theme_options = {{"navbar_end": ["language-switch.html", "theme-switcher.html"], "navbar_start": ["site-name.html"],
    "secondary_sidebar_items": ["page-toc.html"], "footer_end": []}}
"""


@pytest.fixture(scope="module", params=["en", "zh_CN"])
def hostile(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("hostile")
        site = Site(folder, request.param, lambda load: patch.setattr(site_content, "load", load), _CONF)
        soil(site)
        yield site.build()


_TOUCH = """() => {
  for (const one of document.querySelectorAll("details")) one.open = true;
  for (const one of document.querySelectorAll("article *")) {
    one.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
    one.dispatchEvent(new FocusEvent("focus"));
  }
  return {
    schemes: [...new Set([...document.querySelectorAll("[href], [src], [action]")].map((one) => {
      const address = ["href", "src", "action"].map((name) => one.getAttribute(name)).find((found) => found !== null);
      return new URL(address, location).protocol;
    }))],
    hosts: [...new Set([...document.querySelectorAll("a[href]")].map((one) => one.host))],
    foreign: document.querySelectorAll("article :is(script, img, svg:not(.apidiff-icon), iframe, i, b, style)").length,
    text: document.querySelector("article")?.textContent ?? "",
  };
}"""


@pytest.mark.turning(days=2, kind="bypass")
@pytest.mark.parametrize("bypass", [True, False], ids=["without-policy", "with-policy"])
def test_nothing_runs_and_all_is_shown(browser: Browser, hostile: Built, bypass: bool) -> None:
    context = browser.new_context(bypass_csp=bypass)
    page = context.new_page()
    faults: list[str] = []
    page.on("dialog", lambda dialog: (faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("pageerror", lambda error: faults.append(f"page error: {error}"))
    page.on("console", lambda line: faults.append(f"console: {line.text}") if line.type == "error" else None)
    page.on("request", lambda request: None if request.url.startswith("file:") else faults.append(request.url))
    shown = 0
    for name in hostile.pages():
        if name == "search.html":
            continue
        page.goto((hostile.out / name).as_uri())
        found = page.evaluate(_TOUCH)
        page.wait_for_timeout(30)
        assert set(found["schemes"]) <= {"file:", "http:", "https:"}, name
        assert set(found["hosts"]) <= {"", "example.org", "www.sphinx-doc.org"}, name
        assert found["foreign"] == 0, name
        shown += HOSTILE[:25] in found["text"]
        assert "‮" not in found["text"]
    context.close()
    assert faults == []
    assert shown >= 4


def test_the_watch_sees_what_runs(browser: Browser, hostile: Built) -> None:
    page = browser.new_page(bypass_csp=True)
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    copy = hostile.out / "careless.html"
    copy.write_text(hostile.html("index").replace("<article", f"{HOSTILE}<article", 1), "utf-8")
    page.goto(copy.as_uri())
    wait_until(page, lambda: "1" in dialogs)
    copy.unlink()
    page.close()
