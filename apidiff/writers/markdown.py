"""One mapping as plain Markdown, for readers that are programs: what its page says, without the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from urllib.parse import quote

from apidiff.derive.answers import answer_ranges
from apidiff.derive.sweeps import SweepTable, sweep_tables, value_code
from apidiff.messages.agreement_lines import agreement_places
from apidiff.messages.cited_parts import part_text
from apidiff.messages.code_comments import commented
from apidiff.messages.escape_invisible import visible
from apidiff.messages.first_screen import first_screen, record_texts, where_text
from apidiff.messages.labels import in_words, label
from apidiff.messages.sweep_differences import cell_words
from apidiff.messages.verdict_text import verdict_text
from apidiff.model.base import Language, Record, Text
from apidiff.model.probe import Sweep
from apidiff.model.version import Version
from apidiff.model.views import (
    ClaimEntry,
    DifferenceEntry,
    Entry,
    ExampleEntry,
    OtherwiseEntry,
    ParameterEntry,
    StatedEntry,
    TargetEntry,
)
from apidiff.model.vocabulary import Execution, Status

# From the first backtick of a run on and with all of it: a run that nothing closes is looked through once.
_CODE = re.compile(r"(?<!`)`++([^`]+)`+")
# Within a word an underscore marks nothing.
_MARKS = re.compile(r"[\\`*\[\]<>&|~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
# What would begin a heading, a list or a numbered list.
_LEADING = re.compile(r"^(\d*)([#+=.)-])(?=\s|$|#|=|-)")
_ADDRESS = "/:?#@!$&'*+,;=%~-._"


class MappingText(Record, frozen=True):
    """The Markdown of one mapping, made once for all the files that hold it. Links to them stand between head and rest."""

    head: str
    rest: str

    @classmethod
    def made(cls, entry: Entry, language: Language) -> MappingText:
        """Write the Markdown of an entry."""
        page = _Page(entry, language)
        return cls(head=visible(_joined(page.head())), rest=visible(_joined(page.rest())))

    def at(self, links: Sequence[tuple[str, str]]) -> str:
        """The text for one file. ``links``: the same mapping elsewhere, as (name, address) seen from there."""
        places = _bullets(link(prose(name), address) for name, address in links)
        return f"{self.head}\n{places}\n\n{self.rest}\n"


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part)


@lru_cache(maxsize=8192)  # targets of a mapping share differences, and claims what is not run
def prose(text: str) -> str:
    """Text of a record as Markdown that shows it: code stays code, every other mark is escaped."""
    pieces = []
    for index, piece in enumerate(_CODE.split(" ".join(text.split()))):
        pieces.append(code_span(piece) if index % 2 else _MARKS.sub(r"\\\g<0>", piece))
    return _LEADING.sub(r"\1\\\2", "".join(pieces))


def code_span(text: str) -> str:
    """``text`` as code in a line, whatever it holds."""
    text = " ".join(text.split())
    if text and "`" not in text:
        return f"`{text}`"
    fence = "`" * (1 + _longest_run(text))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}" if text else ""


def table_cell(text: str) -> str:
    """Markdown for a cell of a table: no bar of it, also of its code, ends the cell."""
    return re.sub(r"(?<!\\)((?:\\\\)*)\|", r"\1\\|", text)


def link(words: str, address: str) -> str:
    """A link whose words are Markdown already; an address that is neither relative nor http(s) is left out."""
    if re.match(r"[a-z][a-z0-9+.-]*:", address, re.IGNORECASE) and not re.match(r"https?://", address):
        return words
    return f"[{words}]({quote(address, safe=_ADDRESS)})"


def code_block(text: str, language: str) -> str:
    """``text`` as a block of code, whatever it holds."""
    fence = "`" * max(3, 1 + _longest_run(text))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


class _Page:
    """The parts of one file."""

    def __init__(self, entry: Entry, language: Language) -> None:
        self.entry, self.language = entry, language
        self.colon, self.comma = label("site.colon", language), label("site.comma", language)

    def head(self) -> Iterator[str]:
        """The name, the summary, and the beginning of a list."""
        entry = self.entry
        yield f"# {code_span(entry.source)}"
        yield self.text(entry.summary)
        facts = [f"{self.word('worst_risk')}{self.colon}{self.risk(entry.risk)}"]
        if entry.aliases:
            facts.append(f"{self.word('also_written')}{self.colon}{self.names(entry.aliases)}")
        yield _bullets(facts)

    def rest(self) -> Iterator[str]:
        """All that follows."""
        entry = self.entry
        yield self.signature(entry.source, entry.signatures)
        yield f"## {self.word('versions')}"
        yield _bullets(self.answers())
        targets = entry.targets[::-1]  # files list them by age
        targets.sort(key=lambda target: not _is_to_use(target))
        for target in targets:
            yield from self.target(target)
        for answer in reversed(entry.otherwise):
            yield from self.otherwise(answer)
        if entry.claims:
            yield f"## {self.word('claims')}"
            told = [claim for claim in entry.claims if claim.swept is None]
            yield _bullets(line for claim in told for line in self.claim(claim))
        if tables := sweep_tables(entry.claims):
            yield f"## {self.word('sweeps')}"
            for swept in tables:
                yield prose(self.word(f"sweep.{swept.sweep.value}"))
                yield "\n".join(self.swept(swept))
        if entry.examples:
            yield f"## {self.word('examples')}"
            for example in entry.examples:
                yield from self.example(example)
        if entry.documents:
            yield f"## {self.word('machines.documents')}"
            yield _bullets(
                f"{code_span(key)}{self.colon}{link(prose(document.name(self.language)), document.address(self.language))}"
                for key, document in entry.documents.items()
            )

    def answers(self) -> Iterator[str]:
        for row in answer_ranges(self.entry):
            if row.target:
                answer = f"{code_span(row.target)}, {self.word(f'status.{row.status}')}"
            else:
                answer = self.word(f"answer_meaning.{row.status}")
            remark = self.aside(f"{self.word('column.risk')}{self.colon}{self.word(f'risk.{row.risk}')}")
            yield f"MindSpore {self.span(row.range)}{self.colon}{answer}{remark}"

    def target(self, target: TargetEntry) -> Iterator[str]:
        ranges = [f"{self.span(row.range)} {self.word(f'status.{row.status}')}" for row in target.ranges]
        yield f"## {code_span(target.name)}"
        yield self.comma.join(f"MindSpore {span}" for span in ranges)
        if target.before or target.after:
            yield f"### {self.word('code')}"
            yield code_block(target.before, "python") if target.before else ""
            yield code_block(target.after, "python") if target.after else ""
        if target.refused:
            yield f"**{self.text(target.refused)}**"
        if places := where_text(target.runs_on, target.limits):
            yield f"{self.word('screen.where')}{self.colon}{self.text(places)}"
        for text in record_texts(self.entry.claims, target.agreements, target.aside, self.entry.source, target.name):
            yield self.text(text)
        if target.note:
            yield self.text(target.note)
        yield self.signature(target.name, target.signatures)
        yield f"### {self.word('differences')}"
        yield from self.differences(target.differences) if target.differences else [self.word("differences.none")]
        if self.entry.execution == Execution.SINGLE.value and not (target.agreements or target.aside):
            yield f"### {self.word('agreement')}"
            yield self.word("agreement.none")
        for place in agreement_places([*target.agreements, *target.aside], self.language):
            yield f"### {self.word('agreement')}"
            yield place.where
            yield _bullets(f"{facet}{self.colon}{counts}" for facet, _, counts in place.rows)
            records = [code_span(run) + (self.aside(signer) if signer else "") for run, signer in place.runs.items()]
            yield f"{self.word('agreement.runs')}{self.colon}{self.comma.join(records)}"
        for kind, rows in (("parameters", target.parameters), ("members", target.members)):
            if rows:
                yield f"### {self.word(kind)}"
                yield _bullets(self.row(row) for row in rows)

    def otherwise(self, answer: OtherwiseEntry) -> Iterator[str]:
        yield f"## MindSpore {self.span(answer.range)}{self.colon}{self.word(f'answer.{answer.answer}')}"
        yield self.text(answer.why)
        if answer.instead:
            yield f"{self.word('instead')}{self.colon}{self.text(answer.instead)}"
        if answer.uses:
            yield f"{self.word('uses')}{self.colon}{self.names(answer.uses)}"
        yield from self.differences(answer.differences)
        yield _bullets(self.stated(place) for place in answer.stated)
        if answer.recipe:
            yield from self.example(answer.recipe)

    def signature(self, name: str, signatures: dict[str, str]) -> str:
        """The newest one."""
        newest = max(signatures, key=Version, default=None)
        framework = self.word(f"framework.{name.partition('.')[0]}")
        return code_block(f"# {framework} {newest}\n{signatures[newest]}", "python") if newest else ""

    def differences(self, differences: Sequence[DifferenceEntry]) -> Iterator[str]:
        """What must change, what to watch, edge cases, facts about PyTorch: as pages and the terminal have them."""
        for caption, listed in first_screen(differences)._asdict().items():
            if listed:
                yield f"**{self.word(f'screen.{caption}')}**"
                yield _bullets(line for difference in listed for line in self.difference(difference))

    def difference(self, difference: DifferenceEntry) -> Iterator[str]:
        kind = self.word(f"difference.{difference.kind}")
        fact = self.text(difference.headline) if difference.headline else kind
        said = "" if difference.text == difference.headline else self.colon + self.text(difference.text)
        yield f"**{self.word(f'risk.{difference.risk}')}** {fact}{said}"
        for claim, verdicts in groupby(difference.claim_evidence, key=lambda evidence: evidence.claim):
            told = [f"{self.text(verdict.text)}{self.aside(code_span(verdict.run))}" for verdict in verdicts]
            yield f"  {code_span(claim)}{self.colon}{label('site.semicolon', self.language).join(told)}"

    def row(self, row: ParameterEntry) -> str:
        sides = [
            code_span(name) + (self.aside(code_span(default)) if default else "") if name else "—"
            for name, default in ((row.source, row.source_default), (row.target, row.target_default))
        ]
        relations = self.comma.join(self.word(f"relation.{relation}") for relation in row.relations)
        remark = self.text(row.text)
        return f"{' → '.join(sides)}{self.colon}{relations}" + (
            f"{label('site.semicolon', self.language)}{remark}" if remark else ""
        )

    def claim(self, claim: ClaimEntry) -> Iterator[str]:
        yield f"{code_span(claim.id)}{self.aside(self.word(f'claim.{claim.kind}'))}{self.colon}{self.text(claim.text)}"
        yield from (f"  {self.text(verdict_text(row))}" for row in [*claim.summary, *claim.aside])
        apart = [one.text for one in claim.disputes] + [one.text for one in claim.changes]
        yield from (f"  {self.text(text)}" for text in apart)
        yield from (f"  {self.text(text)}" for text in claim.not_run)
        if claim.reason:
            yield f"  {self.text(claim.reason)}"
        yield from (f"  {self.stated(place)}" for place in claim.stated)

    def swept(self, swept: SweepTable) -> Iterator[str]:
        """A table of what each value does."""
        first = self.word("column.dtype" if swept.sweep is Sweep.DTYPE else "column.layout")
        yield " | ".join(
            ["", first, *(code_span(f"{api} {argument}".strip()) for api, argument in swept.columns), ""]
        ).strip()
        yield "|---" * (1 + len(swept.columns)) + "|"
        for value, cells in swept.rows.items():
            words = [prose(cell_words(cell, self.language)) for cell in cells]
            yield " | ".join(["", code_span(value_code(swept.sweep, value)), *words, ""]).strip()

    def stated(self, place: StatedEntry) -> str:
        said = f"{self.colon}{self.text(place.text)}" if place.text else ""
        return f"{self.word('claim.stated')} {code_span(place.document)} {self.text(part_text(place.part))}{said}"

    def example(self, example: ExampleEntry) -> Iterator[str]:
        yield f"### {code_span(example.path)}"
        yield code_block(example.command, "bash")
        yield code_block(commented(example.code, self.language), "python")
        if example.expected:
            yield self.word("example.output") + self.colon.rstrip()
            yield code_block(example.expected, "text")

    def word(self, key: str, **values: str) -> str:
        return label(key, self.language, **values)

    def text(self, text: Text) -> str:
        return prose(text.said_in(self.language))

    def span(self, text: str) -> str:
        return in_words(text, self.language)

    def names(self, names: Sequence[str]) -> str:
        return self.comma.join(code_span(name) for name in names)

    def risk(self, risk: str) -> str:
        return self.word(f"risk.{risk}") + self.aside(self.word(f"risk_meaning.{risk}").rstrip(".。"))

    def aside(self, text: str) -> str:
        return self.word("site.aside", text=text)


def _is_to_use(target: TargetEntry) -> bool:
    return any(row.status == Status.CURRENT.value and row.until is None for row in target.ranges)


def _bullets(lines: Iterable[str]) -> str:
    """A list; a line that begins with two spaces belongs to the item above it."""
    return "\n".join(f"  - {line[2:]}" if line.startswith("  ") else f"- {line}" for line in lines)
