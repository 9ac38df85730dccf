"""Backends with long deadlines and with short ones, worlds that are shared by the tests of a module, and folders of their own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import msgspec
import pytest

from apidiff.database.backends import Backend, Deadlines, load_backends
from apidiff.execute.world import World
from apidiff.model.trace import RankTrace
from tests.factories import collective_api

HERE = str(Path(__file__).parent)


def described(name: str, framework: str) -> Backend:
    """The backend as described, so patient that only what hangs meets a deadline. Skips where it cannot run."""
    if find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    found = next(one for one in load_backends() if (one.name, one.framework) == (name, framework))
    return msgspec.structs.replace(found, deadlines=Deadlines(start=300, probe=120, after_error=120))


@pytest.fixture(scope="session")
def gloo() -> Backend:
    return described("gloo", "torch")


@pytest.fixture(scope="session")
def impatient_gloo(gloo: Backend) -> Backend:
    """For probes that hang: their deadline is soon over."""
    return msgspec.structs.replace(gloo, deadlines=Deadlines(start=300, probe=10))


@pytest.fixture(scope="session")
def mccl() -> Backend:
    return described("mccl", "mindspore")


@pytest.fixture(scope="session", autouse=True)
def _faulty_calls_can_be_found() -> Iterator[None]:
    """Ranks inherit the path on which ``faulty_calls`` lies."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([HERE, *filter(None, [os.environ.get("PYTHONPATH")])]))
        yield


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's state folder for this test: logs and journals."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "apidiff"


@pytest.fixture(scope="session")
def gloo_world(gloo: Backend, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Three gloo ranks, for tests that leave them well."""
    with World(gloo, 3, tmp_path_factory.mktemp("gloo")) as world:
        yield world


@pytest.fixture(scope="session")
def mccl_world(mccl: Backend, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Two MindSpore ranks on CPU, for tests that leave them well."""
    with World(mccl, 2, tmp_path_factory.mktemp("mccl")) as world:
        yield world


@pytest.fixture
def call() -> Callable[..., list[RankTrace]]:
    """``call(world, api, **set)`` makes one call on every rank and returns their traces in the order of ranks."""

    def made(world: World, api: dict[str, object] | str, probe: dict[str, object]) -> list[RankTrace]:
        plain = {"name": api} if isinstance(api, str) else api
        request = {"do": "probe", "api": collective_api({**plain, "probes": {"it": probe}}), "probe": "it"}
        reply = world.ask(request)
        assert (reply.end, len(reply.answers)) == ("completed", world.world_size), world.log()
        return [msgspec.json.decode(line, type=RankTrace) for _, line in sorted(reply.answers.items())]

    return made
