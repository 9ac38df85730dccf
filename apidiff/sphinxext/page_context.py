"""Gives the templates what stands around a page's text.

That is: what a page says of itself to programs that only read its head (search engines, chat previews, feed readers), links to
the same page in the other languages, the words of the site's scripts, and the policy of what a page may load. Addresses are
absolute where the site's own is known (``apidiff_site_url``), for outside they mean nothing otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from docutils import nodes
from markupsafe import escape
from sphinx.application import Sphinx
from sphinx.config import Config

from apidiff.messages.labels import between_sentences, label
from apidiff.model.base import Language
from apidiff.model.views import Entry
from apidiff.sphinxext.languages import language_of
from apidiff.sphinxext.nodes import relative
from apidiff.sphinxext.supported_builders import writes_site
from apidiff.sphinxext.theme import page_toc
from apidiff.sphinxext.versions import Releases
from apidiff.writers.exports.address import API, LANGUAGES, SiteLanguage
from apidiff.writers.exports.feed import NAME as FEED

# A page loads from the site alone, and runs and styles by files alone: markup that a record smuggled in could do neither.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
    )
)
# Scripts of Sphinx that serve its own search and its own shortcuts.
_UNUSED_SCRIPTS = {"translations.js", "doctools.js", "sphinx_highlight.js"}
# Scripts of sphinx-copybutton, in the order in which they need each other.
_COPYBUTTON_SCRIPTS = ("documentation_options.js", "clipboard.min.js", "copybutton.js")
_NO_CARD = {"ogp_disable": "true"}
# What sphinxext-opengraph does not say of the card.
_CARD_TAGS = (
    '<meta property="og:image:type" content="image/png" />',
    '<meta property="og:image:width" content="1200" />',
    '<meta property="og:image:height" content="630" />',
    '<meta name="twitter:card" content="summary_large_image" />',
)
_VIEWPORT = re.compile(r'<meta[^<>]*\bname="viewport"[^<>]*>\s*')
# What a page is about, kept with the page when it is read; Sphinx merges and forgets it with the page.
_DESCRIPTION = "apidiff_description"
_LONGEST = 300
_MAPPINGS = "mappings/"
# Words of conf/elements/src/shell.ts and of the search box, under `site.` and `search.` in the labels.
_SHELL_WORDS = ("region.table", "region.code", "region.again")
_SEARCH_WORDS = ("results", "loading", "failed", "count", "one", "nothing", "near", "all", "more", "keys")
_CHOOSER_WORDS = ("label", "newest", "back", "said", "unknown", "not_run")


def configure_head(_app: Sphinx, config: Config) -> None:
    """Set the address of this language's pages for the theme's canonical links, and what sphinxext-opengraph writes."""
    language = language_of(config)
    if config.apidiff_site_url:
        config.html_baseurl = config.ogp_site_url = f"{config.apidiff_site_url}{language.folder}/"
    config.ogp_site_name = label("site.title", language.words)
    config.ogp_image = f"_static/card-{language.words}.png"
    config.ogp_image_alt = label("machines.card", language.words)
    config.ogp_custom_meta_tags = _CARD_TAGS
    config.ogp_social_cards = {"enable": False}  # no pictures drawn by matplotlib
    config.ogp_enable_meta_description = False  # the template writes it, on pages without a card too


def describe_mapping(entry: Entry, language: Language) -> dict[str, str]:
    """Return what is kept with a mapping's page: its summary and its worst risk."""
    text = label(
        "machines.about_mapping",
        language,
        summary=entry.summary.said_in(language),
        risk=label(f"risk.{entry.risk}", language),
        meaning=label(f"risk_meaning.{entry.risk}", language),
    )
    return describe(text)


def describe(text: str) -> dict[str, str]:
    """Return what is kept with a page that says ``text`` of itself."""
    return {_DESCRIPTION: _plain(text)}


def add_words(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None
) -> None:
    """Give the templates the words of the site's shell and scripts, and the way to the page in every language."""
    here, uri = language_of(app.config), app.builder.get_target_uri(pagename)
    context["apidiff_languages"] = [
        {
            "href": relative(pagename, f"../{language.folder}/{uri}"),
            "tag": language.tag,
            "name": language.name,
            "current": language is here,
        }
        for language in LANGUAGES
    ]
    # Sphinx writes no page again because a neighbour came or went, so a link to the neighbour would go stale.
    context["prev"] = context["next"] = None
    context["rellinks"] = []
    context["apidiff_word"] = lambda key: escape(label(f"site.{key}", here.words))
    context["apidiff_page_toc"] = page_toc
    shell = {key: label(f"site.{key}", here.words) for key in _SHELL_WORDS}
    context["apidiff_shell_words"] = _json(shell)
    context["apidiff_search_words"] = _json(search_words(here.words))


def search_words(language: Language) -> dict[str, str]:
    """Return the words of a search box by name."""
    words = {key: label(f"search.{key}", language) for key in _SEARCH_WORDS}
    return {"hint": label("site.search_hint", language), **words}


def add_versions(context: dict[str, Any], language: Language, releases: Releases) -> None:
    """Tell the templates which versions can be chosen and which were run, and give them the words of the chooser."""
    context["apidiff_known"] = releases.known
    context["apidiff_run"] = releases.run
    words = {key: label(f"chooser.{key}", language) for key in _CHOOSER_WORDS}
    words |= {framework: label(f"framework.{framework}", language) for framework in ("torch", "mindspore")}
    context["apidiff_chooser"] = _json({**words, "space": between_sentences(language)})


