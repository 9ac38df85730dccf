"""A slice of `make fuzz`, and every input that ever caused a fault."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.place import Unavailable
from tests.fuzz.ending import KEPT
from tests.fuzz.fuzzing import corpus_of, fuzz, give
from tests.fuzz.targets import TARGETS


@pytest.fixture(scope="session", autouse=True)
def _end() -> Iterator[None]:
    yield
    KEPT.close()


EVER_FAILED = [(name, path) for name in TARGETS for path in corpus_of(name)]


@pytest.mark.parametrize("name", TARGETS)
def test_no_input_causes_a_fault(name: str) -> None:
    try:
        counts = fuzz(name, 25)
    except Unavailable as reason:
        pytest.skip(str(reason))
    assert counts.total() >= 20


@pytest.mark.parametrize(("name", "path"), EVER_FAILED, ids=[f"{name} {path.name}" for name, path in EVER_FAILED])
def test_what_caused_a_fault_causes_none(name: str, path: Path) -> None:
    give(name, path.read_bytes())


def test_a_fault_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_content: bytes) -> str:
        raise KeyError("a traceback")

    monkeypatch.setitem(TARGETS, "versions", TARGETS["versions"].__class__(TARGETS["versions"].inputs, fail))
    with pytest.raises(KeyError):
        fuzz("versions", 5)
