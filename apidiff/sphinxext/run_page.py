"""The page of one run record: its environment and every trace, readable, with the raw record beside it."""

from __future__ import annotations

from docutils import nodes

from apidiff.model import (
    CallError,
    ObjectDump,
    ProbeRun,
    RankTrace,
    RunRecord,
    ScalarDump,
    SequenceDump,
    SignatureDump,
    TensorDump,
    Value,
)
from apidiff.sphinxext.claims import run_part
from apidiff.sphinxext.nodes import Builder, Cell, anchor, block, code, folded, literal, paragraph, relative, table

# Longest row of values that is written out; the raw record has them all.
_VALUES = 24


def run_title(make: Builder, framework: str, version: str, backend: str, device: str, world_size: int) -> str:
    """What a run record is called in lists and headings."""
    name = make.word(f"framework.{framework}")
    return make.word(
        "run.title", framework=name, version=version, backend=backend, device=device, world_size=world_size
    )


def run_section(make: Builder, run_id: str, run: RunRecord) -> nodes.section:
    """The whole page."""
    title = run_title(make, run.framework, run.framework_version, run.backend, run.device, run.world_size)
    raw = nodes.reference(
        "", make.word("run.raw"), refuri=relative(make.docname, f"_runs/{run_id}.json"), internal=True
    )
    return make.section(
        "run",
        [nodes.Text(title)],
        paragraph(nodes.Text(make.word("run.summary"))),
        paragraph(make.lead("run.id"), literal(run_id), nodes.Text(" · "), raw),
        make.section("environment", make.word("run.environment"), *_environment(make, run)),
        make.section("signatures", make.word("run.signatures"), _signatures(make, run.signatures)),
        make.section("probes", make.word("run.probes"), *_probes(make, run)),
    )


def _environment(make: Builder, run: RunRecord) -> list[nodes.Node]:
    facts: list[tuple[str, str]] = [
        ("framework", f"{make.word(f'framework.{run.framework}')} {run.framework_version}"),
        ("backend", run.backend),
        ("device", run.device),
        ("world_size", str(run.world_size)),
        ("date", run.date),
        ("os", run.os),
        ("python", run.python),
        ("machine", run.machine),
        ("cores", str(run.cores)),
        ("suite", run.suite_version),
    ]
    fields = nodes.field_list("", classes=["apidiff-facts"])
    for name, value in facts:
        fields += nodes.field(
            "", nodes.field_name("", make.word(f"run.{name}")), nodes.field_body("", paragraph(nodes.Text(value)))
        )
    children: list[nodes.Node] = [fields]
    if run.environment:
        variables = "\n".join(f"{name}={value}" for name, value in sorted(run.environment.items()))
        children += [make.term("run.variables"), code(variables, "text")]
    rows: list[list[Cell]] = [
        [[literal(name)], [nodes.Text(version)]] for name, version in sorted(run.packages.items())
    ]
    header = [make.word("run.package"), make.word("run.package_version")]
    count = make.word("run.package_count", count=len(run.packages))
    title = (
        f"{make.word('run.packages')} ({count})" if make.language == "en" else f"{make.word('run.packages')}（{count}）"
    )
    children.append(folded([nodes.Text(title)], table(header, rows)))
    return children


def _signatures(make: Builder, signatures: list[SignatureDump]) -> nodes.table:
    rows: list[list[Cell]] = []
    for signature in signatures:
        shown: Cell = [literal(signature.text)] if signature.text else [nodes.Text(signature.error or "")]
        if signature.missing:
            shown = [nodes.emphasis("", make.word("run.missing")), nodes.Text(f" {signature.error}".rstrip())]
        elif signature.members:
            members = literal(" ".join(signature.members))
            shown = [paragraph(*shown), paragraph(make.lead("members"), members)]
        name = literal(signature.api)
        # Claims about parameters rest on the signature, and link here as if it were a probe.
        name["ids"] = [run_part(signature.api, "signature")]
        rows.append([[name], shown])
    return table([make.word("column.api"), make.word("run.signature")], rows, classes=["apidiff-wrapped"])


