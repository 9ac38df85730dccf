"""A slice of `make fuzz`, and every input that ever caused a fault."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.place import Unavailable
from tests.fuzz.coverage_guided import fuzz_guided, is_there
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


# A target with a fault behind a word of four letters, which nobody gives it, where each letter that fits is another line.
_HIDDEN = """
import sys
from pathlib import Path

import atheris
from hypothesis import strategies as st

from tests.fuzz import coverage_guided, fuzzing, targets

fuzzing.CORPUS = Path(sys.argv[2]) / "corpus"


@atheris.instrument_func
def give(content):
    if content[:1] == b"a":
        if content[1:2] == b"p":
            if content[2:3] == b"i":
                if content[3:4] == b"d":
                    raise KeyError("a traceback")
    return "refused"


targets.TARGETS["versions"] = targets.Target(lambda: st.just(b"----"), give)
coverage_guided._give_guided(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
"""


@pytest.mark.skipif(not is_there(), reason="atheris is not installed: it exists for Linux on x86-64")
def test_inputs_are_guided_to_lines_that_none_ran_through() -> None:
    assert fuzz_guided("versions", 1, 1).total() >= 100
    with pytest.raises(AssertionError, match="KeyError: 'a traceback'"):
        fuzz_guided("versions", 60, 1, program=("-c", _HIDDEN))
