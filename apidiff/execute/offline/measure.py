"""Measures what a machine can show in one go: ``make gpu``, or ``python3 -m apidiff.execute.offline.measure nccl-cuda``.

Runs every world size of the backends, in each framework that is there, then calls in single processes, the most used names
first, within one deadline; compares with the records on CPU, and packs the records into one file to send. Installs nothing:
what verification lacks is unpacked from wheels that were carried along. This module imports only the standard library until
they are.
"""

from __future__ import annotations

import signal

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # while the rest is imported there is nothing to put away, nor to say

import argparse
import contextlib
import json
import math
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from apidiff.atomic_write import open_in_place, refuse_foreign, replacing
from apidiff.ending_signals import end_in_order
from apidiff.execute.offline.single_calls import measure_calls, most_used_first
from apidiff.execute.offline.wheels import CHECKOUT, Missing, supply
from apidiff.process_group import end_group, run, start
from apidiff.standard_streams import open_closed_streams, print_text

if TYPE_CHECKING:
    from apidiff.database import Data
    from apidiff.database.backends import Backend
    from apidiff.execute.devices import Availability
    from apidiff.model.claim_probes import Examples
    from apidiff.model.trace import RunRecord

_APIDIFF = [sys.executable, "-m", "apidiff"]
_CORES_A_JOB = 4  # ranks of several runs at a time do not make each other late where each run has so many cores
_COMPARE_S = 60.0
_REPORT, _PACKED = "report.txt", "records.zip"
_OF_RANKS = 2 / 3  # of the time; the rest is left for calls in single processes


@dataclass
class _Job:
    """One backend at one world size. ``written``: its record; ``failed``: why there is none."""

    backend: Backend
    here: Availability
    size: int
    minutes: int
    written: Path | None = None
    failed: str = ""
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """``torch-nccl-cuda-2``: the framework, and how its record is named."""
        return f"{self.backend.framework}-{self.backend.full_name}-{self.size}"


