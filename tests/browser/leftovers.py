"""Words of a Chinese page's shell that are left in English."""

from __future__ import annotations

import re

# Names that stay as they are, and what looks like code.
_NAMES = re.compile(
    r"apidiff|Sphinx|English|Python|PyTorch|MindSpore|Ctrl|API|JSON|SQLite|RSS|GitHub|CPU|GPU|Ascend|torch|mindspore|v?\d[\w.+-]*"
    r"|gloo|mccl|nccl|hccl|cpu|cuda|npu|rank|YAML|ID|K"
)
_WORD = re.compile(r"[A-Za-z]{2,}")

# What the theme, Sphinx and browsers say in English where nobody translates it.
LEFTOVERS = [
    "Skip to main content", "Back to top", "Search", "Search the docs", "On this page", "Site navigation", "Section Navigation",
    "Collapse Sidebar", "Expand Sidebar", "Color mode", "Colour mode", "System Settings", "Light", "Dark", "Breadcrumb", "Home",
    "Copy", "Copy to clipboard", "Copied", "Copied!", "Link to this heading", "Permalink", "Link to this table", "More",
    "Created using", "Built with", "Copyright", "Last updated", "previous", "next", "Note", "Warning", "Tip", "See also",
    "Parameters", "Returns", "Return type", "Raises", "Bases", "Version warning", "Table of Contents", "Contents", "Index",
    "Loading", "Close", "Error", "Filter", "Results", "No results", "Language", "Main pages", "Submodules", "Module Contents",
    "Classes", "Functions", "Link to this definition", "Choose version",
]  # fmt: skip

# Every text and every name that is not part of the article's own prose, and all names in it.
SHELL_WORDS = """() => {
  const found = [], names = ["aria-label", "title", "placeholder", "alt", "data-tooltip", "data-apidiff-filter"];
  const own = (one) => !one.closest("script, style, code, pre, [lang]:not(html), template");
  for (const part of document.querySelectorAll("header, footer, nav, dialog, #pst-skip-link, .page-toc, summary, th, button,"
      + " label, dt, .admonition-title, caption, .apidiff-badge, .apidiff-term > strong")) {
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) if (own(walker.currentNode.parentElement)) found.push(walker.currentNode.data);
  }
  for (const one of document.querySelectorAll(names.map((name) => `[${name}]`).join()))
    if (own(one)) for (const name of names) found.push(one.getAttribute(name) ?? "");
  found.push(document.title);
  return [...new Set(found.map((one) => one.trim()).filter(Boolean))];
}"""
FACE = "[一-鿿]"


def leftovers(words: list[str]) -> list[str]:
    """The words among these that are English prose of the shell."""
    table = {one.lower() for one in LEFTOVERS}
    found = []
    for text in words:
        plain = _NAMES.sub("", re.sub(r"[\w:@-]+[._#/][\w.#/:@-]*", "", text))  # without identifiers
        foreign = not re.search(FACE, text) and _WORD.search(plain)
        if text.lower().rstrip(" :.…#") in table or (foreign and " " in text):
            found.append(text)
    return found
