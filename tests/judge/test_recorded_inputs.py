"""Which traces were made with other inputs than probes have today."""

from __future__ import annotations

import msgspec
import pytest

from apidiff.database import Data
from apidiff.judge.made_traces import untouched_run
from apidiff.judge.recorded_inputs import given_otherwise
from apidiff.model.trace import RunRecord, TensorDump
from tests.factories import collective_api, run_record

API = collective_api(
    {
        "name": "torch.distributed.all_reduce",
        "probes": {
            "sync": {"set": {"tensor": {"shape": [2]}}},
            "slice": {"like": "sync", "set": {"tensor": {"shape": [2], "layout": "slice"}}},
            "dtype-bool": {"like": "sync", "set": {"tensor": {"shape": [2], "dtype": "bool"}}},
            "dtype-complex64": {"like": "sync", "set": {"tensor": {"shape": [2], "dtype": "complex64"}}},
        },
    }
)


def record(probe: str, **changes: object) -> RunRecord:
    """A run of ``probe``; ``changes``: what of rank 1's tensor was otherwise."""
    run = untouched_run(API, probe, 3)
    tensor = run.ranks[1].before["tensor"]
    assert isinstance(tensor, TensorDump)
    run.ranks[1] = msgspec.structs.replace(
        run.ranks[1], before={"tensor": msgspec.structs.replace(tensor, **changes), "gone": tensor}
    )
    return run_record(world_size=3, probes=[run])


# (probe, what of the recorded tensor is otherwise, whether it is found)
ROWS = [
    ("sync", {}, False),
    ("sync", {"values": [10, 20]}, False),  # as a record writes float32
    ("sync", {"type": "Parameter", "storage": 7}, False),
    ("sync", {"values": [2.0, 4.0]}, True),
    ("slice", {}, False),
    ("slice", {"buffer": None}, True),
    ("dtype-bool", {"values": [True, False]}, True),
    ("dtype-complex64", {"values": ["(10+0j)", "(20+0j)"]}, False),
    ("dtype-complex64", {"values": ["(10+0j)", "(20+1j)"]}, True),
]


@pytest.mark.parametrize(("probe", "changes", "found"), ROWS)
def test_other_inputs_are_found(probe: str, changes: dict[str, object], found: bool) -> None:
    made = record(probe, **changes)
    assert list(given_otherwise(made, [API])) == made.probes * found


def test_probes_that_are_no_more_are_left_out() -> None:
    other = collective_api({"name": API.name, "probes": {"another": {}}})
    assert list(given_otherwise(record("sync", values=[2.0, 4.0]), [other])) == []


def test_records_hold_the_inputs_of_today(database: Data) -> None:
    mappings = database.mappings.values()
    apis = [
        api
        for mapping in mappings
        for api in (mapping.source, *(target.api for target in mapping.targets))
        if not api.defined_in
    ]
    found = {key: sum(1 for _ in given_otherwise(record, apis)) for key, record in database.runs}
    assert {key: count for key, count in found.items() if count} == {}, "Make those runs again."
