"""Analyses a text for a server: what it names, what is said of each call, and the answer of a name."""

from __future__ import annotations

from functools import cached_property

import msgspec

from apidiff.lookup.answer import Answer, Unmatched
from apidiff.lookup.errors import NoCounterpart
from apidiff.lookup.index import Index
from apidiff.lookup.knowledge import KnowledgeBase
from apidiff.lookup.lookup import chosen_release
from apidiff.messages.labels import filled
from apidiff.model.base import Language
from apidiff.porting.changes import PortOptions
from apidiff.porting.file_scan import Reference
from apidiff.porting.judgement import Judge, Judgement
from apidiff.porting.port_text import Porter
from apidiff.porting.scan_report import ScanReport, make_report
from apidiff.porting.text_scan import scan_text
from apidiff.porting.torch_names import TorchNames, read_result_types
from apidiff.writers.exports.address import Address
from apidiff.writers.short_answer import short_answer


class Analysis(msgspec.Struct, frozen=True):
    """What a text holds: its references, in order, each with what is said of it, and the report of a scan."""

    references: list[tuple[Reference, Judgement]]
    report: ScanReport

    def at(self, line: int, column: int) -> tuple[Reference, Judgement] | None:
        """The reference at a place, counted from 1; the shortest of those that hold it."""
        held = [
            (reference, judgement)
            for reference, judgement in self.references
            if (reference.span.line, reference.span.column)
            <= (line, column)
            <= (reference.span.end_line, reference.span.end_column)
        ]
        return min(held, key=_length, default=None)


def _length(held: tuple[Reference, Judgement]) -> tuple[int, int]:
    span = held[0].span
    return span.end_line - span.line, span.end_column - span.column


class Analyser:
    """Analyses texts for one MindSpore release and device.

    Args:
        index: what is known.
        mindspore: the release as typed; the newest that was run for None.
        device: ``ascend``, ``gpu`` or ``cpu``; none in particular for None.

    Raises ApidiffError for a release that is not known.
    """

    def __init__(self, index: Index, mindspore: str | None = None, device: str | None = None) -> None:
        self.index, self.device = index, device
        self.release = chosen_release(index, mindspore)
        self._known = KnowledgeBase(index)
        self._judge = Judge.of_index(index, self.release, device)
        self._hovers: dict[tuple[str, Language], str] = {}

    @cached_property
    def names(self) -> TorchNames:
        """What names of PyTorch mean."""
        return TorchNames(self.index.source_names, read_result_types())

    def analyse(self, text: str, path: str, *, half_typed: bool = False) -> Analysis:
        """Scan ``text`` and judge what it names."""
        scanned = scan_text(text, path, self.names, half_typed=half_typed)
        report = make_report([scanned], self._judge, self.release, self.device)
        judged = [
            (reference, self._judge.judge(reference.name, reference.role, reference.form))
            for reference in scanned.references
        ]
        return Analysis(judged, report)

    def porter(self, language: Language, site: Address, *, unsafe: bool) -> Porter:
        """What ports code for the release and the device, with comments in ``language`` that name pages of ``site``."""
        options = PortOptions(unsafe=unsafe, language=language, site=site.pages(language))
        return Porter(self._judge, self.index.source_names, options)

    def answer(self, name: str) -> Answer | Unmatched:
        """Look ``name`` up at the release. Raises ApidiffError."""
        try:
            return self._known.lookup(name, mindspore=self.release)
        except NoCounterpart as error:
            return error.unmatched

    def hover(self, reference: Reference, judgement: Judgement, language: Language) -> str | None:
        """Say what a reader needs of a reference: what is said of this call, then the answer. None where nothing is known."""
        if judgement.mapping is None:
            return None
        parts = [filled("servers.possible", name=reference.name)] if reference.possible else []
        if reference.role == "call":
            parts.append(filled(f"servers.call.{judgement.label.value}"))
        lines = ["".join(part.said_in(language) for part in parts)] if parts else []
        lines += [f"- {met.headline.said_in(language)}" for met in judgement.differences if reference.role == "call"]
        key = judgement.mapping, language
        if key not in self._hovers:
            self._hovers[key] = short_answer(self.answer(judgement.mapping), language)
        head = "\n".join(lines)
        return f"{head}\n\n---\n\n{self._hovers[key]}" if head else self._hovers[key]
