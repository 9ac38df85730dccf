"""`apidiff runs`: the run records that are here, and those made elsewhere."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rich.console import Console

from apidiff.cli.counts import positive
from apidiff.cli.named_path import named_path
from apidiff.cli.output import Terminal
from apidiff.database import ApidiffError, Data, load
from apidiff.database.backends import Backend, Devices, find_backends, load_backends
from apidiff.database.checks import load_usable, without_unusable
from apidiff.database.data import recorded_ids
from apidiff.database.examples import load_examples, readable_examples, shown_by_path
from apidiff.database.own_records import (
    add_own_records,
    load_own_records,
    own_records_path,
    refuse_changed_list,
    signed_list,
    without_measurer,
)
from apidiff.database.passed_over import tell_passed_over
from apidiff.database.paths import examples_folder
from apidiff.database.runs import record_path, runs_meant, short_id, signature_path, whole_digest
from apidiff.database.signing import load_signed, sign
from apidiff.errors import DataError, typed
from apidiff.execute.devices import in_words
from apidiff.execute.plan import WORLD_SIZES, apis_for, estimate, make_plan
from apidiff.execute.submissions import (
    Trial,
    about_imitation,
    accepted,
    add_specs,
    foreign_record,
    known_specs,
    load_signers,
    read_sent,
    specs_path,
    standing,
    take_in,
)
from apidiff.judge import Context, make_context
from apidiff.lookup.record_trial import record_trial
from apidiff.messages.escape_invisible import one_line, quoted, unbroken
from apidiff.messages.signed_words import signed_words
from apidiff.messages.version_changes import Maker, measurer
from apidiff.model.sample_run import SingleRecord
from apidiff.model.signed import State
from apidiff.model.trace import RunRecord
from apidiff.model.trust import OWN
from apidiff.model.verdict import Outcome
from apidiff.standard_streams import tell
from apidiff.verification import difference, observations
from apidiff.verification.audit import audit

_SHORT = 60  # characters of what a record says of its machine
_LONG = 600  # of a fact


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the actions of the command."""
    parser.description = "Run records: what a run on some machine showed, complete."
    commands = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    commands.add_parser("list", help="every record, one a line")
    show = commands.add_parser("show", help="one record: where it was made, and its verdicts")
    show.add_argument(
        "id", metavar="ID", help="such as torch-2.13.0/gloo-cpu-3-0a1b2c3d4e5f, or the first digits of its digest"
    )
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
    take.add_argument("files", metavar="FILE", nargs="+", type=named_path)
    commands.add_parser(
        "own",
        help="list the records here that name no measurer as this project's",
        description="Adds the records here that name no measurer to own_records.txt, which says that this project made them. One "
        "that a known signer signed is not added. For those who keep this repository: a run that is recorded in it is listed by "
        "itself.",
    ).add_argument(
        "--sign",
        metavar="KEY",
        type=_key,
        help="sign the list with the secret key in this file, by minisign; the public one stands in conf/signers.toml",
    )
    repeat = commands.add_parser(
        "audit",
        help="make some probes of a submission again and compare the verdicts",
        description="Picks probes of all records in a file at random, makes those again that this machine can, and says how "
        "many verdicts agree. Records and signatures are looked at as `runs import` does, and not taken in.",
    )
    repeat.add_argument("file", metavar="FILE", type=named_path)
    repeat.add_argument(
        "--probes", type=positive, default=20, metavar="N", help="how many of all (default: %(default)s)"
    )
    repeat.add_argument("--seed", type=int, metavar="N", help="choose the same ones again")
    commands.add_parser(
        "specs",
        help="list the probes and examples of today with all that ever were",
        description="Adds to known_specs.txt of the data what is run today and what is recorded. A record is taken in only of "
        "probes that are listed.",
    )
    plan = commands.add_parser("plan", help="what a backend would run, and about how long that takes")
    plan.add_argument("--backend", metavar="NAME", required=True)
    plan.add_argument("--framework", choices=("torch", "mindspore"), help="where a backend serves both")


def _key(text: str) -> Path:
    # minisign would wait indefinitely for what comes out of a pipe.
    if not Path(text).is_file():
        raise argparse.ArgumentTypeError(f"expected a file with a secret key, but {text!r} is no regular file")
    return Path(text)


