"""`apidiff verify --matrix`: lists the cells, runs those that are not recorded, or writes them as a job array."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Column

from apidiff.cli.json_output import json_line
from apidiff.cli.named_path import named_path
from apidiff.cli.output import Terminal
from apidiff.database import ApidiffError, Data, DataError, InvalidData, with_runs_of_now
from apidiff.database.backends import load_backends
from apidiff.database.checks import load_usable
from apidiff.database.examples import load_examples, shown_by_path
from apidiff.database.paths import PACKAGE, conf_file, examples_folder, in_checkout
from apidiff.execute.matrix import (
    Cell,
    Result,
    Standing,
    by_version,
    cells_of,
    command_of,
    exclusive,
    job_array,
    read_matrix,
    run_cells,
    standing,
)
from apidiff.execute.remote import place_of
from apidiff.judge.recorded_inputs import given_otherwise
from apidiff.messages.escape_invisible import unbroken
from apidiff.messages.signed_words import signed_words
from apidiff.model.trust import OWN

# Environments, logs and the lock; on a cluster part of the checkout that all machines share.
WORK = PACKAGE.parent / "build" / "matrix"

_STATES = {"recorded": "recorded", "made": "recorded now", "failed": "FAILED", "not here": "cannot run here"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of ``apidiff verify`` that are about the matrix."""
    parser.add_argument(
        "--matrix",
        nargs="?",
        const=conf_file("matrix.toml"),
        type=named_path,
        metavar="FILE",
        help="record every version, backend and world size of FILE (default: conf/matrix.toml) that has no record, each "
        "version in an environment of its own below build/matrix",
    )
    parser.add_argument(
        "--slurm",
        action="store_true",
        help="with --matrix: print a script for sbatch, one task per cell, instead of running",
    )


def run_matrix(args: argparse.Namespace) -> int:
    """Runs what is not recorded and prints the outcome. Returns 1 where a cell failed."""
    if args.ids:
        raise ApidiffError("verify: a cell of the matrix is a whole run, so --matrix takes no ID. Leave out the IDs.")
    for option, given in [
        ("--sample", args.sample is not None),
        ("--execution", args.execution),
        ("--inputs", args.inputs),
        ("--device", args.device != "cpu"),
        ("--record", args.record),
    ]:
        if given:  # the outcome would pass for one of what the option says
            raise ApidiffError(
                f"verify: the matrix records whole runs of backends, whatever {option} says. Leave it out, or --matrix."
            )
    if args.json and args.slurm:
        raise ApidiffError("verify: --slurm prints a script for sbatch. Leave out --json.")
    if not in_checkout():
        raise ApidiffError("verify: --matrix installs the project from its checkout. Run it in one.")
    if place := place_of(os.environ):
        raise ApidiffError(f"verify: --matrix starts runs of its own. Run it without {place.launcher}.")
    backends, data = load_backends(), load_usable()
    if data.unfit:
        raise InvalidData(data.unfit)
    examples = shown_by_path(load_examples(examples_folder()))
    blocks = read_matrix(args.matrix, backends)
    cells = cells_of(blocks, backends, args.backend, args.world_size, args.framework)

    def stands(cell: Cell) -> Standing:
        return standing(cell, with_runs_of_now(data), examples, args.measured_by, given_otherwise)

    before = [(cell, standing(cell, data, examples, args.measured_by, given_otherwise)) for cell in cells]
    todo = [cell for cell, there in before if there.record is None]
    console = Console(stderr=True, markup=False, highlight=False, emoji=False, soft_wrap=True)
    width = max(len(cell.name) for cell in cells)
    for cell, there in before:
        told = _recorded(data, there.record) if there.record else f"to run: {there.text}"
        console.print(unbroken(f"{cell.name:{width}}  {told}"))
    if args.slurm:
        return _job_array(todo, args.measured_by, console)
    results = [Result(cell, "recorded", there.record) for cell, there in before if there.record]
    if todo:
        with exclusive(WORK), _progress(console, len(todo)) as (tell, done):
            for environment, group in by_version(todo, PACKAGE.parent, WORK):
                for result in run_cells(environment, group, args.measured_by, stands, tell):
                    results.append(result)
                    done(result)
    results.sort(key=lambda result: cells.index(result.cell))
    if args.json:
        sys.stdout.buffer.write(json_line([_plain(result) for result in results], indent=2))
    else:
        out = Terminal(soft_wrap=True)
        for result in results:
            out.print(_line(result, width))
    return 1 if any(result.state == "failed" for result in results) else 0


def _recorded(data: Data, run_id: str) -> str:
    """Names a record that spares a run; of one that is not this project's also who vouches for it."""
    signed = data.signed[run_id]
    words = "" if signed.trust in OWN else f", {signed_words(signed, 'en')}"
    return f"recorded: {run_id}{words}"


def _job_array(todo: Sequence[Cell], measured_by: str | None, console: Console) -> int:
    """Makes the environments here, where the network is, and prints the script. Returns 1 where one cannot be made."""
    commands: list[tuple[Cell, list[str]]] = []
    failed = False
    with exclusive(WORK) if todo else nullcontext(), _progress(console, len(todo)) as (tell, _):
        for environment, group in by_version(todo, PACKAGE.parent, WORK):
            try:
                environment.make(partial(tell, f"{environment.name}: making its environment"))
            except ApidiffError as error:
                console.print(unbroken(f"{environment.name}: left out: {error}"))
                failed = True
                continue
            commands += [(cell, command_of(environment, cell, measured_by)) for cell in group]
    if commands:
        try:
            (WORK / "logs").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            found = f"tasks cannot write their logs here ({error.strerror})"
            raise DataError(WORK / "logs", None, found, "Delete what stands in the place of the folder.") from error
        sys.stdout.write(job_array(commands, WORK / "logs"))
    else:
        console.print("There is nothing to submit.")
    return 1 if failed else 0


@contextmanager
def _progress(console: Console, total: int) -> Iterator[tuple[Callable[[str, str], None], Callable[[Result], None]]]:
    """Shows what is under way and each result: a bar on a terminal, a line for each without one. Gives what to call for both."""
    width = 0

    def print_result(result: Result) -> None:
        console.print(_line(result, width))

    if not console.is_terminal:
        told = ""

        def tell(what: str, _line: str) -> None:
            nonlocal told
            if what != told:
                told = what
                console.print(what)

        yield tell, print_result
        return
    columns = (MofNCompleteColumn(), BarColumn(bar_width=20), TimeElapsedColumn(), TextColumn("{task.description}"))
    line = TextColumn("{task.fields[line]}", table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1))
    with Progress(*columns, line, console=console, transient=True, expand=True) as bar:
        task = bar.add_task("", total=total, line="")

        def done(result: Result) -> None:
            bar.advance(task)
            print_result(result)

        yield lambda what, said: bar.update(task, description=what, line=unbroken(said)), done


def _line(result: Result, width: int) -> str:
    seconds = f"{result.seconds:.0f} s" if result.seconds else ""
    return unbroken(f"{result.cell.name:{width}}  {_STATES[result.state]}  {seconds:>6}  {result.text}")


def _plain(result: Result) -> dict[str, object]:
    cell = result.cell
    return {
        "framework": cell.block.name,
        "framework_version": cell.version,
        "backend": cell.backend.name,
        "device": cell.backend.device,
        "world_size": cell.world_size,
        "state": result.state,
        "record" if result.state in {"recorded", "made"} else "reason": result.text,
        "seconds": round(result.seconds, 1),
    }
