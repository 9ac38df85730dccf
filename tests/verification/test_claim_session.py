"""What a session of claims runs and misses, with runs that are none: machines with other devices than this one."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from apidiff.database import ApidiffError, load
from apidiff.database.backends import Backend, load_backends
from apidiff.execute.devices import Availability
from apidiff.judge import make_context
from apidiff.model import DeviceFound, RunRecord
from apidiff.verification.claim_session import Chosen, ClaimRuns

SOURCE = "torch.distributed.reduce"

Machine = Callable[..., tuple[ClaimRuns, list[tuple[str, int]], list[str]]]


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Makes the runs of all claims of a mapping on a machine with so many devices for each framework; None: none is there.

    Returns them, for each run its framework and number of ranks, and the lines that were said.
    """

    def make(
        names: list[str], devices: dict[str, int | None], sizes: list[int] | None = None, stopped: str | None = None
    ) -> tuple[ClaimRuns, list[tuple[str, int]], list[str]]:
        data, backends = load(), load_backends()
        made: list[tuple[str, int]] = []
        said: list[str] = []

        def look_for(backend: Backend) -> Availability:
            count = devices.get(backend.framework)
            if count is None:
                return Availability(False, f"{backend.name} ({backend.framework}): looked for it")
            return Availability(True, "found", DeviceFound(names=["device"] * count, versions={}))

        def verify(_data: object, backend: Backend, size: int, *_others: object) -> RunRecord:
            made.append((backend.framework, size))
            like = next(run for _, run in data.runs if run.framework == backend.framework)
            return msgspec.structs.replace(
                like, backend=backend.name, device=backend.device, world_size=size, probes=[], stopped=stopped
            )

        monkeypatch.setattr("apidiff.verification.claim_session.look_for", look_for)
        monkeypatch.setattr("apidiff.verification.claim_session.verify", verify)
        runs = ClaimRuns(data, make_context(backends, {}, {}), backends, names, sizes, said.append)
        mapping = data.mappings[SOURCE]
        apis = [mapping.source, *(target.api for target in mapping.targets if not target.api.defined_in)]
        chosen = [Chosen(api, claim, SOURCE) for api in apis for claim in api.claims]
        runs.run(chosen)
        for one in chosen:
            runs.judge(one)
        return runs, made, said

    return make


@pytest.mark.parametrize(
    ("names", "devices", "made", "lacking"),
    [
        (["nccl"], {"torch": 1}, [("torch", 1)], []),
        (["nccl"], {"torch": 3}, [("torch", 2), ("torch", 3)], []),
        (["hccl"], {"mindspore": 2}, [("mindspore", 2)], []),  # one framework of the name is enough
        (["hccl"], {}, [], ["hccl was asked for and is not here"]),
        (["nccl-cuda", "hccl"], {"torch": 2}, [("torch", 2), ("torch", 2)], []),
        (
            ["gloo", "mccl"],
            {"torch": 0},
            [("torch", size) for size in (2, 3, 4)],
            ["mccl was asked for and is not here"],
        ),
    ],
)
def test_what_is_run_and_what_is_missing(
    machine: Machine,
    names: list[str],
    devices: dict[str, int | None],
    made: list[tuple[str, int]],
    lacking: list[str],
) -> None:
    runs, seen, _ = machine(names, devices)
    assert (seen, runs.lacking()) == (made, lacking)


def test_a_run_that_stopped_is_missing(machine: Machine) -> None:
    runs, _, _ = machine(["gloo"], {"torch": 0}, [2], stopped="rank 1 went away")
    (told,) = runs.lacking()
    assert told.startswith("torch ")
    assert told.endswith(" on gloo with 2 ranks stopped early: rank 1 went away")


def test_sizes_that_are_left_out_are_told_and_those_asked_for_refused(machine: Machine) -> None:
    _, _, said = machine(["nccl"], {"torch": 3})
    assert "nccl-cuda (torch): world size 4 left out: each rank needs a device of its own, and found were 3" in said
    with pytest.raises(ApidiffError, match="4 is too large"):
        machine(["nccl"], {"torch": 3}, [2, 4])


def test_the_reason_of_most_claims_is_told_first(machine: Machine) -> None:
    runs, _, _ = machine(["nccl"], {})
    assert runs.compared == 0
    assert set((runs.why_nothing() or "").split("; ")) == {
        f"nccl ({one}): looked for it" for one in ("torch", "mindspore")
    }
