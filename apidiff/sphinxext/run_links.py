"""What pages say of several run records at once, with a link to each: where they disagree, and what a version changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from docutils import nodes

from apidiff.derive.verdicts_by_run import measurer
from apidiff.derive.version_changes import sentence
from apidiff.model.views import ChangeEntry, DisputeEntry
from apidiff.sphinxext.builder import Builder
from apidiff.sphinxext.nodes import anchor, block, paragraph


def run_part(api: str, probe: str = "") -> str:
    """The name of a probe, or of all of an API, within a run record; also its anchor on the record's page."""
    return anchor(f"{api}--{probe}" if probe else f"api--{api}")


def changes_list(make: Builder, subject: str, changes: Iterable[ChangeEntry]) -> nodes.bullet_list:
    """In which version a verdict on a claim about ``subject`` became another, each version linked to its evidence."""
    items = []
    for change in changes:
        words = [
            nodes.Text(part)
            if isinstance(part, str)
            else make.ref("run", part.runs[0], nodes.Text(part.version), part=run_part(subject))
            for part in sentence(change, make.language)
        ]
        items.append(nodes.list_item("", paragraph(*words)))
    return nodes.bullet_list("", *items, classes=["apidiff-changes"])


def dispute_block(make: Builder, subject: str, dispute: DisputeEntry, measurers: Mapping[str, str | None]) -> block:
    """Records that disagree on a claim about ``subject``: each has its say. ``measurers``: who made them, by run."""
    head = make.word(
        "dispute.head",
        framework=make.word(f"framework.{dispute.framework}"),
        version=dispute.framework_version,
        backend=dispute.backend,
        device=dispute.device,
        size=dispute.world_size,
    )
    items = []
    for run, outcome in dispute.outcomes.items():
        name = nodes.Text(measurer(measurers.get(run), make.language))
        link = make.ref("run", run, name, part=run_part(subject))
        items.append(nodes.list_item("", paragraph(make.badge("outcome", outcome), nodes.Text(" "), link)))
    lead = paragraph(nodes.strong("", head.rstrip()), classes=["apidiff-term"])
    return block("", lead, nodes.bullet_list("", *items), classes=["apidiff-dispute", "apidiff-edge-refuted"])
