"""The script that the browser searches: ``_search/index.js``, written anew by every build from all that is known.

It is a script, not JSON: a page opened from a file may load scripts, but may not ask for files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
from sphinx.application import Sphinx

from apidiff.messages.labels import Language, label
from apidiff.sphinxext.build_cache import Content, write_if_changed
from apidiff.sphinxext.domain import ApidiffDomain
from apidiff.sphinxext.search_entries import SearchEntry, counterpart_entry, mapping_entry, search_data
from apidiff.sphinxext.search_parts import resolved

INDEX = Path("_search") / "index.js"
_WORDS = ("results", "loading", "failed", "count", "one", "nothing", "near", "all", "more", "keys")


def search_words(language: Language) -> str:
    """The words of the search box and the search page, as the elements read them."""
    words = {name: label(f"search.{name}", language) for name in _WORDS}
    return json.dumps({"hint": label("site.search_hint", language), **words}, ensure_ascii=False)


def write_search_index(app: Sphinx, content: Content) -> None:
    """Write what can be found on the pages of this build."""
    language: Language = "zh" if app.config.language.startswith("zh") else "en"
    data = search_data(_entries(app, content, language), language)
    script = b"window.apidiffSearch=" + msgspec.json.encode(data) + b";\n"
    write_if_changed(Path(app.outdir) / INDEX, script)


def _entries(app: Sphinx, content: Content, language: Language) -> Iterator[SearchEntry]:
    domain = app.env.get_domain("apidiff")
    assert isinstance(domain, ApidiffDomain)

    def address(docname: str, part: str) -> str:
        return app.builder.get_target_uri(docname) + (f"#{part}" if part else "")

    for mapping_id in sorted(content.entries):
        yield mapping_entry(content.entries[mapping_id], content.newest["mindspore"], language)
    for name, found in sorted(content.counterparts.items()):
        if place := domain.find_last("api", name):
            yield counterpart_entry(found, address(*place), language)
    for docname, parts in domain.parts().items():
        title = app.env.titles[docname].astext()
        for part in parts:
            yield SearchEntry(
                kind=part.kind,
                name=part.title,
                address=address(docname, part.anchor),
                text=resolved(app.env, part.text),
                within="" if part.kind == "python" or part.title == title else title,
            )
