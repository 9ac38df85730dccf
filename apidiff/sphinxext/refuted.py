"""What documents state and runs refute, for the chosen versions."""

from __future__ import annotations

from docutils import nodes

from apidiff.model import Outcome
from apidiff.model.trace import backend_name
from apidiff.model.views import ClaimEntry, Entry
from apidiff.sphinxext.builder import Builder
from apidiff.sphinxext.claims import links_to_runs, observed_part, stated_part, versions_run
from apidiff.sphinxext.nodes import block, joined, literal, paragraph
from apidiff.sphinxext.version_visibility import carry, marked_item


def refuted_section(make: Builder, entry: Entry) -> nodes.section:
    """What documents state and runs refute, in short: the claim holds the rest."""
    found = refuted_claims(entry)
    if not found:
        return make.section("refuted", make.word("refuted"), paragraph(nodes.Text(make.word("refuted.none"))))
    items = [_refuted_item(make, claim) for claim in found]
    children = [paragraph(nodes.Text(make.word("refuted.intro"))), nodes.bullet_list("", *items)]
    if none_left := _none_left(make, found):
        children.append(none_left)
    return make.section("refuted", make.word("refuted"), *children)


def _refuted_item(make: Builder, claim: ClaimEntry) -> marked_item:
    """One statement, for the versions whose runs refute it, and those on which it was not run; without script for all."""
    item = marked_item("", *_refuted_line(make, claim))
    return make.only_in(item, claim.summary[0].framework, _refuting(make, claim), hide=False)


def _refuting(make: Builder, claim: ClaimEntry) -> list[str]:
    against = [row.framework_version for row in claim.summary if row.outcome == Outcome.REFUTED.value]
    return [*against, *make.releases.others(claim.summary[0].framework, versions_run(claim))]


def _none_left(make: Builder, claims: list[ClaimEntry]) -> block | None:
    """Words for the versions that refute none of the claims; None where there is no such pair."""
    clear: dict[str, list[str]] = {}
    for framework in ("torch", "mindspore"):
        refuting = {
            one for claim in claims if claim.summary[0].framework == framework for one in _refuting(make, claim)
        }
        clear[framework] = make.releases.others(framework, refuting)
    if not all(clear.values()):
        return None
    found = block("", paragraph(nodes.Text(make.word("refuted.none_chosen", count=len(claims)))))
    make.only(found, torch=clear["torch"], mindspore=clear["mindspore"], hide=False)
    carry(found, hidden="hidden")  # without script the list is whole
    return found


def _refuted_line(make: Builder, claim: ClaimEntry) -> list[nodes.Node]:
    against = [found for found in claim.summary if found.outcome == Outcome.REFUTED.value]
    head = paragraph(
        make.badge("outcome", Outcome.REFUTED.value),
        nodes.Text(" "),
        *make.text(claim.text),
        nodes.Text(" "),
        make.ref("claim", claim.id),
    )
    runs = [
        paragraph(
            nodes.Text(
                f"{make.word(f'framework.{found.framework}')} {found.framework_version}{make.word('site.pause')}"
                f"{backend_name(found.backend, found.device)}{make.word('site.colon')}"
            ),
            *joined(links_to_runs(make, claim, found), make.word("site.comma")),
        )
        for found in against
    ]
    return [head, *runs]


def refuted_claims(entry: Entry) -> list[ClaimEntry]:
    """Claims that a document states and at least one run refutes."""
    return [
        claim for claim in entry.claims if claim.stated and any(found.outcome == "refuted" for found in claim.summary)
    ]


def refuted_block(make: Builder, entry: Entry, claim: ClaimEntry) -> block:
    """One refuted statement, with the documents and the runs against it."""
    against = [found for found in claim.summary if found.outcome == Outcome.REFUTED.value]
    rest = [found for found in claim.summary if found.outcome != Outcome.REFUTED.value]
    head = paragraph(
        make.badge("outcome", "refuted"),
        nodes.Text(" "),
        literal(claim.subject),
        nodes.Text(" "),
        *make.text(claim.text),
    )
    link = paragraph(make.ref("claim", claim.id), classes=["apidiff-claim-id"])
    children = [
        head,
        link,
        *stated_part(make, entry.documents, claim.stated),
        observed_part(make, claim, against + rest),
    ]
    return block("", *children, classes=["apidiff-claim", "apidiff-edge-refuted"])
