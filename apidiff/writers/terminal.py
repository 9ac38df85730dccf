"""Shows answers and search results in a terminal. All text is put into `Text` objects: nothing is taken for markup."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table

from apidiff.database.runs import short_id
from apidiff.derive.sweeps import sweep_tables, value_code
from apidiff.lookup.answer import (
    Answer,
    AnsweredClaim,
    AnsweredOtherwise,
    AnsweredStated,
    Match,
    SearchResult,
    Unmatched,
)
from apidiff.messages.agreement_lines import agreement_places
from apidiff.messages.cited_parts import part_text
from apidiff.messages.code_comments import commented
from apidiff.messages.escape_invisible import visible
from apidiff.messages.first_screen import first_screen, record_texts, standing_key, where_text
from apidiff.messages.labels import in_words, label
from apidiff.messages.sweep_differences import cell_words
from apidiff.messages.verdict_text import number_of_ranks
from apidiff.messages.version_changes import Maker, makers_of, measurer
from apidiff.model.base import Language, Text
from apidiff.model.probe import Sweep
from apidiff.model.trust import OWN, Trust
from apidiff.model.views import DifferenceEntry, ObservedEntry, ObservedSummary, ParameterEntry
from apidiff.model.vocabulary import DifferenceKind, Execution
from apidiff.writers.line import Line

_DIFF_STYLES = {"-": "red", "+": "green", " ": ""}
_OUTCOME_STYLES = {  # else yellow
    "holds": "green",
    "agrees": "green",
    "refuted": "bold red",
    "differs": "bold red",
    "flaky": "bold magenta",
    "not run": "dim",
}
_RISK_STYLES = {"silent": "bold red", "error": "bold yellow", "rewrite": "cyan", "none": "green"}
_HEADING = "bold underline"
_SHOWN = 4  # of each list on the first screen
_SHOWN_BESIDE = 2  # of what bites with a target for another device
_CODE_LINES = 10
_CODE_WIDTH = 78  # of a terminal of 80 columns, within the indent


def answer_text(answer: Answer | Unmatched, language: Language, *, everything: bool = False) -> RenderableType:
    """An answer on one screen, or with ``everything`` it rests on; reads well at 80 columns, with and without colours."""
    if isinstance(answer, Unmatched):
        return _unmatched_text(answer, language)
    sections = _Sections(answer, language)
    return Group(*_spaced(sections if everything else sections.first_screen()))


def search_text(result: SearchResult, language: Language) -> RenderableType:
    """What was found, best first, each mapping with its best passages."""
    blocks: list[RenderableType] = [
        Line(label("terminal.corrected", language, typed=repr(typed), name=repr(name)), style="yellow")
        for typed, name in result.corrected.items()
    ]
    for mapping in result.results:
        title = Line.assemble(
            (mapping.id, "bold"), "  ", (f"[{label(f'risk.{mapping.risk}', language)}]", _risk_style(mapping.risk))
        )
        blocks.append(title)
        blocks.append(_indent(_prose(mapping.summary, language)))
        for match in mapping.matches:
            if match.kind != "summary":
                risk = f"[{label(f'risk.{match.risk}', language)}] " if match.risk not in {None, "none"} else ""
                line = Line.assemble("• ", (risk, _risk_style(match.risk or "none")), _prose(match.text, language))
                blocks.append(_indent(line, 2))
                if (about := _about(match)) != mapping.id:
                    blocks.append(_indent(Line(about, style="dim"), 4))
    if not result.results:
        blocks.append(Line(label("terminal.nothing", language, words=repr(result.words))))
    return Group(*blocks)


def _about(match: Match) -> str:
    """What a passage is about, without the IDs of claims and differences, whose sentences stand above it."""
    if match.kind in {"claim", "difference"}:
        return match.ref.partition("#")[0].partition(": ")[0]
    return match.ref


def _unmatched_text(unmatched: Unmatched, language: Language) -> RenderableType:
    """What is said of a MindSpore API to which no source corresponds."""
    name = Line(unmatched.asked.api, style="bold")
    if unmatched.why is None:
        return Group(name, Line(label("serves.unnamed", language)))
    lines: list[RenderableType] = [name, Line(label("serves.none", language)), _prose(unmatched.why, language)]
    comma = label("site.comma", language)
    if unmatched.nearest:
        lines.append(
            Line(f"{label('nearest', language)}{label('site.colon', language)}{comma.join(unmatched.nearest)}")
        )
    lines += [
        Line(f"{document.name(language)} ({document.address(language)})", style="dim")
        for document in unmatched.documents
    ]
    return Group(*lines)


class _Sections:
    """The sections of an answer, in the order they are shown."""

    def __init__(self, answer: Answer, language: Language) -> None:
        self.answer, self.language = answer, language

    def __iter__(self) -> Iterator[list[RenderableType]]:
        yield self.head()
        yield self.serves()
        yield self.differences()
        yield self.agreements()
        yield self.code()
        yield self.rows("parameters", self.answer.parameters)
        yield self.rows("members", self.answer.members)
        yield self.versions()
        yield self.sweeps()
        yield self.claims()
        yield self.runs()

    def first_screen(self) -> Iterator[list[RenderableType]]:
        """What a porter reads first: what to write, where it runs, what must change and what to watch."""
        yield self.head(first=True)
        if self.answer.asked.api != self.answer.source:
            yield self.serves()[:_SHOWN]
        yield self.code(_CODE_LINES) if self.answer.target else []  # a recipe is long; its path is told
        yield self._beside()
        screen = first_screen(self.answer.differences)
        # That a kernel is missing where another target is told to be used stands there, and in where it runs.
        elsewhere = {device for target in self.answer.beside for device in target.devices}
        watch = [row for row in screen.watch if not (_is_of_kernel(row) and row.device in elsewhere)]
        everyday: list[RenderableType] = [
            *self._headlines("screen.must", screen.must),
            *self._headlines("screen.watch", watch),
        ]
        nothing = [Line(label("screen.nothing", self.language))] if self.answer.target else []
        yield [*self.where(), *(everyday or nothing)]
        folded = [("screen.edge", screen.edge), ("screen.source_only", screen.source_only)]
        counts = [
            label(key, self.language) + label("site.aside", self.language, text=len(found))
            for key, found in folded
            if found
        ]
        comma = label("site.comma", self.language)
        more = [comma.join(counts), label("screen.all", self.language)]
        yield [Line(line, style="dim") for line in more if line]

    def _beside(self) -> list[RenderableType]:
        """Which targets to use on devices where the one to use has no kernel, and how they are called."""
        lines: list[RenderableType] = []
        for target in self.answer.beside:
            devices = label("site.comma", self.language).join(
                label(f"on_device.{device}", self.language) for device in target.devices
            )
            heading = label("screen.beside", self.language, devices=devices)
            lines.append(Line.assemble((heading, "bold"), target.name))
            lines += [_indent(Line(line), 2) for line in target.code.splitlines()[:_CODE_LINES]]
            lines += [_indent(_prose(target.note, self.language), 2)] if target.note else []
            lines += [
                _indent(Line.assemble("• ", _prose(fact, self.language)), 2) for fact in target.watch[:_SHOWN_BESIDE]
            ]
        return lines

    def _headlines(self, key: str, differences: Sequence[DifferenceEntry]) -> Iterator[RenderableType]:
        """The facts in a line each, under what is to be done about them; of samples, what shows it.

        Not of a device where another target is told to be used.
        """
        if not differences:
            return
        yield self._heading(key)
        elsewhere = {device for target in self.answer.beside for device in target.devices}
        for difference in differences[:_SHOWN]:
            fact = difference.headline or difference.text
            yield Line.assemble(("• ", _risk_style(difference.risk)), _prose(fact, self.language))
            shown = difference.repeat is not None and not _is_of_kernel(difference)
            if shown and difference.device not in elsewhere:
                yield _indent(_prose(difference.parts[0].text, self.language), 2)
        if (left := len(differences) - _SHOWN) > 0:
            yield Line(label("screen.more", self.language, count=left), style="dim")

    def head(self, *, first: bool = False) -> list[RenderableType]:
        """What is asked and what answers it; of the first screen, which tells the rest in another order, no more than that."""
        answer, language = self.answer, self.language
        version = answer.asked.mindspore
        if answer.target is None:
            title = Line(answer.source, style="bold")
            return [title, _prose(answer.summary, language), *self._without_target(answer.otherwise)]
        target = answer.target
        if target.status is None:
            standing = Line(label("terminal.absent", language, version=version), style="yellow")
        else:
            said = label(
                "terminal.standing",
                language,
                version=version,
                status=label(standing_key(target.status, composed=target.composed), language),
                range=in_words(target.range or "", language),
            )
            standing = Line(said, style="" if target.status == "current" else "yellow")
        if answer.current and answer.current != target.name:
            standing.append(" " + label("terminal.use_instead", language, name=answer.current))
        notes: list[RenderableType] = [_prose(target.note, language)] if target.note else []
        title = Line.assemble((answer.source, "bold"), " → ", (target.name, "bold"))
        head: list[RenderableType] = [title, _prose(answer.summary, language), standing]
        return head if first else [*head, *notes, self._worst()]

    def where(self) -> list[RenderableType]:
        """Where the target runs, what machines disagree on, and what is noted of it."""
        answer, target, language = self.answer, self.answer.target, self.language
        if target is None:
            return []
        lines: list[RenderableType] = []
        if places := where_text(target.runs_on, target.limits):
            lines.append(Line.assemble(self._lead("screen.where"), _prose(places, language)))
        of_records = record_texts(answer.claims, answer.agreements, answer.aside, answer.source, target.name)
        for text in (target.refused, *of_records, target.note):
            lines += [_prose(text, language)] if text else []
        return lines

    def _without_target(self, otherwise: AnsweredOtherwise | None) -> Iterator[RenderableType]:
        """What answers the source where no target does: why, and what people do instead."""
        language, version = self.language, self.answer.asked.mindspore
        if otherwise is None:
            yield Line(label("box.no_current", language, version=version), style="yellow")
            for row in self.answer.targets:
                span = label("site.aside", language, text=in_words(row.range, language))
                yield Line(f"{row.name}: {label(f'status.{row.status}', language)}{span}")
            return
        kind = label(f"answer.{otherwise.answer}", language)
        span = label("site.aside", language, text=in_words(otherwise.range, language))
        yield Line(label("answer.at", language, version=version, answer=kind) + span, style="yellow")
        yield _prose(otherwise.why, language)
        if otherwise.instead:
            yield Line.assemble(self._lead("instead"), _prose(otherwise.instead, language))
        if otherwise.uses:
            yield Line.assemble(self._lead("uses"), label("site.comma", language).join(otherwise.uses))
        if otherwise.recipe:
            yield Line.assemble(self._lead("recipe"), otherwise.recipe.path, "\n", (otherwise.recipe.command, "dim"))
        yield self._worst()

    def _worst(self) -> Line:
        risk = self.answer.risk
        return Line.assemble(
            self._lead("worst_risk"),
            (label(f"risk.{risk}", self.language), _risk_style(risk)),
            label("site.aside", self.language, text=label(f"risk_meaning.{risk}", self.language).rstrip(".。")),
        )

    def _lead(self, key: str) -> str:
        return label(key, self.language) + label("site.colon", self.language)

    def serves(self) -> list[RenderableType]:
        """The sources that the MindSpore API serves, where it was asked for or serves others than this one."""
        answer = self.answer
        api = answer.target.name if answer.target and answer.asked.api == answer.source else answer.asked.api
        if not answer.serves or ([served.source for served in answer.serves] == [answer.source] and answer.target):
            return []
        lines: list[RenderableType] = [Line(label("serves", self.language, name=api), style=_HEADING)]
        for served in answer.serves:
            if served.status is None:
                said = label("serves.not_there", self.language, version=answer.asked.mindspore)
            else:
                said = label(f"{'status' if served.role == 'target' else 'answer'}.{served.status}", self.language)
            style = "bold" if served.source == answer.source else ""
            role = self._lead(f"role.{served.role}") + said
            line = Line.assemble("• ", (served.source, style), "  ", (role, "dim"))
            lines.append(line)
        return lines

    def differences(self) -> list[RenderableType]:
        if self.answer.target is None and not self.answer.differences:
            return []
        shown: list[RenderableType] = [self._heading("differences")]
        for number, difference in enumerate(self.answer.differences, 1):
            risk = label(f"risk.{difference.risk}", self.language)
            kind = label(f"difference.{difference.kind}", self.language)
            shown.append(Line.assemble(f"{number:>2}. ", (f"[{risk}]", _risk_style(difference.risk)), f" {kind}"))
            shown.append(_indent(_prose(difference.text, self.language), 4))
            semicolon = label("site.semicolon", self.language)
            lines = [
                f"{claim}: " + semicolon.join(f"{self._said(row.text)} [{', '.join(row.runs)}]" for row in rows)
                for claim, rows in groupby(difference.claim_evidence, key=lambda evidence: evidence.claim)
            ]
            if difference.repeat is not None:
                lines.append(difference.repeat.command)
            shown += [_indent(Line(line, style="dim"), 6) for line in lines]
        if not self.answer.differences:
            shown.append(Line(label("differences.none", self.language)))
        return shown

    def agreements(self) -> list[RenderableType]:
        """In which facets both sides agree on the same inputs, and the runs that say so."""
        shown: list[RenderableType] = []
        rows = [*self.answer.agreements, *self.answer.aside]
        if self.answer.execution == Execution.SINGLE.value and self.answer.target and not rows:
            return [self._heading("agreement"), Line(label("agreement.none", self.language))]
        for place in agreement_places(rows, self.language):
            table = self._table("column.facet", "column.samples")
            for facet, outcome, counts in place.rows:
                table.add_row(Line(facet), Line(counts, style=_OUTCOME_STYLES.get(outcome, "yellow")))
            runs = [_indent(Line(self._record(run, by), style="dim"), 2) for run, by in place.runs.items()]
            shown += [self._heading("agreement"), Line(place.where), table, *runs]
        return shown

    def code(self, limit: int | None = None) -> list[RenderableType]:
        """What to write instead of what, as a diff; where both are the same, what to write.

        Of more than ``limit`` lines only the first of what to write are shown.
        """
        before, after = (
            [line for line in commented(text, self.language).splitlines() if line]
            for text in (self.answer.before, self.answer.after)
        )
        if not (before or after):
            return []
        whole = difflib.unified_diff(before, after, n=len(before), lineterm="")
        lines = [Line(f"{line[0]} {line[1:]}", style=_DIFF_STYLES[line[0]]) for line in islice(whole, 3, None)]
        rows = sum(1 + len(line) // _CODE_WIDTH for line in lines)  # with those that a long line wraps into
        if before == after:
            lines = [Line(f"  {line}") for line in after[:limit]]
        elif limit is not None and rows > limit:
            lines = [Line(f"+ {line}", style=_DIFF_STYLES["+"]) for line in after[:limit]]
        return [self._heading("code"), *(_indent(line, 2) for line in lines)]

    def rows(self, heading: str, rows: list[ParameterEntry]) -> list[RenderableType]:
        if not rows:
            return []
        table = self._table("column.source", "column.target", "column.risk", "column.remark")
        for row in rows:
            table.add_row(
                _named(row.source, row.source_range),
                _named(row.target, row.target_range),
                Line(label(f"risk.{row.risk}", self.language), style=_risk_style(row.risk)),
                _prose(row.text, self.language),
            )
        return [self._heading(heading), table]

    def versions(self) -> list[RenderableType]:
        table = self._table("column.target", "column.range", "column.status")
        previous = ""
        for row in self.answer.targets:
            status = Line(label(f"status.{row.status}", self.language), style="bold" if row.status == "current" else "")
            table.add_row(
                Line(row.name if row.name != previous else ""), Line(in_words(row.range, self.language)), status
            )
            previous = row.name
        for answer in self.answer.otherwise_ranges:
            table.add_row(
                Line("—"),
                Line(in_words(answer.range, self.language)),
                Line(label(f"answer.{answer.answer}", self.language)),
            )
        return [self._heading("versions"), table]

    def sweeps(self) -> list[RenderableType]:
        """What each dtype and each part of a larger tensor does: a table of each."""
        shown: list[RenderableType] = []
        for swept in sweep_tables(self.answer.claims):
            table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
            first = "column.dtype" if swept.sweep is Sweep.DTYPE else "column.layout"
            for name in (label(first, self.language), *(f"{api} {argument}" for api, argument in swept.columns)):
                table.add_column(Line(name), overflow="fold")
            for value, cells in swept.rows.items():
                table.add_row(
                    Line(value_code(swept.sweep, value)), *(Line(cell_words(cell, self.language)) for cell in cells)
                )
            shown += [Line(label(f"sweep.{swept.sweep.value}", self.language).replace("`", "")), table]
        return [self._heading("sweeps"), *shown] if shown else []

    def claims(self) -> list[RenderableType]:
        shown: list[RenderableType] = []
        subject = ""
        for claim in self.answer.claims:
            if claim.swept is not None:
                continue
            if claim.subject != subject:
                subject = claim.subject
                heading = label("claims.about", self.language, name=subject)
                shown += [Line(), Line(heading, style=_HEADING)] if shown else [Line(heading, style=_HEADING)]
            shown.append(Line.assemble("• ", _prose(claim.text, self.language)))
            shown += [_indent(line) for line in self._verdicts(claim)]
        return shown

    def _verdicts(self, claim: AnsweredClaim) -> Iterator[Line]:
        asked = {observed.framework_version for observed in claim.observed if observed.asked_version}
        rows = sorted([*claim.summary, *claim.aside], key=lambda row: row.framework_version not in asked)
        for row in rows:
            yield self._verdict(claim, row, row.framework_version in asked)
        unsigned = dict.fromkeys(self._unsigned(seen) for seen in claim.unsigned)  # probes of one record say the same
        yield from (Line(text, style="dim") for text in unsigned)
        for dispute in claim.disputes:
            yield Line(self._said(dispute.text), style="yellow" if dispute.vouched_for else "dim")
        yield from (Line(self._said(confirmed.text), style="dim") for confirmed in claim.confirmations)
        yield from (Line(self._said(change.text), style="dim") for change in claim.changes)
        if not rows:
            comma = label("site.comma", self.language)
            where = comma.join(self._said(text) for text in claim.not_run) or label("outcome.not run", self.language)
            yield Line(self._said(claim.reason) if claim.reason else where, style="dim")
        if claim.stated and any(row.outcome != "holds" for row in rows):
            documents = self._documents(claim.stated)
            yield Line(label("terminal.stated", self.language, documents=documents), style="dim")

    def _documents(self, stated: Sequence[AnsweredStated]) -> str:
        """The documents that state something, with the part that does."""
        semicolon, pause = label("site.semicolon", self.language), label("site.pause", self.language)
        titles = [(place.title_zh if self.language == "zh" else "") or place.title for place in stated]
        return semicolon.join(
            f"{title}{label('site.aside', self.language, text=place.version)}{pause}{self._said(part_text(place.part))}"
            for title, place in zip(titles, stated, strict=True)
        )

    def _verdict(self, claim: AnsweredClaim, row: ObservedSummary, asked: bool) -> Line:
        outcome = Line(label(f"outcome.{row.outcome}", self.language), style=_OUTCOME_STYLES.get(row.outcome, "yellow"))
        sizes = self._said(number_of_ranks(row.world_sizes))
        framework = f"{label(f'framework.{row.framework}', self.language)} {row.framework_version}"
        by = label("site.semicolon", self.language).join(dict.fromkeys(self._makers(claim, row)))
        line = Line.assemble(outcome, f"  {row.backend} ({row.device}) · {framework} · {sizes} · {by}")
        if row.outcome not in {
            "holds",
            "unsupported",
        }:  # what surprises is told with its runs; all are listed at the end
            line.append(f"  {', '.join(map(short_id, row.runs))}", style="dim")
        if not asked:
            line.stylize("dim")
        return line

    def _makers(self, claim: AnsweredClaim, row: ObservedSummary) -> Iterator[str]:
        """Who made the runs of a row, whoever is trusted most first."""
        makers = makers_of(seen for seen in claim.observed if seen.run in row.runs).values()
        for made in sorted(makers, key=lambda made: list(Trust).index(made.trust)):
            own = made.trust is Trust.PROJECT
            yield label("trust.project", self.language) if own else measurer(made, self.language)

    def _unsigned(self, seen: ObservedEntry) -> str:
        """What a record says for which nobody vouches."""
        outcome = label(f"outcome.{seen.outcome.value}", self.language)
        sizes = self._said(number_of_ranks([seen.world_size]))
        framework = f"{label(f'framework.{seen.framework}', self.language)} {seen.framework_version}"
        by = measurer(Maker(seen.measured_by, seen.trust), self.language)
        return f"{outcome}  {seen.backend} ({seen.device}) · {framework} · {sizes} · {by}"

    def runs(self) -> list[RenderableType]:
        """All records of ranks: this project's own, then those of others, each with who made it."""
        makers = makers_of(seen for claim in self.answer.claims for seen in [*claim.observed, *claim.unsigned])
        records = {run: "" if made.trust in OWN else measurer(made, self.language) for run, made in makers.items()}
        lines = [
            _indent(Line(self._record(run, by)), 2)
            for run, by in sorted(records.items(), key=lambda record: (record[1] != "", record[0]))
        ]
        return [self._heading("evidence.runs"), *lines] if lines else []

    def _record(self, run: str, by: str) -> str:
        """The short ID of a record, and who made it where that is not this project."""
        return short_id(run) + (label("site.aside", self.language, text=by) if by else "")

    def _heading(self, key: str) -> Line:
        return Line(label(key, self.language), style=_HEADING)

    def _table(self, *columns: str) -> Table:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for key in columns:
            table.add_column(Line(label(key, self.language)), overflow="fold")
        return table

    def _said(self, text: Text) -> str:
        return visible(text.said_in(self.language))


def _is_of_kernel(difference: DifferenceEntry) -> bool:
    return difference.kind == DifferenceKind.BACKEND_SUPPORT.value


def _spaced(sections: Iterable[list[RenderableType]]) -> Iterator[RenderableType]:
    """The lines of all sections that are not empty, a blank line between them."""
    for number, section in enumerate(section for section in sections if section):
        if number:
            yield Line()
        yield from section


def _named(name: str | None, held_in: str | None) -> Line:
    """A parameter or member, with the versions that have it where not all do."""
    return Line.assemble(name or "—", (f" {held_in}" if held_in else "", "dim"))


def _prose(text: Text, language: Language) -> Line:
    """Text of a record in one language; what stands between backticks is bold."""
    line = Line(visible(text.said_in(language)))
    line.highlight_regex(r"`[^`]+`", "bold")
    return line


def _risk_style(risk: str) -> str:
    """The colour of a risk."""
    return _RISK_STYLES[risk]


def _indent(line: RenderableType, by: int = 4) -> RenderableType:
    """A line moved to the right, with what it wraps into."""
    return Padding(line, (0, 0, 0, by))
