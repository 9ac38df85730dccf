"""A copy of the project whose mappings stand in it several times over.

Every further set is made of the real records under other names: ``torch.distributed.reduce`` once more as
``torch.distributed.reduce_2``. What the pages rest on is copied with them: signatures, examples, and the probes that
runs recorded of the source and of its examples. So a made-up page is as heavy as the real one. Targets keep their
names, and with them their claims and traces.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec

from apidiff.database import load
from apidiff.database.paths import PACKAGE
from apidiff.database.runs import digest_of
from apidiff.model.mapping import Api, Mapping
from apidiff.model.probe_resolution import collective_of, digest
from apidiff.model.signature import SignatureFile
from apidiff.model.trace import RunRecord, SignatureDump


def make_project(folder: Path, sets: int) -> int:
    """Put the project into ``folder`` with every mapping ``sets`` times. Returns the number of mappings."""
    unneeded = shutil.ignore_patterns(".*", "build", "tests", "node_modules", "__pycache__")
    shutil.copytree(PACKAGE.parent, folder, ignore=unneeded)
    _forget_made_pages(folder)
    real = load().mappings
    names = [(name, f"{name}_{number}") for number in range(2, sets + 1) for name in real]
    data = folder / "apidiff" / "data"
    for name, copy in names:
        _copy_mapping(data, name, copy)
        _copy_examples(folder / "executable_examples", name, copy)
    for path in sorted((data / "signatures").glob("torch-*.json")):
        _extend_signatures(path, names)
    for path in sorted((data / "runs").glob("*/*.json")):
        _extend_run(path, names, real)
    return len(real) * sets


def _forget_made_pages(folder: Path) -> None:
    """A checkout that was built holds pages that the build made; a copy is to begin without."""
    for language in (folder / "docs").iterdir():
        for made in ("mappings", "runs", "api"):
            shutil.rmtree(language / made, ignore_errors=True)


def _copy_mapping(data: Path, name: str, copy: str) -> None:
    source = data / "mappings" / Path(*name.split(".")).with_suffix(".yaml")
    text = source.read_text("utf-8")
    # The folder of the examples; all else speaks of the API it is about. The path is the ID.
    text = text.replace(f"{name}/", f"{copy}/")
    source.with_name(f"{copy.rpartition('.')[2]}.yaml").write_text(text, "utf-8")


def _copy_examples(folder: Path, name: str, copy: str) -> None:
    if (folder / name).is_dir():
        shutil.copytree(folder / name, folder / copy)


def _extend_signatures(path: Path, names: list[tuple[str, str]]) -> None:
    file = msgspec.json.decode(path.read_bytes(), type=SignatureFile)
    more = {copy: file.apis[name] for name, copy in names if name in file.apis}
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(file, apis=file.apis | more)))


def _extend_run(path: Path, names: list[tuple[str, str]], real: dict[str, Mapping]) -> None:
    record = msgspec.json.decode(path.read_bytes(), type=RunRecord)
    probes, signatures = list(record.probes), list(record.signatures)
    for name, copy in names:
        probes += _copied_probes(record, real[name].source, copy)
        signatures += _copied_signatures(record, name, copy)
    content = msgspec.json.encode(msgspec.structs.replace(record, probes=probes, signatures=signatures))
    path.unlink()
    path.with_name(f"{path.stem.rpartition('-')[0]}-{digest_of(content)}.json").write_bytes(content)


def _copied_probes(record: RunRecord, api: Api, copy: str) -> Iterator[object]:
    renamed = msgspec.structs.replace(api, name=copy)
    for run in record.probes:
        probe = run.probe.replace(f"example:{api.name}/", f"example:{copy}/")
        if run.api != api.name:
            if probe != run.probe:  # an example of the source that runs a target
                yield msgspec.structs.replace(run, probe=probe)
            continue
        same = run.probe in collective_of(api).probes and run.spec == digest(api, run.probe)
        yield msgspec.structs.replace(run, api=copy, probe=probe, spec=digest(renamed, run.probe) if same else run.spec)


def _copied_signatures(record: RunRecord, name: str, copy: str) -> Iterator[SignatureDump]:
    for found in record.signatures:
        if found.api == name:
            yield msgspec.structs.replace(found, api=copy)
