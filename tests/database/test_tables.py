"""Upstream's tables: read with lines in errors, and made into claims on the targets they list."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

import jsonschema
import msgspec
import pytest
import yaml

from apidiff.database import Data, DataError, InvalidData, load, load_valid
from apidiff.database.checks.coverage import pairs_have_records, tables_are_whole
from apidiff.database.documented import claim_id, load_table, table_paths
from apidiff.database.paths import DATA
from apidiff.database.schema import schema_text
from apidiff.folder_walk import visible_files
from apidiff.model.claim import ListedAs
from tests.database.catalogues import copy_catalogues

REDUCE = "mappings/torch/distributed/reduce.yaml"
MINT = "mindspore.mint.distributed.reduce"
TABLES = visible_files(DATA / "official", "*.yaml")
GOOD = """\
document: mindspore-2025-07-api-mapping
excused: [out]
rows:
  - section: torch.distributed
    row: 1
    source: torch.distributed.reduce
    source_version: "2.1"
    target: mindspore.mint.distributed.reduce
    listed: consistent
  - section: torch.distributed
    row: 2
    source_version: "2.1"
    target: mindspore.communication.comm_func.reduce
    listed: text
    remark: {en: Only there., zh: 仅此一家。}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A copy of the data with one mapping, one table and no runs."""
    for name in ("documents.yaml", "frameworks.yaml"):
        shutil.copy(DATA / name, tmp_path / name)
    (tmp_path / REDUCE).parent.mkdir(parents=True)
    shutil.copy(DATA / REDUCE, tmp_path / REDUCE)
    copy_catalogues(tmp_path)
    (tmp_path / "official").mkdir()
    (tmp_path / "official" / "2025-07.yaml").write_text(GOOD, encoding="utf-8")
    return tmp_path


# old text, new text, what the error says, the line it names
BROKEN = [
    ("listed: consistent", "listed: same", "Invalid enum value 'same'", 9),
    ("row: 1", "row: 0", "Expected `int` >= 1", 5),
    (
        'source_version: "2.1"\n    target: mindspore.mint',
        "target: mindspore.mint",
        "lacks the key 'source_version'",
        4,
    ),
    ('source_version: "2.1"', "source_version: abc", "Expected `str` matching regex", 7),
    ("excused", "forgiven", "unknown key 'forgiven'", 2),
    ("    listed: consistent\n", "    listed: text\n", "has a 'remark' exactly where it is listed as 'text'", 4),
    ("    source: torch.distributed.reduce\n", "", "is listed as 'consistent' and names no source", 4),
    ("row: 2", "row: 1", "torch.distributed/1 stands on line 4 already", 11),
    (
        '    source_version: "2.1"\n    target: mindspore.communication.comm_func.reduce',
        '    source: torch.distributed.reduce\n    source_version: "2.1"\n    target: mindspore.mint.distributed.reduce',
        "mindspore.mint.distributed.reduce stands on line 4 already",
        11,
    ),
    ("remark: {en: Only there., zh", "remark: {zh", "lacks the key 'en'", 15),
]


@pytest.mark.parametrize(("old", "new", "message", "line"), BROKEN)
def test_broken_table(root: Path, old: str, new: str, message: str, line: int) -> None:
    path = root / "official" / "2025-07.yaml"
    assert old in GOOD
    path.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InvalidData) as caught:
        load_valid(root)
    (error,) = caught.value.errors
    assert message in str(error)
    assert (error.path, error.line) == (path, line)


def test_rows_become_claims(root: Path) -> None:
    data = load(root)
    claims = {
        target.api.name: target.api.claims[-1]
        for target in data.mappings["torch.distributed.reduce"].targets
        if target.api.claims[-1].corresponds
    }
    assert set(claims) == {MINT, "mindspore.communication.comm_func.reduce"}
    body = claims[MINT].corresponds
    assert body
    assert (body.source, body.source_version, body.listed) == ("torch.distributed.reduce", "2.1", ListedAs.CONSISTENT)
    assert body.excused == ["out"]
    assert claims[MINT].id == "listed-2025-07"
    stated = [one for claim in claims.values() for one in claim.stated]
    assert {(one.document, one.part) for one in stated} == {
        ("mindspore-2025-07-api-mapping", "torch.distributed/1"),
        ("mindspore-2025-07-api-mapping", "torch.distributed/2"),
    }
    assert {one.text.en for one in stated if one.text} == {"Only there."}


def test_without_tables_there_are_no_claims(root: Path) -> None:
    shutil.rmtree(root / "official")
    data = load(root)
    assert data.tables == []
    assert not any(
        claim.corresponds for target in data.mappings["torch.distributed.reduce"].targets for claim in target.api.claims
    )


def test_a_shared_target_has_the_claim_where_its_row_says(root: Path) -> None:
    """The claim is about a pair, so only the mapping of the row's source shows it."""
    other = root / "mappings/torch/distributed/other.yaml"
    mapping = {
        "category": "collective",
        "summary": {"en": "Another.", "zh": "另一个。"},
        "targets": {MINT: {"defined_in": "torch.distributed.reduce", "ranges": [{"status": "current"}]}},
    }
    other.write_text(yaml.safe_dump(mapping, allow_unicode=True), encoding="utf-8")
    shared = load(root).mappings["torch.distributed.other"].targets[0].api
    assert shared.claims
    assert not any(claim.corresponds for claim in shared.claims)


