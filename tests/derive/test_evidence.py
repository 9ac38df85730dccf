"""What a probe calls, as code, and what of it verdicts may rest on."""

from __future__ import annotations

import pytest
from factories import run_record

from apidiff.derive.evidence import ProbeCall, evidence, evidence_key, probe_code
from apidiff.model.signed import Signed, State
from apidiff.model.trace import ProbeRun, RunRecord, SignatureDump
from tests.factories import collective_api

PROBES = {
    "sync": {"set": {"tensor": {"shape": [3]}, "dst": 0}},
    "async": {"like": "sync", "set": {"async_op": True}},
    "others": {"like": "sync", "on_rank": {"others": {"tensor": {"none": True}}, "1": {"dst": 5}}},
    "switch": {"like": "sync", "inplace_switch": False},
    "answered": {"like": "sync", "partner": {"api": "torch.answer", "ranks": [1], "set": {"src": 0}}},
    "some": {"like": "sync", "ranks": [0, 2]},
}
API = collective_api({"name": "torch.pass_on", "root": "dst", "probes": PROBES})
PLAIN = "torch.pass_on(tensor=tensor, dst=0)"

CODE = [
    ("sync", PLAIN),
    ("async", "torch.pass_on(tensor=tensor, dst=0, async_op=True)"),
    ("others", f"{PLAIN}\n# rank != dst: tensor=None\n# rank 1: dst=5"),
    ("switch", f"mindspore.ops.communication.set_comm_ops_inplace(False)\n{PLAIN}"),
    ("answered", f"# other ranks\n{PLAIN}\n# rank 1\ntorch.answer(src=0)"),
    ("some", f"# rank 0, 2\n{PLAIN}"),
]


@pytest.mark.parametrize(("probe", "expected"), CODE)
def test_code_of_a_probe(probe: str, expected: str) -> None:
    code = probe_code(API, probe).replace("torch.pass_on(tensor, ", "torch.pass_on(tensor=tensor, ")
    assert code == expected


@pytest.mark.parametrize(
    ("api", "has_its_name"),
    [("torch.distributed.reduce", True), ("torch.reduce.part-1", False), ("../reduce", False), ("reduce.", False)],
)
def test_the_evidence_of_an_api_lies_under_a_name_that_is_no_others(api: str, has_its_name: bool) -> None:
    """A part of another page, say."""
    key = evidence_key(run_record(), api)
    assert key.rpartition("/")[0] == "torch-2.13.0/gloo-cpu"
    assert (key.rpartition("/")[2] == api) is has_its_name


def _run(version: str, size: int, *probes: tuple[str, str], signature: str = "(tensor)") -> RunRecord:
    return run_record(
        version=version,
        world_size=size,
        signatures=[SignatureDump(api="torch.pass_on", text=signature)],
        probes=[
            ProbeRun(api="torch.pass_on", probe=name, spec=spec, end="completed", ranks=[]) for name, spec in probes
        ],
    )


def test_runs_of_one_version_stand_together_by_world_size() -> None:
    runs = {
        "b": _run("2.13.0", 3, ("sync", "aa"), ("gone", "aa")),
        "a": _run("2.13.0", 2, ("sync", "old"), signature="(tensor, dst)"),
        "c": _run("2.12.0", 2, ("sync", "aa")),
    }
    calls = {"torch.pass_on": {"sync": ProbeCall(code=PLAIN, spec="aa")}}
    found = {one.key: one for one in evidence(runs, {}, calls, {})}
    assert sorted(found) == ["torch-2.12.0/gloo-cpu/torch.pass_on", "torch-2.13.0/gloo-cpu/torch.pass_on"]
    newest = found["torch-2.13.0/gloo-cpu/torch.pass_on"]
    assert [run.id for run in newest.runs] == ["a", "b"]
    assert [(one.signature.text, one.runs) for one in newest.signatures] == [
        ("(tensor, dst)", ["a"]),
        ("(tensor)", ["b"]),
    ]
    shown = {one.name: (one.call, [(trial.run, trial.current) for trial in one.trials]) for one in newest.probes}
    assert shown == {"sync": (PLAIN, [("a", False), ("b", True)]), "gone": ("", [("b", False)])}


# What is known of runs of one place, by ID and number of ranks; the order in which pages show them.
STANDINGS = [
    ({"a1": State.UNSIGNED, "b2": State.VERIFIED, "c4": State.LISTED, "d3": State.LISTED}, ["d3", "c4", "b2", "a1"]),
    ({"a2": State.VERIFIED, "b2": State.ATTESTED, "c2": State.UNSIGNED}, ["b2", "a2", "c2"]),
    ({"a3": State.UNSIGNED, "b2": State.UNSIGNED}, ["b2", "a3"]),
]


@pytest.mark.parametrize(("states", "order"), STANDINGS)
def test_this_projects_runs_stand_before_those_of_others(states: dict[str, State], order: list[str]) -> None:
    runs = {run: _run("2.13.0", int(run[1]), ("sync", "aa")) for run in states}
    signed = {run: Signed(state=state) for run, state in states.items()}
    [found] = evidence(runs, {}, {}, signed)
    assert [run.id for run in found.runs] == order
    assert [trial.run for probe in found.probes for trial in probe.trials] == order
    assert [one.runs for one in found.signatures] == [order]
