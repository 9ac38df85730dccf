"""Exports hold everything there is."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import msgspec
import pytest
import turning

from apidiff.lookup.knowledge import KnowledgeBase
from apidiff.lookup.search import Searcher
from apidiff.model.trust import Trust
from apidiff.model.views import CounterpartEntry, Entry
from apidiff.writers.export import export_json, export_sqlite

EXPORTS = {"json": export_json, "sqlite": export_sqlite}


@pytest.fixture(scope="module")
def entries(all_entries: dict[str, Entry]) -> dict[str, Entry]:
    return all_entries


@pytest.fixture(scope="module")
def counterparts(knowledge: KnowledgeBase) -> dict[str, CounterpartEntry]:
    return dict(knowledge.counterparts)


def test_json(run, tmp_path: Path, entries: dict[str, Entry], counterparts: dict[str, CounterpartEntry]) -> None:
    done = run("export", "json", "new/out")
    assert (done.returncode, done.stderr) == (0, "")
    folder = tmp_path / "new" / "out"
    assert sorted(path.name for path in folder.iterdir()) == [
        "apidiff.json",
        "counterparts.json",
        "index.json",
        "mappings",
        "schema",
    ]
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    schema = json.loads((folder / index["schemas"]["entry"]).read_text(encoding="utf-8"))
    assert [one["id"] for one in index["mappings"]] == list(entries)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    today = turning.day()
    ids = [one["id"] for one in index["mappings"]]
    validated = ids if today is None else turning.due(ids, 20, today)
    for one in index["mappings"]:
        text = (folder / one["file"]).read_bytes()
        if one["id"] in validated:
            validator.validate(json.loads(text))
        assert msgspec.json.decode(text, type=Entry) == entries[one["id"]]
    text = (folder / index["counterparts"]).read_bytes()
    assert msgspec.json.decode(text, type=list[CounterpartEntry]) == list(counterparts.values())


@pytest.mark.parametrize("written", ["json", "sqlite"])
def test_an_export_is_the_same_bytes_in_every_process(written: str, run_process, tmp_path: Path) -> None:
    """The order of sets is another in each process."""
    exports = set()
    for seed in "12":
        assert run_process("export", written, seed, PYTHONHASHSEED=seed).returncode == 0
        files = sorted(path for path in (tmp_path / seed).rglob("*") if path.is_file())
        exports.add(tuple((path.relative_to(tmp_path / seed), path.read_bytes()) for path in files))
    assert len(exports) == 1


COUNTS = {
    "mapping": lambda entry: 1,
    "target": lambda entry: len(entry.targets),
    "target_range": lambda entry: sum(len(one.ranges) for one in entry.targets),
    "parameter": lambda entry: sum(len(one.parameters) for one in entry.targets),
    "member": lambda entry: sum(len(one.members) for one in entry.targets),
    "otherwise": lambda entry: len(entry.otherwise),
    "used": lambda entry: sum(len(one.uses) for one in entry.otherwise),
    "difference": lambda entry: sum(len(one.differences) for one in entry.targets),
    "claim": lambda entry: len(entry.claims),
    "stated": lambda entry: sum(len(one.stated) for one in entry.claims),
    "observation": lambda entry: sum(len(one.observed) for one in entry.claims),
    "document": lambda entry: len(entry.documents),
}


@pytest.fixture(scope="module")
def exported(
    tmp_path_factory: pytest.TempPathFactory, entries: dict[str, Entry], counterparts: dict[str, CounterpartEntry]
) -> Path:
    (path,) = export_sqlite(entries, counterparts, tmp_path_factory.mktemp("sqlite"))
    return path


@pytest.fixture
def database(exported: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(f"file:{exported}?mode=ro", uri=True)
    yield connection
    connection.close()


def test_sqlite_holds_every_counterpart(
    database: sqlite3.Connection, counterparts: dict[str, CounterpartEntry]
) -> None:
    assert counterparts
    assert database.execute("SELECT count(*) FROM counterpart").fetchone() == (len(counterparts),)


@pytest.mark.parametrize("table", COUNTS)
def test_sqlite_holds_every_row(database: sqlite3.Connection, entries: dict[str, Entry], table: str) -> None:
    expected = sum(COUNTS[table](entry) for entry in entries.values())
    assert expected
    assert database.execute(f"SELECT count(*) FROM {table}").fetchone() == (expected,)


def test_sqlite_is_whole_and_can_be_asked(database: sqlite3.Connection) -> None:
    assert database.execute("PRAGMA foreign_key_check").fetchall() == []
    assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    rows = database.execute(
        "SELECT DISTINCT claim FROM observation WHERE outcome = 'refuted' AND backend = 'gloo' AND mapping LIKE '%.reduce'"
    ).fetchall()
    assert ("torch.distributed.reduce#others-keep-tensor",) in rows
    words = database.execute("SELECT mapping FROM words JOIN passage ON id = words.rowid WHERE words MATCH ?", ["规约"])
    assert ("torch.distributed.reduce",) in words.fetchall()


def test_sqlite_names_a_signer_by_the_name_that_is_known(tmp_path: Path, entries: dict[str, Entry]) -> None:
    """Whatever was typed: it may be the name of another."""
    entry = entries["torch.distributed.reduce"]
    claim = next(one for one in entry.claims if one.observed)
    seen = msgspec.structs.replace(claim.observed[0], measured_by="Another", trust=Trust.SIGNED, signer="Lab One")
    entry = msgspec.structs.replace(entry, claims=[msgspec.structs.replace(claim, observed=[seen, claim.observed[0]])])
    (path,) = export_sqlite({entry.id: entry}, {}, tmp_path / "sqlite")
    with contextlib.closing(sqlite3.connect(path)) as database:
        made = database.execute("SELECT measured_by, trust, signer FROM observation ORDER BY signer").fetchall()
    assert made == [(None, "project", None), ("Another", "signed", "Lab One")]


def test_the_exported_words_are_those_that_search_reads(database: sqlite3.Connection) -> None:
    assert Searcher(database.serialize(), {}).search("规约").results
