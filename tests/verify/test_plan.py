"""Which APIs and probes a run makes, and in which order."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from apidiff.judge import Context
from apidiff.model import Mapping
from apidiff.store import Data
from apidiff.store.backends import load_backends
from apidiff.verify.plan import Plan, apis_for, make_plan, step_key

TEXT = {"en": "It.", "zh": "它。"}


def target(name: str, *ranges: dict[str, str]) -> dict[str, object]:
    return {"api": {"name": f"mindspore.{name}"}, "ranges": list(ranges), "parameters": []}


ONE = {
    "id": "torch.one",
    "category": "collective",
    "summary": TEXT,
    "source": {
        "name": "torch.one",
        "root": "dst",
        "probes": {
            "ranks-disagree": {"like": "plain", "on_rank": {"1": {"dst": 1}}},
            "bad-root": {"like": "plain", "set": {"dst": 99}},
            "only-on-three": {"like": "plain", "world_sizes": [3]},
            "plain": {"set": {"dst": 0}},
        },
        "claims": [
            {"id": "completes", "completes": {}, "probes": ["plain", "bad-root"]},
            {"id": "prints", "prints": {"example": "torch.one/torch_example.py"}},
            {"id": "prints-what-is-not-there", "prints": {"example": "torch.one/lost.py"}},
        ],
    },
    "targets": [
        target("old", {"since": "2.3", "until": "2.4", "status": "current"}, {"since": "2.5", "status": "removed"}),
        target("new", {"since": "2.5", "until": "2.8", "status": "current"}, {"since": "2.9", "status": "deprecated"}),
    ],
}
TWO = {**ONE, "id": "torch.two", "source": {"name": "torch.two"}, "targets": []}
DATA = Data(Path(), {one["id"]: msgspec.convert(one, Mapping) for one in (ONE, TWO)}, {}, {})  # type: ignore[misc]
CONTEXT = Context(examples={"torch.one/torch_example.py": ("text", ())})

# (framework, version, IDs, names of the APIs)
APIS = [
    ("torch", "2.13.0", None, ["torch.one", "torch.two"]),
    ("torch", "2.13.0", ["torch.two"], ["torch.two"]),
    ("mindspore", "2.4.1", None, ["mindspore.old"]),
    ("mindspore", "2.5.0", None, ["mindspore.new"]),
    ("mindspore", "2.10.0", None, ["mindspore.new"]),
    ("mindspore", "2.2.0", None, []),
    ("mindspore", "2.10.0", ["torch.two"], []),
]


@pytest.mark.parametrize(("framework", "version", "ids", "names"), APIS)
def test_apis_of_a_version(framework: str, version: str, ids: list[str] | None, names: list[str]) -> None:
    assert [api.name for api in apis_for(DATA, framework, version, ids)] == names


def plan(world_size: int) -> Plan:
    gloo = next(one for one in load_backends() if one.name == "gloo")
    return make_plan(DATA, gloo, "2.13.0", world_size, CONTEXT)


# (world size, probes in the order they are made); examples run where their output is known: on three ranks
STEPS = [
    (2, ["plain", "ranks-disagree", "bad-root"]),
    (3, ["plain", "example:torch.one/torch_example.py", "only-on-three", "ranks-disagree", "bad-root"]),
]


@pytest.mark.parametrize(("world_size", "probes"), STEPS)
def test_what_may_hang_comes_last(world_size: int, probes: list[str]) -> None:
    assert [step_key(step) for step in plan(world_size).steps] == [("torch.one", probe) for probe in probes]


def test_a_step_knows_its_claims() -> None:
    claims = {step.probe: [claim.id for claim in step.claims] for step in plan(3).steps}
    assert claims["plain"] == ["completes"]
    assert claims["ranks-disagree"] == []
    assert claims["example:torch.one/torch_example.py"] == ["prints"]


def test_steps_that_call_something_else_have_another_digest() -> None:
    specs = [step.spec for step in plan(3).steps]
    # 'only-on-three' calls what 'plain' calls.
    assert len(set(specs)) == len(specs) - 1