def run(args: argparse.Namespace) -> int:
    """Does what was asked. ``diff`` and ``audit`` return 1 where verdicts differ or one record lacks some."""
    for wanted in [args.id] if args.action == "show" else args.ids if args.action == "diff" else []:
        unlisted: list[DataError] = []
        if not runs_meant(wanted, recorded_ids(broken=unlisted)):  # all is read first otherwise, which takes seconds
            raise next(iter(unlisted), _no_record(wanted))
    if args.action == "specs":
        return _list_specs()
    data = load() if args.action == "list" else without_unusable(load())
    tell_passed_over(data.unread, data.unchecked)
    console = Terminal(soft_wrap=True)
    if args.action == "list":
        for line in _listed(data):
            console.print(line)
        return 0
    backends = load_backends()
    context = make_context(backends, readable_examples(examples_folder()), data.signatures)
    trial = record_trial(data, backends, context)
    if args.action == "show":
        for line in _shown(data, *_record_of(data, args.id, trial), context):
            console.print(unbroken(line))
    elif args.action == "diff":
        return _differ(data, [_of_ranks(*_record_of(data, wanted, trial)) for wanted in args.ids], context, console)
    elif args.action == "audit":
        return _audit(args, data, backends, context, console, trial)
    elif args.action == "own":
        for line in list_own(data.root):
            console.print(unbroken(line))
        if args.sign:
            sign(own_records_path(data.root), args.sign)
            console.print(signed_words(signed_list(data.root, load_signers()), "en"))
    elif args.action == "import":
        for taken in take_in(args.files, data, backends, context.examples, load_signers(), _note, trial):
            known = "" if taken.new else " (was here already)"
            sys.stdout.write(f"{taken.path}{known}, {signed_words(taken.signed, 'en')}\n")
            if taken.former:
                of = f"{taken.former} of {taken.probes} probes"
                sys.stdout.write(f"  {of} are asked otherwise today, or no more: they give no verdict\n")
    else:
        for backend in find_backends(backends, args.backend, args.framework):
            for line in _planned(data, backend, context):
                console.print(line)
    return 0


def _list_specs() -> int:
    data = load_usable()
    examples = shown_by_path(load_examples(examples_folder()))
    count = add_specs(data.root, known_specs(data, examples))
    sys.stdout.write(f"{specs_path(data.root)}: {count} added\n")
    return 0


def _audit(
    args: argparse.Namespace,
    data: Data,
    backends: Sequence[Backend],
    context: Context,
    console: Console,
    trial: Trial,
) -> int:
    """Repeats a part of what the records in the file hold. Returns 1 where a verdict differs or a run stopped half-way."""
    fits = accepted(data, backends, context.examples)
    signers, ended = load_signers(), 0
    records: list[
        tuple[str, RunRecord, Callable[[str], str]]
    ] = []  # what is said of each, itself, how its facts are written
    audited: set[str] = set()
    for sent in read_sent(args.file, _note):
        if (digest := whole_digest(sent.content)) in audited:
            _note(f"{sent.path}: passed over: it is there under another name")
            continue
        audited.add(digest)
        record = foreign_record(sent.path, sent.content, fits)
        trial(sent.path, record)
        signed = standing(record, sent, signers, data)
        for fault in about_imitation(record, signed, signers.values()):
            raise DataError(sent.path, None, *fault)
        said = str if signed.trust in OWN else _quoted_fact
        records.append((f"{sent.path}: {signed_words(signed, 'en')}", record, said))
    repeated = audit(data, backends, [record for _, record, _ in records], context, args.probes, args.seed)
    for (head, _, write), found in zip(records, repeated, strict=True):
        for line in (head, *found.lines(write)):
            console.print(unbroken(line))
        ended |= bool(found.differing or found.stopped)
    return ended


