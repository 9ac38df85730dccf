"""Builds the page of an API's evidence: what every rank saw in every probe, on one backend, at all world sizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
from docutils import nodes

from apidiff.derive.evidence import ApiEvidence, ProbeEvidence, RunHead, SignatureEvidence, Trial, Verdict
from apidiff.messages.escape_invisible import quoted
from apidiff.messages.signed_words import signed_words
from apidiff.messages.version_changes import Maker, measurer
from apidiff.model.trace import ProbeRun, backend_name
from apidiff.model.trust import OWN
from apidiff.sphinxext.nodes import (
    Cell,
    block,
    code,
    folded,
    joined,
    literal,
    paragraph,
    portion,
    recorded_code,
    relative,
    table,
)
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.run_page import changes_list, dispute_block, run_part, signature_link, stopped_notice, written_by
from apidiff.sphinxext.trace_table import trace_table
from apidiff.writers.exports.address import anchor

_LONG = 600  # characters of why a stranger found no such API


def evidence_section(make: PageBuilder, evidence: ApiEvidence) -> nodes.section:
    """Build the whole page."""
    first = evidence.runs[0]
    where = make.word(
        "evidence.where",
        framework=make.framework(first.framework),
        version=first.framework_version,
        backend=first.backend,
        device=first.device,
    )
    telling = _telling(evidence)
    runs = [run for run in evidence.runs if run.id in telling]
    if all(map(_is_foreign, runs)):
        makers = dict.fromkeys(measurer(_maker(run), make.language) for run in runs)
        where = make.word("evidence.by", what=where, measurer=make.word("site.semicolon").join(makers))
    children: list[nodes.Node] = [make.sentence("evidence.about")]
    if evidence.mapping:
        children.append(make.term("evidence.mapping", make.ref("mapping", evidence.mapping, optional=True)))
    children += [
        make.section("runs", make.word("evidence.runs"), *_runs(make, evidence.runs)),
        make.section("repeat", make.word("repeat"), *_repeat(make, evidence)),
    ]
    if evidence.changes or evidence.disputes:
        children.append(make.section("changes", make.word("evidence.changes"), *_apart(make, evidence)))
    if evidence.signatures:
        shown = [_signature(make, evidence, signature) for signature in evidence.signatures]
        children.append(
            make.section("signature", make.word("run.signature"), *(node for part in shown for node in part))
        )
    heads = {run.id: run for run in evidence.runs}
    children += [_probe(make, probe, heads) for probe in evidence.probes]
    return make.section("evidence", [literal(evidence.api), nodes.Text(where)], *children)


def of_its_api(evidence: ApiEvidence, runs: Iterable[RunHead]) -> ApiEvidence:
    """Give the evidence those of ``runs``, all of its place, that recorded something of its API or are named on its page.

    All of them on each page would make pages times records.
    """
    told = _telling(evidence)
    for disputes in evidence.disputes.values():
        told.update(*(dispute.outcomes for dispute in disputes))
    for changes in evidence.changes.values():
        told.update(*(named for change in changes for span in change.spans for named in span.runs.values()))
    return msgspec.structs.replace(evidence, runs=[run for run in runs if run.id in told])


def _telling(evidence: ApiEvidence) -> set[str]:
    """The runs that recorded something of the API."""
    telling = {run for signature in evidence.signatures for run in signature.runs}
    return telling | {trial.run for probe in evidence.probes for trial in probe.trials}


def trial_anchors(probe: ProbeEvidence) -> dict[str, str]:
    """Name the anchor of each run's trial; it stays the same when the run is recorded anew, unless two are of one size."""
    taken: set[int] = set()
    anchors = {}
    for trial in probe.trials:
        size = f"{trial.world_size}"
        if trial.world_size in taken:
            size += f"-{trial.run.rpartition('-')[2]}"
        taken.add(trial.world_size)
        anchors[trial.run] = anchor(f"{probe.name}--{size}")
    return anchors


def defined(evidence: ApiEvidence) -> list[tuple[str, str]]:
    """List what verdicts point at on this page: the name of the trace, ``<run>#<part>``, and its anchor."""
    names = [(f"{run.id}#{run_part(evidence.api)}", "evidence") for run in evidence.runs]
    for signature in evidence.signatures:
        names += [(f"{run}#{run_part(evidence.api, 'signature')}", "signature") for run in signature.runs]
    for probe in evidence.probes:
        for run, goal in trial_anchors(probe).items():
            names.append((f"{run}#{run_part(evidence.api, probe.name)}", goal))
    return names


