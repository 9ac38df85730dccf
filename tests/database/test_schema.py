"""The checked-in schemas are those the model gives, and they tell a good record from a bad one."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from apidiff.database.paths import DATA
from apidiff.database.schema import SCHEMAS, schema_path, schema_text
from apidiff.folder_walk import visible_files

MAPPINGS = visible_files(DATA / "mappings", "**/*.yaml")


@pytest.mark.parametrize("name", SCHEMAS)
def test_checked_in_schema_is_current(name: str) -> None:
    found = schema_path(DATA, name).read_text(encoding="utf-8")
    assert found == schema_text(name), "run: make schema"


def test_editors_find_the_schema_of_each_data_file() -> None:
    """`.vscode/settings.json` names for each YAML file one schema that is there."""
    root = Path(__file__).parents[2]
    schemas = json.loads((root / ".vscode" / "settings.json").read_text(encoding="utf-8"))["yaml.schemas"]
    assert [schema for schema in schemas if not (root / schema).is_file()] == []
    told = sorted(path for pattern in schemas.values() for path in visible_files(root, pattern))
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
