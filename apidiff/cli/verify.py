"""`apidiff verify`: runs the probes, judges the claims, and records or compares."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from apidiff.cli.json_output import json_line
from apidiff.cli.matrix import add_options, run_matrix
from apidiff.cli.output import Terminal
from apidiff.cli.repeat import show_sample
from apidiff.cli.samples import choose, has_samples, refuse_unused, run_samples
from apidiff.database import ApidiffError, Data, InvalidData
from apidiff.database.backends import Backend, find_backends, load_backends
from apidiff.database.checks import load_usable
from apidiff.database.examples import load_examples
from apidiff.database.listed_records import unfit_lines
from apidiff.database.own_records import load_own_records, refuse_changed_list
from apidiff.database.paths import examples_folder
from apidiff.database.runs import record_stem
from apidiff.errors import typed
from apidiff.execute.devices import Availability, look_for
from apidiff.execute.plan import apis_for, read_world_sizes, world_sizes
from apidiff.execute.record import refuse_faulty, refuse_read_only, write_beside, write_record
from apidiff.execute.remote import Hosts, Place, is_scheduler, place_of, serve
from apidiff.execute.run import Progress as Advance
from apidiff.execute.run import forget
from apidiff.execute.submissions import add_specs, name_fault
from apidiff.judge import Context, make_context
from apidiff.messages.escape_invisible import file_name, unbroken
from apidiff.model.probe import LARGEST_WORLD_SIZE
from apidiff.model.trace import RunRecord, backend_name
from apidiff.model.verdict import Outcome
from apidiff.model.version import is_recordable
from apidiff.model.vocabulary import Execution
from apidiff.verification import Change, base_record, compare, observations, recorded_by_others, verify
from apidiff.verification.samples import devices_here

_UNSIGNED = "What was written is unsigned: it is told beside this project's own records, and decides nothing."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.description = (
        "Starts real ranks and single processes, runs every probe and sample, judges what they show, and compares with "
        "what is recorded. Exit code 1: a verdict is not what is recorded."
    )
    parser.add_argument("ids", metavar="ID", nargs="*", help="a source API; with all its targets (default: all)")
    named = "such as nccl, or gloo-cuda for one device only (default: all whose device is here)"
    parser.add_argument("--backend", action="append", metavar="NAME", help=named)
    parser.add_argument(
        "--framework", choices=("torch", "mindspore"), help="only this one, where a backend serves both"
    )
    parser.add_argument(
        "--execution",
        choices=[one.value for one in Execution],
        help="only mappings whose calls are made so: by ranks, or in a single process (default: both)",
    )
    parser.add_argument(
        "--inputs",
        choices=("written", "extracted"),
        help="of single processes only the samples written in records, or those taken from PyTorch (default: both)",
    )
    parser.add_argument(
        "--device",
        choices=("cpu", "cuda", "npu"),
        default="cpu",
        help="where single processes make their calls (default: %(default)s)",
    )
    parser.add_argument(
        "--sample",
        metavar="NAME",
        help="make this one sample of one mapping with both frameworks, and show what each gives",
    )
    sizes = "default: 2,3,4, with nccl and hccl as far as devices go; inside torchrun, msrun or srun: as many as they started"
    parser.add_argument("--world-size", type=_numbers, metavar="N,…", help=sizes)
    parser.add_argument("--record", action="store_true", help="write run records instead of comparing")
    parser.add_argument(
        "--measured-by",
        type=_somebody,
        metavar="TEXT",
        help="who made the run, kept in the record: a name, a team, a machine",
    )
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")
    add_options(parser)


def _somebody(text: str) -> str:
    if fault := name_fault(text):
        expected = "expected who makes the run: a name, a team, a machine"
        raise argparse.ArgumentTypeError(f"{expected}, but got {text[:40]!r}, which {fault}")
    return text


def _numbers(text: str) -> list[int]:
    try:
        return read_world_sizes(text)
    except ValueError:
        limits = f"from 1 to {LARGEST_WORLD_SIZE}"
        raise argparse.ArgumentTypeError(f"expected numbers of ranks {limits} such as 2,3,4 but got {text!r}") from None


def run(args: argparse.Namespace) -> int:
    """Runs and prints. Returns 1 where a verdict changed or a run stopped half-way, 0 otherwise.

    Inside a launcher only rank 0 does; the others start ranks for it.
    """
    if args.matrix:
        return run_matrix(args)
    if args.slurm:
        raise ApidiffError("verify: --slurm is about the matrix. Give --matrix too.")
    if is_scheduler(os.environ):
        return 0
    place = place_of(os.environ)
    if place and place.rank:
        return serve(place)
    data = load_usable()
    if data.unfit:  # what is recorded there would be taken for what was never recorded
        raise InvalidData(data.unfit)
    if not args.record and (missing := unfit_lines(data.root)):  # nor could it be recorded anew
        raise InvalidData(missing)
    backends = [backend for backend in load_backends() if args.framework in {None, backend.framework}]
    unknown = [name for name in args.ids if name not in data.mappings]
    if unknown:
        raise ApidiffError(f"verify: no mapping {typed(unknown[0])}. There are: {', '.join(data.mappings)}.")
    if args.sample is not None:
        return show_sample(data, args)
    choice = choose(data, args, launched=place is not None)
    refuse_unused(args, choice)
    if args.record and choice.collective:
        raise ApidiffError("verify: a run record holds a whole run, so --record takes no ID. Leave out the IDs.")
    if args.record:
        refuse_read_only(data.root / "runs")
        if args.measured_by is None:
            refuse_changed_list(data.root)
    chosen = _chosen(backends, args.backend) if choice.collective != [] else []
    if args.record:
        for backend, here in chosen:
            _refuse_nightly(backend, here)
        of_single = devices_here(args.framework, args.device) if choice.single != [] else []
        makers = {one.framework for one in (*(backend for backend, _ in chosen), *of_single)}
        refuse_read_only(data.root / "runs", sorted(makers))
    context = make_context(backends, load_examples(examples_folder()), data.signatures)
    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    args.ids = choice.collective
    with _hosts(place if chosen else None, args.world_size) as (hosts, launched):
        runs = [(*place, size) for place in chosen for size in launched or _sizes(*place, args.world_size, console)]
        results = [_verify(data, backend, here, size, context, args, console, hosts) for backend, here, size in runs]
    samples = [
        run_samples(data, choice.single, inputs, args, lambda title: _progress(console, title))
        for inputs in ([args.inputs] if args.inputs else ["written", "extracted"])
        if choice.single != [] and has_samples(data, choice.single, inputs)
    ]
    if args.json:
        plain = [*map(_plain, results), *(report.plain() for report in samples)]
        sys.stdout.buffer.write(json_line(plain, indent=2))
    else:
        if results:
            _print(results)
        for report in samples:
            report.show(Terminal())
        written = [path for result in results if (path := result.written)]
        if is_unsigned(data.root, [*written, *(path for report in samples for path in report.written)]):
            Terminal(soft_wrap=True).print(_UNSIGNED)
    changed = any(result.changes or result.record.stopped for result in results)
    return 1 if changed or any(report.changed for report in samples) else 0


@contextmanager
def _hosts(place: Place | None, asked: list[int] | None) -> Iterator[tuple[Hosts | None, list[int]]]:
    """Waits for the other processes of a launcher; gives them and its world size, or nothing where there is no launcher."""
    if place is None:
        yield None, []
        return
    if asked and asked != [place.world_size]:
        raise ApidiffError(
            f"verify: {place.launcher} started {place.world_size} ranks, so --world-size can be nothing else. Leave it out."
        )
    hosts = Hosts(place)
    try:
        hosts.wait()
        yield hosts, [place.world_size]
    finally:
        hosts.close()


def _sizes(backend: Backend, here: Availability, asked: list[int] | None, console: Console) -> list[int]:
    """Chooses the world sizes to run with; says what is left out."""
    sizes = world_sizes(backend, len(here.device.names) if here.device else 0, asked)
    for note in sizes.notes:
        console.print(note, soft_wrap=True)
    return sizes.chosen


def _chosen(backends: list[Backend], names: list[str] | None) -> list[tuple[Backend, Availability]]:
    """Looks for the backends to run. Raises ApidiffError with one line for each that was asked for and is not here."""
    asked = [find_backends(backends, name) for name in names or []]
    wanted = [backend for backend in backends if names is None or any(backend in group for group in asked)]
    looked_for = [(backend, look_for(backend)) for backend in wanted]
    usable = [(backend, here) for backend, here in looked_for if here.available]
    available = [backend for backend, _ in usable]
    if not usable or any(not any(backend in available for backend in group) for group in asked):
        raise ApidiffError(*(here.text for _, here in looked_for if not here.available))
    return usable


def _refuse_nightly(backend: Backend, here: Availability) -> None:
    """Raises ApidiffError where a nightly build is installed: records name releases, or a vendor's build of one."""
    told = here.device.versions.get(backend.framework) if here.device else None
    try:
        installed = told or metadata.version(backend.framework)
    except metadata.PackageNotFoundError as error:
        raise ApidiffError(
            f"verify: {backend.framework} is here, and no package says of what version. Install it with pip, or leave out "
            "--record."
        ) from error
    if not is_recordable(installed):
        raise ApidiffError(
            f"verify: {backend.framework} {installed} is no release, and records are of releases. Leave out --record."
        )