def list_own(root: Path) -> list[str]:
    """Lists the records that name no measurer as this project's, but none that is signed. Returns what to tell.

    Raises DataError where there is no list, so that nothing would be added.
    """
    if not own_records_path(root).exists():
        raise DataError(own_records_path(root), None, "is not there", "Restore it from version control.")
    refuse_changed_list(root)  # who signs it again vouches for each line of it
    before = load_own_records(root)
    new = without_measurer(root / "runs", before)
    signed = load_signed(root, new.values(), load_signers())
    made = {digest: key for digest, key in new.items() if signed[key].state is State.UNSIGNED}
    left = [key for key in new.values() if signed[key].state is not State.UNSIGNED]
    added = add_own_records(root, made)
    signature = signature_path(own_records_path(root)).name
    return [
        f"{own_records_path(root)}: {len(added.runs)} added",
        *(f"  {key}" for key in added.runs),
        *([f"  its signature was removed, which no longer fits: {signature}"] if added.unsigned else []),
        *(f"  not added: {key}, {signed_words(signed[key], 'en')}" for key in left),
    ]


def _note(text: str) -> None:
    tell(f"{unbroken(text)}\n")


def _record_of(data: Data, wanted: str, trial: Trial) -> tuple[str, RunRecord | SingleRecord]:
    """Finds the record that this ID or part of one means.

    Raises ApidiffError where there is none or are several, and DataError for one of others that cannot be judged.
    """
    every = dict(_every(data))
    meant = runs_meant(wanted, every)
    if not meant:
        raise _no_record(wanted)
    if len(meant) == 1:
        record = every[meant[0]]
        if isinstance(record, RunRecord) and data.signed[meant[0]].trust not in OWN:
            trial(record_path(meant[0], data.root / "runs"), record)
        return meant[0], record
    raise ApidiffError(f"runs: {wanted!r} means {' and '.join(meant[:5])}. Give more of the digest.")


def _no_record(wanted: str) -> ApidiffError:
    return ApidiffError(f"runs: no record {typed(wanted)}. List them: apidiff runs list")


def _of_ranks(key: str, record: RunRecord | SingleRecord) -> tuple[str, RunRecord]:
    """Raises ApidiffError for a record of single processes, whose verdicts need those of the other framework too."""
    if isinstance(record, RunRecord):
        return key, record
    raise ApidiffError(
        f"runs: {key} is of single processes, and a verdict on it takes one of each framework. "
        "Compare with what is recorded: apidiff verify --execution single"
    )


def _every(data: Data) -> list[tuple[str, RunRecord | SingleRecord]]:
    """All records, those of ranks and those of single processes, by ID."""
    return sorted([*data.every_run, *data.every_single_run], key=lambda pair: pair[0])


def _listed(data: Data) -> Iterator[str]:
    every = _every(data)
    width = max((len(short_id(key)) for key, _ in every), default=0)
    for key, record in every:
        # What a record says of itself stands last: it could pass for its standing.
        told = [signed_words(data.signed[key], "en")]
        told += [f"measured by {_measurer(data, key, record)}"] if record.measured_by else []
        told += ["stopped half-way"] if record.stopped else []
        told.append(quoted(record.os.partition(",")[0], _SHORT))
        calls = (
            f"{len(record.probes):3} probes" if isinstance(record, RunRecord) else f"{len(record.samples):3} samples"
        )
        yield f"{short_id(key):{width}}  {record.date}  {calls}  {', '.join(told)}"


def _shown(data: Data, key: str, record: RunRecord | SingleRecord, context: Context) -> Iterator[str]:
    if isinstance(record, RunRecord):
        where = f"{record.backend} on {record.device}, {record.world_size} ranks"
    else:
        where = f"a single process on {record.device}"
    signed = data.signed[key]
    said = one_line if signed.trust in OWN else quoted
    yield key
    yield f"  {record.framework} {record.framework_version}, {where}"
    yield f"  {record.date}, apidiff {said(record.suite_version)}, measured by {_measurer(data, key, record)}"
    yield f"  {signed_words(signed, 'en')}{f' ({quoted(signed.about)})' if signed.about else ''}"
    yield f"  {quoted(record.os)}, {quoted(record.machine, _SHORT)}, {record.cores} cores, Python {quoted(record.python, _SHORT)}"
    if isinstance(record, RunRecord) and record.build:
        yield f"  {record.framework} is the build {quoted(record.build, _SHORT)}, which is no release"
    if record.device_found:
        yield f"  found: {quoted(in_words(record.device_found))}"
    given = (f"{said(name, _SHORT)}={said(value, _SHORT)}" for name, value in record.environment.items())
    yield f"  environment: {', '.join(given)}"
    if record.stopped:
        yield f"  stopped half-way: {said(record.stopped)}; its verdicts are of what was done before"
    if isinstance(record, RunRecord):
        yield from _judged(data, key, record, context)
    else:
        yield f"  samples: {_counted(Counter(run.end for run in record.samples))}"


