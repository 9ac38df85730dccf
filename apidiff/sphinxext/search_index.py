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

from apidiff.database.scope import load_scope
from apidiff.database.terms import everyday_names, load_terms
from apidiff.derive.answers import MAPS_TO, answer_at, current_target
from apidiff.lookup.passages import unmatched_text
from apidiff.lookup.words import EMPTY
from apidiff.messages.labels import label
from apidiff.messages.synonyms import words_of
from apidiff.model.base import Language, Record, Text
from apidiff.model.views import CounterpartEntry, DifferenceEntry, Entry, ParameterEntry, TargetEntry
from apidiff.sphinxext.answers import answer_anchor
from apidiff.sphinxext.domain import ApidiffDomain, Part
from apidiff.sphinxext.index_table import index_table
from apidiff.sphinxext.languages import language_of
from apidiff.sphinxext.nodes import block, late
from apidiff.sphinxext.site_content import Content
from apidiff.writers.exports.address import anchor
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


def write_search_index(app: Sphinx, content: Content) -> None:
    """Write what can be found on the pages of this build."""
    language = language_of(app.config).words
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
    for name, counterpart in sorted(content.counterparts.items()):
        if place := domain.find_last("api", name):
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


class Passage(Record, frozen=True, kw_only=True):
    """A text of an entry with the anchor of its place. ``words``: keys of `SearchData.words`."""

    text: str
    anchor: str = ""
    risk: str | None = None
    words: list[str] = []


class SearchEntry(Record, frozen=True, kw_only=True):
    """One thing that can be found.

    ``kind``: mapping, api (of MindSpore), page, python or run. ``address``: from the folder of the language. ``names``: what
    else it is called, ``targets`` its targets, ``uses`` the APIs that other answers name; a name has no space. ``used``:
    how often real code names it. ``within``: the title of the page that it is a part of. ``words``: keys of `SearchData.words`.
    """

    kind: str
    name: str
    address: str
    text: str = ""
    names: list[str] = []
    targets: list[str] = []
    uses: list[str] = []
    used: int = 0
    within: str = ""
    risk: str | None = None
    status: str | None = None
    words: list[str] = []
    parameters: list[str] = []
    passages: list[Passage] = []


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


def mapping_entry(entry: Entry, newest: str, language: Language) -> SearchEntry:
    """Make the entry of a mapping: names, differences, what stands in for it. ``newest``: the newest MindSpore version."""
    status, risk, _ = answer_at(entry, newest)
    current = current_target(entry, newest)
    targets = entry.targets[::-1]
    targets.sort(key=lambda target: target is not current)
    short = load_scope().torch.aliased(entry.source)
    rows = [row for target in targets for row in (*target.parameters, *target.members)]
    passages = [passage for target in targets for passage in _of_target(target, target is current, language)]
    passages += _of_answers(entry, newest, language)
    return SearchEntry(
        kind="mapping",
        name=entry.source,
        address=f"mappings/{entry.id}.html",
        text=_plain(entry.summary, language),
        names=list(dict.fromkeys([*entry.aliases, *short])),
        targets=[target.name for target in targets],
        uses=list(dict.fromkeys(name for answer in entry.otherwise for name in answer.uses)),
        used=entry.uses,
        risk=risk,
        status=None if status == MAPS_TO else status,
        words=[f"category.{entry.category}", *sorted(_labels(entry))],
        parameters=list(dict.fromkeys(name for row in rows for name in (row.source, row.target) if name)),
        passages=list(_once(passages)),
    )


def _labels(entry: Entry) -> Iterator[str]:
    """List what is told of an entry apart from its texts: other answers, targets not to be used, what ended otherwise."""
    yield from {f"answer.{answer.answer}" for answer in entry.otherwise}
    ranges = [span for target in entry.targets for span in target.ranges]
    yield from {f"status.{span.status}" for span in ranges if span.status in {"deprecated", "removed"}}
    outcomes = {item.outcome for claim in entry.claims for item in claim.summary}
    yield from {f"outcome.{outcome}" for outcome in outcomes - {"holds", "not run", "undecided"}}


def counterpart_entry(counterpart: CounterpartEntry, address: str, language: Language) -> SearchEntry:
    """Make the entry of a MindSpore API with the sources that it answers."""
    sources = list(dict.fromkeys(served.source for served in counterpart.serves))
    said = label("site.comma", language).join(sources)
    text = (
        label("search.serves", language).format(names=said)
        if sources
        else _plain(unmatched_text(counterpart), language)
    )
    return SearchEntry(
        kind="api",
        name=counterpart.name,
        address=address,
        text=text,
        names=[counterpart.name.replace("mindspore.", "ms.", 1)],
    )


def _of_target(target: TargetEntry, is_current: bool, language: Language) -> Iterator[Passage]:
    prefix = "" if is_current else f"{target.name}--"
    for difference in target.differences:
        yield _difference(difference, f"{prefix}difference-{difference.id}", language)
    if target.note:
        yield Passage(text=_plain(target.note, language), anchor=anchor(target.name))
    for part, rows in (("parameters", target.parameters), ("members", target.members)):
        for row in rows:
            if _tells(row):
                # The tables of targets that are not shown first stand on the evidence page.
                goal = anchor(f"{target.name}--{part}" if is_current else target.name)
                yield Passage(text=_plain(row.text, language), anchor=goal)


def _tells(row: ParameterEntry) -> bool:
    """Tell whether a row says what is told nowhere else: others are the same on both sides, or differences."""
    return row.relations != ["same"] and row.risk == "none"


def _of_answers(entry: Entry, newest: str, language: Language) -> Iterator[Passage]:
    for answer in reversed(entry.otherwise):
        for text in (answer.why, answer.instead):
            if text:
                words = [f"answer.{answer.answer}", *_risk(answer.risk)]
                yield Passage(text=_plain(text, language), anchor=answer_anchor(answer), risk=answer.risk, words=words)
    _, _, differences = answer_at(entry, newest)
    for difference in differences:
        yield _difference(difference, f"difference-{difference.id}", language)


def _difference(difference: DifferenceEntry, place: str, language: Language) -> Passage:
    words = [f"difference.{difference.kind}", *_risk(difference.risk)]
    return Passage(text=_plain(difference.text, language), anchor=anchor(place), risk=difference.risk, words=words)


def _risk(risk: str) -> list[str]:
    return [] if risk == "none" else [f"risk.{risk}"]


def _once(passages: Iterable[Passage]) -> Iterator[Passage]:
    """Keep each text once, where it stands first: targets of one mapping share much."""
    seen: set[str] = set()
    for passage in passages:
        if passage.text not in seen:
            seen.add(passage.text)
            yield passage


def _plain(text: Text, language: Language) -> str:
    """Write the text without the marks of code."""
    return text.said_in(language).replace("`", "")


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
