"""What a difference says of a parameter is not said again by the parameter's row."""

from __future__ import annotations

import pytest

from apidiff.model.views import DifferenceEntry, Entry


def _differences(all_entries: dict[str, Entry], source: str, target: str) -> dict[str, DifferenceEntry]:
    shown = next(entry for entry in all_entries[source].targets if entry.name == target).differences
    return {difference.id: difference for difference in shown}


# The difference that speaks of a parameter, the one that the row would make, and what the first takes over of the row.
REPEATED = [
    (
        "torch.distributed.gather",
        "mindspore.mint.distributed.gather",
        "list-on-every-rank",
        "parameter-gather-list",
        "",
    ),
    ("torch.distributed.new_group", "mindspore.mint.distributed.new_group", "timeout-ignored", "parameter-timeout", ""),
    (
        "torch.utils.data.distributed.DistributedSampler",
        "mindspore.dataset.DistributedSampler",
        "seed-and-last-batch",
        "parameter-seed",
        "Set the seed with `mindspore.dataset.config.set_seed`.",
    ),
]


@pytest.mark.parametrize(("source", "target", "speaks", "row", "remark"), REPEATED)
def test_a_row_says_nothing_that_is_said(
    all_entries: dict[str, Entry], source: str, target: str, speaks: str, row: str, remark: str
) -> None:
    differences = _differences(all_entries, source, target)
    assert row not in differences
    assert remark in differences[speaks].text.en


# Rows that are worse than what cites their parameter, or about something else, stay.
KEPT = [
    ("torch.distributed.reduce", "mindspore.ops.Reduce", "two-step-call", "parameter-dst"),
    ("torch.distributed.barrier", "mindspore.communication.comm_func.barrier", "timeout-is-new", "parameter-timeout"),
    (
        "torch.distributed.init_process_group",
        "mindspore.mint.distributed.init_process_group",
        "ascend-only",
        "parameter-backend",
    ),
]


@pytest.mark.parametrize(("source", "target", "speaks", "row"), KEPT)
def test_a_row_that_says_more_stays(
    all_entries: dict[str, Entry], source: str, target: str, speaks: str, row: str
) -> None:
    assert {speaks, row} <= set(_differences(all_entries, source, target))


def test_the_worse_reach_is_taken_over(all_entries: dict[str, Entry]) -> None:
    """The probes alone would tell that only unusual code meets the missing parameter; the row knows that it is usual."""
    barrier = _differences(all_entries, "torch.distributed.barrier", "mindspore.mint.distributed.barrier")
    assert (barrier["no-timeout"].reach, barrier["no-timeout"].risk) == ("everyday", "rewrite")
