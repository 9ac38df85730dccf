"""Each fault ends in a correct outcome, with no process left and no record lost or half-written."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import pytest

from apidiff.database import DataError
from tests.faults import place as module
from tests.faults.place import Place, Unavailable
from tests.faults.ranks import forget_runs
from tests.faults.table import FAULTS, KINDS, survive

# What starts frameworks, and what starts processes that are up at once.
SLOW = [(kind, name) for kind, faults in KINDS.items() if kind not in {"files", "a single process"} for name in faults]


def _survive(name: str, tried: Collection[str] = ()) -> None:
    try:
        survive(name, tried)
    except Unavailable as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def tried(request: pytest.FixtureRequest) -> Iterator[frozenset[str]]:
    """The faults of this session: of what starts ranks a part is tried each day."""
    items = [item for item in request.session.items if isinstance(item, pytest.Function) and hasattr(item, "callspec")]
    yield frozenset(
        item.callspec.params["name"] for item in items if item.path == request.path and "name" in item.callspec.params
    )
    forget_runs()


@pytest.mark.turning(days=24, kind="kind")
@pytest.mark.parametrize(("kind", "name"), SLOW, ids=[name for _, name in SLOW])
def test_a_fault_is_survived(kind: str, name: str, tried: frozenset[str]) -> None:
    _survive(name, tried)


@pytest.mark.turning(days=36)
@pytest.mark.parametrize("name", KINDS["a single process"])
def test_a_fault_of_a_single_process_is_survived(name: str) -> None:
    _survive(name)


def test_a_hundred_faults_are_known() -> None:
    assert len(FAULTS) == sum(map(len, KINDS.values())) >= 100


@pytest.mark.parametrize("name", KINDS["files"])
def test_a_fault_of_files_is_survived(name: str) -> None:
    _survive(name)


def _earlier(place: Place) -> Path:
    return next(iter(place.files()))


# (what a fault left behind, the error that says so, and how)
LEFT: list[tuple[Callable[[Place], object], type[Exception], str]] = [
    (lambda place: _earlier(place).unlink(), AssertionError, "an earlier record is lost or changed"),
    (lambda place: _earlier(place).write_bytes(b"{}"), AssertionError, "an earlier record is lost or changed"),
    (lambda place: (_earlier(place).parent / ".a.tmp").touch(), AssertionError, "files are left that are no records"),
    (lambda place: (_earlier(place).parent / "gloo-cpu-2-0a1b2c3d4e5f.json").touch(), DataError, "it was changed"),
]


@pytest.mark.parametrize(("leave", "kind", "message"), LEFT)
def test_what_a_fault_left_is_noticed(
    tmp_path: Path, leave: Callable[[Place], object], kind: type[Exception], message: str
) -> None:
    place = Place(tmp_path, [])
    earlier = place.keep_earlier()
    place.check(earlier)
    leave(place)
    with pytest.raises(kind, match=message):
        place.check(earlier)


def test_a_process_that_is_left_is_noticed_and_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ENDS_WITHIN", 0.5)
    place = Place(tmp_path, [])
    # In a session of its own, as what escapes would be.
    environment = {"APIDIFF_FAULTS": str(tmp_path), "PATH": "/usr/bin:/bin"}
    with subprocess.Popen(["sleep", "60"], env=environment, start_new_session=True) as left:
        while not place.processes():  # one that has just begun shows no environment yet
            time.sleep(0.05)
        with pytest.raises(AssertionError, match=r"processes are left: .*'sleep', '60'"):
            place.check({})
        assert left.wait(120)
