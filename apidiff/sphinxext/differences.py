"""Differences on a mapping's page: each with its risk and what it comes to; what it rests on opens on demand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from docutils import nodes

from apidiff.model.views import DifferenceEntry, EvidenceEntry, ParameterEntry
from apidiff.sphinxext.builder import Builder
from apidiff.sphinxext.nodes import anchor, block, folded, joined, literal, paragraph
from apidiff.sphinxext.rows import there
from apidiff.sphinxext.run_links import run_part
from apidiff.sphinxext.version_visibility import marked_section


def differences_section(
    make: Builder,
    name: str,
    intro: nodes.paragraph,
    differences: Sequence[DifferenceEntry],
    rows: Mapping[str, ParameterEntry] | None = None,
    *,
    leads: bool,
) -> marked_section:
    """The differences of the answer ``name`` (an anchor), worst first.

    ``rows``: the rows of parameters and members by the ID of the difference that they make; it is shown where they are.
    ``leads``: whether this is the answer on the newest release. Its differences are ``difference-…``, those of all others
    have the answer's anchor before that.
    """
    prefix = "difference" if leads else f"{name}--difference"
    shown: list[nodes.Node] = [intro] if differences else [paragraph(nodes.Text(make.word("differences.none")))]
    for one in differences:
        found = difference_block(make, one, prefix)
        if rows and (row := rows.get(one.id)):
            there(make, found, row)
        shown.append(found)
    section = make.section(f"{name}--differences", make.word("differences"), *shown)
    if leads:
        section["ids"].append("differences")
    return section


def difference_block(make: Builder, difference: DifferenceEntry, prefix: str) -> block:
    """One difference: risk, kind and text; evidence and the claims it rests on are folded."""
    head = [
        make.badge("risk", difference.risk),
        nodes.Text(" "),
        nodes.strong("", make.word(f"difference.{difference.kind}")),
    ]
    if difference.parameter:
        head += [nodes.Text(" "), literal(difference.parameter)]
    children: list[nodes.Node] = [paragraph(*head), paragraph(*make.text(difference.text))]
    if folds := _folds(make, difference):
        children.append(folded(make.word("evidence"), *folds))
    found = block(
        "",
        *children,
        ids=[anchor(f"{prefix}-{difference.id}")],
        classes=["apidiff-difference", f"apidiff-edge-{difference.risk}"],
    )
    make.document.note_explicit_target(found)
    return found


def _folds(make: Builder, difference: DifferenceEntry) -> list[nodes.Node]:
    children: list[nodes.Node] = []
    if difference.evidence:
        items = [nodes.list_item("", _evidence(make, difference, one)) for one in difference.evidence]
        children.append(nodes.bullet_list("", *items, classes=["apidiff-evidence"]))
    if difference.claims:
        links = [[make.ref("claim", claim)] for claim in difference.claims]
        children.append(make.term("rests_on", *joined(links, make.word("site.comma"))))
    return children


def _evidence(make: Builder, difference: DifferenceEntry, one: EvidenceEntry) -> block:
    """What runs say of a claim; where the chosen version was run, only what its run says."""
    part = run_part(one.claim.partition("#")[0])
    runs = joined([[make.ref("run", run, part=part)] for run in one.runs], make.word("site.comma"))
    claim = [make.ref("claim", one.claim), nodes.Text(make.word("site.colon"))]
    found = block("", paragraph(*claim, *make.text(one.text), nodes.Text(" ["), *runs, nodes.Text("]")))
    run = [version for other in difference.evidence if other.claim == one.claim for version in other.versions]
    if one.versions:
        rest = make.releases.others(one.framework, run)
        make.only_in(found, one.framework, [*one.versions, *rest])
    return found
