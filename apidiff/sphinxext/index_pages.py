"""Builds pages that list all mappings: by category, by risk, by MindSpore API, run records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from docutils import nodes

from apidiff.database.runs import short_id
from apidiff.database.scope import load_scope
from apidiff.derive.answers import MAPS_TO, answer_at, current_answer, current_target
from apidiff.derive.evidence import RunHead, SingleHead
from apidiff.messages.escape_invisible import visible
from apidiff.messages.signed_words import signed_words
from apidiff.messages.version_changes import Maker, measurer
from apidiff.model.signed import State
from apidiff.model.trust import OWN, Trust
from apidiff.model.views import CounterpartEntry, DifferenceEntry, Entry, ServedEntry
from apidiff.model.vocabulary import AnswerKind, Reach, Risk
from apidiff.sphinxext.build_cache import MappingPage
from apidiff.sphinxext.long_lists import divisible, portions
from apidiff.sphinxext.nodes import Cell, Inline, block, details, joined, literal, paragraph, relative, table, table_row
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.run_page import run_title
from apidiff.sphinxext.site_content import DamagedFile
from apidiff.writers.exports.address import anchor

# APIs of each risk that every reader sees at once.
_OF_A_RISK = 12
Head = TypeVar("Head", RunHead, SingleHead)
_RUN_CLASSES = ["apidiff-wrapped", "apidiff-stacked"]


def _by_category(pages: list[MappingPage]) -> list[tuple[str, list[MappingPage]]]:
    """Group the mappings by category, in both those used most first, without empty ones."""
    used = sorted(pages, key=lambda page: -page.entry.uses)
    groups = [(key, [page for page in used if page.entry.category == key]) for key in load_scope().categories]
    groups.sort(key=lambda group: -sum(page.entry.uses for page in group[1]))
    return [(category, members) for category, members in groups if members]


def _pair(make: PageBuilder, entry: Entry, newest: str) -> list[nodes.Node]:
    """Show the source, and below it what answers it on the MindSpore version ``newest``."""
    lines: list[nodes.Node] = [paragraph(make.ref("mapping", entry.id))]
    if current := current_target(entry, newest):
        link = make.ref("mapping", entry.id, literal(current.name), part=anchor(current.name))
        lines.append(paragraph(nodes.Text("→ "), link))
    elif (answer := current_answer(entry, newest)) and answer.uses:
        names: list[Inline] = [[literal(name)] for name in answer.uses]
        lines.append(paragraph(nodes.Text("→ "), *joined(names, make.word("site.comma")), classes=["apidiff-wrap"]))
    return lines


def by_category(make: PageBuilder, pages: list[MappingPage], newest: str) -> list[nodes.Node]:
    """Show all mappings by category, each under a lid: the names, those used most first, and what is not simply a target."""
    if not pages:
        return [make.sentence("index.empty")]
    lids: list[nodes.Node] = []
    for category, members in _by_category(pages):
        items = [nodes.list_item("", paragraph(*_glance(make, page.entry, newest))) for page in members]
        name = load_scope().category_name(category, make.language)
        title = [nodes.strong("", name), nodes.Text(make.word("site.aside", text=str(len(items))))]
        names = divisible(items, classes=["apidiff-glance"])
        lids.append(make.lid(f"category-{category}", title, *names))
    return lids


def _glance(make: PageBuilder, entry: Entry, newest: str) -> Inline:
    kind, risk, _ = answer_at(entry, newest)
    link: list[nodes.Node] = [make.ref("mapping", entry.id)]
    if kind and kind != MAPS_TO:
        return [*link, nodes.Text(" "), make.badge("answer", kind)]
    return [*link, nodes.Text(" "), make.badge("risk", risk)] if risk else link


def by_risk(make: PageBuilder, pages: list[MappingPage], newest: str) -> list[nodes.Node]:
    """Build one section per risk, worst first, with every difference of that risk that the newest MindSpore makes."""
    return [_risk_section(make, risk.value, pages, newest) for risk in Risk]


def _risk_section(make: PageBuilder, risk: str, pages: list[MappingPage], newest: str) -> nodes.section:
    told = [
        (page.entry, differences)
        for page in pages
        if (differences := [one for one in answer_at(page.entry, newest)[2] if one.risk == risk])
    ]
    told.sort(key=lambda api: (not any(map(_is_everyday, api[1])), -api[0].uses))
    lines = [(entry.id, _differences_of(make, entry, risk, differences, newest)) for entry, differences in told]
    title = [make.badge("risk", risk)]
    meaning = make.sentence(f"risk_meaning.{risk}")
    if not lines:
        return make.section(risk, title, meaning, make.sentence("index.risk_empty"))
    shown = block("", *portions(make, lines, shown=_OF_A_RISK), filter=make.word("statements.filter"))
    return make.section(risk, title, meaning, shown)


def _differences_of(
    make: PageBuilder, entry: Entry, risk: str, differences: Sequence[DifferenceEntry], newest: str
) -> details:
    """Show an API in one line; opened, its differences of one risk, those of everyday use first."""
    everyday = sum(map(_is_everyday, differences))
    count = make.word("risks.count", everyday=everyday, others=len(differences) - everyday)
    head: list[nodes.Node] = [literal(entry.id), nodes.Text(" " + count)]
    ordered = sorted(differences, key=lambda difference: not _is_everyday(difference))
    items = [nodes.list_item("", paragraph(*_difference(make, entry, difference))) for difference in ordered]
    return make.line(anchor(f"{risk}--{entry.id}"), head, *_pair(make, entry, newest), nodes.bullet_list("", *items))


def _is_everyday(difference: DifferenceEntry) -> bool:
    return difference.reach == Reach.EVERYDAY.value


def _difference(make: PageBuilder, entry: Entry, difference: DifferenceEntry) -> list[nodes.Node]:
    """Show the fact in a few words that lead to the rest; one without a headline is shown whole."""
    part = f"difference-{difference.id}"
    if difference.headline:
        return [make.ref("mapping", entry.id, *make.text(difference.headline), part=part)]
    kind = nodes.Text(make.word(f"difference.{difference.kind}"))
    link = make.ref("mapping", entry.id, kind, part=part)
    return [link, nodes.Text(make.word("site.colon")), *make.text(difference.text)]


def meanings(make: PageBuilder) -> list[nodes.Node]:
    """Explain the words of risks and of answers, and how the two go together."""
    risks = [("risk", risk.value) for risk in Risk]
    answers = [("answer", kind.value) for kind in AnswerKind]
    return [
        make.sentence("meanings.risk"),
        _meanings(make, risks),
        make.sentence("meanings.answer"),
        _meanings(make, answers),
    ]


def _meanings(make: PageBuilder, words: Iterable[tuple[str, str]]) -> nodes.bullet_list:
    items = []
    for kind, value in words:
        text = nodes.Text(" " + make.word(f"{kind}_meaning.{value}"))
        items.append(nodes.list_item("", paragraph(make.badge(kind, value), text)))
    return nodes.bullet_list("", *items, classes=["apidiff-meanings"])


def runs(make: PageBuilder, lines: Iterable[RunHead]) -> list[nodes.Node]:
    """Show one row per run record, this project's newest first, then those of others."""
    rows: list[tuple[str, nodes.row]] = []
    for line in _ours_first(lines):
        title = run_title(make, line.framework, line.framework_version, line.backend, line.device, line.world_size)
        ends = [[nodes.Text(f"{count} "), make.badge("end", end)] for end, count in line.ends.items()]
        if line.stopped:
            ends.append([nodes.Text(f"· {make.word('run.stopped_short')}")])
        name: list[nodes.Node] = [paragraph(make.ref("run", line.id, nodes.Text(title)))]
        name += _made_by(make, line)
        name.append(_record_name(line.id))
        rows.append((_day(line), table_row([name, [make.date(line.date)], joined(ends, " ")])))
    if not rows:
        return [make.sentence("runs.empty")]
    header = [make.word("column.run"), make.word("run.date"), make.word("run.count")]
    return [block("", *portions(make, rows, lambda some: [table(header, some, classes=_RUN_CLASSES)]))]


