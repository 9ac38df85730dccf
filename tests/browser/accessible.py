"""What axe finds on a page that a test has open."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page
from watched import WCAG

# Long pages repeat themselves: of a row of like parts the first few are looked at, with what they hold opened. Sections of a
# mapping's page are none of these; a page that has more of them than that repeats them, too.
SHORTEN = """() => {
  for (const one of [...document.querySelectorAll("details")].slice(0, 8)) one.open = true;
  const parents = new Set([...document.querySelectorAll(
    "article :is(tr, section, li, div, dl, details, p), nav li")].map((one) => one.parentElement));
  const most = { SECTION: 16, DT: 100, DD: 100 };
  for (const parent of parents) {
    const seen = new Map();
    for (const child of [...parent.children]) {
      const kind = `${child.tagName} ${child.classList[0]}`;
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
      const deep = child.matches("section section section");
      if (seen.get(kind) > (deep ? 6 : (most[child.tagName] ?? 4))) child.remove();
    }
  }
}"""


def violations(page: Page, options: dict[str, Any] = WCAG, part: str | None = None) -> list[tuple[str, list[str]]]:
    """What axe finds: the rule and the first elements that break it."""
    found: list[dict[str, Any]] = Axe().run(page, part, options=options).response["violations"]
    return [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]
