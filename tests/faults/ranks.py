"""What happens to a rank in the middle of a probe. One run of each framework makes all that are tried, one after another."""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from apidiff.database import load
from apidiff.judge import Context, observe
from apidiff.model.trace import RunRecord
from apidiff.model.verdict import Outcome
from tests.faults.place import Ended, Place, ended


@dataclass(frozen=True)
class Row:
    """A call in which something happens; how the probe ends, and again in fresh ranks; and the outcome."""

    call: str
    what: str
    ends: tuple[str, ...]
    outcome: Outcome


WELL = Row("well", "nothing happens, after all that did", ("completed",), Outcome.HOLDS)
ROWS = {
    "torch": [
        Row("killed_once", "a rank is killed, and not when it is tried again", ("crash", "completed"), Outcome.FLAKY),
        Row("stopped_once", "a rank is stopped, and not when tried again", ("timeout", "completed"), Outcome.FLAKY),
        Row("paused", "a rank is stopped and goes on within the deadline", ("completed",), Outcome.HOLDS),
        Row("slow", "a rank is slow, within the deadline", ("completed",), Outcome.HOLDS),
        Row("too_slow", "a rank is slower than the deadline", ("timeout", "timeout"), Outcome.TIMEOUT),
        Row("out_of_memory", "ranks are given no memory", ("completed", "completed"), Outcome.ERROR),
        Row("aborted", "a rank aborts, as out of memory in a library's thread", ("crash", "crash"), Outcome.CRASH),
        Row("killed_when_looked_at", "ranks are killed while signatures are read", ("completed",), Outcome.HOLDS),
        Row("slow_when_looked_at", "a rank is slow while signatures are read", ("completed",), Outcome.HOLDS),
        Row("with_child", "ranks leave processes of their own", ("completed",), Outcome.HOLDS),
        Row("exits", "a rank ends as if all were well", ("crash", "crash"), Outcome.CRASH),
        Row("writes_to_null", "a rank writes to no memory", ("crash", "crash"), Outcome.CRASH),
        Row("recurses", "a rank recurses without end", ("timeout", "timeout"), Outcome.ERROR),
        Row("raises_unprintable", "a rank raises what cannot be printed", ("timeout", "timeout"), Outcome.ERROR),
        Row("is_terminated", "a rank gets SIGTERM", ("crash", "crash"), Outcome.CRASH),
        Row("ignores_signals", "a rank hangs and takes no signal", ("timeout", "timeout"), Outcome.TIMEOUT),
        Row("answers_words", "a rank answers words", ("completed",), Outcome.HOLDS),
        Row("answers_twice", "a rank answers for itself", ("completed",), Outcome.HOLDS),
        Row("answers_later", "a rank leaves a process that answers what is asked later", ("completed",), Outcome.HOLDS),
        Row("is_asked_later", "a rank is asked while another process answers for it", ("completed",), Outcome.HOLDS),
        Row("closes_answers", "a rank closes its pipe", ("crash", "crash"), Outcome.CRASH),
        Row("closes_output", "a rank closes its output", ("completed",), Outcome.HOLDS),
        Row("prints_much", "a rank prints 8 MiB that are no text", ("completed",), Outcome.HOLDS),
        Row("leaves_daemon", "a rank leaves a daemon", ("completed",), Outcome.HOLDS),
        Row(
            "leaves_daemon_and_ends",
            "a rank leaves a daemon that holds its pipes, and ends",
            ("crash", "crash"),
            Outcome.CRASH,
        ),
        Row("leaves_files", "a rank leaves temporary files", ("completed",), Outcome.HOLDS),
        Row("makes_its_log_a_pipe", "a rank puts a pipe in the place of its log", ("crash", "crash"), Outcome.CRASH),
        Row("makes_its_log_a_link", "a rank puts a link in the place of its log", ("completed",), Outcome.HOLDS),
        Row("changes_folder", "a rank changes its folder", ("completed",), Outcome.HOLDS),
        WELL,
    ],
    "mindspore": [
        Row("killed", "a rank is killed", ("crash", "crash"), Outcome.CRASH),
        Row("stopped_once", "a rank is stopped, and not when tried again", ("timeout", "completed"), Outcome.FLAKY),
        Row("out_of_memory", "ranks are given no memory", ("completed", "completed"), Outcome.ERROR),
        Row("scheduler_killed", "the scheduler is killed", ("completed",), Outcome.HOLDS),
        Row("exits", "a rank ends as if all were well", ("crash", "crash"), Outcome.CRASH),
        Row("raises_unprintable", "a rank raises what cannot be printed", ("timeout", "timeout"), Outcome.ERROR),
        Row("is_terminated", "a rank gets SIGTERM", ("crash", "crash"), Outcome.CRASH),
        Row("answers_words", "a rank answers words", ("completed",), Outcome.HOLDS),
        Row("closes_output", "a rank closes its output", ("completed",), Outcome.HOLDS),
        Row("leaves_daemon", "a rank leaves a daemon", ("completed",), Outcome.HOLDS),
        Row("leaves_files", "a rank leaves temporary files", ("completed",), Outcome.HOLDS),
        WELL,
    ],
}


