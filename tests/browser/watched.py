"""A browser window that tells of every fault of the pages it opens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from playwright.sync_api import BrowserContext, Page

# The rules that axe looks at. Without `preload`, which asks for the theme's style sheets again, at the wrong address.
WCAG = {
    "preload": False,
    "resultTypes": ["violations"],
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
}


@dataclass
class Faults:
    """What a page must not do: raise, write an error to the console, ask another origin, ask for what is not there."""

    origin: str
    found: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.found.append(f"page error: {error}"))
        page.on(
            "console",
            lambda line: (
                self.found.append(f"console: {line.text} ({line.location['url']})") if line.type == "error" else None
            ),
        )
        page.on("request", lambda request: self._asked(request.url))
        page.on(
            "response", lambda reply: self.found.append(f"{reply.status}: {reply.url}") if reply.status >= 400 else None
        )

    def _asked(self, url: str) -> None:
        if not url.startswith((self.origin, "data:", "blob:")):
            self.found.append(f"left the origin: {url}")


def wait_until(page: Page, holds: Callable[[], object]) -> None:
    """Let the events of a page arrive until something holds. Raises AssertionError where it does not within two minutes."""
    for _ in range(2400):
        if holds():
            return
        page.wait_for_timeout(50)
    raise AssertionError("what was waited for did not come")


def settle(page: Page) -> None:
    """Wait until what opens or fades has come to rest."""
    page.wait_for_timeout(300)
    page.wait_for_function("() => document.getAnimations().every((one) => one.playState !== 'running')")


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
