"""Builds the page of one run record: its environment, how to repeat it and a way to every trace, the raw record beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from docutils import nodes

from apidiff.messages.escape_invisible import quoted, unbroken
from apidiff.messages.signed_words import signed_words
from apidiff.messages.version_changes import Maker, dispute_head, measurer, sentence
from apidiff.model.signed import Signed
from apidiff.model.trace import ProbeRun, RunRecord, backend_name
from apidiff.model.trust import OWN, Trust
from apidiff.model.views import ChangeEntry, DisputeEntry
from apidiff.sphinxext.nodes import (
    Cell,
    Inline,
    block,
    code,
    folded,
    joined,
    literal,
    paragraph,
    relative,
    table,
)
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.writers.exports.address import anchor

_QUOTED = 60  # characters of what a record of others says of its machine
_LONGEST_VARIABLE = 400  # of a variable of its environment


def run_title(make: PageBuilder, framework: str, version: str, backend: str, device: str, world_size: int) -> str:
    """Name a run record in lists and headings."""
    name = make.framework(framework)
    return make.word(
        "run.title", framework=name, version=version, backend=backend, device=device, world_size=world_size
    )


def run_section(make: PageBuilder, run_id: str, run: RunRecord, signed: Signed) -> nodes.section:
    """Build the whole page."""
    title = run_title(make, run.framework, run.framework_version, run.backend, run.device, run.world_size)
    if signed.trust not in OWN:
        title = make.word("evidence.by", what=title, measurer=_measurer(make, run, signed))
    raw = nodes.reference(
        "", make.word("run.raw"), refuri=relative(make.docname, f"_runs/{run_id}.json"), internal=True
    )
    return make.section(
        "run",
        [nodes.Text(title)],
        make.sentence(run_summary(signed.trust)),
        paragraph(make.lead("run.id"), literal(run_id), nodes.Text(" · "), raw, *signature_link(make, run_id, signed)),
        *stopped_notice(make, run.stopped, signed.trust),
        make.section("environment", make.word("run.environment"), *_environment(make, run, signed)),
        make.section("repeat", make.word("repeat"), *_repeat(make, run)),
        make.section("probes", make.word("run.probes"), *_probes(make, run_id, run)),
    )


def run_summary(trust: Trust) -> str:
    """Name the label of what a record's page begins with: what is recorded here, or what others sent."""
    return "run.summary" if trust in OWN else "run.summary_sent"


def _measurer(make: PageBuilder, run: RunRecord, signed: Signed) -> str:
    return measurer(Maker(run.measured_by, signed.trust, signed.signer), make.language)


def written_by(trust: Trust, limit: int = _QUOTED) -> Callable[[str], str]:
    """Give what makes words of a record fit for a page: those of others stand in quotes, ``limit`` characters of them."""
    return str if trust in OWN else partial(quoted, limit=limit)


def stopped_notice(make: PageBuilder, stopped: str | None, trust: Trust) -> list[nodes.Node]:
    """Say why a run ended before all was done, where it did, and what that means for its verdicts."""
    if not stopped:
        return []
    return [
        paragraph(*make.filled("run.stopped", why=[literal(written_by(trust)(stopped))]), classes=["apidiff-quote"])
    ]


def signature_link(make: PageBuilder, run_id: str, signed: Signed) -> list[nodes.Node]:
    """Link to a record's signature, where one is published."""
    if not signed.has_file:
        return []
    goal = relative(make.docname, f"_runs/{run_id}.json.minisig")
    return [nodes.Text(" · "), nodes.reference("", make.word("run.signature_file"), refuri=goal, internal=True)]


def _environment(make: PageBuilder, run: RunRecord, signed: Signed) -> list[nodes.Node]:
    written = written_by(signed.trust)
    facts: list[tuple[str, str | nodes.Node]] = [
        ("measured_by", _measurer(make, run, signed)),
        ("signed", signed_words(signed, make.language)),
        *([("signer", quoted(signed.about))] if signed.about else []),
        ("framework", f"{make.framework(run.framework)} {run.framework_version}"),
        ("backend", run.backend),
        ("device", run.device),
        ("world_size", str(run.world_size)),
        ("date", make.date(run.date)),
        ("os", written(run.os)),
        ("python", written(run.python)),
        ("machine", written(run.machine)),
        ("cores", str(run.cores)),
        ("suite", written(run.suite_version)),
    ]
    if run.build:
        facts.insert(1, ("build", written(run.build)))
    if run.device_found:
        devices = [
            *run.device_found.names,
            *(f"{name} {version}" for name, version in run.device_found.versions.items()),
        ]
        facts.append(("found", ", ".join(map(written, devices))))
    fields = nodes.field_list("", classes=["apidiff-facts"])
    for name, said in facts:
        value = nodes.Text(said) if isinstance(said, str) else said
        fields += nodes.field(
            "", nodes.field_name("", make.word(f"run.{name}")), nodes.field_body("", paragraph(value))
        )
    children: list[nodes.Node] = [fields]
    if run.environment:
        in_full = written_by(signed.trust, _LONGEST_VARIABLE)
        variables = "\n".join(in_full(unbroken(f"{name}={value}")) for name, value in sorted(run.environment.items()))
        children += [make.term("run.variables"), code(variables, "text")]
    packages = sorted(run.packages.items())
    rows: list[list[Cell]] = [[[literal(written(name))], [literal(written(version))]] for name, version in packages]
    header = [make.word("run.package"), make.word("run.package_version")]
    count = make.word("run.package_count", count=len(run.packages))
    title = make.word("run.packages") + make.word("site.aside", text=count)
    children.append(folded([nodes.Text(title)], table(header, rows)))
    return children