def _json(words: dict[str, str]) -> str:
    return json.dumps(words, ensure_ascii=False)


def add_head(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Give the template ``apidiff_head``. Every text in it is plain and has to be escaped where it is put."""
    language = language_of(app.config)
    site: str = app.config.apidiff_site_url
    uri = app.builder.get_target_uri(pagename)

    def link(path: str) -> str:
        """Return the address of ``path`` (from the site's root)."""
        return site + path if site else relative(pagename, f"../{path}")

    page_title = app.env.titles.get(pagename)
    site_name = label("site.title", language.words)
    fallback = label(f"site.{pagename}", language.words) if pagename == "search" else site_name
    description = app.env.metadata.get(pagename, {}).get(_DESCRIPTION) or _first_words(doctree)
    mapping = pagename.removeprefix(_MAPPINGS) if pagename.startswith(_MAPPINGS) else ""
    same = [(other.tag, link(f"{other.folder}/{uri}")) for other in LANGUAGES]
    head: dict[str, Any] = {
        "title": page_title.astext() if page_title else fallback,
        "site_name": site_name,
        "description": description or label("site.description", language.words),
        "url": f"{site}{language.folder}/{uri}" if site else "",
        "image": link(f"{language.folder}/_static/card-{language.words}.png"),
        "alternates": [*same, ("x-default", same[0][1])],
        "feed": link(f"{language.folder}/{FEED}"),
        "feed_title": label("machines.feed", language.words),
        "files": _files(mapping, language, link) if mapping else [],
        # A search page has no content of its own.
        "robots": "noindex" if pagename == "search" else "",
    }
    head["data"] = _linked_data(head, mapping, language)
    context["apidiff_head"] = head
    context["meta"] = {**(context.get("meta") or {}), **_card(head, language)}
    # The layout names the viewport itself; docutils does so a second time.
    context["metatags"] = _VIEWPORT.sub("", context.get("metatags", ""))


def leave_out_card(
    app: Sphinx, _pagename: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None
) -> None:
    """Have sphinxext-opengraph pass over pages of other builders: it is loaded for the site, if not for ``extensions`` too."""
    if not writes_site(app.builder) and "sphinxext.opengraph" not in app.config.extensions:
        context["meta"] = {**(context.get("meta") or {}), **_NO_CARD}


def _card(head: dict[str, Any], language: SiteLanguage) -> dict[str, str]:
    """Return the facts of a page that sphinxext-opengraph takes from its metadata; there is no card without an address."""
    if not head["url"]:
        return _NO_CARD
    return {
        "og:title": head["title"],
        "og:description": head["description"],
        "og:type": "article" if head["files"] else "website",
        "og:locale": language.tag.replace("-", "_") if "-" in language.tag else "en_US",
    }


def _files(mapping: str, language: SiteLanguage, link: Callable[[str], str]) -> list[tuple[str, str]]:
    """List the same mapping for programs, as (media type, address)."""
    return [
        ("application/json", link(f"{API}/mappings/{mapping}.json")),
        ("text/markdown", link(f"{language.folder}/{_MAPPINGS}{mapping}.md")),
    ]


def _linked_data(head: dict[str, Any], mapping: str, language: SiteLanguage) -> dict[str, Any]:
    """Describe the page in the words of schema.org."""
    facts: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "APIReference" if mapping else "TechArticle",
        "headline": head["title"],
        "description": head["description"],
        "inLanguage": language.tag,
        "isPartOf": {"@type": "WebSite", "name": head["site_name"]},
    }
    if mapping:
        facts["about"] = mapping
        facts["encoding"] = [
            {"@type": "MediaObject", "encodingFormat": kind, "contentUrl": address} for kind, address in head["files"]
        ]
    if head["url"]:
        facts |= {"url": head["url"], "image": head["image"]}
    return facts


def _first_words(doctree: nodes.document | None) -> str:
    """Return the first paragraph that stands directly in a section: what a guide begins with."""
    if doctree is None:
        return ""
    for paragraph in doctree.findall(nodes.paragraph):
        if isinstance(paragraph.parent, nodes.section):
            return _plain(paragraph.astext())
    return ""


def _plain(text: str) -> str:
    """Write one line without the marks of code and control characters, cut where it is too long for a preview."""
    text = "".join(character for character in " ".join(text.replace("`", "").split()) if character.isprintable())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "…"


def add_policy(
    _app: Sphinx, _pagename: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None
) -> None:
    """Put the policy before everything a page loads, and take away scripts that stand in the page or are not used."""
    meta = f'\n    <meta http-equiv="Content-Security-Policy" content="{POLICY}"/>'
    context["metatags"] = meta + context.get("metatags", "")
    context["script_files"] = [script for script in context["script_files"] if _is_used(_address(script))]
    for script in context["script_files"]:
        if not isinstance(script, str) and _file_name(_address(script)) in _COPYBUTTON_SCRIPTS:
            script.attributes["defer"] = "defer"  # a page is shown before it can be copied from


def _address(script: Any) -> str:
    """Return the address of a script; empty where it stands in the page. Handlers of a user may name one by a string."""
    return script if isinstance(script, str) else str(script.filename or "")


def _is_used(filename: str) -> bool:
    return bool(filename) and _file_name(filename) not in _UNUSED_SCRIPTS


def _file_name(address: str) -> str:
    return address.rpartition("/")[2].partition("?")[0]
