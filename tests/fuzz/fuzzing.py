"""Gives a target inputs and counts what came of them; an input that causes a fault is kept in the corpus."""

from __future__ import annotations

import hashlib
import math
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings

from tests.fuzz.targets import TARGETS

CORPUS = Path(__file__).with_name("corpus")
SLOWEST_S = 10.0  # of CPU for one input of `make fuzz`; tests, on machines of any speed, have no such limit


def corpus_of(name: str) -> list[Path]:
    """The inputs that ever caused a fault of a target."""
    return sorted((CORPUS / name.replace(" ", "_")).glob("*"))


def give(name: str, content: bytes, slowest_s: float = math.inf) -> str:
    """Gives one input. Returns ``refused`` or ``survived``; raises what the fault raises, AssertionError where it is too slow."""
    began = time.process_time()
    came = TARGETS[name].give(content)
    taken = time.process_time() - began
    assert taken < slowest_s, f"it took {taken:.1f} s of CPU"
    return came


def fuzz(
    name: str, count: int, *, kept: bool = False, seed: int | None = None, slowest_s: float = math.inf
) -> Counter[str]:
    """Gives ``count`` inputs. Raises the first fault, made as small as can be; ``kept``: then keeps the input in the corpus."""
    counts: Counter[str] = Counter()
    failing: list[bytes] = []

    def once(content: bytes) -> None:
        try:
            counts[give(name, content, slowest_s)] += 1
        except BaseException:
            failing.append(content)
            raise

    phases = (Phase.generate, Phase.shrink)
    run: Callable[[], None] = settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=phases,
        derandomize=seed is None,
        suppress_health_check=list(HealthCheck),
    )(given(TARGETS[name].inputs())(once))
    if seed is not None:
        from hypothesis import seed as seeded

        run = seeded(seed)(run)
    try:
        run()
    except BaseException:
        if kept and failing:
            keep(name, failing[-1])
        raise
    return counts


def examples(name: str, count: int) -> list[bytes]:
    """Inputs of a target, the same each time."""
    found: list[bytes] = []

    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(TARGETS[name].inputs())
    def once(content: bytes) -> None:
        found.append(content)

    once()
    return found


def keep(name: str, content: bytes) -> None:
    """Keeps an input that caused a fault."""
    folder = CORPUS / name.replace(" ", "_")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / hashlib.sha256(content).hexdigest()[:16]).write_bytes(content)