class _Result(msgspec.Struct):
    """What one backend at one world size gave.

    ``against``: the ID of the record that it was compared with; ``compared``: whether that is of its version, so that none of
    its verdicts is left out. ``others``: whose records there are where this project has none.
    """

    backend: Backend
    record: RunRecord
    outcomes: dict[str, int]
    changes: list[Change]
    against: str | None
    written: str | None
    others: list[str] = []
    compared: bool = False


def _verify(
    data: Data,
    backend: Backend,
    here: Availability,
    size: int,
    context: Context,
    args: argparse.Namespace,
    console: Console,
    hosts: Hosts | None,
) -> _Result:
    if hosts:
        backend = backend.across_machines()
    whole = args.ids is None  # what some APIs gave is not kept, and takes no journal of a whole run away
    with _progress(console, f"{backend_name(backend.name, backend.device)} × {size}") as advance:
        record = verify(
            data,
            backend,
            size,
            context,
            args.ids,
            advance,
            keep_journal=whole,
            hosts=hosts,
            device_found=here.device,
        )
    apis = list(apis_for(data, record.framework, record.framework_version, args.ids))
    record = msgspec.structs.replace(record, measured_by=args.measured_by)
    counts = Counter(verdict.outcome for _, _, verdict in observations(apis, "", record, context))
    outcomes = {outcome.value: counts[outcome] for outcome in Outcome if counts[outcome]}
    if args.record:
        refuse_faulty(record, data.root / "runs")
        add_specs(data.root, ((run.api, run.probe, run.spec) for run in record.probes))
    if record.stopped:
        # What was done is kept, and takes no whole record's place; the journal stays, so that the run can be taken up again.
        written = str(write_beside(record, data.root / "runs")) if args.record else None
        return _Result(backend, record, outcomes, [], None, written)
    if args.record:
        path = write_record(record, data.root / "runs")
        forget(record)
        return _Result(backend, record, outcomes, [], None, str(path))
    if whole:
        forget(record)
    recorded = base_record(data, record)
    changes = compare(apis, recorded, record, context)
    others = recorded_by_others(data, record)
    compared = recorded is not None and recorded[1].framework_version == record.framework_version
    return _Result(backend, record, outcomes, changes, recorded[0] if recorded else None, None, others, compared)


