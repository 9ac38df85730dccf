"""The section of a target that shows in which facets it agrees with the source on the same inputs."""

from __future__ import annotations

from collections.abc import Sequence

from docutils import nodes

from apidiff.messages.agreement_lines import by_records, named_runs, signed_by, where_compared, with_signers
from apidiff.model.views import AgreementEntry, CaseEntry, TargetEntry
from apidiff.sphinxext.nodes import Cell, block, code, folded, literal, paragraph, prose, relative, table
from apidiff.sphinxext.page_builder import PageBuilder


def agreement_section(make: PageBuilder, name: str, target: TargetEntry) -> nodes.section:
    """The section below the anchor ``name``: a table for each version and device, or that no run compares them.

    The newest version of the target stands open, former ones are folded.
    """
    told = [*target.agreements, *target.aside]
    about = "agreement.about" if told else "agreement.none"
    children: list[nodes.Node] = [paragraph(nodes.Text(make.word(about)), classes=["apidiff-aside"])]
    newest = target.agreements[0].framework_version if target.agreements else ""
    for rows in by_records(told):
        where, shown = _place(make, rows)
        is_newest = rows[0].framework_version == newest
        children += [paragraph(nodes.strong("", where)), *shown] if is_newest else [folded(where, *shown)]
    return make.section(f"{name}--agreement", make.word("agreement"), *children)


def _place(make: PageBuilder, rows: Sequence[AgreementEntry]) -> tuple[str, list[nodes.Node]]:
    """What was run where, in words; the table of its facets, the samples that do not agree, and the records."""
    first = rows[0]
    header = [make.word("column.facet"), make.word("column.samples")]
    shown = table(header, [[make.word(f"facet.{row.facet}"), _counts(make, row)] for row in rows])
    cases = [folded_cases for row in rows if (folded_cases := _cases(make, row)) is not None]
    return where_compared(first, make.language), [shown, *cases, make.term("agreement.runs", *_runs(make, rows))]


def _counts(make: PageBuilder, row: AgreementEntry) -> Cell:
    """How many samples came out how: ``agrees 9 · differs 2``, and what known signers' records say otherwise."""
    cells: list[nodes.Node] = []
    for outcome, count in row.counts.items():
        cells += [nodes.Text(" · ")] if cells else []
        cells += [make.badge("outcome", outcome), nodes.Text(f" {count}")]
    for dispute in row.disputes:
        cells += [nodes.Text(make.word("site.semicolon") + signed_by(dispute.signer, make.language))]
        for outcome, count in dispute.counts.items():
            cells += [nodes.Text(" "), make.badge("outcome", outcome), nodes.Text(f" {count}")]
    return cells


def _cases(make: PageBuilder, row: AgreementEntry) -> nodes.Node | None:
    """The samples that do not agree, folded. What leaves every facet unseen is told once, under the errors."""
    told = [case for case in row.cases if row.facet == "error" or case.agreement not in {"unsupported", "error"}]
    if not told:
        return None
    facet = make.word(f"facet.{row.facet}")
    title = facet + make.word("site.colon") + make.word("agreement.cases", count=len(told))
    # A long list stands on a page of its own, where nothing else says whose records these are.
    return folded(with_signers(title, row, make.language), *(part for case in told for part in _case(make, case)))


def _case(make: PageBuilder, case: CaseEntry) -> list[nodes.Node]:
    words = case.text.said_in(make.language)
    given = [paragraph(*prose(case.given), classes=["apidiff-aside"])] if case.given else []
    return [
        paragraph(make.badge("outcome", case.agreement), nodes.Text(" "), literal(case.sample)),
        block("", code(case.call)),
        *given,
        paragraph(nodes.Text(words)),
    ]


def _runs(make: PageBuilder, rows: Sequence[AgreementEntry]) -> list[nodes.Node]:
    """A link to each raw record, beside those that say otherwise who signed them."""
    links: list[nodes.Node] = []
    for run, signer in named_runs(rows, make.language).items():
        links += [nodes.Text(" · ")] if links else []
        goal = relative(make.docname, f"_runs/{run}.json")
        links.append(nodes.reference("", run, refuri=goal, internal=True))
        links += [nodes.Text(make.word("site.aside", text=signer))] if signer else []
    return links
