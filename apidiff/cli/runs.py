"""`apidiff runs`: the run records that are here, and those made elsewhere."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console

from apidiff.database import ApidiffError, Data, load
from apidiff.database.backends import Backend, Devices, called, load_backends
from apidiff.database.examples import load_examples
from apidiff.database.paths import examples_folder
from apidiff.execute.devices import in_words
from apidiff.execute.plan import WORLD_SIZES, apis_for, estimate, make_plan
from apidiff.execute.submissions import load_signed, load_signers, take_in
from apidiff.judge import Context, make_context
from apidiff.messages.escape_invisible import one_line, visible
from apidiff.messages.signed_words import signed_words
from apidiff.model import Outcome, RunRecord, Version
from apidiff.verification import difference, observations


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the actions of the command."""
    parser.description = "Run records: what a run on some machine showed, complete."
    commands = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    commands.add_parser("list", help="every record, one a line")
    show = commands.add_parser("show", help="one record: where it was made, and its verdicts")
    show.add_argument("id", metavar="ID", help="such as torch-2.13.0/gloo-cpu-3-0a1b2c3d4e5f, or the end of it")
    diff = commands.add_parser("diff", help="what differs between two records: environment and verdicts")
    diff.add_argument("ids", metavar="ID", nargs=2)
    take = commands.add_parser(
        "import",
        help="take in records made elsewhere",
        description="Takes in run records, or the records.zip that holds them: all of them, or none and the reason. Nothing "
        "in them is executed. What is here already is neither replaced nor lost; records that disagree are both kept, and "
        "pages show both. A signature, "
        "FILE.minisig, comes along; one that names a known key has to verify.",
    )
    take.add_argument("files", metavar="FILE", nargs="+", type=Path)
    plan = commands.add_parser("plan", help="what a backend would run, and about how long that takes")
    plan.add_argument("--backend", metavar="NAME", required=True)
    plan.add_argument("--framework", choices=("torch", "mindspore"), help="where a backend serves both")


def run(args: argparse.Namespace) -> int:
    """Does what was asked. ``diff`` returns 1 where verdicts differ or one record lacks some."""
    data, backends = load(), load_backends()
    context = make_context(backends, load_examples(examples_folder()), data.signatures)
    console = Console(markup=False, highlight=False, soft_wrap=True)
    if args.action == "list":
        for line in _listed(data):
            console.print(line)
    elif args.action == "show":
        for line in _shown(data, *_found(data, args.id), context):
            console.print(visible(line))
    elif args.action == "diff":
        return _differ(data, [_found(data, one) for one in args.ids], context, console)
    elif args.action == "import":
        for one in take_in(args.files, data, backends, context.examples, load_signers(), _note):
            known = "" if one.new else " (was here already)"
            sys.stdout.write(f"{one.path}{known}, {signed_words(one.signed, 'en')}\n")
            if one.former:
                of = f"{one.former} of {one.probes} probes"
                sys.stdout.write(f"  {of} are asked otherwise today, or no more: they give no verdict\n")
    else:
        for backend in called(backends, args.backend, args.framework):
            for line in _planned(data, backend, context):
                console.print(line)
    return 0


def _note(text: str) -> None:
    sys.stderr.write(f"{visible(text)}\n")


