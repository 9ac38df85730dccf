"""The list of all that this project ever ran: whole, in order, and growing."""

from __future__ import annotations

from pathlib import Path

import pytest

from apidiff.database import Data, DataError
from apidiff.database.examples import load_examples, shown_by_path
from apidiff.database.paths import DATA, examples_folder
from apidiff.execute.submissions.known_probes import add_specs, known_specs, load_specs, specs_path, specs_text

ONE = ("torch.one", "plain", "0a1b2c3d4e5f")


def test_all_that_is_run_today_or_recorded_is_listed(database: Data) -> None:
    examples = shown_by_path(load_examples(examples_folder()))
    missing = known_specs(database, examples) - load_specs(DATA)
    assert not missing, "run: make specs"


def test_the_list_is_in_order_and_holds_former_versions() -> None:
    specs = load_specs(DATA)
    assert specs_path(DATA).read_text(encoding="utf-8") == specs_text(specs), "run: make specs"
    assert len(specs) - len({(api, probe) for api, probe, _ in specs}) >= 35


def test_what_is_added_stays(tmp_path: Path) -> None:
    assert load_specs(tmp_path) == frozenset()
    former = (*ONE[:2], "111111111111")
    assert (add_specs(tmp_path, [ONE]), add_specs(tmp_path, [former, ONE]), add_specs(tmp_path, [ONE])) == (1, 1, 0)
    assert specs_path(tmp_path).read_text(encoding="utf-8") == "torch.one plain 0a1b2c3d4e5f 111111111111\n"
    assert load_specs(tmp_path) == {ONE, former}


# (what a list holds, what the error says)
BROKEN = [
    (b"torch.one plain 0a1b2c3d4e5f\ntorch.one\n", ":2: is no API, probe and digests"),
    (b"torch.one plain 0A1B\n", ":1: is no API, probe and digests"),
    (b"<<<<<<< HEAD\n", ":1: is no API, probe and digests"),
    (b"\xff\n", "cannot be read"),
]


@pytest.mark.parametrize(("content", "message"), BROKEN)
def test_a_broken_list_is_one_error(tmp_path: Path, content: bytes, message: str) -> None:
    specs_path(tmp_path).write_bytes(content)
    with pytest.raises(DataError) as caught:
        load_specs(tmp_path)
    assert message in str(caught.value)
