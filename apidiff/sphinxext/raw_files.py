"""Copies what pages lead to beside them: run records with their signatures, records of mappings, and examples."""

from __future__ import annotations

from pathlib import Path

from apidiff.atomic_write import refuse_irregular
from apidiff.database.runs import signature_path
from apidiff.sphinxext.build_cache import BuildCache, Outline
from apidiff.sphinxext.contribute import EXAMPLES, record_file
from apidiff.sphinxext.run_addresses import former_records
from apidiff.writers.exports.files import write_if_changed

RUNS = "_runs"


def raw_files(outline: Outline, cache: BuildCache, out: Path) -> dict[Path, Path | bytes]:
    """Name every file: where it stands below ``out``, and what it is a copy of, or what it holds."""
    copies = {cache.file(f"runs/{run_id}"): out / RUNS / f"{run_id}.json" for run_id in outline.runs}
    copies |= {
        signature_path(kept): signature_path(copy) for kept, copy in copies.items() if signature_path(kept).is_file()
    }
    copies |= {cache.file(f"single_runs/{run_id}"): out / RUNS / f"{run_id}.json" for run_id in outline.single_runs}
    files: dict[Path, Path | bytes] = {copy: kept for kept, copy in copies.items()}
    files |= former_records(outline.runs, out / RUNS)
    files |= {out / record_file(mapping_id): Path(file) for mapping_id, file in outline.records.items()}
    examples = cache.read("examples", dict[str, str])
    return files | {out / EXAMPLES / path: text.encode() for path, text in examples.items()}


def copy_raw_files(files: dict[Path, Path | bytes]) -> None:
    """Write those that are not there, or that hold something else."""
    for path, source in files.items():
        write_if_changed(path, source if isinstance(source, bytes) else _content(source))


def _content(file: Path) -> bytes:
    refuse_irregular(file)  # a pipe would be waited for
    return file.read_bytes()