def _found(data: Data, wanted: str) -> tuple[str, RunRecord]:
    found = [(key, record) for key, record in data.runs if key == wanted] or [
        (key, record) for key, record in data.runs if wanted and key.endswith(wanted)
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        raise ApidiffError(f"runs: no record {wanted!r}. List them: apidiff runs list")
    raise ApidiffError(f"runs: {wanted!r} means {' and '.join(key for key, _ in found)}. Give the whole ID.")


def _listed(data: Data) -> Iterator[str]:
    width = max((len(key) for key, _ in data.runs), default=0)
    signed = load_signed(data.root, (key for key, _ in data.runs))
    for key, record in data.runs:
        system = one_line(record.os.partition(",")[0])
        more = [f"measured by {one_line(record.measured_by)}"] if record.measured_by else []
        more += ["stopped half-way"] if record.stopped else []
        more.append(signed_words(signed[key], "en"))
        yield f"{key:{width}}  {record.date}  {len(record.probes):3} probes  {system}  {', '.join(more)}"


def _shown(data: Data, key: str, record: RunRecord, context: Context) -> Iterator[str]:
    yield key
    yield f"  {record.framework} {record.framework_version}, {record.backend} on {record.device}, {record.world_size} ranks"
    yield f"  {record.date}, apidiff {record.suite_version}, measured by {_measurer(record)}"
    signed = load_signed(data.root, [key])[key]
    yield f"  {signed_words(signed, 'en')}{f' ({one_line(signed.about)})' if signed.about else ''}"
    yield f"  {record.os}, {record.machine}, {record.cores} cores, Python {record.python}"
    if record.build:
        yield f"  {record.framework} is the build {record.build}, which is no release"
    if record.device_found:
        yield f"  found: {in_words(record.device_found)}"
    yield f"  {', '.join(f'{name}={value}' for name, value in record.environment.items())}"
    if record.stopped:
        yield f"  stopped half-way: {one_line(record.stopped)}; its verdicts are of what was done before"
    apis = list(apis_for(data, record.framework, record.framework_version))
    seen = list(observations(apis, key, record, context))
    counts = Counter(one.outcome for _, _, one in seen)
    yield f"  probes: {_counted(Counter(probe.end for probe in record.probes))}"
    yield f"  verdicts: {_counted(Counter({one.value: counts[one] for one in Outcome if counts[one]}))}"
    judged = {(api.name, one.probe) for api, _, one in seen}
    stale = [probe for probe in record.probes if (probe.api, probe.probe) not in judged]
    if stale:
        yield f"  {len(stale)} probes give no verdict: they are asked otherwise today, or nothing is claimed of them"


def _measurer(record: RunRecord) -> str:
    return one_line(record.measured_by) if record.measured_by else "this project"


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _differ(data: Data, pair: Sequence[tuple[str, RunRecord]], context: Context, console: Console) -> int:
    (_, one), (_, other) = pair
    if one.framework != other.framework:
        raise ApidiffError(
            f"runs: {one.framework} and {other.framework} judge different claims. Give two of one framework."
        )
    for which, (key, record) in zip(("first", "second"), pair, strict=True):
        console.print(f"{which + ':':7} {key}{' (stopped half-way)' if record.stopped else ''}")
    for line in _environment(one, other):
        console.print(visible(line))
    apis = {
        api.name: api for record in (one, other) for api in apis_for(data, record.framework, record.framework_version)
    }
    found = difference(list(apis.values()), pair[0], pair[1], context)
    for line in found.lines():
        console.print(visible(line))
    return 1 if found else 0


def _environment(one: RunRecord, other: RunRecord) -> Iterator[str]:
    for name in ("framework_version", "backend", "device", "world_size", "os", "python", "machine", "measured_by"):
        values = getattr(one, name), getattr(other, name)
        if values[0] != values[1]:
            yield f"{name}: {one_line(str(values[0]))} → {one_line(str(values[1]))}"
    packages = [
        f"{name} {one.packages.get(name, 'none')} → {other.packages.get(name, 'none')}"
        for name in sorted(one.packages.keys() | other.packages.keys())
        if one.packages.get(name) != other.packages.get(name)
    ]
    if packages:
        yield f"packages: {', '.join(packages)}"


def _planned(data: Data, backend: Backend, context: Context) -> Iterator[str]:
    version = max(data.frameworks[backend.framework], key=lambda one: Version(one.version)).version
    yield f"{backend.name} ({backend.framework}, {backend.device}), planned for {backend.framework} {version}:"
    yield f"  looks for {backend.check.in_words}, starts ranks by itself"
    alone = (1,) if backend.devices is Devices.ONE else ()
    plans = {size: make_plan(data, backend, version, size, context.examples) for size in (*alone, *WORLD_SIZES)}
    names = sorted({api.name for plan in plans.values() for api in plan.apis})
    for name in names:
        calls = [sum(step.api.name == name for step in plan.steps) for plan in plans.values()]
        yield f"    {name}: {' + '.join(map(str, calls)) if any(calls) else 'its signature only'}"
    yield f"  {len(names)} APIs; calls with {', '.join(map(str, plans))} ranks:"
    total = 0
    for size, plan in plans.items():
        examples = sum(1 for step in plan.steps if step.example)
        ranks = f"{size} ranks" if size > 1 else "1 rank, which shows nothing of other ranks"
        found = estimate(data, backend, size, plan)
        total += found.minutes if found else 0
        like = (
            found
            and f"about {found.minutes} min if it goes as on {found.like.backend} with {found.like.framework_version}"
        )
        counts = f"{len(plan.steps) - examples} probes and {examples} examples"
        yield f"  {ranks}: {counts}, {like or 'and no record to tell the time from'}"
    if alone:
        yield "  each rank needs a device of its own: sizes larger than the number of devices are left out"
    yield f"  all of it: about {total} min"
    who = f"--framework {backend.framework} --record --measured-by 'who, on which device'"
    yield f"  run it with: apidiff verify --backend {backend.full_name} {who}"
