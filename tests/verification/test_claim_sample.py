"""Which mappings a sample of the claims holds: every one within so many days, and always what no record shows."""

from __future__ import annotations

import datetime
from dataclasses import replace

import msgspec
import pytest

from apidiff.database import Data
from apidiff.database.backends import find_backends, load_backends
from apidiff.database.examples import load_examples, shown_by_path
from apidiff.database.paths import examples_folder
from apidiff.model.claim_probes import Examples
from apidiff.verification.claim_sample import Sample, unrecorded

DAY = datetime.date(2026, 11, 22)


@pytest.mark.parametrize(("text", "part", "parts"), [("1", 1, 1), ("3/10", 3, 10), ("10/10", 10, 10)])
def test_a_part_that_is_named_is_that_part(text: str, part: int, parts: int) -> None:
    assert Sample.parse(text, DAY) == Sample(part, parts)


@pytest.mark.parametrize("text", ["", "0", "-3", "ten", "0/10", "11/10", "/10", "3/", "3/10/2", "²", "99999"])
def test_what_is_no_part_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        Sample.parse(text, DAY)


def test_every_mapping_has_its_day(data: Data) -> None:
    days = [Sample.parse("10", DAY + datetime.timedelta(days=number)) for number in range(10)]
    assert {one.part for one in days} == set(range(1, 11))
    for mapping in data.mappings:
        assert [one.holds(mapping) for one in days].count(True) == 1


@pytest.fixture(scope="module")
def data(database: Data) -> Data:
    return database


@pytest.fixture(scope="module")
def examples() -> Examples:
    return shown_by_path(load_examples(examples_folder()))


def test_what_no_record_shows_is_in_every_sample(data: Data, examples: Examples) -> None:
    pytest.importorskip("torch")
    gloo = find_backends(load_backends(), "gloo")
    runs = {
        (record.framework_version, record.world_size): (key, record)
        for key, record in data.runs
        if (record.backend, record.device) == ("gloo", "cpu")
    }
    assert len(runs) >= 3
    assert unrecorded(data, gloo, None, examples) == set(), "record them: apidiff verify --record"
    # One probe as it was asked before a change.
    changed = []
    for key, record in runs.values():
        probes = [
            msgspec.structs.replace(run, spec="0" * 12) if run.api == "torch.distributed.reduce" else run
            for run in record.probes
        ]
        changed.append((key, msgspec.structs.replace(record, probes=probes)))
    assert unrecorded(replace(data, runs=changed), gloo, [2], examples) == {"torch.distributed.reduce"}
    assert len(unrecorded(replace(data, runs=[]), gloo, [2], examples)) > 50
    # A record for which nobody vouches spares no run.
    assert len(unrecorded(replace(data, runs=[], unsigned_runs=data.runs), gloo, [2], examples)) > 50
