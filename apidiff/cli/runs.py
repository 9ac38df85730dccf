"""`apidiff runs`: the run records that are here, and those made elsewhere."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console

from apidiff.cli.formatter import HelpFormatter
from apidiff.context import make_context
from apidiff.examples import load_examples
from apidiff.judge import Context
from apidiff.model import Outcome, ProbeRun, RunRecord, Version
from apidiff.store import ApidiffError, Data, load
from apidiff.store.backends import Backend, load_backends
from apidiff.store.paths import examples_folder
from apidiff.verify.compare import compare, observations
from apidiff.verify.intake import take_in
from apidiff.verify.plan import apis_for, make_plan

_SIZES = (2, 3, 4)
_START_S = 10.0  # seconds in which ranks came up where the records were made


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command with its own commands."""
    parser = subparsers.add_parser(
        "runs",
        help="list, show, compare and import run records",
        description="Run records: what a run on some machine showed, complete.",
        formatter_class=HelpFormatter,
    )
    commands = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    commands.add_parser("list", help="every record, one a line")
    show = commands.add_parser("show", help="one record: where it was made, and its verdicts")
    show.add_argument("id", metavar="ID", help="such as torch-2.13.0/gloo-cpu-3-0a1b2c3d4e5f, or the end of it")
    diff = commands.add_parser("diff", help="what differs between two records: environment and verdicts")
    diff.add_argument("ids", metavar="ID", nargs=2)
    take = commands.add_parser(
        "import",
        help="take in records made elsewhere",
        description="Takes in run records: all of them, or none and the reason. Nothing in them is executed. What is here "
        "already is neither replaced nor lost; records that disagree are both kept, and pages show both.",
    )
    take.add_argument("files", metavar="FILE", nargs="+", type=Path)
    plan = commands.add_parser("plan", help="what a backend would run, and about how long that takes")
    plan.add_argument("--backend", metavar="NAME", required=True)
    plan.add_argument("--framework", choices=("torch", "mindspore"), help="where a backend serves both")


def run(args: argparse.Namespace) -> int:
    """Does what was asked. ``diff`` returns 1 where verdicts differ."""
    data, backends = load(), load_backends()
    context = make_context(backends, load_examples(examples_folder()), data.signatures)
    console = Console(markup=False, highlight=False, soft_wrap=True)
    if args.action == "list":
        for line in _listed(data):
            console.print(line)
    elif args.action == "show":
        for line in _shown(data, *_found(data, args.id), context):
            console.print(line)
    elif args.action == "diff":
        return _differ(data, [_found(data, one) for one in args.ids], context, console)
    elif args.action == "import":
        for path, new in take_in(args.files, data, backends, context):
            sys.stdout.write(f"{path}{'' if new else ' (was here already)'}\n")
    else:
        for backend in _asked(backends, args.backend, args.framework):
            for line in _planned(data, backend, context):
                console.print(line)
    return 0


