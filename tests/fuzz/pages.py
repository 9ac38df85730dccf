"""The scripts of pages in a browser: a page with what they act upon, opened by addresses that nobody writes."""

from __future__ import annotations

import functools
import shutil
import tempfile
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.faults.place import ROOT, Unavailable
from tests.fuzz.ending import KEPT

_SCRIPTS = ("early", "versions", "shell", "trust", "picture", "search", "table")
_PAGE = """<!doctype html><html lang="en"><head><title>page</title><meta charset="utf-8">
<meta name="apidiff:torch" content="2.13.0 2.12.0" data-run="2.13.0">
<meta name="apidiff:mindspore" content="2.10.0 2.9.0 2.7.2" data-run="2.10.0 2.9.0">
{early}</head><body><main><article class="bd-article"><h1 id="top">A page</h1>
<section id="differences"><details id="difference-a"><summary>A</summary>
<p id="a--b" data-mindspore="2.9.0..2.10.0">B</p></details></section>
<apidiff-versions></apidiff-versions><apidiff-search></apidiff-search><apidiff-picture></apidiff-picture>
<apidiff-table></apidiff-table></article></main>{rest}</body></html>
"""
_CHROMIUM = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


class Pages:
    """A browser with one page."""

    def __init__(self) -> None:
        chromium = shutil.which("chromium")
        if chromium is None:
            raise Unavailable("no chromium on the PATH")
        folder = Path(KEPT.enter_context(tempfile.TemporaryDirectory(prefix="apidiff-fuzz-pages-")))
        scripts = {name: f'<script src="{name}.js"></script>' for name in _SCRIPTS}
        for name in _SCRIPTS:
            shutil.copy(ROOT / "conf" / "static" / "elements" / f"{name}.js", folder)
        early = scripts.pop("early")
        (folder / "page.html").write_text(_PAGE.format(early=early, rest="".join(scripts.values())), encoding="utf-8")
        self._address = (folder / "page.html").as_uri()
        self._playwright = sync_playwright().start()
        self._browser = self._playwright.chromium.launch(executable_path=chromium, args=_CHROMIUM)
        self._errors: list[str] = []
        self._page: Page = self._browser.new_page()
        self._page.on("pageerror", lambda error: self._errors.append(str(error)))

    def open(self, content: bytes) -> None:
        """Opens the page by an address that ends in ``content``. Raises AssertionError for an error of a script."""
        text = content.decode("utf-8", "replace").translate(dict.fromkeys([*range(33), 127], " "))
        kept = urllib.parse.quote(text, safe="#?&=%/:;,.@!$'()*+-_~[]|{}<>\"^`\\")
        self._errors.clear()
        self._page.goto("about:blank")
        self._page.goto(f"{self._address}{kept if kept[:1] in {'#', '?'} else '#' + kept}", timeout=120_000)
        assert self._page.title() == "page"
        assert self._page.evaluate("document.querySelectorAll('script:not([src])').length") == 0
        assert not self._errors, self._errors


# Playwright refuses a thread in which an event loop runs, as tests of pages leave one; and it keeps its own running. The browser
# ends with this process, whose pipe to it closes.
_THREAD = ThreadPoolExecutor(max_workers=1)


@functools.cache
def _pages() -> Pages:
    return Pages()


def open_page(content: bytes) -> None:
    """Opens a page by an address that ends in ``content``. Raises AssertionError for an error of a script."""
    _THREAD.submit(lambda: _pages().open(content)).result()
