"""The built site, served on this machine, and a browser that tells of every fault it meets."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from part_of_site import site_of_today
from playwright.sync_api import Browser, expect, sync_playwright
from watched import Faults, Visit

from apidiff.site_server import start_server

CHROMIUM_ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Chromium opens two windows of its own beside each of ours, which cost more than our pages. What follows them would be
    # disabled by Playwright, whose list this one replaces.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,AvoidUnnecessaryBeforeUnloadCheckSync"
    ",DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,PaintHolding",
]

PATIENCE_MS = 120_000  # a busy machine may take long over a page; what never comes is what a test is to find

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of a part of the site, another one each day, that has all kinds of pages; of the whole site every night."""
    return site_of_today()


@pytest.fixture(scope="session")
def shown(site: Path) -> list[str]:
    """The mappings that the site shows."""
    return sorted(path.stem for path in (site / "en" / "mappings").glob("*.html"))


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """The address of the served site, ending in a slash."""
    with start_server(site, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium on the PATH; on Debian: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def visit(request: pytest.FixtureRequest, browser: Browser, address: str) -> Iterator[Visit]:
    """A window; indirect parameters are those of ``Browser.new_context``."""
    context = browser.new_context(**getattr(request, "param", {}))
    page = context.new_page()
    faults = Faults(address)
    faults.watch(page)
    yield Visit(context, page, address, faults)
    context.close()
    assert faults.found == []
