"""A pipe in the place of a data file is not waited for, whoever reads it; nor is an editor's lock beside it read."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from apidiff.cli import main
from apidiff.database.checks.languages import messages_keep_to_terms
from apidiff.database.data import mapping_path
from apidiff.database.documented import table_paths
from apidiff.database.examples import load_examples
from apidiff.database.expansion import Expander
from apidiff.database.extracted_samples import load_extracted
from apidiff.database.own_records import load_own_records
from apidiff.database.runs import digest_of, record_paths, run_paths
from apidiff.database.signatures import load_signatures
from apidiff.database.signing import signature_errors
from apidiff.database.single_runs import single_paths
from apidiff.database.undecided import read_undecided
from apidiff.database.upstream_tables import csv_rows
from apidiff.errors import DataError
from apidiff.execute.one_release import code_digest
from apidiff.execute.submissions.known_probes import load_specs
from apidiff.messages.labels import read_messages

# (the file below the data folder, what reads it)
READERS: list[tuple[str, Callable[[Path], object]]] = [
    ("own_records.txt", load_own_records),
    ("undecided.txt", read_undecided),
    ("known_specs.txt", load_specs),
    ("torch.f/torch_example.py", load_examples),
    ("table.csv", lambda folder: list(csv_rows(folder / "table.csv", [], "Mend it."))),
]


@pytest.mark.parametrize(("name", "read"), READERS, ids=[name for name, _ in READERS])
def test_a_pipe_is_refused(name: str, read: Callable[[Path], object], tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    os.mkfifo(path)
    other = os.open(path, os.O_RDWR)
    released = threading.Timer(2.0, os.close, [other])  # so that waiting for it fails, and ends
    released.start()
    with pytest.raises(DataError, match="no regular file") as refused:
        read(tmp_path)
    released.join()
    assert refused.value.path == path


# (the file below the data folder that an editor locks, what reads all that are there, what it finds without it)
LOCKED: list[tuple[str, Callable[[Path], object], object]] = [
    ("torch-2.9.0.json", load_signatures, {}),
    ("cat.yaml", read_messages, {}),
    ("cat.yaml", lambda folder: list(messages_keep_to_terms(folder, [])), []),
    ("cat.yaml", table_paths, []),
    ("profiles/cat.yaml", lambda folder: Expander.of(folder, {}, {}).profiles.used, set()),
    ("torch.cat.jsonl.gz", load_extracted, ({}, [])),
    ("torch.f/torch_example.py", load_examples, []),
    ("torch-2.9.0/single-cpu-1.json", record_paths, []),
    ("runs/torch-2.9.0/1.json.minisig", lambda folder: list(signature_errors(folder)), []),
    ("execute/run.py", code_digest, digest_of(b"")),
]


@pytest.mark.parametrize(("name", "read", "found"), LOCKED)
def test_the_lock_of_an_editor_is_passed_over(
    name: str, read: Callable[[Path], object], found: object, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_name(f".#{path.name}").symlink_to("me@host.1:2")
    assert read(tmp_path) == found


# what reads the files in a folder
LISTERS: list[Callable[[Path], object]] = [
    load_signatures,
    read_messages,
    table_paths,
    load_examples,
    record_paths,
    run_paths,
    single_paths,
    lambda folder: Expander.of(folder.parent, {}, {}),
    lambda folder: list(messages_keep_to_terms(folder, [])),
]


@pytest.mark.parametrize("read", LISTERS)
def test_a_folder_that_cannot_be_listed_is_told(read: Callable[[Path], object], tmp_path: Path) -> None:
    """It was taken for an empty one: what `Path.glob` finds there is nothing."""
    folder = tmp_path / "profiles"
    folder.touch()
    with pytest.raises(DataError, match=r"profiles: cannot be listed \(Not a directory\)"):
        read(folder)


def test_a_folder_of_samples_that_cannot_be_listed_is_told(tmp_path: Path) -> None:
    (tmp_path / "samples").touch()
    extracted, [error] = load_extracted(tmp_path / "samples")
    assert (extracted, error.path) == ({}, tmp_path / "samples")


@pytest.mark.parametrize("code", [b"\xff", b"x = (", b"x = " + b"-" * 100_000 + b"1", b"x" + b".a" * 50_000])
def test_an_example_that_is_no_python_is_named(code: bytes, tmp_path: Path) -> None:
    path = tmp_path / "torch.f" / "torch_example.py"
    path.parent.mkdir()
    path.write_bytes(code)
    with pytest.raises(DataError) as refused:
        load_examples(tmp_path)
    assert refused.value.path == path


def test_a_record_that_is_no_text_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("apidiff.cli.show.DATA", tmp_path)
    path = mapping_path(tmp_path, "torch.f")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"summary: \xff\n")
    assert main(["show", "torch.f"]) == 2
    assert capsys.readouterr().err == f"apidiff: {path}: is not UTF-8 text. Save it as UTF-8.\n"
