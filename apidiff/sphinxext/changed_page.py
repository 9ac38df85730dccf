"""The page of behaviour that a version changed: by framework and version, every claim whose verdict became another."""

from __future__ import annotations

from collections.abc import Sequence

from docutils import nodes

from apidiff.derive.version_changes import Changed
from apidiff.model import Version
from apidiff.model.coverage import PlaceCoverage
from apidiff.model.views import VersionSpan
from apidiff.sphinxext.builder import Builder
from apidiff.sphinxext.nodes import Cell, anchor, block, literal, paragraph, table
from apidiff.sphinxext.run_links import run_part


def changed_sections(make: Builder, found: Sequence[Changed], places: Sequence[PlaceCoverage]) -> list[nodes.Node]:
    """The whole page below its title."""
    groups: dict[tuple[str, str], list[Changed]] = {}
    for one in found:
        groups.setdefault((one.change.framework, one.versions[1]), []).append(one)
    ordered = sorted(groups, key=lambda key: (key[0], Version(key[1])), reverse=True)
    ordered.sort(key=lambda key: key[0])
    sections: list[nodes.Node] = [_section(make, *key, groups[key]) for key in ordered]
    return [
        paragraph(nodes.Text(make.word("changed.about"))),
        make.term("changed.compared"),
        _compared(make, places),
        *(sections or [paragraph(nodes.Text(make.word("changed.none")))]),
    ]


def _compared(make: Builder, places: Sequence[PlaceCoverage]) -> nodes.bullet_list:
    """The versions that were run of each framework on each backend."""
    versions: dict[tuple[str, str, str], list[str]] = {}
    for one in places:
        versions.setdefault((one.framework, one.backend, one.device), []).append(one.framework_version)
    items = []
    for (framework, backend, device), run in versions.items():
        words = make.word(
            "changed.place" if len(run) > 1 else "changed.one_version",
            framework=make.word(f"framework.{framework}"),
            backend=backend,
            device=device,
            versions=make.word("site.comma").join(sorted(run, key=Version)),
        )
        items.append(nodes.list_item("", paragraph(nodes.Text(words))))
    return nodes.bullet_list("", *items)


def _section(make: Builder, framework: str, version: str, found: Sequence[Changed]) -> nodes.section:
    title = f"{make.word(f'framework.{framework}')} {version}"
    count = make.word(
        "changed.count", claims=len({one.claim for one in found}), mappings=len({one.mapping for one in found})
    )
    header = [make.word(key) for key in ("column.claim", "changed.where", "changed.before", "changed.after")]
    rows = [_row(make, one) for one in sorted(found, key=lambda one: (one.mapping, one.claim))]
    shown = block(
        "", table(header, rows, classes=["apidiff-wrapped", "apidiff-stacked"]), filter=make.word("index.filter")
    )
    return make.section(anchor(f"changed-{framework}-{version}"), title, paragraph(nodes.Text(count)), shown)


def _row(make: Builder, one: Changed) -> list[Cell]:
    subject = one.claim.partition("#")[0]
    claim: list[nodes.Node] = [
        paragraph(make.ref("claim", one.claim), classes=["apidiff-wrap"]),
        paragraph(*make.text(one.text)),
    ]
    if one.mapping != subject:
        claim.insert(0, paragraph(make.ref("mapping", one.mapping, literal(one.mapping)), nodes.Text(" →")))
    change = one.change
    sizes = make.word("site.comma").join(map(str, change.world_sizes))
    where = [
        paragraph(nodes.Text(make.word("changed.at", backend=change.backend, device=change.device))),
        paragraph(nodes.Text(make.word("evidence.ranks", count=sizes))),
    ]
    before, after = one.versions
    notes = [
        paragraph(nodes.Text(make.word(f"changed.{key}", versions=make.word("site.comma").join(versions))))
        for key, versions in (("unjudged", one.after.unjudged), ("disputed", one.after.disputed))
        if versions
    ]
    return [
        claim,
        where,
        _verdict(make, subject, one.before, before),
        [*_verdict(make, subject, one.after, after), *notes],
    ]


def _verdict(make: Builder, subject: str, span: VersionSpan, version: str) -> list[nodes.Node]:
    link = make.ref("run", span.runs[version][0], nodes.Text(version), part=run_part(subject))
    return [paragraph(make.badge("outcome", span.outcome), nodes.Text(" "), link)]
