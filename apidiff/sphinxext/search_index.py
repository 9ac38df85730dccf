"""Writes the script that the browser searches, ``_search/index.js``, anew in every build from all that is known.

It is a script, not JSON: a page opened from a file may load scripts, but may not ask for files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import docname_join

from apidiff.database.terms import everyday_names, load_terms
from apidiff.lookup.words import EMPTY
from apidiff.messages.labels import label
from apidiff.messages.synonyms import words_of
from apidiff.model.base import Language, Record
from apidiff.model.views import CounterpartEntry
from apidiff.sphinxext.build_cache import BuildCache
from apidiff.sphinxext.domain import ApidiffDomain, Part
from apidiff.sphinxext.index_table import index_table
from apidiff.sphinxext.languages import language_of
from apidiff.sphinxext.nodes import block, late
from apidiff.sphinxext.search_entries import SearchEntry, counterpart_entry
from apidiff.writers.exports.files import write_if_changed

INDEX = Path("_search") / "index.js"
KINDS = ("mapping", "api", "page", "python", "run")
_LONGEST = 3000  # characters of one part
# What a reference is called is known only when all pages are read: its place is kept until then.
_TITLE = re.compile("\x02(doc|ref) ([^\x03]*)\x03")
_CUT = re.compile("\x02[^\x03]*$")
_ELSEWHERE = (
    *(nodes.section, nodes.title, nodes.Invisible, nodes.raw, addnodes.desc, addnodes.toctree),
    *(nodes.system_message, block, late, index_table),
)


def write_search_index(app: Sphinx, cache: BuildCache) -> None:
    """Write what can be found on the pages of this build."""
    language = language_of(app.config).words
    data = search_data(_entries(app, cache, language), language)
    script = b"window.apidiffSearch=" + msgspec.json.encode(data) + b";\n"
    write_if_changed(Path(app.outdir) / INDEX, script)


def _entries(app: Sphinx, cache: BuildCache, language: Language) -> Iterator[SearchEntry]:
    domain = app.env.get_domain("apidiff")
    assert isinstance(domain, ApidiffDomain)

    def address(docname: str, part: str) -> str:
        return app.builder.get_target_uri(docname) + (f"#{part}" if part else "")

    yield from cache.read(f"search/{language}", list[SearchEntry])
    for counterpart in cache.read("counterparts", list[CounterpartEntry]):
        if place := domain.find_last("api", counterpart.name):
            yield counterpart_entry(counterpart, address(*place), language)
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


class SearchData(Record, frozen=True, kw_only=True):
    """All entries. ``words``: what kinds of behaviour are called, by key; the entries name the keys.

    ``labels``: the words of kinds and badges. ``everyday``: what people type, with the words of API names meant by it.
    ``empty``: words that tell no text from another.
    """

    entries: list[SearchEntry]
    words: dict[str, str]
    labels: dict[str, str]
    everyday: dict[str, list[str]]
    empty: list[str]


def search_data(entries: Iterable[SearchEntry], language: Language) -> SearchData:
    """Collect the entries with every word that they name."""
    entries = list(entries)
    keys = {key for entry in entries for key in entry.words}
    keys |= {key for entry in entries for passage in entry.passages for key in passage.words}
    badges = {f"search.{kind}" for kind in KINDS}
    badges |= {f"risk.{entry.risk}" for entry in entries if entry.risk}
    badges |= {f"risk.{passage.risk}" for entry in entries for passage in entry.passages if passage.risk}
    badges |= {f"answer.{entry.status}" for entry in entries if entry.status}
    return SearchData(
        entries=entries,
        words={key: words_of(*key.split(".", 1)) for key in sorted(keys)},
        labels={key: label(key, language) for key in sorted(badges)},
        everyday=everyday_names(load_terms()),
        empty=EMPTY,
    )


def note_parts(app: Sphinx, doctree: nodes.document) -> None:
    """Record the parts of the page that was just read."""
    domain = app.env.get_domain("apidiff")
    assert isinstance(domain, ApidiffDomain)
    docname = app.env.docname
    # What is found of a mapping is made from its entry; its evidence page is a step behind that.
    if not docname.startswith("mappings/") and not (docname.startswith("evidence/") and docname.count("/") == 1):
        domain.note_parts(docname, list(_parts(docname, doctree)))


def resolved(env: BuildEnvironment, text: str) -> str:
    """Fill in the titles of what the text refers to."""

    def title(match: re.Match[str]) -> str:
        kind, goal = match.groups()
        if kind == "doc":
            return env.titles[goal].astext() if goal in env.titles else goal
        labels = env.domains.standard_domain.labels
        return str(labels[goal][2]) if goal in labels else goal

    return _TITLE.sub(title, text)


def _parts(docname: str, doctree: nodes.document) -> Iterator[Part]:
    described = docname.startswith("api/")
    for number, section in enumerate(doctree.findall(nodes.section)):
        title = next(iter(section.findall(nodes.title)), None)
        if title is None or not section["ids"]:
            continue
        if docname.startswith("runs/"):
            yield Part("run", title.astext(), "", "")
            return
        text = _text(section)
        if number == 0:
            yield Part("python" if described else "page", title.astext(), "", text)
        elif text and not described:
            yield Part("page", title.astext(), section["ids"][0], text)
    for signature in doctree.findall(addnodes.desc_signature):
        content = signature.next_node(addnodes.desc_content, descend=False, siblings=True)
        if signature["ids"]:
            name = signature["ids"][0]
            yield Part("python", name, name, _text(content) if content is not None else "")


def _text(holder: nodes.Element) -> str:
    """Return the text that stands in the part itself, not in a part of it, in one line."""
    text = " ".join(" ".join(_pieces(holder)).split())
    return _CUT.sub("", text[:_LONGEST])


def _pieces(holder: nodes.Element) -> Iterator[str]:
    for child in holder.children:
        if isinstance(child, _ELSEWHERE):
            continue
        if isinstance(child, nodes.TextElement):
            yield "".join(_words(child))
        elif isinstance(child, nodes.Element):
            yield from _pieces(child)


def _words(holder: nodes.Element) -> Iterator[str]:
    for child in holder.children:
        if isinstance(child, addnodes.pending_xref) and child["reftype"] in {"doc", "ref"} and not child["refexplicit"]:
            goal = child["reftarget"]
            if child["reftype"] == "doc":
                goal = docname_join(child["refdoc"], goal)
            yield f"\x02{child['reftype']} {goal}\x03"
        elif isinstance(child, nodes.Text):
            yield child.astext()
        elif isinstance(child, nodes.Element):
            yield from _words(child)
