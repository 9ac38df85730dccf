"""Writes the report on a census of code as text, in either language."""

from __future__ import annotations

from apidiff.lookup.census import CensusReport
from apidiff.messages.escape_invisible import one_line
from apidiff.messages.labels import filled
from apidiff.model.base import Language

_LONGEST = 40  # unanswered names; JSON has all of them


def census_text(report: CensusReport, language: Language) -> str:
    """Return the shares on one line each, then the most used names without an answer."""
    texts = [
        filled("census.total", references=_grouped(report.references), names=_grouped(report.names)),
        filled(
            "census.answered",
            share=f"{report.share(report.answered):.1f}",
            references=_grouped(report.answered),
            names=_grouped(report.answered_names),
        ),
        filled(
            "census.run",
            mindspore=report.mindspore,
            share=f"{report.share(report.run):.1f}",
            references=_grouped(report.run),
            names=_grouped(report.run_names),
        ),
        filled("census.unanswered" if report.unanswered else "census.all_answered"),
    ]
    lines = [text.said_in(language) for text in texts]
    width = len(_grouped(report.unanswered[0].references)) if report.unanswered else 0
    lines += [f"  {_grouped(used.references):>{width}}  {one_line(used.name)}" for used in report.unanswered[:_LONGEST]]
    return "".join(f"{line}\n" for line in lines)


def _grouped(count: int) -> str:
    return f"{count:,}"