@pytest.mark.parametrize(("table", "expected"), [("2025-07", "listed-2025-07"), ("r2.4.10", "listed-r2-4-10")])
def test_claim_id(table: str, expected: str) -> None:
    assert claim_id(table) == expected


MISSING = [
    ("torch.distributed.reduce\n", "torch.distributed.none\n", "no mapping has the pair torch.distributed.none →", 8),
    ("mint.distributed.reduce", "mint.distributed.none", "no mapping has the pair torch.distributed.reduce →", 8),
    ("comm_func.reduce", "comm_func.none", "no mapping has the target mindspore.communication.comm_func.none", 13),
]


@pytest.mark.parametrize(("old", "new", "message", "line"), MISSING)
def test_a_pair_without_a_record(root: Path, old: str, new: str, message: str, line: int) -> None:
    assert list(pairs_have_records(load(root))) == []
    path = root / "official" / "2025-07.yaml"
    path.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    (error,) = pairs_have_records(load(root))
    assert message in str(error)
    assert (error.path, error.line) == (path, line)


# old text, new text, what is said, the line it names
CHANGED = [
    ("", "", None, None),
    ("target: mindspore.mint.distributed.reduce\n", "target: mindspore.mint.distributed.none\n", "lacks the row", None),
    ("target: mindspore.mint.distributed.reduce\n", "target: mindspore.mint.distributed.none\n", "no such row", 168),
    ("listed: diff", "listed: consistent", "DistributedSampler is listed as 'consistent', in upstream's whole", 208),
    (
        'source_version: "2.1"',
        'source_version: "2.4"',
        "mindspore.mint.distributed.P2POp is of PyTorch 2.4, in upstream's whole table of 2.1",
        9,
    ),
    (
        "document: mindspore-2025-07-api-mapping",
        "document: mindspore-r2.4.0-diff-reduce",
        "is said to be of the document 'mindspore-r2.4.0-diff-reduce', and holds rows of 'mindspore-2025-07-api-mapping'",
        3,
    ),
]