SHOWN = {"torch": "torch", "mindspore": "MindSpore"}


def name_of(framework: str, row: Row) -> str:
    """The name of what happens in the row."""
    return f"{row.what}, {SHOWN[framework]}"


@dataclass(frozen=True)
class _Run:
    place: Place
    earlier: dict[Path, bytes]
    ended: Ended


_FOLDERS: list[Path] = []  # of the runs


@atexit.register
def forget_runs() -> None:
    """Removes what the runs left. Where tests are done by a process of xdist, nothing is called at its end."""
    _runs.cache_clear()
    while _FOLDERS:
        shutil.rmtree(_FOLDERS.pop(), ignore_errors=True)


@functools.cache
def _runs(tried: frozenset[str]) -> dict[str, _Run]:
    """The runs of the rows that are tried, made once, each with the call to which nothing happens.

    Both frameworks run at the same time, since they wait more than they compute.
    """
    places, earlier, running = {}, {}, {}
    for framework in ROWS:
        rows = [row for row in ROWS[framework] if name_of(framework, row) in tried]
        if rows and find_spec(framework):
            rows = [*(row for row in rows if row is not WELL), WELL]
            folder = Path(tempfile.mkdtemp(prefix="apidiff-faults-"))
            _FOLDERS.append(folder)
            places[framework] = place = Place(folder, [row.call for row in rows], framework)
            earlier[framework] = place.keep_earlier()
            running[framework] = place.start()
    return {name: _Run(places[name], earlier[name], ended(process)) for name, process in running.items()}


def happens(framework: str, row: Row, tried: frozenset[str]) -> None:
    """The row's outcome in the record of the run of all that are tried: it is whole, and nothing is left but that."""
    run = _runs(tried)[framework]
    assert run.ended.code == 0, run.ended.err
    run.place.check(run.earlier)
    run.place.check_temporary()
    record = run.place.record()
    assert record.stopped is None
    name = f"{framework}.faults.{row.call}"
    [found] = [one for one in record.probes if one.api == name]
    ends = tuple(one.end for one in (found, found.again) if one)
    made = (*ends, *ends) if found.confirmed else ends
    assert made == row.ends, found
    assert _outcome(run.place, record, name) is row.outcome, found
    [signature] = [one for one in record.signatures if one.api == name]
    assert (signature.missing, signature.error) == (False, ""), signature


def _outcome(place: Place, record: RunRecord, name: str) -> Outcome:
    data = load(place.folder / "data")
    apis = [api for mapping in data.mappings.values() for api in (mapping.source, mapping.targets[0].api)]
    [api] = [one for one in apis if one.name == name]
    [seen] = observe(api.claims[0], api, "run", record, Context())
    return seen.outcome