def _runs(make: PageBuilder, runs: list[RunHead]) -> list[nodes.Node]:
    """Show one row per run, and below what all of them have in common or each has of its own."""
    rows: list[list[Cell]] = []
    for run in runs:
        raw = nodes.reference(
            "", make.word("run.raw"), refuri=relative(make.docname, f"_runs/{run.id}.json"), internal=True
        )
        whole = make.ref("run", run.id, nodes.Text(make.word("evidence.whole")))
        links = paragraph(whole, nodes.Text(" · "), raw, *signature_link(make, run.id, run.signed))
        by = [
            paragraph(nodes.Text(measurer(_maker(run), make.language))),
            paragraph(nodes.Text(signed_words(run.signed, make.language))),
        ]
        rows.append([str(run.world_size), run.date, by, [links, *stopped_notice(make, run.stopped, run.signed.trust)]])
    header = [make.word(f"run.{name}") for name in ("world_size", "date", "measured_by", "id")]
    return [table(header, rows), *_machines(make, runs)]


def _machines(make: PageBuilder, runs: list[RunHead]) -> list[nodes.Node]:
    """Show what runs were made on, those of each maker together: others' words in quotes, below who wrote them."""
    by_maker: dict[str, list[RunHead]] = {}
    for run in runs:
        by_maker.setdefault(measurer(_maker(run), make.language), []).append(run)
    told: list[nodes.Node] = []
    for by, made in by_maker.items():
        foreign = _is_foreign(made[0])
        if foreign or len(by_maker) > 1:
            told.append(make.term("run.measured_by", nodes.Text(by)))
        written = written_by(made[0].signed.trust)
        facts = {
            "run.os": [written(run.os) for run in made],
            "run.python": [written(run.python) for run in made],
            "run.machine": [
                make.word("evidence.machine", machine=written(run.machine), cores=run.cores) for run in made
            ],
        }
        told += [
            make.term(key, nodes.Text(make.word("site.semicolon").join(dict.fromkeys(values))))
            for key, values in facts.items()
        ]
    return told


def _maker(run: RunHead) -> Maker:
    return Maker(run.measured_by, run.signed.trust, run.signed.signer)


def _is_foreign(run: RunHead) -> bool:
    return run.signed.trust not in OWN


def _apart(make: PageBuilder, evidence: ApiEvidence) -> list[nodes.Node]:
    """Show claims on which these runs disagree, and those that other versions judge otherwise."""
    makers = {run.id: _maker(run) for run in evidence.runs}
    shown: list[nodes.Node] = []
    for claim in sorted(evidence.disputes.keys() | evidence.changes.keys()):
        shown.append(paragraph(make.ref("claim", claim, optional=True)))
        shown += [dispute_block(make, evidence.api, dispute, makers) for dispute in evidence.disputes.get(claim, [])]
        if claim in evidence.changes:
            shown.append(changes_list(make, evidence.api, evidence.changes[claim]))
    return shown


def _repeat(make: PageBuilder, evidence: ApiEvidence) -> list[nodes.Node]:
    first = evidence.runs[0]
    framework = f"{make.framework(first.framework)} {first.framework_version}"
    ours = [run for run in evidence.runs if not _is_foreign(run)]
    sizes = ",".join(str(size) for size in sorted({run.world_size for run in ours or evidence.runs}))
    command = " ".join(
        [
            "apidiff verify",
            *([evidence.mapping] if evidence.mapping else []),
            f"--backend {backend_name(first.backend, first.device)}",
            f"--world-size {sizes}",
        ]
    )
    return make.command("evidence.repeat", command, framework=framework)


def _signature(make: PageBuilder, evidence: ApiEvidence, seen: SignatureEvidence) -> list[nodes.Node]:
    signature = seen.signature
    runs = [run for run in evidence.runs if run.id in seen.runs]
    children: list[nodes.Node] = []
    if signature.missing:
        said = nodes.emphasis("", make.word("run.missing"))
        is_typed = signature.error and any(map(_is_foreign, runs))
        why = quoted(signature.error, _LONG) if is_typed else signature.error
        children.append(paragraph(said, nodes.Text(f" {why}".rstrip())))
    else:
        shown = f"{evidence.api.rpartition('.')[2]}{signature.text}" if signature.text else signature.error
        children.append(recorded_code(shown))
        if signature.members:
            children.append(make.term("members", literal(" ".join(signature.members))))
    if len(evidence.signatures) > 1 or any(map(_is_foreign, runs)):
        children = [*_seen_by(make, runs), *children]
    return [*children, *_verdicts(make, seen.verdicts, runs[0])]


