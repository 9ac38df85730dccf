"""``sitemap.xml`` and ``robots.txt``."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from apidiff.sphinxext.languages import LANGUAGES
from apidiff.writers.exports.address import Address
from apidiff.writers.exports.markup import add, xml_bytes

_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
_XHTML = "http://www.w3.org/1999/xhtml"
# Pages that lead nowhere of their own.
_LEFT_OUT = {"search.html", "genindex.html", "404.html"}
_TAGS = {folder: tag for _, folder, tag, _ in LANGUAGES}


def pages(site: Path, folders: list[str]) -> dict[str, list[str]]:
    """Every page by its path within a language, sorted, with the folders of the languages that have it."""
    found: dict[str, list[str]] = {}
    for folder in folders:
        for page in (site / folder).rglob("*.html"):
            path = page.relative_to(site / folder)
            if not path.parts[0].startswith("_") and path.as_posix() not in _LEFT_OUT:
                found.setdefault(path.as_posix(), []).append(folder)
    return dict(sorted(found.items()))


def sitemap_bytes(found: dict[str, list[str]], address: Address) -> bytes:
    """The sitemap: every page in every language, each naming the same page in all of them."""
    root = ET.Element("urlset", {"xmlns": _SITEMAP, "xmlns:xhtml": _XHTML})
    for path, folders in found.items():
        for folder in folders:
            url = add(root, "url")
            add(url, "loc", address.link(f"{folder}/{path}", ""))
            for other in folders:
                _alternate(url, _TAGS[other], address.link(f"{other}/{path}", ""))
            _alternate(url, "x-default", address.link(f"{folders[0]}/{path}", ""))
    return xml_bytes(root)


def _alternate(url: ET.Element, tag: str, href: str) -> None:
    add(url, "xhtml:link", rel="alternate", hreflang=tag, href=href)


def robots_text(address: Address) -> str:
    """Everything may be read; the sitemap is named where there is one."""
    sitemap = f"Sitemap: {address.link('sitemap.xml', '')}\n" if address.root else ""
    return f"User-agent: *\nAllow: /\n{sitemap}"
