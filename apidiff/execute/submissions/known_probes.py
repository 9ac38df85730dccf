"""Lists what versions of this project ever ran: `known_specs.txt` of the data, a line for each probe and example.

    torch.distributed.broadcast sync 0a1b2c3d4e5f 112233445566

An API, one of its probes, and the digests of what that called, today's and all former ones. The list only grows:
``apidiff runs specs`` adds what is run today and what is recorded.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from apidiff.atomic_write import locked, write_files
from apidiff.database import Data
from apidiff.database.regular_files import read_text
from apidiff.errors import DataError
from apidiff.model.claim_probes import Examples, example_probe, spec_of
from apidiff.model.probe_resolution import collective_of

# API, probe, digest of what is called.
Spec = tuple[str, str, str]
_LINE = re.compile(r"\S+ \S+( [0-9a-f]{12})+")


def specs_path(root: Path) -> Path:
    """Where below the data folder ``root`` the list lies."""
    return root / "known_specs.txt"


def load_specs(root: Path) -> frozenset[Spec]:
    """Reads the list; empty where there is none. Raises DataError for a line of another form."""
    path = specs_path(root)
    specs: set[Spec] = set()
    try:
        text = read_text(path)
    except FileNotFoundError:
        return frozenset()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(path, None, f"cannot be read ({error})", "Restore it from version control.") from error
    for number, line in enumerate(text.splitlines(), 1):
        if not _LINE.fullmatch(line):
            found = "is no API, probe and digests of twelve hexadecimal digits"
            raise DataError(path, number, found, "Restore the line from version control, then: make specs")
        api, probe, *digests = line.split(" ")
        specs.update((api, probe, digest) for digest in digests)
    return frozenset(specs)


def specs_text(specs: Iterable[Spec]) -> str:
    """Writes the list as text: sorted, one probe per line."""
    lines: dict[tuple[str, str], set[str]] = defaultdict(set)
    for api, probe, digest in specs:
        lines[api, probe].add(digest)
    return "".join(f"{' '.join([*key, *sorted(digests)])}\n" for key, digests in sorted(lines.items()))


def specs_of_today(data: Data, examples: Examples) -> Iterator[Spec]:
    """Lists API, probe and digest of everything that this version of the project runs."""
    for mapping in data.mappings.values():
        for api in [mapping.source, *(target.api for target in mapping.targets)]:
            scripts = [example_probe(claim.prints.example) for claim in api.claims if claim.prints]
            for probe in [*collective_of(api).probes, *scripts]:
                if spec := spec_of(api, probe, examples):
                    yield api.name, probe, spec


def known_specs(data: Data, examples: Examples) -> frozenset[Spec]:
    """Gathers all that some version of this project is known to have run: listed, in its records, or of today."""
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
