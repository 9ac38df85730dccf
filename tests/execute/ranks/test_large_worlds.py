"""What ranks of every world that may be asked for write and sum is exact, and real ranks of eight are judged rightly."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from apidiff.database.backends import Backend
from apidiff.execute.contents import filled
from apidiff.execute.world import World
from apidiff.judge import judge_claim
from apidiff.model.claim import Claim
from apidiff.model.dtypes import DTYPES, carrier
from apidiff.model.mapping import Api
from apidiff.model.probe import LARGEST_WORLD_SIZE, MAX_ELEMENTS, Fill
from apidiff.model.trace import ProbeRun, RankTrace
from apidiff.model.verdict import Outcome
from tests.factories import collective_api, run_record

WORLDS = [1, 2, 3, 4, 5, 6, 7, 8, 16, 33, LARGEST_WORLD_SIZE]
CALLS = {
    "all_reduce": {"tensor": {"shape": ["2*world"]}},
    "all_gather_single": {"output_tensor": {"shape": ["2*world"], "fill": "sentinel"}, "input_tensor": {"shape": [2]}},
    "reduce_scatter_single": {"output": {"shape": [2], "fill": "sentinel"}, "input": {"shape": ["2*world"]}},
    "all_to_all_single": {"output": {"shape": ["1*world"], "fill": "sentinel"}, "input": {"shape": ["1*world"]}},
}
RESULTS = {
    "all_reduce": {"at": "tensor", "of": "tensor", "formula": "sum"},
    "all_gather_single": {"at": "output_tensor", "of": "input_tensor", "formula": "concatenated"},
    "reduce_scatter_single": {"at": "output", "of": "input", "formula": "reduced-chunk"},
    "all_to_all_single": {"at": "output", "of": "input", "formula": "exchanged-chunks"},
}


def contents(world_size: int, count: int, dtype: str = "float32") -> np.ndarray:
    """One row per rank."""
    return np.stack([filled([count], dtype, rank, 0, Fill.RANK, world_size=world_size) for rank in range(world_size)])


@pytest.mark.parametrize("world_size", WORLDS)
def test_sums_are_exact_and_no_two_elements_are_alike(world_size: int) -> None:
    single, exact = contents(world_size, 3 * world_size), contents(world_size, 3 * world_size, "int64")
    assert np.array_equal(single.astype("int64"), exact)
    total = np.add.reduce(exact, axis=0)
    assert total.max() < 2**24
    for order in (1, -1):
        running = np.zeros(3 * world_size, dtype="float32")
        for row in single[::order]:
            running = running + row
        assert np.array_equal(running.astype("int64"), total)
    if world_size > 6:
        assert len(np.unique(exact)) == exact.size


def test_the_largest_argument_leaves_no_two_ranks_alike() -> None:
    exact = contents(LARGEST_WORLD_SIZE, MAX_ELEMENTS, "int64")
    assert len(np.unique(exact)) == exact.size


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_tensor_is_filled_whatever_its_dtype(dtype: str) -> None:
    assert filled([2], dtype, 0, 0, Fill.SMALL, world_size=2).dtype == carrier(dtype)


def test_worlds_of_recorded_runs_keep_their_numbers() -> None:
    assert contents(4, 2).tolist() == [[1, 2], [10, 20], [100, 200], [1000, 2000]]


@pytest.fixture(scope="module")
def eight(gloo: Backend, tmp_path_factory: pytest.TempPathFactory) -> dict[str, ProbeRun]:
    """What eight ranks of gloo gave for each call."""
    patient = msgspec.structs.replace(gloo, deadlines=msgspec.structs.replace(gloo.deadlines, probe=300))
    runs = {}
    with World(patient, 8, tmp_path_factory.mktemp("logs")) as world:
        for name in CALLS:
            reply = world.ask({"do": "probe", "api": api_of(name), "probe": "sync"})
            ranks = [msgspec.json.decode(line, type=RankTrace) for _, line in sorted(reply.answers.items())]
            runs[name] = ProbeRun(
                api=f"torch.distributed.{name}", probe="sync", spec="0" * 12, end=reply.end, ranks=ranks
            )
    return runs


def api_of(name: str) -> Api:
    return collective_api({"name": f"torch.distributed.{name}", "probes": {"sync": {"set": CALLS[name]}}})


def outcome(name: str, run: ProbeRun) -> Outcome:
    claim = msgspec.convert({"id": "it", "probes": ["sync"], "result": RESULTS[name]}, Claim)
    return judge_claim(claim, api_of(name), "sync", run, [], run_record(world_size=8, probes=[run]))[0]


@pytest.mark.parametrize("name", CALLS)
def test_eight_ranks_are_judged_rightly(eight: dict[str, ProbeRun], name: str) -> None:
    assert outcome(name, eight[name]) is Outcome.HOLDS


@pytest.mark.parametrize("name", CALLS)
def test_a_number_that_is_off_by_one_is_noticed(eight: dict[str, ProbeRun], name: str) -> None:
    slot = RESULTS[name]["at"]
    last = eight[name].ranks[-1]
    dump = last.after[slot]
    wrong = msgspec.structs.replace(dump, values=[*dump.values[:-1], dump.values[-1] + 1])
    ranks = [*eight[name].ranks[:-1], msgspec.structs.replace(last, after=last.after | {slot: wrong})]
    assert outcome(name, msgspec.structs.replace(eight[name], ranks=ranks)) is Outcome.REFUTED
