"""A record as somebody sends it, what it is judged by, and data that it can be taken into."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
from minisign_keys import Key
from sent_records import BACKENDS

from apidiff.database import Data, load
from apidiff.database.examples import load_examples, shown_by_path
from apidiff.database.paths import DATA, examples_folder
from apidiff.execute.submissions.intake import accepted
from apidiff.execute.submissions.record_validation import Accepted
from apidiff.model.claim_probes import Examples
from apidiff.model.trace import RunRecord


@pytest.fixture(scope="module")
def examples() -> Examples:
    return shown_by_path(load_examples(examples_folder()))


@pytest.fixture(scope="module")
def whole(database: Data) -> Data:
    return database


@pytest.fixture(scope="module")
def fits(whole: Data, examples: Examples) -> Accepted:
    return accepted(whole, BACKENDS, examples)


@pytest.fixture(scope="module")
def record(whole: Data) -> RunRecord:
    """A small good record: a few probes of a recorded run, measured by somebody else."""
    real = next(one for key, one in whole.runs if key.startswith("torch-2.13.0/gloo-cpu-2-"))
    return msgspec.structs.replace(real, probes=real.probes[:5], measured_by="a cluster elsewhere")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Data:
    """The collectives of the data and one record of ours, where records can be taken in."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "data"
    shutil.copytree(
        DATA, root, ignore=shutil.ignore_patterns("runs", "schema", "samples", "mappings", "writing_rules.yaml")
    )
    for folder in ("distributed", "utils"):
        shutil.copytree(DATA / "mappings" / "torch" / folder, root / "mappings" / "torch" / folder)
    ours = next((DATA / "runs" / "torch-2.13.0").glob("gloo-cpu-2-*.json"))
    (root / "runs" / "torch-2.13.0").mkdir(parents=True)
    shutil.copy(ours, root / "runs" / "torch-2.13.0")
    return load(root)


@pytest.fixture
def alice(tmp_path: Path) -> Key:
    return Key(tmp_path, "Alice")
