"""Makes a whole run: the plan of one backend at one world size, from the start of its ranks to its record."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import msgspec

from apidiff.database import Data
from apidiff.database.backends import Backend
from apidiff.database.runs import digest_of, run_name
from apidiff.execute.journal import Journal, remove_journal
from apidiff.execute.one_release import code_digest
from apidiff.execute.plan import make_plan, step_key
from apidiff.execute.record import make_record
from apidiff.execute.remote import Hosts
from apidiff.execute.runner import Holds, Runner, doubtful
from apidiff.execute.state_folder import state_folder
from apidiff.model.claim_probes import Examples
from apidiff.model.trace import DeviceFound, RunRecord

# Told how many steps there are, how many are done, and what is being done.
Progress = Callable[[int, int, str], None]


def make_run(
    data: Data,
    backend: Backend,
    world_size: int,
    examples: Examples,
    holds: Holds,
    mappings: Collection[str] | None = None,
    progress: Progress = lambda _total, _done, _what: None,
    *,
    keep_journal: bool = False,
    hosts: Hosts | None = None,
    device_found: DeviceFound | None = None,
    only: Collection[tuple[str, str]] | None = None,
) -> RunRecord:
    """Runs every probe of ``backend`` at ``world_size`` (of ``mappings`` only, if given) and returns the record.

    Args:
        data: the mappings.
        backend: where it is run.
        world_size: the number of ranks.
        examples: those that there are.
        holds: whether the claims on a step hold; what does not is made again in fresh ranks before it stands.
        mappings: IDs of those to run.
        progress: told how far the run is.
        keep_journal: take up an interrupted run where it stopped; the caller ends its journal with ``forget``.
        hosts: the other processes of a launcher, on whose machines the ranks but the first run.
        device_found: what the device check told, for the record.
        only: the probes to make, by API and name; all where it is None.

    Raises:
        StartError: the ranks do not come up. Where they no longer do in the middle of the run, the record says why it
            stopped and holds what was done.

    """
    with ExitStack() as stack:
        runner = stack.enter_context(Runner(backend, world_size, state_folder() / "logs", hosts))
        progress(0, 0, "starting ranks")
        version = runner.version()
        plan = make_plan(data, backend, version, world_size, examples, mappings)
        if only is not None:
            plan = replace(plan, steps=tuple(step for step in plan.steps if step_key(step) in only))
        empty = make_record(backend, version, world_size, [], [], device_found)
        journal = stack.enter_context(
            closing(Journal(_journal_path(empty) if keep_journal else None, plan, world_size))
        )
        total, count = len(plan.steps), len(journal.done)

        def step(what: str) -> None:
            nonlocal count
            progress(total, count, what)
            count += 1

        signatures = runner.signatures(plan)
        done = runner.run(plan.steps, step, journal)
        record = make_record(backend, version, world_size, signatures, done.values(), device_found)
        if runner.stopped is None:
            again = doubtful(plan.steps, record, holds)
            total, count = total + len(again), total
            runner.confirm(again, done, step, journal)
        progress(total, total, "done")
        probes = sorted(done.values(), key=lambda run: (run.api, run.probe))
        return msgspec.structs.replace(record, probes=probes, stopped=runner.stopped)


def _journal_path(record: RunRecord) -> Path:
    """The path of a run's journal: a run on another machine or in another environment has another, as its record says both.

    So has one whose probes other code makes.
    """
    machine = [record.os, record.machine, record.cores, record.device_found]
    about = [record.packages, record.environment, record.python, *machine, code_digest()]
    environment = digest_of(msgspec.json.encode(about))
    return state_folder() / "unfinished" / "-".join([*run_name(record), f"{environment}.jsonl"])


def forget(record: RunRecord) -> None:
    """Removes the journal of a run whose record is written."""
    remove_journal(_journal_path(record))
