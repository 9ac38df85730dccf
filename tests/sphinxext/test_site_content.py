"""What is kept is what would be made, whatever was edited in between."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace as with_field
from pathlib import Path

import pytest
from msgspec.structs import replace

from apidiff.database import Data
from apidiff.database.examples import load_examples
from apidiff.database.paths import examples_folder
from apidiff.errors import DataError
from apidiff.lookup import made_entries
from apidiff.lookup.entry import Builder, entries
from apidiff.model.base import Text
from apidiff.sphinxext import site_content

REDUCE = "torch.distributed.reduce"
BARRIER = "torch.distributed.barrier"


@pytest.fixture(scope="module")
def data(database: Data) -> Data:
    """Two mappings with all else that the project has."""
    return with_field(database, mappings={key: database.mappings[key] for key in (REDUCE, BARRIER)})


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The IDs of entries that were made and not read."""
    found: list[str] = []
    plain = Builder.entry

    def entry(self: Builder, mapping: site_content.Mapping) -> site_content.Entry:
        found.append(mapping.id)
        return plain(self, mapping)

    monkeypatch.setattr(Builder, "entry", entry)
    return found


def test_kept_entries_are_those_that_were_made(data: Data, tmp_path: Path, made: list[str]) -> None:
    first = site_content.kept(data, tmp_path)[0]
    assert made == [REDUCE, BARRIER]
    made.clear()
    assert site_content.kept(data, tmp_path)[0] == first
    assert made == []
    assert entries(data) == first


def _edit_mapping(data: Data) -> Data:
    edited = replace(data.mappings[REDUCE], summary=Text(en="Another summary.", zh="另一句概述。"))
    return with_field(data, mappings=data.mappings | {REDUCE: edited})


def _edit_run(data: Data) -> Data:
    """The probes of one run record called something else."""
    (run_id, record), *rest = [one for one in data.runs if one[1].framework == "torch"]
    probes = [replace(probe, spec="0" * 12) if probe.api == BARRIER else probe for probe in record.probes]
    others = [one for one in data.runs if one[1].framework != "torch"]
    return with_field(data, runs=[*others, (run_id, replace(record, probes=probes)), *rest])


def _drop_run(data: Data) -> Data:
    return with_field(data, runs=data.runs[1:])


def _edit_signature(data: Data) -> Data:
    key = max(key for key in data.signatures if key[0] == "torch")
    file = data.signatures[key]
    other = replace(file.apis[REDUCE], parameters=file.apis[REDUCE].parameters[:-1])
    return with_field(data, signatures=data.signatures | {key: replace(file, apis=file.apis | {REDUCE: other})})


def _edit_document(data: Data) -> Data:
    documents = {key: replace(one, title=f"{one.title}, another") for key, one in data.documents.items()}
    return with_field(data, documents=documents)


@pytest.mark.parametrize(
    ("edit", "again"),
    [
        (_edit_mapping, [REDUCE]),
        (_edit_run, [REDUCE, BARRIER]),
        (_drop_run, [REDUCE, BARRIER]),
        (_edit_signature, [REDUCE, BARRIER]),
        (_edit_document, [REDUCE, BARRIER]),
    ],
)
def test_an_edit_makes_entries_anew(
    data: Data, tmp_path: Path, made: list[str], edit: Callable[[Data], Data], again: list[str]
) -> None:
    before = site_content.kept(data, tmp_path)[0]
    made.clear()
    edited = edit(data)
    after = site_content.kept(edited, tmp_path)[0]
    assert made == again
    assert after != before
    assert after == entries(edited)


def test_what_is_wrong_with_other_files_makes_no_entry_anew(data: Data, tmp_path: Path, made: list[str]) -> None:
    before = site_content.kept(data, tmp_path)
    made.clear()
    error = DataError(data.root / "mappings" / "torch" / "abs.yaml", 1, "broken YAML", "Mend it.")
    told = with_field(data, broken=[error], damaged=[error], passed_over={"torch.abs": error})
    assert site_content.kept(told, tmp_path) == before
    assert made == []


def test_other_code_makes_entries_anew(
    data: Data, tmp_path: Path, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code = tmp_path / "code.py"
    code.write_text("one = 1\n")
    monkeypatch.setattr(made_entries, "code_files", lambda: [code])
    for text, again in (("one = 1\n", 2), ("one = 1\n", 0), ("one = 2\n", 2)):
        code.write_text(text)
        made.clear()
        site_content.kept(data, tmp_path / "kept")[0]
        assert len(made) == again


def test_code_that_makes_entries_is_watched() -> None:
    watched = {file.relative_to(made_entries.PACKAGE).as_posix() for file in made_entries.code_files()}
    folders = {path.partition("/")[0] for path in watched}
    assert folders == {"model", "database", "signatures", "execute", "judge", "derive", "messages", "lookup", "data"}
    # What they import makes entries too, but for modules beside the folders: those walk, write and start what they are told.
    code = "\n".join(file.read_text(encoding="utf-8") for file in made_entries.code_files() if file.suffix == ".py")
    assert set(re.findall(r"^ *from apidiff\.(\w+)\.", code, re.MULTILINE)) <= folders


def test_what_python_compiles_is_not_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may be writing it: its temporary file is gone before it could be read."""
    monkeypatch.setattr(made_entries, "PACKAGE", tmp_path)
    for name in (
        "judge/case.py",
        "judge/__pycache__/case.cpython-311.pyc.1398",
        "judge/__pycache__/case.cpython-311.pyc",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert made_entries.code_files() == made_entries.code_files(["judge"]) == [tmp_path / "judge" / "case.py"]


@pytest.mark.parametrize("what", ["backends", "devices", "examples"])
def test_other_backends_devices_and_examples_make_entries_anew(
    data: Data, tmp_path: Path, made: list[str], monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    site_content.kept(data, tmp_path)[0]
    made.clear()
    if what == "examples":
        monkeypatch.setattr(made_entries, "readable_examples", lambda _: load_examples(examples_folder())[:-1])
    else:
        data = with_field(data, **{what: getattr(data, what)[:-1]})
    site_content.kept(data, tmp_path)[0]
    assert made == [REDUCE, BARRIER]


def test_a_broken_or_edited_file_is_replaced_and_that_of_a_gone_mapping_removed(
    data: Data, tmp_path: Path, made: list[str]
) -> None:
    first = site_content.kept(data, tmp_path)[0]
    broken, gone = (tmp_path / "entries" / f"{name}.msgpack" for name in (REDUCE, "torch.distributed.gone"))
    whole = broken.read_bytes()
    said = first[REDUCE].summary.en.encode()
    assert said in whole
    contents = [whole.replace(said, letter * len(said)) for letter in (b"x", b"\xff")]
    for content in (b"", whole[:20], whole[:-5], *contents):
        broken.write_bytes(content)
        gone.touch()
        made.clear()
        assert site_content.kept(data, tmp_path)[0] == first
        assert made == [REDUCE]
        assert broken.read_bytes() == whole
        assert not gone.exists()
