"""Two records beside each other: verdicts that differ, and those that one of them lacks."""

from __future__ import annotations

import pytest

from apidiff.judge import Context
from apidiff.model.probe_resolution import digest
from apidiff.model.trace import ProbeRun, RankTrace, RunRecord, ScalarDump
from apidiff.verification import difference
from tests.factories import collective_api, run_record

API = collective_api(
    {
        "name": "torch.one",
        "probes": {"plain": {"set": {"dst": 0}}, "other": {"set": {"dst": 1}}},
        "claims": [{"id": "returns-none", "returns": {"structure": "None"}, "probes": ["plain", "other"]}],
    }
)


def record(**values: object) -> RunRecord:
    """A record whose probes returned on both ranks what ``values`` says."""
    runs = [
        ProbeRun(
            api="torch.one",
            probe=probe,
            spec=digest(API, probe),
            end="completed",
            ranks=[RankTrace(rank=rank, returned=ScalarDump(value=value)) for rank in range(2)],  # type: ignore[arg-type]
        )
        for probe, value in values.items()
    ]
    return run_record(probes=runs)


def total(differ: int, first: int, second: int) -> str:
    return f"verdicts that differ: {differ}; only in the first: {first}; only in the second: {second}"


REFUTED = "refuted: rank 0: returned int; rank 1: returned int"
HOLDS = "holds: rank 0: returned None"
# (first, second, what is told)
PAIRS = [
    (record(plain=None), record(plain=None), [total(0, 0, 0)]),
    (record(plain=7), record(plain=8), [total(0, 0, 0)]),
    (
        record(plain=None, other=None),
        record(plain=7, other=7),
        ["torch.one#returns-none (probes plain, other)", f"  first:  {HOLDS}", f"  second: {REFUTED}", total(2, 0, 0)],
    ),
    (
        record(plain=None, other=None),
        record(plain=None),
        ["only in the first: torch.one, 1 verdict", total(0, 1, 0)],
    ),
    (record(), record(plain=7, other=7), ["only in the second: torch.one, 2 verdicts", total(0, 0, 2)]),
    (
        record(plain=None),
        record(other=None),
        ["only in the first: torch.one, 1 verdict", "only in the second: torch.one, 1 verdict", total(0, 1, 1)],
    ),
]


@pytest.mark.parametrize(("first", "second", "told"), PAIRS)
def test_what_differs_and_what_is_lacking(first: RunRecord, second: RunRecord, told: list[str]) -> None:
    found = difference([API], ("first", first), ("second", second), Context())
    assert list(found.lines()) == told
    assert bool(found) == (told != [total(0, 0, 0)])
