"""The built site, served on this machine, and a browser that tells of every fault it meets."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from apidiff.site import build_site, start_server

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM_ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the site, built where ``make site`` builds it: only what is not fresh is built again."""
    return build_site(ROOT / "build" / "site").parent


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


@dataclass
class Faults:
    """What a page must not do: raise, write an error to the console, ask another origin, ask for what is not there."""

    origin: str
    found: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.found.append(f"page error: {error}"))
        page.on("console", lambda line: self.found.append(f"console: {line.text}") if line.type == "error" else None)
        page.on("request", lambda request: self._asked(request.url))
        page.on(
            "response", lambda reply: self.found.append(f"{reply.status}: {reply.url}") if reply.status >= 400 else None
        )

    def _asked(self, url: str) -> None:
        if not url.startswith((self.origin, "data:", "blob:")):
            self.found.append(f"left the origin: {url}")


@dataclass
class Visit:
    """A browser window on the site. ``faults`` must be empty at the end of a test."""

    context: BrowserContext
    page: Page
    address: str
    faults: Faults

    def open(self, path: str) -> Page:
        self.page.goto(self.address + path)
        return self.page


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
