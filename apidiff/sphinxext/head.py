"""What a page says of itself to programs that only read its head: search engines, chat previews, feed readers.

Addresses are absolute where the site's own is known (``apidiff_site_url``), for outside they mean nothing otherwise.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

from apidiff.messages.labels import Language, label
from apidiff.model.views import Entry
from apidiff.sphinxext.languages import LANGUAGES
from apidiff.sphinxext.nodes import relative

_VIEWPORT = re.compile(r'<meta[^>]*\bname="viewport"[^>]*>\s*')
# What a page is about, kept with the page when it is read; Sphinx merges and forgets it with the page.
_DESCRIPTION = "apidiff_description"
_LONGEST = 300
_MAPPINGS = "mappings/"


def set_base_address(_app: Sphinx, config: Config) -> None:
    """Sphinx' own name for the address of this language's pages; the theme's canonical links come from it."""
    if config.apidiff_site_url:
        config.html_baseurl = f"{config.apidiff_site_url}{_folder(config.language)}/"


def _folder(language: str) -> str:
    return next(folder for name, folder, _, _ in LANGUAGES if name == language)


def describe_mapping(entry: Entry, language: Language) -> dict[str, str]:
    """What is kept with a mapping's page: its summary and its worst risk."""
    text = label("machines.about_mapping", language).format(
        summary=entry.summary.en if language == "en" else entry.summary.zh,
        risk=label(f"risk.{entry.risk}", language),
        meaning=label(f"risk_meaning.{entry.risk}", language),
    )
    return describe(text)


def describe(text: str) -> dict[str, str]:
    """What is kept with a page that says ``text`` of itself."""
    return {_DESCRIPTION: _plain(text)}


def add_head(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Give the template ``apidiff_head``. Every text in it is plain and has to be escaped where it is put."""
    words: Language = "zh" if app.config.language.startswith("zh") else "en"
    tag = next((one for name, _, one, _ in LANGUAGES if name == app.config.language), "en")
    folder = next((one for name, one, _, _ in LANGUAGES if name == app.config.language), "en")
    site: str = app.config.apidiff_site_url
    uri = app.builder.get_target_uri(pagename)

    def link(path: str) -> str:
        """The address of ``path`` (from the site's root)."""
        return site + path if site else relative(pagename, f"../{path}")

    found = app.env.titles.get(pagename)
    site_name = label("site.title", words)
    title = found.astext() if found else label(f"site.{pagename}", words) if pagename == "search" else site_name
    description = app.env.metadata.get(pagename, {}).get(_DESCRIPTION) or _first_words(doctree)
    description = description or label("site.description", words)
    mapping = pagename.removeprefix(_MAPPINGS) if pagename.startswith(_MAPPINGS) else ""
    same = [(one, link(f"{other}/{uri}")) for _, other, one, _ in LANGUAGES]
    head: dict[str, Any] = {
        "title": title,
        "site_name": site_name,
        "description": description,
        "kind": "article" if mapping else "website",
        "locale": tag.replace("-", "_") if "-" in tag else "en_US",
        "url": f"{site}{folder}/{uri}" if site else "",
        "image": link(f"{folder}/_static/card-{words}.png"),
        "image_alt": label("machines.card", words),
        "alternates": [*same, ("x-default", same[0][1])],
        "feed": link(f"{folder}/verdicts.xml"),
        "feed_title": label("machines.feed", words),
        "files": _files(mapping, folder, link) if mapping else [],
        # A search page has no content of its own.
        "robots": "noindex" if pagename == "search" else "",
    }
    head["data"] = _linked_data(head, mapping, tag)
    context["apidiff_head"] = head
    # The layout names the viewport itself; docutils does so a second time.
    context["metatags"] = _VIEWPORT.sub("", context.get("metatags", ""))


def _files(mapping: str, folder: str, link: Any) -> list[tuple[str, str]]:
    """The same mapping for programs, as (media type, address)."""
    return [
        ("application/json", link(f"api/v1/mappings/{mapping}.json")),
        ("text/markdown", link(f"{folder}/{_MAPPINGS}{mapping}.md")),
    ]


def _linked_data(head: dict[str, Any], mapping: str, tag: str) -> dict[str, Any]:
    """The page in the words of schema.org."""
    found: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "APIReference" if mapping else "TechArticle",
        "headline": head["title"],
        "description": head["description"],
        "inLanguage": tag,
        "isPartOf": {"@type": "WebSite", "name": head["site_name"]},
    }
    if mapping:
        found["about"] = mapping
        found["encoding"] = [
            {"@type": "MediaObject", "encodingFormat": kind, "contentUrl": address} for kind, address in head["files"]
        ]
    if head["url"]:
        found |= {"url": head["url"], "image": head["image"]}
    return found


def _first_words(doctree: nodes.document | None) -> str:
    """The first paragraph that stands directly in a section: what a guide begins with."""
    if doctree is None:
        return ""
    for paragraph in doctree.findall(nodes.paragraph):
        if isinstance(paragraph.parent, nodes.section):
            return _plain(paragraph.astext())
    return ""


def _plain(text: str) -> str:
    """One line without the marks of code and without control characters, cut where it is too long for a preview."""
    text = "".join(one for one in " ".join(text.replace("`", "").split()) if one.isprintable())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "…"
