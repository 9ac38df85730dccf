"""A run inside a launcher that keeps its record in a folder: ``launched_run.py FOLDER MAPPING…``. Prints each step."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from apidiff.database import load
from apidiff.database.backends import load_backends
from apidiff.database.examples import load_examples
from apidiff.database.paths import examples_folder
from apidiff.execute.record import write_record
from apidiff.execute.remote import Hosts, is_scheduler, place_of, serve
from apidiff.judge import make_context
from apidiff.verification import verify


def main(folder: Path, backend_name: str, mappings: list[str]) -> int:
    if is_scheduler(os.environ):
        return 0
    place = place_of(os.environ)
    assert place is not None
    if place.rank:
        return serve(place)
    backends = load_backends()
    backend = next(one for one in backends if one.name == backend_name).across_machines()
    context = make_context(backends, load_examples(examples_folder()), {})
    hosts = Hosts(place)
    try:
        hosts.wait()
        record = verify(
            load(),
            backend,
            place.world_size,
            context,
            mappings,
            lambda total, done, what: print(f"step {done}/{total} {what}", flush=True),
            hosts=hosts,
        )
    finally:
        hosts.close()
    print(f"written: {write_record(record, folder)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:]))
