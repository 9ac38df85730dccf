"""The checked-in schemas are those the model gives, and they tell a good record from a bad one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from apidiff.database import schema as schemas
from apidiff.database.paths import DATA
from apidiff.database.schema import SCHEMAS, schema_path, schema_text
from apidiff.folder_walk import visible_files

MAPPINGS = visible_files(DATA / "mappings", "**/*.yaml")


@pytest.mark.parametrize("name", SCHEMAS)
def test_checked_in_schema_is_current(name: str) -> None:
    found = schema_path(DATA, name).read_text(encoding="utf-8")
    assert found == schema_text(name), "run: make schema"


@pytest.mark.parametrize("name", SCHEMAS)
def test_no_pattern_lets_a_last_line_break_pass(name: str) -> None:
    """`$` alone does."""
    patterns = {node["pattern"] for node in _nodes(json.loads(schema_text(name))) if "pattern" in node}
    assert [pattern for pattern in patterns if not pattern.endswith(r"$(?!\n)")] == []


def _nodes(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _nodes(item)


def test_all_schemas_are_written_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "schema").mkdir()
    monkeypatch.setattr(schemas, "DATA", tmp_path)
    monkeypatch.setattr(schemas, "schema_text", lambda name: {"mapping": "{}"}[name])
    with pytest.raises(KeyError):
        schemas.main()
    assert list((tmp_path / "schema").iterdir()) == []
    monkeypatch.setattr(schemas, "schema_text", schema_text)
    assert schemas.main() == 0
    assert {path.stem for path in (tmp_path / "schema").iterdir()} == SCHEMAS.keys()


def test_editors_find_the_schema_of_each_data_file() -> None:
    """`.vscode/settings.json` names for each YAML file one schema that is there."""
    root = Path(__file__).parents[2]
    named = json.loads((root / ".vscode" / "settings.json").read_text(encoding="utf-8"))["yaml.schemas"]
    assert [schema for schema in named if not (root / schema).is_file()] == []
    told = sorted(path for pattern in named.values() for path in root.glob(pattern))
    data = root / "apidiff" / "data"
    assert told == sorted(path for path in visible_files(data, "**/*.yaml") if path.parent != data / "messages")


def test_every_mapping_fits() -> None:
    schema = jsonschema.Draft202012Validator(json.loads(schema_text("mapping")))
    records = {path.stem: yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader) for path in MAPPINGS}
    assert len(records) > 100
    wrong = {name: [error.message for error in schema.iter_errors(record)] for name, record in records.items()}
    assert {name: errors for name, errors in wrong.items() if errors} == {}


@pytest.mark.parametrize("change", [{"surprise": 1}, {"summary": {"en": "only one language"}}, {"targets": "none"}])
def test_a_bad_mapping_is_refused(change: dict) -> None:
    record = yaml.safe_load(MAPPINGS[0].read_text(encoding="utf-8")) | change
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(record, json.loads(schema_text("mapping")))


@pytest.mark.parametrize(
    "change",
    [
        {"sweeps": {"dtype": {"of": ["sync"], "over": ["int64"]}}},
        {"source": {"root": "src"}},
        {"targets": {"mindspore.mint.add": {"probes": {"sync": {}}}}},
    ],
)
def test_a_record_of_a_single_process_has_nothing_of_ranks(change: dict) -> None:
    schema = jsonschema.Draft202012Validator(json.loads(schema_text("mapping")))
    record = {"execution": "single", "summary": {"en": "Adds.", "zh": "相加。"}, "targets": {"mindspore.mint.add": {}}}
    assert list(schema.iter_errors(record)) == []
    assert list(schema.iter_errors(record | change)) != []
    assert list(schema.iter_errors(record | change | {"execution": "collective"})) == []
