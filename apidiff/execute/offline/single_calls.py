"""Makes calls in single processes on a device for as long as there is time, of the most used names first."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from apidiff.atomic_write import open_in_place
from apidiff.execute.offline.wheels import CHECKOUT
from apidiff.process_group import end_group, start

if TYPE_CHECKING:
    from apidiff.database import Data

GROUP = 100
"""How many names a record holds: what a deadline ends loses no more than their calls."""


def most_used_first(data: Data) -> list[list[str]]:
    """Group the mappings that single calls are made of, the most used first."""
    from apidiff.model.vocabulary import Execution

    names = [key for key, mapping in data.mappings.items() if mapping.execution is Execution.SINGLE and mapping.samples]
    names.sort(key=lambda name: (-data.uses.of(name), name))
    return [names[first : first + GROUP] for first in range(0, len(names), GROUP)]


def measure_calls(
    groups: Sequence[Sequence[str]],
    places: Sequence[tuple[str, str]],
    command: Sequence[str],
    by: str,
    until: float,
    folder: Path,
    say: Callable[[str], None],
) -> list[Path]:
    """Record the calls of ``groups`` at each of ``places`` until the monotonic time ``until``.

    Args:
        groups: names of mappings, those of one record each.
        places: a framework and a device, such as ``("mindspore", "npu")``.
        command: starts apidiff.
        by: who measures, kept in the records.
        until: when to stop; what is running then is ended and not recorded.
        folder: where each group leaves its log.
        say: told of each group.

    Returns:
        The records written.
    """
    written: list[Path] = []
    for number, names in enumerate(groups, 1):
        for framework, device in places:
            if time.monotonic() >= until:
                say(f"single calls: the time was over before group {number} of {len(groups)}")
                return written
            name = f"{framework}-single-{device}-{number}"
            where = ["--framework", framework, "--device", device, "--inputs", "written"]
            words = [*command, "verify", *names, *where, "--record", "--json", "--measured-by", by]
            made = _made(words, until, folder / name)
            written += made
            say(f"{name}: {'recorded' if made else f'not recorded; its log is {folder / name}.log'}")
    return written


def _made(words: Sequence[str], until: float, stem: Path) -> list[Path]:
    """Run a command until it ends or the time is over. Returns the records that it names; raises OSError without files."""
    out, log = stem.with_name(f"{stem.name}.json"), stem.with_name(f"{stem.name}.log")
    with open_in_place(out, emptied=True) as output, open_in_place(log, emptied=True) as errors:
        process = start(list(words), output, errors, folder=CHECKOUT)
        try:
            while process.poll() is None and time.monotonic() < until:
                time.sleep(0.1)
        finally:
            if process.poll() is None:
                end_group(process)
    with contextlib.suppress(ValueError, KeyError, TypeError):
        return [Path(path) for report in json.loads(out.read_bytes()) for path in report["written"]]
    return []