def _seen_by(make: PageBuilder, runs: Iterable[RunHead]) -> list[nodes.Node]:
    """Say with how many ranks this project saw something, and with how many each other maker did."""
    sizes: dict[str, list[str]] = {}
    for run in runs:
        by = measurer(_maker(run), make.language) if _is_foreign(run) else ""
        sizes.setdefault(by, []).append(str(run.world_size))
    told: list[nodes.Node] = []
    for by, counts in sizes.items():
        ranks = make.word("evidence.ranks", count=make.listed(counts))
        told.append(make.sentence("evidence.by", what=ranks, measurer=by) if by else paragraph(nodes.Text(ranks)))
    return told


def _probe(make: PageBuilder, probe: ProbeEvidence, heads: Mapping[str, RunHead]) -> nodes.section:
    children: list[nodes.Node] = []
    if probe.call:
        language = "bash" if probe.name.startswith("example:") else "python"
        children += [make.term("evidence.call"), code(probe.call, language)]
    else:
        children.append(make.sentence("evidence.gone"))
    anchors = trial_anchors(probe)
    sizes = [trial.world_size for trial in probe.trials]
    for trial in probe.trials:
        title = make.word("evidence.ranks", count=trial.world_size)
        head = heads[trial.run]
        if sizes.count(trial.world_size) > 1 or _is_foreign(head):
            by = measurer(_maker(head), make.language)
            title = make.word("evidence.ranks_by", ranks=title, measurer=by, date=head.date)
        children.append(_trial(make, probe, trial, head, title, anchors[trial.run]))
    seen = portion("", *children, title=make.word("evidence.traces", probe=probe.name))
    return make.section(anchor(f"probe--{probe.name}"), [literal(probe.name)], seen)


def _trial(
    make: PageBuilder, probe: ProbeEvidence, trial: Trial, head: RunHead, title: str, goal: str
) -> nodes.section:
    facts: list[nodes.Node] = [make.lead("run.end"), make.badge("end", trial.traces.end)]
    if trial.traces.confirmed:
        facts.append(nodes.Text(" · " + make.word("run.confirmed")))
    children: list[nodes.Node] = [paragraph(*facts)]
    if probe.call and not trial.current:
        children.append(paragraph(nodes.Text(make.word("evidence.outdated")), classes=["apidiff-quote"]))
    children += _tries(make, trial.traces, trial.world_size, f"{probe.name}, {title}")
    if trial.traces.again:
        again = trial.traces.again
        second = [paragraph(make.lead("run.end"), make.badge("end", again.end))]
        shown = _tries(make, again, trial.world_size, f"{probe.name}, {title}, {make.word('evidence.second')}")
        children.append(block("", make.term("run.again"), *second, *shown, classes=["apidiff-edge-refuted"]))
    children += _verdicts(make, trial.verdicts, head)
    return make.section(goal, title, *children)


def _tries(make: PageBuilder, probe: ProbeRun, world_size: int, caption: str) -> list[nodes.Node]:
    children: list[nodes.Node] = []
    if probe.ranks:
        children.append(trace_table(make, probe, world_size, caption))
    silent = sorted(set(range(world_size)) - {trace.rank for trace in probe.ranks})
    if not probe.ranks:
        children.append(make.sentence("run.no_trace"))
    elif silent:
        ranks = make.listed(map(str, silent))
        children.append(make.sentence("evidence.silent", ranks=ranks))
    if probe.log:
        children.append(folded(make.word("run.log"), code("\n".join(probe.log), "text")))
    return children


def _verdicts(make: PageBuilder, verdicts: list[Verdict], run: RunHead) -> list[nodes.Node]:
    """List the verdicts that rest on a run, by the name of who made it where that is not this project."""
    if not verdicts:
        return []
    shown = []
    for verdict in verdicts:
        link = make.ref("claim", verdict.claim, nodes.Text(verdict.claim.partition("#")[2]), optional=True)
        badge = make.badge("outcome", verdict.outcome)
        shown.append([nodes.inline("", "", badge, nodes.Text(" "), link, classes=["apidiff-verdict"])])
    if not _is_foreign(run):
        return [make.term("evidence.claims", *joined(shown, " · "))]
    lead = make.word("evidence.claims_by", measurer=measurer(_maker(run), make.language)) + make.word("site.colon")
    return [paragraph(nodes.strong("", lead), *joined(shown, " · "), classes=["apidiff-term"])]
