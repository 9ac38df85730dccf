"""Which mappings a sample of the claims holds: every one within so many days, and always what no record shows."""

from __future__ import annotations

import datetime
from dataclasses import replace

import msgspec
import pytest

from apidiff.database import Data
from apidiff.database.backends import find_backends, load_backends
from apidiff.database.examples import load_examples
from apidiff.database.paths import examples_folder
from apidiff.judge import Context, make_context
from apidiff.verification.claim_sample import Sample, recorded

DAY = datetime.date(2026, 11, 22)


@pytest.mark.parametrize(("text", "part", "parts"), [("1", 1, 1), ("3/10", 3, 10), ("10/10", 10, 10)])
def test_a_part_that_is_named_is_that_part(text: str, part: int, parts: int) -> None:
    assert Sample.parse(text, DAY) == Sample(part, parts)


@pytest.mark.parametrize("text", ["", "0", "-3", "ten", "0/10", "11/10", "/10", "3/", "3/10/2", "²", "99999"])
def test_what_is_no_part_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        Sample.parse(text, DAY)


@pytest.mark.parametrize("mappings", [1, 9, 10, 11, 42, 103])
def test_every_mapping_has_its_day_and_every_day_has_mappings(mappings: int) -> None:
    keys = {f"torch.distributed.f{number}" for number in range(mappings)}
    days = [Sample.parse("10", DAY + datetime.timedelta(days=number)) for number in range(10)]
    assert {one.part for one in days} == set(range(1, 11))
    parts = [one.of(sorted(keys)) for one in days]
    assert set().union(*parts) == keys
    sizes = [len(part) for part in parts]
    assert min(sizes) >= 1
    assert max(sizes) - min(sizes) <= 1
    assert sum(sizes) == max(mappings, 10)  # fewer mappings than days come more than once
    assert all(one.of(sorted(keys, reverse=True)) == part for one, part in zip(days, parts, strict=True))
    assert Sample(3, 10).of([]) == set()


def unrecorded(data: Data, sizes: list[int] | None, context: Context) -> set[str]:
    asked = recorded(data, find_backends(load_backends(), "gloo"), sizes, context)
    assert "torch.distributed.reduce" in asked
    return {key for key, whole in asked.items() if not whole}


@pytest.fixture(scope="module")
def data(database: Data) -> Data:
    return database


@pytest.fixture(scope="module")
def context(data: Data) -> Context:
    return make_context(load_backends(), load_examples(examples_folder()), data.signatures)


def test_what_no_record_shows_is_in_every_sample(data: Data, context: Context) -> None:
    pytest.importorskip("torch")
    runs = {
        (record.framework_version, record.world_size): (key, record)
        for key, record in data.runs
        if (record.backend, record.device) == ("gloo", "cpu")
    }
    assert len(runs) >= 3
    assert unrecorded(data, None, context) == set(), "record them: apidiff verify --record"
    # One probe as it was asked before a change.
    changed = []
    for key, record in runs.values():
        probes = [
            msgspec.structs.replace(run, spec="0" * 12) if run.api == "torch.distributed.reduce" else run
            for run in record.probes
        ]
        changed.append((key, msgspec.structs.replace(record, probes=probes)))
    assert unrecorded(replace(data, runs=changed), [2], context) == {"torch.distributed.reduce"}
    assert len(unrecorded(replace(data, runs=[]), [2], context)) > 50
    # A record for which nobody vouches spares no run.
    assert len(unrecorded(replace(data, runs=[], unsigned_runs=data.runs), [2], context)) > 50


def test_what_gives_no_verdict_is_in_no_sample(data: Data, context: Context) -> None:
    pytest.importorskip("mindspore")
    # A day whose only mapping could show nothing would compare nothing.
    asked = recorded(data, find_backends(load_backends(), "mccl"), [4], context)
    assert asked["torch.distributed.all_reduce"]
    assert "torch.distributed.reduce_op" not in asked