def _judged(data: Data, key: str, record: RunRecord, context: Context) -> Iterator[str]:
    """Counts how the probes of a record ended and what verdicts they give."""
    apis = list(apis_for(data, record.framework, record.framework_version))
    seen = list(observations(apis, key, record, context))
    counts = Counter(verdict.outcome for _, _, verdict in seen)
    yield f"  probes: {_counted(Counter(probe.end for probe in record.probes))}"
    yield f"  verdicts: {_counted(Counter({outcome.value: counts[outcome] for outcome in Outcome if counts[outcome]}))}"
    judged = {(api.name, verdict.probe) for api, _, verdict in seen}
    stale = [probe for probe in record.probes if (probe.api, probe.probe) not in judged]
    if stale:
        yield f"  {len(stale)} probes give no verdict: they are asked otherwise today, or nothing is claimed of them"


def _measurer(data: Data, key: str, record: RunRecord | SingleRecord) -> str:
    return measurer(Maker(record.measured_by, data.signed[key].trust, data.signed[key].signer), "en")


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _differ(data: Data, pair: Sequence[tuple[str, RunRecord]], context: Context, console: Console) -> int:
    (_, first), (_, second) = pair
    if first.framework != second.framework:
        raise ApidiffError(
            f"runs: {first.framework} and {second.framework} judge different claims. Give two of one framework."
        )
    for which, (key, record) in zip(("first", "second"), pair, strict=True):
        console.print(f"{which + ':':7} {key}{' (stopped half-way)' if record.stopped else ''}")
        console.print(f"{'':7} measured by {_measurer(data, key, record)}, {signed_words(data.signed[key], 'en')}")
    is_ours = all(data.signed[key].trust in OWN for key, _ in pair)
    for line in _environment(first, second, one_line if is_ours else quoted):
        console.print(unbroken(line))
    apis = {
        api.name: api
        for record in (first, second)
        for api in apis_for(data, record.framework, record.framework_version)
    }
    differing = difference(list(apis.values()), pair[0], pair[1], context)
    for line in differing.lines(str if is_ours else _quoted_fact):
        console.print(unbroken(line))
    return 1 if differing else 0


def _quoted_fact(fact: str) -> str:
    return quoted(fact, _LONG)


def _environment(first: RunRecord, second: RunRecord, said: Callable[[str], str]) -> Iterator[str]:
    for name in ("framework_version", "backend", "device", "world_size", "os", "python", "machine"):
        values = getattr(first, name), getattr(second, name)
        if values[0] != values[1]:
            shown = quoted if name in {"os", "python", "machine"} else one_line
            yield f"{name}: {shown(str(values[0]))} → {shown(str(values[1]))}"
    packages = [
        f"{said(name)} {' → '.join(said(one.packages[name]) if name in one.packages else 'none' for one in (first, second))}"
        for name in sorted(first.packages.keys() | second.packages.keys())
        if first.packages.get(name) != second.packages.get(name)
    ]
    if packages:
        yield f"packages: {', '.join(packages)}"


def _planned(data: Data, backend: Backend, context: Context) -> Iterator[str]:
    version = data.newest_release(backend.framework)
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
        likely = estimate(data, backend, size, plan)
        total += likely.minutes if likely else 0
        like = (
            likely
            and f"about {likely.minutes} min if it goes as on {likely.like.backend} with {likely.like.framework_version}"
        )
        counts = f"{len(plan.steps) - examples} probes and {examples} examples"
        yield f"  {ranks}: {counts}, {like or 'and no record to tell the time from'}"
    if alone:
        yield "  each rank needs a device of its own: sizes larger than the number of devices are left out"
    yield f"  all of it: about {total} min"
    who = f"--framework {backend.framework} --record --measured-by 'who, on which device'"
    yield f"  run it with: apidiff verify --backend {backend.full_name} {who}"
