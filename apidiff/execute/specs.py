"""What this version of the project calls, and the list of all that was ever called: ``python -m apidiff.execute.specs``."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from apidiff.atomic_write import locked, write_files
from apidiff.database import Data, load
from apidiff.database.examples import load_examples, shown_by_path
from apidiff.database.paths import examples_folder
from apidiff.execute.submissions.known_probes import Spec, load_specs, specs_path, specs_text
from apidiff.model.claim_probes import Examples, example_probe, spec_of


def specs_of_today(data: Data, examples: Examples) -> Iterator[Spec]:
    """API, probe and digest of everything that this version of the project runs."""
    for mapping in data.mappings.values():
        for api in [mapping.source, *(target.api for target in mapping.targets)]:
            scripts = [example_probe(claim.prints.example) for claim in api.claims if claim.prints]
            for probe in [*api.probes, *scripts]:
                if spec := spec_of(api, probe, examples):
                    yield api.name, probe, spec


def known_specs(data: Data, examples: Examples) -> frozenset[Spec]:
    """All that some version of this project is known to run or to have run: listed, in its records, or of today."""
    recorded = {(run.api, run.probe, run.spec) for _, record in data.runs for run in record.probes}
    return load_specs(data.root) | recorded | frozenset(specs_of_today(data, examples))


def add_specs(root: Path, specs: Iterable[Spec]) -> int:
    """Adds to the list below ``root`` what it lacks. Returns how many that are. Raises DataError where it cannot be written."""
    wanted = frozenset(specs)
    if not (more := wanted - load_specs(root)):
        return 0
    with locked(root):
        write_files({specs_path(root): specs_text(load_specs(root) | more).encode()})
    return len(more)


def main() -> int:
    """Adds what is run today and what is recorded."""
    data = load()
    examples = shown_by_path(load_examples(examples_folder()))
    count = add_specs(data.root, known_specs(data, examples))
    sys.stdout.write(f"{specs_path(data.root)}: {count} added\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