def _probes(make: Builder, run: RunRecord) -> list[nodes.Node]:
    groups: dict[str, list[ProbeRun]] = {}
    for probe in run.probes:
        groups.setdefault(probe.api, []).append(probe)
    sections: list[nodes.Node] = []
    for api, probes in groups.items():
        # A record keeps traces of an API whose mapping may be gone by now.
        title = make.ref("api", api, optional=True)
        sections.append(make.section(anchor(f"api--{api}"), [title], *(_probe(make, probe) for probe in probes)))
    return sections


def _probe(make: Builder, probe: ProbeRun) -> nodes.section:
    children: list[nodes.Node] = [
        paragraph(
            make.lead("run.end"),
            make.badge("end", probe.end),
            nodes.Text(" · "),
            make.lead("run.spec"),
            literal(probe.spec),
            *([nodes.Text(" · " + make.word("run.confirmed"))] if probe.confirmed else []),
        ),
        *_tries(make, probe),
    ]
    if probe.again:
        again = [paragraph(make.lead("run.end"), make.badge("end", probe.again.end)), *_tries(make, probe.again)]
        children.append(block("", make.term("run.again"), *again, classes=["apidiff-edge-refuted"]))
    return make.section(run_part(probe.api, probe.probe), [literal(probe.probe)], *children)


def _tries(make: Builder, probe: ProbeRun) -> list[nodes.Node]:
    children: list[nodes.Node] = []
    if probe.ranks:
        # One block of text a probe: a table would have ten times the nodes, and a run has hundreds of probes.
        text = "\n".join(line for trace in probe.ranks for line in _rank_lines(make, trace))
        children.append(block("", code(text, "text"), classes=["apidiff-trace"]))
    else:
        children.append(paragraph(nodes.Text(make.word("run.no_trace"))))
    if probe.log:
        children.append(folded(make.word("run.log"), code("\n".join(probe.log), "text")))
    return children


def _rank_lines(make: Builder, trace: RankTrace) -> list[str]:
    """A rank's trace as text: one line an argument, with what it held before and after the call."""
    facts = [(name, _changed(make, before, trace.after.get(name))) for name, before in trace.before.items()]
    if trace.returned is not None:
        facts.append((make.word("run.returned"), show(trace.returned)))
    if trace.error is not None:
        facts.append((make.word("run.error"), _error(make, trace.error)))
    lines = [f"{make.word('run.rank')} {trace.rank}", *(f"  {name}: {value}" for name, value in facts)]
    if trace.output:
        lines += [f"  {make.word('run.output')}:", *(f"    {line}" for line in trace.output)]
    return lines


def _changed(make: Builder, before: Value, after: Value | None) -> str:
    if after is None:
        return show(before)
    same = show(after) == show(before)
    return f"{show(before)} ({make.word('run.unchanged')})" if same else f"{show(before)} → {show(after)}"


def _error(make: Builder, error: CallError) -> str:
    message = error.message.strip().replace("\n", "\n    ")
    return f"{error.type} ({make.word('run.stage', stage=error.stage)})\n    {message}"


def show(value: Value) -> str:
    """A value in one line: ``float32 (2, 2) [1, 2, 3, 4]`` for a tensor, with what it shares left to the raw record."""
    match value:
        case TensorDump():
            numbers = [_number(number) for number in value.values]
            more = ["…"] if len(numbers) > _VALUES else []
            shape = f"({', '.join(map(str, value.shape))}{',' if len(value.shape) == 1 else ''})"
            return f"{value.dtype} {shape} [{', '.join(numbers[:_VALUES] + more)}]"
        case SequenceDump():
            items = ", ".join(show(item) for item in value.items)
            if value.type == "tuple":
                return f"({items},)" if len(value.items) == 1 else f"({items})"
            return f"[{items}]"
        case ScalarDump():
            return repr(value.value)
        case ObjectDump():
            held = ", ".join(f"{name}={show(tensor)}" for name, tensor in value.tensors.items())
            return f"{value.text or value.type} {{{held}}}" if held else value.text or value.type


def _number(number: float | bool | str) -> str:
    # Every digit counts: 1000001 must not read as 1e+06.
    return str(int(number)) if isinstance(number, float) and number.is_integer() else str(number)