def _found(data: Data, wanted: str) -> tuple[str, RunRecord]:
    found = [(key, record) for key, record in data.runs if key == wanted] or [
        (key, record) for key, record in data.runs if key.endswith(wanted)
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        raise ApidiffError(f"runs: no record {wanted!r}. List them: apidiff runs list")
    raise ApidiffError(f"runs: {wanted!r} means {' and '.join(key for key, _ in found)}. Give the whole ID.")


def _asked(backends: Sequence[Backend], name: str, framework: str | None) -> list[Backend]:
    found = [one for one in backends if one.name == name and framework in {None, one.framework}]
    if not found:
        described = ", ".join(sorted({f"{one.name} ({one.framework})" for one in backends}))
        raise ApidiffError(
            f"runs: no backend {name!r}{f' of {framework}' if framework else ''}. There are: {described}."
        )
    return found


def _listed(data: Data) -> Iterator[str]:
    width = max((len(key) for key, _ in data.runs), default=0)
    for key, record in data.runs:
        by = f"  {record.measured_by}" if record.measured_by else ""
        yield f"{key:{width}}  {record.date}  {len(record.probes):3} probes  {record.os.partition(',')[0]}{by}"


def _shown(data: Data, key: str, record: RunRecord, context: Context) -> Iterator[str]:
    yield key
    yield f"  {record.framework} {record.framework_version}, {record.backend} on {record.device}, {record.world_size} ranks"
    yield f"  {record.date}, apidiff {record.suite_version}, measured by {record.measured_by or 'this project'}"
    yield f"  {record.os}, {record.machine}, {record.cores} cores, Python {record.python}"
    yield f"  {', '.join(f'{name}={value}' for name, value in record.environment.items())}"
    if record.stopped:
        yield f"  stopped half-way: {record.stopped}"
    apis = list(apis_for(data, record.framework, record.framework_version))
    seen = list(observations(apis, key, record, context))
    counts = Counter(one.outcome for _, _, one in seen)
    yield f"  probes: {_counted(Counter(probe.end for probe in record.probes))}"
    yield f"  verdicts: {_counted(Counter({one.value: counts[one] for one in Outcome if counts[one]}))}"
    judged = {(api.name, one.probe) for api, _, one in seen}
    stale = [probe for probe in record.probes if (probe.api, probe.probe) not in judged]
    if stale:
        yield f"  {len(stale)} probes give no verdict: they are asked otherwise today, or nothing is claimed of them"


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _differ(data: Data, pair: Sequence[tuple[str, RunRecord]], context: Context, console: Console) -> int:
    (_, one), (_, other) = pair
    if one.framework != other.framework:
        raise ApidiffError(
            f"runs: {one.framework} and {other.framework} judge different claims. Give two of one framework."
        )
    for line in _environment(one, other):
        console.print(line)
    apis = {
        api.name: api for record in (one, other) for api in apis_for(data, record.framework, record.framework_version)
    }
    changes = compare(list(apis.values()), pair[0], other, context)
    for change in changes:
        console.print(change.text())
    console.print(f"{len(changes)} verdicts differ.")
    return 1 if changes else 0


def _environment(one: RunRecord, other: RunRecord) -> Iterator[str]:
    for name in ("framework_version", "backend", "device", "world_size", "os", "python", "machine", "measured_by"):
        values = getattr(one, name), getattr(other, name)
        if values[0] != values[1]:
            yield f"{name}: {values[0]} → {values[1]}"
    for name in sorted(one.packages.keys() | other.packages.keys()):
        versions = one.packages.get(name, "none"), other.packages.get(name, "none")
        if versions[0] != versions[1]:
            yield f"package {name}: {versions[0]} → {versions[1]}"


def _planned(data: Data, backend: Backend, context: Context) -> Iterator[str]:
    version = max(data.frameworks[backend.framework], key=lambda one: Version(one.version)).version
    yield f"{backend.name} ({backend.framework}, {backend.device}), planned for {backend.framework} {version}:"
    yield f"  looks for {backend.check.looks_for}, starts ranks by itself"
    for size in _SIZES:
        plan = make_plan(data, backend, version, size, context)
        examples = sum(1 for step in plan.steps if step.example)
        yield f"  {size} ranks: {len(plan.steps) - examples} probes and {examples} examples, {_estimate(data, backend, size)}"
    yield f"  run it with: apidiff verify --backend {backend.name} --record"


def _estimate(data: Data, backend: Backend, size: int) -> str:
    """How long a run takes that goes as the newest recorded one of the framework did; what did not end is tried twice."""
    like = [record for _, record in data.runs if (record.framework, record.world_size) == (backend.framework, size)]
    if not like:
        return "and no record to tell the time from"
    newest = max(like, key=lambda one: (Version(one.framework_version), one.date))
    calls = sum(max((trace.seconds for trace in probe.ranks), default=0.0) for probe in newest.probes if _ended(probe))
    lost = sum(2 * backend.deadlines.probe for probe in newest.probes if not _ended(probe))
    minutes = max(1, round((2 * _START_S + calls + lost) / 60))
    return f"about {minutes} min if it goes as on {newest.backend} with {newest.framework_version}"


def _ended(probe: ProbeRun) -> bool:
    return probe.end == "completed"