def _ours_first(lines: Iterable[Head]) -> list[Head]:
    """This project's records, known signers', unsigned ones, each newest first: a record may name any date."""
    newest_first = sorted(lines, key=lambda line: line.date, reverse=True)
    return sorted(newest_first, key=lambda line: (line.signed.trust not in OWN, line.signed.trust is Trust.UNSIGNED))


def _day(line: RunHead | SingleHead) -> str:
    return line.date[: len("2026-11-21")]


def _made_by(make: PageBuilder, line: RunHead | SingleHead) -> list[nodes.Node]:
    """Show who made a record, and who vouches for it where that is not this project's list."""
    by = measurer(Maker(line.measured_by, line.signed.trust, line.signed.signer), make.language)
    shown: list[nodes.Node] = [paragraph(make.lead("run.measured_by"), nodes.Text(by))]
    if line.signed.state not in {
        State.LISTED,
        State.IN_SIGNED_LIST,
        State.UNSIGNED,
    }:  # what the name does not say already
        shown.append(paragraph(nodes.Text(signed_words(line.signed, make.language))))
    return shown


def damaged_files(make: PageBuilder, damaged: Mapping[str, DamagedFile]) -> list[nodes.Node]:
    """Show the files that are damaged, so that nothing shown rests on them; nothing where there is none."""
    if not damaged:
        return []
    rows: list[list[Cell]] = [[[literal(visible(path))], _damage(make, file)] for path, file in damaged.items()]
    header = [make.word("run.file"), make.word("run.fault")]
    about = make.command("runs.damaged_about", "apidiff check")
    return [make.section("damaged", make.word("runs.damaged"), *about, block("", table(header, rows)))]


