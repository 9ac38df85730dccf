"""Builds the page of what is new: runs as they come, and which version of a framework changed which behaviour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docutils import nodes

from apidiff.derive.evidence import RunHead, SingleHead
from apidiff.derive.verdicts_by_run import Changed
from apidiff.messages.version_changes import Maker, measurer
from apidiff.model.coverage import PlaceCoverage
from apidiff.model.trust import OWN, Trust
from apidiff.model.version import Version
from apidiff.model.views import VersionSpan
from apidiff.sphinxext.long_lists import portions
from apidiff.sphinxext.nodes import Cell, block, literal, paragraph, relative, table, table_row
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.run_page import run_part
from apidiff.writers.exports.address import anchor
from apidiff.writers.exports.feed import NAME as FEED

# Changes of a version that every reader sees at once.
_SHOWN = 20


def news_sections(
    make: PageBuilder,
    steps: Sequence[Changed],
    places: Sequence[PlaceCoverage],
    runs: Iterable[RunHead],
    singles: Iterable[SingleHead],
) -> list[nodes.Node]:
    """Build the page of what is new below its title: what was measured, then which version changed which behaviour."""
    feed = relative(make.docname, FEED)
    words = make.filled("news.about", feed=[nodes.reference("", make.word("news.feed"), refuri=feed, internal=True)])
    return [
        paragraph(*words),
        make.section("measured", make.word("news.measured"), measured(make, runs, singles)),
        make.section("changed-behaviour", make.word("news.changed"), *_changed(make, steps, places)),
    ]


def measured(
    make: PageBuilder, runs: Iterable[RunHead], singles: Iterable[SingleHead], at_most: int | None = None
) -> nodes.Node:
    """List what was run, the newest first: framework, version, backend and device, each with its last run and the date.

    What known signers ran, a line each, stands after what this project did. Unsigned records tell no news.
    """
    heads: list[RunHead | SingleHead] = [*runs, *singles]
    last: dict[tuple[str, ...], RunHead | SingleHead] = {}
    for run in sorted(heads, key=lambda run: run.date, reverse=True):
        if run.signed.trust is not Trust.UNSIGNED:
            last.setdefault((*_place(run), _signer(run)), run)
    ours_first = sorted(last.values(), key=lambda run: run.signed.trust not in OWN)[:at_most]
    if not ours_first:
        return make.sentence("runs.empty")
    return nodes.bullet_list("", *(nodes.list_item("", _measured(make, *_place(run), run)) for run in ours_first))


def _place(run: RunHead | SingleHead) -> tuple[str, str, str, str]:
    return run.framework, run.framework_version, run.backend if isinstance(run, RunHead) else "", run.device


def _signer(run: RunHead | SingleHead) -> str:
    """Name the known signer whose record it is; of this project's own, nobody."""
    return "" if run.signed.trust in OWN else run.signed.signer


def _measured(
    make: PageBuilder, framework: str, version: str, backend: str, device: str, run: RunHead | SingleHead
) -> nodes.paragraph:
    place = make.word(f"device.{device}") if not backend else f"{backend}{make.word('site.aside', text=device)}"
    key = "news.run" if backend else "news.single_run"
    title = nodes.Text(make.word(key, framework=make.framework(framework), version=version, place=place))
    raw = relative(make.docname, f"_runs/{run.id}.json")
    link = make.ref("run", run.id, title) if backend else nodes.reference("", "", title, refuri=raw, internal=True)
    words: list[nodes.Node] = [link, nodes.Text(make.word("site.pause")), make.date(run.date)]
    if run.signed.trust not in OWN:
        by = measurer(Maker(run.measured_by, run.signed.trust, run.signed.signer), make.language)
        words += [nodes.Text(make.word("site.pause") + by)]
    return paragraph(*words)


def _changed(make: PageBuilder, steps: Sequence[Changed], places: Sequence[PlaceCoverage]) -> list[nodes.Node]:
    """List by framework and version every claim whose verdict changed."""
    groups: dict[tuple[str, str], list[Changed]] = {}
    for step in steps:
        groups.setdefault((step.change.framework, step.versions[1]), []).append(step)
    ordered = sorted(groups, key=lambda key: (key[0], Version(key[1])), reverse=True)
    ordered.sort(key=lambda key: key[0])
    sections: list[nodes.Node] = [_version_section(make, *key, groups[key]) for key in ordered]
    return [
        make.sentence("changed.about"),
        make.term("changed.compared"),
        _compared(make, places),
        *(sections or [make.sentence("changed.none")]),
    ]


def _compared(make: PageBuilder, places: Sequence[PlaceCoverage]) -> nodes.bullet_list:
    """List the versions that were run of each framework on each backend."""
    versions: dict[tuple[str, str, str], list[str]] = {}
    for place in places:
        versions.setdefault((place.framework, place.backend, place.device), []).append(place.framework_version)
    items = []
    for (framework, backend, device), run in versions.items():
        words = make.word(
            "changed.place" if len(run) > 1 else "changed.one_version",
            framework=make.framework(framework),
            backend=backend,
            device=device,
            versions=make.listed(sorted(run, key=Version)),
        )
        items.append(nodes.list_item("", paragraph(nodes.Text(words))))
    return nodes.bullet_list("", *items)


def _version_section(make: PageBuilder, framework: str, version: str, steps: Sequence[Changed]) -> nodes.section:
    title = f"{make.framework(framework)} {version}"
    count = make.word(
        "changed.count", claims=len({step.claim for step in steps}), mappings=len({step.mapping for step in steps})
    )
    header = [make.word(key) for key in ("column.claim", "changed.where", "changed.before", "changed.after")]
    in_order = sorted(steps, key=lambda step: (step.mapping, step.claim))
    rows = [(step.mapping, table_row(_changed_row(make, step))) for step in in_order]
    classes = ["apidiff-wrapped", "apidiff-stacked"]
    listed = portions(make, rows, lambda some: [table(header, some, classes=classes)], shown=_SHOWN)
    shown = block("", *listed, filter=make.word("index.filter"))
    return make.section(anchor(f"changed-{framework}-{version}"), title, paragraph(nodes.Text(count)), shown)


def _changed_row(make: PageBuilder, step: Changed) -> list[Cell]:
    subject = step.claim.partition("#")[0]
    claim: list[nodes.Node] = [
        paragraph(make.ref("claim", step.claim), classes=["apidiff-wrap"]),
        paragraph(*make.text(step.text)),
    ]
    if step.mapping != subject:
        claim.insert(0, paragraph(make.ref("mapping", step.mapping, literal(step.mapping)), nodes.Text(" →")))
    change = step.change
    sizes = make.listed(map(str, change.world_sizes))
    where = [
        make.sentence("changed.at", backend=change.backend, device=change.device),
        make.sentence("evidence.ranks", count=sizes),
    ]
    before, after = step.versions
    notes = [
        make.sentence(f"changed.{key}", versions=make.listed(versions))
        for key, versions in (("unjudged", step.after.unjudged), ("disputed", step.after.disputed))
        if versions
    ]
    return [
        claim,
        where,
        _verdict_before_or_after(make, subject, step.before, before),
        [*_verdict_before_or_after(make, subject, step.after, after), *notes],
    ]


def _verdict_before_or_after(make: PageBuilder, subject: str, span: VersionSpan, version: str) -> list[nodes.Node]:
    link = make.ref("run", span.runs[version][0], nodes.Text(version), part=run_part(subject))
    return [paragraph(make.badge("outcome", span.outcome), nodes.Text(" "), link)]
