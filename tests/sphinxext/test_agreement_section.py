"""What both sides made of the same inputs: the newest version of the target at once, former ones folded."""

from __future__ import annotations

import msgspec
import pytest
from docutils import nodes
from docutils.utils import new_document
from entry_fixture import NEW, reduce_entry

from apidiff.model.base import Language, Text
from apidiff.model.views import AgreementDispute, AgreementEntry, CaseEntry, TargetEntry
from apidiff.sphinxext.agreement_section import agreement_section
from apidiff.sphinxext.nodes import details, late
from apidiff.sphinxext.page_builder import PageBuilder


def row(version: str, facet: str, inputs: str = "") -> AgreementEntry:
    return AgreementEntry(
        facet=facet,
        agreement="agrees",
        framework_version=version,
        source_version="2.13.0",
        device="cpu",
        counts={"agrees": 3},
        runs=["torch-2.13.0/single-cpu-a"],
        inputs=inputs,
    )


def shown(language: Language, target: TargetEntry) -> list[nodes.Node]:
    section = agreement_section(PageBuilder(language, new_document("page"), "page"), NEW, target)
    return section.next_node(late)["content"]


def by(signer: str) -> AgreementEntry:
    """What a known signer's record says of a place that this project did not run."""
    run = f"mindspore-2.10.0/{signer}"
    return msgspec.structs.replace(row("2.10.0", "value"), runs=[run], signers={run: signer})


def test_each_known_signer_has_a_section() -> None:
    target = msgspec.structs.replace(reduce_entry("run").targets[0], agreements=[], aside=[by("Alpha"), by("Beta")])
    texts = [one.astext() for one in shown("en", target) if isinstance(one, details)]
    assert [[name for name in ("Alpha", "Beta") if f"records of “{name}”" in text] for text in texts] == [
        ["Alpha"],
        ["Beta"],
    ]
    assert [text.count("mindspore-2.10.0/") for text in texts] == [1, 1]


def test_the_lid_of_a_signers_samples_names_the_signer() -> None:
    """A long list is moved to a page that holds nothing else."""
    case = CaseEntry(
        sample="plain", call="f()", given="", agreement="crash", text=Text(en="MindSpore: crash", zh="崩溃")
    )
    rows = [msgspec.structs.replace(by("Alpha"), facet="error", cases=[case])]
    target = msgspec.structs.replace(reduce_entry("run").targets[0], agreements=[], aside=rows)
    lids = [lid.children[0].astext() for one in shown("en", target) for lid in one.findall(details)]
    assert [lid for lid in lids if "Samples that do not agree: 1; records of “Alpha” (signed by a known signer)" in lid]


def test_a_record_that_says_otherwise_of_any_facet_is_listed_by_its_signer() -> None:
    dispute = AgreementDispute(run="mindspore-2.10.0/lab", signer="Lab", agreement="differs", counts={"differs": 1})
    rows = [row("2.10.0", "error"), msgspec.structs.replace(row("2.10.0", "value"), disputes=[dispute])]
    target = msgspec.structs.replace(reduce_entry("run").targets[0], agreements=rows)
    listed = shown("en", target)[-1].astext()
    assert listed.endswith("torch-2.13.0/single-cpu-a · mindspore-2.10.0/lab (“Lab” (signed by a known signer))")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_former_versions_are_folded(language: Language) -> None:
    rows = [row("2.10.0", "value"), row("2.10.0", "dtype"), row("2.10.0", "value", "extracted"), row("2.9.0", "value")]
    target = msgspec.structs.replace(reduce_entry("run").targets[0], agreements=[*rows, row("2.7.1", "value")])
    children = shown(language, target)
    assert [len(list(one.findall(nodes.row))) for one in children if isinstance(one, nodes.table)] == [3, 2]
    lids = [one for one in children if isinstance(one, details)]
    for lid, version in zip(lids, ("2.9.0", "2.7.1"), strict=True):
        assert version in lid.children[0].astext()
        assert len(list(lid.findall(nodes.table))) == 1