def main(argv: Sequence[str] | None = None) -> int:
    """Returns 0 where everything was recorded, 1 where something was not, 2 where nothing could be run."""
    if argv is None:
        open_closed_streams()
        end_in_order()
    args = _arguments(argv)
    folder = CHECKOUT / "build" / "measured"
    started = time.monotonic()
    until = started + 60 * args.minutes
    try:
        used = supply(folder)
    except Missing as error:
        return _refuse(str(error))
    _say(f"unpacked, not installed: {', '.join(used)}" if used else "everything that verification needs is installed")

    from apidiff.database import ApidiffError
    from apidiff.database.backends import load_backends
    from apidiff.database.checks import load_usable
    from apidiff.database.examples import load_examples, shown_by_path
    from apidiff.database.paths import examples_folder

    try:
        for name in (_REPORT, _PACKED):  # what cannot be written in the end is told before all the runs
            refuse_foreign(folder / name)
        data, backends = load_usable(), load_backends()
        examples = shown_by_path(load_examples(examples_folder()))
        jobs = _jobs(data, backends, examples, args.backends, args.world_size)
        if not jobs:
            return _refuse("nothing was run: no device was found.")
        at_once = args.at_once or max(1, min(3, len(os.sched_getaffinity(0)) // _CORES_A_JOB))
        _say(f"planned, if it goes as in the records: {', '.join(f'{job.name} {job.minutes} min' for job in jobs)}")
        _say(f"at most {at_once} at a time, for {args.minutes:g} min")
        by = (
            args.by
            or f"somebody with {', '.join(dict.fromkeys(jobs[0].here.device.names if jobs[0].here.device else []))}"
        )
        waiting = [job for job in jobs if not _is_recorded(job, data, examples, by)]
        _run(waiting, at_once, by, started + 60 * args.minutes * _OF_RANKS, folder)
        places = list(dict.fromkeys((job.backend.framework, job.backend.device) for job in jobs))
        calls = measure_calls(most_used_first(data), places, _APIDIFF, by, until, folder, _say)
        try:
            report = _report(jobs, load_usable(), folder)
        except ApidiffError as error:  # what is recorded can be sent all the same
            report = f"no report: {error}\n"
        _pack([job.written for job in jobs if job.written] + calls, report, folder)
    except ApidiffError as error:
        return _refuse(str(error))
    except OSError as error:
        return _refuse(
            f"{error.filename or folder}: {error.strerror}. Free space, and remove what lies in the way of a file."
        )
    try:
        print_text(report)
    except ApidiffError as error:
        return _refuse(str(error))
    return 0 if all(job.written for job in jobs) else 1


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python3 -m apidiff.execute.offline.measure", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("backends", nargs="+", metavar="BACKEND", help="such as nccl-cuda gloo-cuda, or hccl")
    parser.add_argument("--by", metavar="TEXT", help="who measured, kept in the records (default: the device's name)")
    parser.add_argument("--minutes", type=_minutes, default=9.0, help="when to stop (default: %(default)s)")
    parser.add_argument(
        "--at-once", type=_count, metavar="N", help="how many runs at a time (default: what the cores allow)"
    )
    parser.add_argument(
        "--world-size", type=_count, action="append", metavar="N", help="default: all that the devices allow"
    )
    return parser.parse_args(argv)


def _minutes(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 < (minutes := float(text)) < math.inf:  # of what is no number nothing is ever over
            return minutes
    raise argparse.ArgumentTypeError(f"{text!r} is no number of minutes")


def _count(text: str) -> int:
    with contextlib.suppress(ValueError):
        if (count := int(text)) > 0:
            return count
    raise argparse.ArgumentTypeError(f"{text!r} is no number above zero")


def _jobs(
    data: Data, backends: Sequence[Backend], examples: Examples, names: Sequence[str], asked: Sequence[int] | None
) -> list[_Job]:
    """Plans what is to be run, the longest first. Says what was looked for and found, and what is left out."""
    from apidiff.database.backends import Devices, find_backends
    from apidiff.execute.devices import look_for
    from apidiff.execute.plan import estimate, make_plan, world_sizes

    jobs = []
    for backend in [backend for name in names for backend in find_backends(backends, name)]:
        here = look_for(backend)
        _say(here.text)
        if not here.available:
            continue
        count = len(here.device.names) if here.device else 0
        sizes = world_sizes(backend, count, asked)
        alone = [1] if backend.devices is Devices.ONE and not asked else []
        for note in sizes.notes:
            _say(note)
        version = data.newest_release(backend.framework)
        for size in sorted({*alone, *sizes.chosen}):
            likely = estimate(data, backend, size, make_plan(data, backend, version, size, examples))
            jobs.append(_Job(backend, here, size, likely.minutes if likely else 1))
    return sorted(jobs, key=lambda job: -job.minutes)


def _run(waiting: list[_Job], at_once: int, by: str, until: float, folder: Path) -> None:
    """Makes every run, ``at_once`` at a time, and ends those that are not done when the time is over."""
    running: list[_Job] = []
    folder.mkdir(parents=True, exist_ok=True)
    try:
        while waiting or running:
            while waiting and len(running) < at_once and time.monotonic() < until:
                job = waiting.pop(0)
                _start(job, by, folder)
                running.append(job)
            for job in [job for job in running if job.process and job.process.poll() is not None]:
                running.remove(job)
                _finish(job, folder)
            if time.monotonic() >= until:
                break
            time.sleep(0.2)
    finally:
        for job in running:
            _kill(job)
    for job in [*running, *waiting]:
        job.failed = "the time was over. Give the command again: it goes on where it stopped"


def _is_recorded(job: _Job, data: Data, examples: Examples, by: str) -> bool:
    """Tells whether an earlier call here recorded all that would be asked, on the same devices; then takes that record."""
    from apidiff.database.runs import record_path
    from apidiff.execute.plan import lacking, make_plan
    from apidiff.execute.record import runs_of
    from apidiff.model.trust import Trust

    wanted = job.backend.framework, job.backend.name, job.backend.device, job.size
    for key, record in runs_of(data, by):
        same = (record.framework, record.backend, record.device, record.world_size) == wanted
        if not same or record.device_found != job.here.device or record.stopped:
            continue
        if not lacking(record, make_plan(data, job.backend, record.framework_version, job.size, examples)):
            job.written = record_path(key, data.root / "runs")
            signed = data.signed.get(key)
            words = f", signed by {signed.signer}" if signed and signed.trust is Trust.SIGNED else ""
            _say(f"{job.name}: recorded before{words}")
    return job.written is not None


def _start(job: _Job, by: str, folder: Path) -> None:
    which = ["--backend", job.backend.full_name, "--framework", job.backend.framework]
    command = ["verify", *which, "--world-size", str(job.size)]
    _say(f"{job.name}: started; its log is {folder / job.name}.log")
    answer, log = folder / f"{job.name}.json", folder / f"{job.name}.log"
    with open_in_place(answer, emptied=True) as output, open_in_place(log, emptied=True) as errors:
        command = [*_APIDIFF, *command, "--record", "--json", "--measured-by", by]
        job.process = start(command, output, errors, folder=CHECKOUT)


def _finish(job: _Job, folder: Path) -> None:
    with contextlib.suppress(ValueError, OSError, KeyError, IndexError):
        result = json.loads((folder / f"{job.name}.json").read_bytes())[0]
        job.written = Path(result["written"]) if result["written"] and not result["stopped"] else None
    if job.written:
        _say(f"{job.name}: recorded")
        return
    lines = (folder / f"{job.name}.log").read_text(encoding="utf-8", errors="replace").strip().splitlines()
    job.failed = f"{lines[-1][:200] if lines else 'it printed nothing'} (all of it: {folder / job.name}.log)"
    _say(f"{job.name}: {job.failed}")


def _kill(job: _Job) -> None:
    """Ends a run; its ranks end with it."""
    if job.process:
        end_group(job.process)


def _report(jobs: Sequence[_Job], data: Data, folder: Path) -> str:
    """Writes what was recorded, what was not and why, and how each record differs from that of CPU."""
    from apidiff.database.runs import run_id
    from apidiff.model.version import Version

    lines = [f"{job.name}: {job.written or f'not recorded: {job.failed}'}" for job in jobs]
    listed = _output_of(["runs", "list"])
    records = dict(data.every_run)
    for job in sorted((job for job in jobs if job.written), key=lambda job: job.name):
        assert job.written is not None
        mine = run_id(job.written)
        if mine not in records:
            lines += ["", f"{mine} is passed over: apidiff check says why."]
            continue
        version = records[mine].framework_version
        like = [
            (record.framework_version == version, Version(record.framework_version), record.date, key)
            for key, record in data.runs  # what nobody vouches for is compared with nothing
            if _is_like(record, job) and key != mine
        ]
        if like:
            base = max(like)[-1]
            lines += ["", f"{base} → {mine}", _output_of(["runs", "diff", base, mine])]
    text = "\n".join([*lines, "", "apidiff runs list:", listed, ""])
    with open_in_place(folder / _REPORT, emptied=True) as file:
        file.write(text.encode())
    return text


def _is_like(record: RunRecord, job: _Job) -> bool:
    """Tells whether a job is compared with the record; one rank is compared with two."""
    place = record.framework, record.device, record.world_size
    return place == (job.backend.framework, "cpu", max(job.size, 2)) and not record.stopped


def _output_of(words: Sequence[str]) -> str:
    """Runs a command of apidiff and returns what it prints."""
    try:
        environment = os.environ | {"PYTHONIOENCODING": "utf-8"}
        done = run([*_APIDIFF, *words], _COMPARE_S, folder=CHECKOUT, environment=environment)
    except subprocess.TimeoutExpired:
        return f"no answer in {_COMPARE_S:g} s"
    return (done.output + done.errors).rstrip()


def _pack(records: Sequence[Path], report: str, folder: Path) -> None:
    if not records:
        _say("nothing was recorded, so there is nothing to send")
        return
    from apidiff.database.runs import signature_path

    path = folder / _PACKED
    refuse_foreign(path)
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
        for record in records:
            for file in (record, signature_path(record)):
                if file.exists():
                    archive.write(file, file.name)
        archive.writestr(_REPORT, report)
    _say(f"send this one file: {path} ({len(records)} records)")


def _say(line: str) -> None:
    with contextlib.suppress(OSError):  # nobody hears it, and the runs go on
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def _refuse(line: str) -> int:
    _say(f"measure: {line}")
    return 2


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
