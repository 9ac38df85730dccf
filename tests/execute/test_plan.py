"""Which APIs and probes a run makes, and in which order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from apidiff.database import ApidiffError, Data
from apidiff.database.backends import find_backends, load_backends
from apidiff.execute.plan import Plan, apis_for, make_plan, read_world_sizes, step_key, world_sizes
from apidiff.model.claim_probes import Examples
from apidiff.model.mapping import Mapping
from apidiff.model.signature import Signature, SignatureFile, SignatureKind

TEXT = {"en": "It.", "zh": "它。"}


def target(name: str, *ranges: dict[str, str]) -> dict[str, object]:
    return {"api": {"name": f"mindspore.{name}"}, "ranges": list(ranges), "parameters": []}


ONE = {
    "id": "torch.one",
    "category": "collective",
    "summary": TEXT,
    "source": {
        "name": "torch.one",
        "collective": {
            "root": "dst",
            "probes": {
                "ranks-disagree": {"like": "plain", "on_rank": {"1": {"dst": 1}}},
                "bad-root": {"like": "plain", "set": {"dst": 99}},
                "only-on-three": {"like": "plain", "world_sizes": [3]},
                "plain": {"set": {"dst": 0}},
            },
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


def data_of(*mappings: dict[str, object]) -> Data:
    return Data(Path(), {str(one["id"]): msgspec.convert(one, Mapping) for one in mappings}, {}, {})


DATA = data_of(ONE, TWO)
EXAMPLES: Examples = {"torch.one/torch_example.py": ("text", ())}

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


def signatures(version: str, *names: str, listed: tuple[str, ...] = ()) -> SignatureFile:
    apis = {name: Signature(kind=SignatureKind.FUNCTION) for name in names}
    return SignatureFile(framework="torch", version=version, tool="test", apis=apis, listed=list(listed))


# (names of the release that runs, names of another one, those each was asked for one by one, names of the APIs)
IN_OTHER_RELEASES = [
    (["torch.one"], ["torch.one", "torch.two"], (), ["torch.one"]),
    (["torch.one"], ["torch.one"], (), ["torch.one", "torch.two"]),  # the signatures of no release tell of it
    (["torch.one"], ["torch.one", "torch.two"], ("torch.two",), ["torch.one", "torch.two"]),
]


@pytest.mark.parametrize(("here", "there", "listed", "names"), IN_OTHER_RELEASES)
def test_what_a_release_does_not_have_is_not_run(
    here: list[str], there: list[str], listed: tuple[str, ...], names: list[str]
) -> None:
    files = [signatures("2.11.0", *here), signatures("2.13.0", *there, listed=listed)]
    data = replace(DATA, signatures={(file.framework, file.version): file for file in files})
    assert [api.name for api in apis_for(data, "torch", "2.11.0")] == names
    assert [api.name for api in apis_for(data, "torch", "2.13.0")] == ["torch.one", "torch.two"]


def plan(world_size: int) -> Plan:
    gloo = next(one for one in load_backends() if one.name == "gloo")
    return make_plan(DATA, gloo, "2.13.0", world_size, EXAMPLES)


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


def of(name: str, framework: str, version: str, data: Data, examples: Examples = EXAMPLES, size: int = 3) -> Plan:
    backend = next(one for one in load_backends() if (one.name, one.framework) == (name, framework))
    return make_plan(data, backend, version, size, examples)


RECIPE = "torch.three/mindspore_recipe.py"
THREE = {
    **ONE,
    "id": "torch.three",
    "source": {
        "name": "torch.three",
        "collective": {"probes": {"plain": {}}},
        "claims": [
            {"id": "completes", "completes": {}, "probes": ["plain"]},
            {"id": "recipe", "prints": {"example": RECIPE}},
        ],
    },
    "targets": [],
}
WHY = {"answer": "composed", "why": TEXT}
RECIPES: Examples = {RECIPE: ("text", ())}
# (otherwise, MindSpore version, is the recipe run there)
BOUNDS = [
    ([], "2.10.0", True),
    ([{**WHY, "recipe": RECIPE}], "2.10.0", True),
    ([{**WHY, "recipe": RECIPE, "since": "2.9"}], "2.7.1", False),
    ([{**WHY, "recipe": RECIPE, "until": "2.7"}], "2.7.1", True),
    ([{**WHY, "recipe": RECIPE, "until": "2.7"}], "2.10.0", False),
    ([{**WHY, "until": "2.7"}], "2.10.0", True),
]


@pytest.mark.parametrize(("otherwise", "version", "run"), BOUNDS)
def test_a_recipe_runs_in_the_framework_its_file_name_says(
    otherwise: list[dict[str, object]], version: str, run: bool
) -> None:
    data = data_of({**THREE, "otherwise": otherwise})
    found = of("mccl", "mindspore", version, data, RECIPES)
    assert [step_key(step) for step in found.steps] == [("torch.three", f"example:{RECIPE}")] * run
    assert found.apis == (), "the signature of the other framework's API is not asked for"
    assert [step.probe for step in of("gloo", "torch", "2.13.0", data, RECIPES).steps] == ["plain"]


def copies() -> Data:
    """A target that stands in two mappings; it is defined in the second, which is not current any more in 2.10."""
    shared = {"name": "mindspore.new", "collective": {"probes": {"plain": {}}}}
    ranges = [{"since": "2.5", "status": "current"}]
    copy = {"api": {**shared, "defined_in": "torch.z"}, "ranges": ranges}
    owner = {"api": shared, "ranges": [{"since": "2.5", "until": "2.8", "status": "current"}]}
    return data_of(
        {**TWO, "id": "torch.a", "source": {"name": "torch.a"}, "targets": [copy]},
        {**TWO, "id": "torch.z", "source": {"name": "torch.z"}, "targets": [owner]},
    )


# (MindSpore version, chosen mappings, where the one API that is judged comes from)
COPIES = [
    ("2.7.1", None, None),
    ("2.7.1", ["torch.z"], None),
    ("2.7.1", ["torch.a"], "torch.z"),
    ("2.10.0", None, "torch.z"),
]


@pytest.mark.parametrize(("version", "ids", "defined_in"), COPIES)
def test_an_api_that_is_a_target_twice_is_judged_once(
    version: str, ids: list[str] | None, defined_in: str | None
) -> None:
    assert [(api.name, api.defined_in) for api in apis_for(copies(), "mindspore", version, ids)] == [
        ("mindspore.new", defined_in)
    ]


def test_ranks_that_may_wait_for_each_other_come_last() -> None:
    partner = {"api": "torch.recv", "ranks": [1]}
    probes = {"p2p": {"ranks": [0], "partner": partner}, "some": {"ranks": [0]}, "plain": {}}
    data = data_of({**TWO, "source": {"name": "torch.two", "collective": {"probes": probes}}})
    assert [(step.probe, step.risk) for step in of("gloo", "torch", "2.13.0", data).steps] == [
        ("plain", 0),
        ("p2p", 2),
        ("some", 2),
    ]


def test_steps_that_call_something_else_have_another_digest() -> None:
    specs = [step.spec for step in plan(3).steps]
    # 'only-on-three' calls what 'plain' calls.
    assert len(set(specs)) == len(specs) - 1


ALONE = "nccl-cuda (torch): one rank shows what is returned, shared memory and signatures; no claim on other ranks is judged"
# (backend, devices, sizes asked for, sizes to run, what is said of the others)
SIZES = [
    ("gloo", 0, None, [2, 3, 4], []),
    ("gloo", 0, [2, 7], [2, 7], []),
    ("gloo-cuda", 1, None, [2, 3, 4], []),
    ("gloo-cuda", 2, [5], [5], []),
    ("nccl", 8, None, [2, 3, 4], []),
    ("nccl", 3, None, [2, 3], ["world size 4 left out"]),
    ("nccl", 2, None, [2], ["world sizes 3, 4 left out", "found were 2"]),
    ("nccl", 1, None, [1], ["world sizes 2, 3, 4 left out", "each rank needs a device of its own", ALONE]),
    ("nccl", 2, [1, 2], [1, 2], [ALONE]),
]


@pytest.mark.parametrize(("name", "devices", "asked", "chosen", "said"), SIZES)
def test_world_sizes(name: str, devices: int, asked: list[int] | None, chosen: list[int], said: list[str]) -> None:
    found = world_sizes(find_backends(load_backends(), name, "torch")[0], devices, asked)
    assert found.chosen == chosen
    assert all(one in "\n".join(found.notes) for one in said)
    assert bool(found.notes) is bool(said)


@pytest.mark.parametrize(("devices", "asked", "message"), [(1, [1, 2], "--world-size 2 "), (2, [2, 3, 4], "3,4 ")])
def test_more_ranks_than_devices_are_refused(devices: int, asked: list[int], message: str) -> None:
    nccl = find_backends(load_backends(), "nccl", "torch")[0]
    with pytest.raises(
        ApidiffError, match=rf"{message}is too large: .*found were {devices}\. Ask for {devices} at most"
    ):
        world_sizes(nccl, devices, asked)


def test_one_rank_is_not_given_probes_that_name_others() -> None:
    probes = {
        "plain": {"set": {"dst": 0}},
        "to-1": {"set": {"dst": 1}},
        "sent": {"ranks": [0], "partner": {"api": "torch.recv", "ranks": [1]}},
        "three": {"world_sizes": [3]},
    }
    data = data_of({**TWO, "source": {"name": "torch.two", "collective": {"root": "dst", "probes": probes}}})
    assert [step.probe for step in of("nccl", "torch", "2.13.0", data, size=1).steps] == ["plain"]
    assert len(of("nccl", "torch", "2.13.0", data, size=2).steps) == 3


def test_numbers_of_ranks_are_read_in_order_and_once() -> None:
    assert read_world_sizes("4, 2,2") == [2, 4]


@pytest.mark.parametrize("text", ["two", "0", "-1", "65", "2,500", "9" * 5000, "٣", "2,", ""])
def test_what_is_no_number_of_ranks_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        read_world_sizes(text)