@pytest.mark.parametrize(("old", "new", "said", "line"), CHANGED)
def test_a_table_says_what_upstreams_whole_table_says(
    database: Data, tmp_path: Path, old: str, new: str, said: str | None, line: int | None
) -> None:
    text = (DATA / "official" / "2025-07.yaml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "2025-07.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")
    table = load_table(tmp_path / "2025-07.yaml")
    tables = [table, *(file for file in database.tables if file.name != table.name)]
    found = [(error.line, error.found) for error in tables_are_whole(dataclasses.replace(database, tables=tables))]
    assert [where for where, what in found if said is None or said in what] == ([] if said is None else [line])


def test_rows_that_are_lost_are_told(database: Data) -> None:
    """A merge may lose the last ones without breaking the file."""
    assert list(tables_are_whole(database)) == []
    short = [
        dataclasses.replace(file, table=msgspec.structs.replace(file.table, rows=file.table.rows[:10]))
        for file in database.tables
    ]
    lost = [error.found for error in tables_are_whole(dataclasses.replace(database, tables=short))]
    assert len(lost) == 31 + 1 - 10 + 17 + 1 - 10
    assert lost[0].startswith("lacks the row torch.distributed.broadcast_object_list → mindspore.mint.distributed.")


# the names of the files that are there, of the first table; what is said of which file
PLACES: list[tuple[list[str], list[tuple[str, str]]]] = [
    (["2025-07"], []),
    ([], [("2025-07.yaml", "is not there, with the rows on distributed training of upstream/mapping_2025-07.csv")]),
    (["2025-07", "2025-08"], [("2025-08.yaml", "is none of upstream's tables, 2025-07.yaml and r2.4.10.yaml")]),
    (["2025-08"], [("2025-07.yaml", "is not there, with"), ("2025-08.yaml", "is none of upstream's tables, ")]),
]


@pytest.mark.parametrize(("names", "said"), PLACES)
def test_of_each_of_upstreams_tables_there_is_one(
    database: Data, names: list[str], said: list[tuple[str, str]]
) -> None:
    """Without it its claims are gone, and what refutes them."""
    [first] = [file for file in database.tables if file.name == "2025-07"]
    others = [file for file in database.tables if file is not first]
    files = [dataclasses.replace(first, path=first.path.with_stem(name)) for name in names]
    found = list(tables_are_whole(dataclasses.replace(database, tables=[*files, *others])))
    assert [error.path for error in found] == [first.path.with_name(name) for name, _ in said]
    assert all(text in error.found for error, (_, text) in zip(found, said, strict=True))


def test_an_unknown_document(root: Path) -> None:
    assert load(root).broken == []
    path = root / "official" / "2025-07.yaml"
    path.write_text(GOOD.replace("mindspore-2025-07", "nowhere", 1), encoding="utf-8")
    data = load(root)
    (error,) = data.broken
    assert data.tables == []
    assert "unknown document 'nowhere-api-mapping'" in str(error)
    assert error.line == 1


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_every_table_fits_the_schema(path: Path) -> None:
    jsonschema.validate(yaml.safe_load(path.read_text(encoding="utf-8")), json.loads(schema_text("official")))


def test_the_tables_as_they_are() -> None:
    """Upstream's rows on distributed training: 17 in release 2.4.10 and 31 in July 2025, and the sampler in each."""
    found = {file.name: file.table.rows for file in map(load_table, table_paths(DATA / "official"))}
    assert {name: len(rows) for name, rows in found.items()} == {"2025-07": 31 + 1, "r2.4.10": 17 + 1}
    for rows in found.values():
        assert rows[-1].source == "torch.utils.data.distributed.DistributedSampler"
        assert [row.row for row in rows[:-1]] == list(range(1, len(rows)))


@pytest.mark.parametrize("name", ["2026\n\n# Verified", "<img src=x>", "a b", "-a", "a" * 41, ".yaml"])
def test_a_table_is_called_as_a_release_is(root: Path, name: str) -> None:
    """The name is a heading of the report, which is Markdown."""
    path = root / "official" / f"{name}.yaml"
    path.write_text(GOOD, encoding="utf-8")
    with pytest.raises(DataError, match="a table is called as the release that it is of"):
        load_table(path)


def test_a_folder_that_is_not_there_holds_no_tables(tmp_path: Path) -> None:
    assert table_paths(tmp_path / "official") == []
    (tmp_path / "x.yaml").mkdir()
    with pytest.raises(DataError, match="cannot be read"):
        [load_table(path) for path in table_paths(tmp_path)]
