"""Takes in run records made elsewhere: all of those given, or none."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from apidiff.judge import Context, example_probe, spec_of
from apidiff.model import RunRecord
from apidiff.store import Data, DataError, InvalidData
from apidiff.store.backends import Backend
from apidiff.store.foreign import Known, read_foreign
from apidiff.store.runs import run_path
from apidiff.store.signed import PROGRAM, Signed, State, read_signature, signature_path, signed_by
from apidiff.store.signers import Signer
from apidiff.verify.whole import put_all


class Taken(NamedTuple):
    """Where a record lies now, whether it is new there (the same bytes are kept once), and what its signature says."""

    path: Path
    new: bool
    signed: Signed


class _Read(NamedTuple):
    """A record that fits, with the bytes of its file and of its signature, if it has one."""

    record: RunRecord
    content: bytes
    signature: bytes | None
    signed: Signed


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
    paths: Sequence[Path],
    data: Data,
    backends: Collection[Backend],
    context: Context,
    signers: Mapping[str, Signer],
) -> list[Taken]:
    """Writes the records in ``paths`` beside those of ``data``, with the signatures that lie beside them.

    None of those there is replaced. Raises InvalidData with one error a file, with nothing written, where any of them
    does not fit or is signed and does not verify.
    """
    known = frozenset(known_probes(data, context))
    runs = data.root / "runs"
    errors: list[DataError] = []
    found: list[_Read] = []
    for path in paths:
        try:
            found.append(_read(path, backends, known, signers, runs))
        except DataError as error:
            errors.append(error)
    if errors:
        raise InvalidData(errors)
    before = set(runs.glob("*/*.json"))
    files: dict[Path, bytes] = {}
    taken = []
    for one in found:
        path = run_path(one.record, one.content, runs)
        files[path] = one.content
        if one.signature is not None:
            files[signature_path(path)] = one.signature
        taken.append(Taken(path, path not in before, one.signed))
    put_all(files)
    return taken


def _read(path: Path, backends: Collection[Backend], known: Known, signers: Mapping[str, Signer], runs: Path) -> _Read:
    record, content = read_foreign(path, backends, known)
    if not record.measured_by and not run_path(record, content, runs).exists():
        # Pages would call it a run of this project.
        remedy = 'Record it with: apidiff verify --record --measured-by "who, and on which device"'
        raise DataError(path, None, "does not say who measured", remedy)
    signature = read_signature(path)
    signed = signed_by(path, content, signature, signers)
    mine = signature_path(path)
    if signed.state is State.NOT_CHECKED:
        remedy = f"Install {PROGRAM}, or take the record in without {mine.name}."
        raise DataError(mine, None, f"names the key of {signed.signer}, and there is no {PROGRAM} to check it", remedy)
    there = read_signature(run_path(record, content, runs))
    if signature is not None and there is not None and there != signature:
        remedy = f"Delete {signature_path(run_path(record, content, runs))} first, if this one is to take its place."
        raise DataError(mine, None, "is another signature than the one that the record has here", remedy)
    return _Read(record, content, signature, signed)