@contextmanager
def _progress(console: Console, title: str) -> Iterator[Advance]:
    """Shows how far a run is: a bar on a terminal, a line now and then without one."""
    if console.is_terminal:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, TextColumn("{task.fields[what]}"), console=console, transient=True) as bar:
            task = bar.add_task(title, total=None, what="")
            yield lambda total, done, what: bar.update(task, total=total or None, completed=done, what=what)
        return
    told = -1

    def tell(total: int, done: int, what: str) -> None:
        nonlocal told
        if (total and (step := 4 * done // total) != told) or what == "starting ranks":
            told = step if total else -1
            console.print(f"{title}: {done}/{total} {what}" if total else f"{title}: {what}")

    yield tell


def is_unsigned(root: Path, written: list[str]) -> bool:
    """Whether a record that was ``written`` is none that this project's list below ``root`` has."""
    own = load_own_records(root, [])
    return any(record_stem(Path(path)).rpartition("-")[2] not in own for path in written)


def _print(results: list[_Result]) -> None:
    console = Terminal()
    table = Table.grid(padding=(0, 2))
    for result in results:
        record = result.record
        counts = " · ".join(f"{outcome} {count}" for outcome, count in result.outcomes.items())
        table.add_row(
            f"{backend_name(record.backend, record.device)} × {record.world_size}",
            f"{record.framework} {record.framework_version}",
            counts,
        )
        if not result.written:
            table.add_row("", "", f"compared with: {result.against or 'nothing recorded by this project'}")
        if result.others:
            table.add_row("", "", f"recorded by others, which decides nothing: {'; '.join(result.others)}")
        if record.stopped:
            table.add_row("", "stopped", unbroken(record.stopped))
    console.print(table)
    for result in results:
        if result.written:
            console.print(f"written: {file_name(result.written)}", soft_wrap=True)
    changes = [change for result in results for change in result.changes]
    for change in changes:
        console.print(change.text(), soft_wrap=True)
    if changes:
        console.print(
            f"{len(changes)} verdicts are not what is recorded. If they are right: apidiff verify --record",
            soft_wrap=True,
        )
    elif results and all(result.compared for result in results):
        console.print("Every verdict is what is recorded.")
    elif any(result.against for result in results):
        lacking = sum(not result.compared for result in results)
        console.print(
            f"What is recorded is the same. Of {lacking} of {len(results)} runs this project has no record "
            "at their version and size.",
            soft_wrap=True,
        )


def _plain(result: _Result) -> dict[str, object]:
    record = result.record
    return {
        "framework": record.framework,
        "framework_version": record.framework_version,
        "backend": record.backend,
        "device": record.device,
        "world_size": record.world_size,
        "stopped": record.stopped,
        "outcomes": result.outcomes,
        "compared_with": result.against,
        "recorded_by_others": result.others,
        "written": result.written,
        "changes": [{"claim": c.claim, "before": c.before, "now": c.now} for c in result.changes],
    }