def _repeat(make: PageBuilder, run: RunRecord) -> list[nodes.Node]:
    framework = f"{make.framework(run.framework)} {run.framework_version}"
    command = f"apidiff verify --backend {backend_name(run.backend, run.device)} --world-size {run.world_size}"
    return make.command("evidence.repeat", command, framework=framework)


def _probes(make: PageBuilder, run_id: str, run: RunRecord) -> list[nodes.Node]:
    if not run.probes and not run.signatures:
        return [make.sentence("run.no_trace")]
    words = make.sentence("run.probes_about")
    return [words, block("", *_apis(make, run_id, run), filter=make.word("statements.filter"))]


def _apis(make: PageBuilder, run_id: str, run: RunRecord) -> list[nodes.Node]:
    """Show one line per API; opened, a link to what was seen in each of its probes."""
    groups: dict[str, list[ProbeRun]] = {signature.api: [] for signature in run.signatures}
    for probe in run.probes:
        groups.setdefault(probe.api, []).append(probe)
    seen = {signature.api for signature in run.signatures}
    lines: list[nodes.Node] = []
    for api, probes in groups.items():
        shown: list[Inline] = [_probe(make, run_id, probe) for probe in probes]
        if api in seen:
            shown.append([_link(make, run_id, nodes.Text(make.word("run.signature")), run_part(api, "signature"))])
        title = [
            literal(api),
            nodes.Text(make.word("site.aside", text=make.word("run.probe_count", count=len(probes)))),
        ]
        whole = make.ref("run", run_id, nodes.Text(make.word("run.all_probes")), part=run_part(api))
        told = paragraph(*joined(shown, " · "), classes=["apidiff-wrap"])
        lines.append(make.line(run_part(api), title, paragraph(whole), told))
    return lines


def _probe(make: PageBuilder, run_id: str, probe: ProbeRun) -> list[nodes.Node]:
    """Link to the probe, and say how it ended where that is not simply an answer of every rank."""
    shown: list[nodes.Node] = [_link(make, run_id, nodes.Text(probe.probe), run_part(probe.api, probe.probe))]
    if probe.end != "completed":
        shown += [nodes.Text(" "), make.badge("end", probe.end)]
    if probe.again:
        shown += [nodes.Text(" "), make.badge("outcome", "flaky")]
    for error in dict.fromkeys(trace.error.type for trace in probe.ranks if trace.error):
        shown += [nodes.Text(" "), literal(error)]
    return shown


def _link(make: PageBuilder, run_id: str, words: nodes.Node, part: str) -> nodes.inline:
    """Link to the evidence. The place where it stands keeps the anchor that older addresses name."""
    return nodes.inline("", "", make.ref("run", run_id, words, part=part), ids=[part])


def run_part(api: str, probe: str = "") -> str:
    """Name a probe, or all of an API, within a run record; also its anchor on the record's page."""
    return anchor(f"{api}--{probe}" if probe else f"api--{api}")


def changes_list(make: PageBuilder, subject: str, changes: Iterable[ChangeEntry]) -> nodes.bullet_list:
    """List in which version a verdict on a claim about ``subject`` changed, each version linked to its evidence."""
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


def dispute_block(make: PageBuilder, subject: str, dispute: DisputeEntry, makers: Mapping[str, Maker]) -> block:
    """Show records that disagree on a claim about ``subject``. ``makers``: who made them, by run."""
    head = make.word(
        dispute_head(dispute),
        framework=make.framework(dispute.framework),
        version=dispute.framework_version,
        backend=dispute.backend,
        device=dispute.device,
        size=dispute.world_size,
    )
    items = []
    for run, outcome in dispute.outcomes.items():
        name = nodes.Text(measurer(makers[run], make.language))
        link = make.ref("run", run, name, part=run_part(subject))
        items.append(nodes.list_item("", paragraph(make.badge("outcome", outcome), nodes.Text(" "), link)))
    edge = ["apidiff-edge-refuted"] if dispute.vouched_for else []
    lead = paragraph(nodes.strong("", head.rstrip()), classes=["apidiff-term"])
    return block("", lead, nodes.bullet_list("", *items), classes=["apidiff-dispute", *edge])