def _damage(make: PageBuilder, file: DamagedFile) -> str:
    why = make.word(f"damage.{file.damage.value}")
    return make.word("damage.at_line", line=file.line, why=why) if file.line else why


def single_runs(make: PageBuilder, lines: Sequence[SingleHead]) -> list[nodes.Node]:
    """Show one row per record of calls in a single process, ordered as `runs` has them, each linked to the raw record."""
    rows: list[tuple[str, nodes.row]] = []
    for line in _ours_first(lines):
        title = make.word(
            "run.single_title",
            framework=make.framework(line.framework),
            version=line.framework_version,
            device=line.device,
        )
        raw = relative(make.docname, f"_runs/{line.id}.json")
        name: list[nodes.Node] = [paragraph(nodes.reference("", title, refuri=raw, internal=True))]
        name += _made_by(make, line)
        ends = [[nodes.Text(f"{count} "), make.badge("end", end)] for end, count in line.ends.items()]
        if line.stopped:
            ends.append([nodes.Text(f"· {make.word('run.stopped_short')}")])
        name.append(_record_name(line.id))
        rows.append((_day(line), table_row([name, [make.date(line.date)], joined(ends, " ")])))
    if not rows:
        return []
    header = [make.word("column.run"), make.word("run.date"), make.word("run.samples")]
    shown = portions(make, rows, lambda some: [table(header, some, classes=_RUN_CLASSES)])
    return [make.section("single-runs", make.word("runs.single"), block("", *shown))]


def _record_name(run_id: str) -> nodes.paragraph:
    """Name the file of a record, below its title: long, and needed only by who looks for the file."""
    return paragraph(literal(short_id(run_id)), classes=["apidiff-claim-id"])


def counterpart_sections(make: PageBuilder, counterparts: list[CounterpartEntry]) -> list[nodes.Node]:
    """Build one section per MindSpore module, with one row per API and the sources it serves."""
    by_module: dict[str, list[CounterpartEntry]] = {module.name: [] for module in load_scope().mindspore.modules}
    for counterpart in counterparts:
        by_module.setdefault(module_of(counterpart.name), []).append(counterpart)
    header = [make.word(f"column.{name}") for name in ("mindspore_api", "serves")]
    sections: list[nodes.Node] = []
    for module, members in by_module.items():
        if members:
            rows = [(member.name, table_row(_counterpart_row(make, member))) for member in members]
            shown = portions(make, rows, lambda some: [table(header, some, classes=["apidiff-stacked"])], shown=0)
            sections.append(make.section(f"module-{module}", [literal(module)], *shown))
    if not sections:
        return [make.sentence("index.empty")]
    return [block("", filter=make.word("index.filter")), *sections]


def module_of(name: str) -> str:
    """Return the module of the page that an API is listed under."""
    return load_scope().mindspore.module_of(name) or name.partition(".")[0]


def _counterpart_row(make: PageBuilder, counterpart: CounterpartEntry) -> list[Cell]:
    name = nodes.inline("", "", literal(counterpart.name), ids=[anchor(counterpart.name)])
    make.document.note_explicit_target(name)
    if counterpart.serves:
        return [[name], [paragraph(*_served_source(make, counterpart, served)) for served in counterpart.serves]]
    if counterpart.why is None:
        return [[name], make.word("serves.unnamed")]
    gap = nodes.Text(" " if make.language == "en" else "")
    said: list[nodes.Node] = [paragraph(nodes.Text(make.word("serves.none")), gap, *make.text(counterpart.why))]
    comma = make.word("site.comma")
    if counterpart.nearest:
        links = [[make.ref("mapping", mapping)] for mapping in counterpart.nearest]
        said.append(make.term("nearest", *joined(links, comma)))
    if counterpart.documents:
        places = [make.document_link(document) for document in counterpart.documents]
        said.append(make.term("claim.stated", *joined(places, comma)))
    return [[name], said]


def _served_source(make: PageBuilder, counterpart: CounterpartEntry, served: ServedEntry) -> list[nodes.Node]:
    """Show the source, and in which versions it is answered so: 'torch.distributed.reduce ≥ 2.5 current'."""
    kind = "status" if served.role == "target" else "answer"
    part = anchor(counterpart.name) if served.role == "target" else ""
    spans: list[Inline] = [
        [nodes.Text(make.span(span.range) + " "), make.badge(kind, span.status)] for span in served.ranges
    ]
    link = make.ref("mapping", served.id, literal(served.source), part=part)
    shown = [link, nodes.Text(" "), *joined(spans, " · ")]
    if any(span.status == AnswerKind.NO_COUNTERPART.value for span in served.ranges):
        shown.append(nodes.Text(make.word("serves.nearest")))
    return shown
