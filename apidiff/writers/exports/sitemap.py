"""Writes ``sitemap.xml`` and ``robots.txt``.

sphinx-sitemap does not do here: it lists only the pages that a build wrote, so an incremental build shortens the list, and it
names languages by Sphinx' codes, not by the folders they are served from.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

from apidiff.folder_walk import visible_files
from apidiff.writers.exports.address import MOVED, Address, SiteLanguage
from apidiff.writers.exports.markup import add, xml_bytes

_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
_XHTML = "http://www.w3.org/1999/xhtml"
# Pages that lead nowhere of their own.
_LEFT_OUT = {"search.html", "genindex.html", "404.html", *(f"{page}.html" for page in MOVED)}


def pages(site: Path, languages: Sequence[SiteLanguage]) -> dict[str, list[SiteLanguage]]:
    """List every page by its path within a language, sorted, with the languages that have it."""
    listed: dict[str, list[SiteLanguage]] = {}
    for language in languages:
        for page in visible_files(site / language.folder, "**/*.html", []):
            path = page.relative_to(site / language.folder)
            if not path.parts[0].startswith("_") and path.as_posix() not in _LEFT_OUT:
                listed.setdefault(path.as_posix(), []).append(language)
    return dict(sorted(listed.items()))


def sitemap_bytes(listed: dict[str, list[SiteLanguage]], address: Address) -> bytes:
    """Write the sitemap: every page in every language, each naming the same page in all of them."""
    root = ET.Element("urlset", {"xmlns": _SITEMAP, "xmlns:xhtml": _XHTML})
    for path, languages in listed.items():
        for language in languages:
            url = add(root, "url")
            add(url, "loc", address.link(f"{language.folder}/{path}", ""))
            for other in languages:
                _alternate(url, other.tag, address.link(f"{other.folder}/{path}", ""))
            _alternate(url, "x-default", address.link(f"{languages[0].folder}/{path}", ""))
    return xml_bytes(root)


def _alternate(url: ET.Element, tag: str, href: str) -> None:
    add(url, "xhtml:link", rel="alternate", hreflang=tag, href=href)


def robots_text(address: Address) -> str:
    """Allow everything, and name the sitemap where there is one."""
    sitemap = f"Sitemap: {address.link('sitemap.xml', '')}\n" if address.root else ""
    return f"User-agent: *\nAllow: /\n{sitemap}"
