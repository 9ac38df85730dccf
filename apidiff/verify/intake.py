"""Takes in run records made elsewhere: all of those given, or none."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from apidiff.judge import Context, example_probe, spec_of
from apidiff.store import Data, DataError, InvalidData
from apidiff.store.backends import Backend
from apidiff.store.foreign import read_foreign
from apidiff.verify.record import write_bytes


def known_probes(data: Data, context: Context) -> Iterator[tuple[str, str, str]]:
    """API, probe and digest of everything that this version of the project runs, and of all that its records hold."""
    for mapping in data.mappings.values():
        for api in [mapping.source, *(target.api for target in mapping.targets)]:
            examples = [example_probe(claim.prints.example) for claim in api.claims if claim.prints]
            for probe in [*api.probes, *examples]:
                if spec := spec_of(api, probe, context):
                    yield api.name, probe, spec
    for _, record in data.runs:
        for run in record.probes:
            yield run.api, run.probe, run.spec


def take_in(
    paths: Sequence[Path], data: Data, backends: Collection[Backend], context: Context
) -> list[tuple[Path, bool]]:
    """Writes the records in ``paths`` beside those of ``data``; none of those is replaced.

    Returns where each lies now, and whether it is new: the same bytes are kept once. Raises InvalidData with one error a
    file, with nothing written, where any of them does not fit.
    """
    known = frozenset(known_probes(data, context))
    errors: list[DataError] = []
    found = []
    for path in paths:
        try:
            found.append(read_foreign(path, backends, known))
        except DataError as error:
            errors.append(error)
    if errors:
        raise InvalidData(errors)
    runs = data.root / "runs"
    before = set(runs.glob("*/*.json"))
    written = [write_bytes(record, content, runs) for record, content in found]
    return [(path, path not in before) for path in written]
