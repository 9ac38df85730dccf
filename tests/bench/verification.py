"""Verifying all mappings with ranks that are kept against one launch per probe."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from apidiff.database import Data, load
from apidiff.database.backends import Backend, load_backends
from apidiff.database.examples import load_examples
from apidiff.database.paths import examples_folder
from apidiff.execute.devices import look_for
from apidiff.execute.journal import Journal
from apidiff.execute.plan import make_plan
from apidiff.execute.runner import Runner
from apidiff.judge import make_context
from apidiff.model.claim_probes import Examples
from apidiff.verification import verify
from tests.bench.measure import Measure

_WORLD_SIZES = (2, 3, 4)
_SAMPLE = 2  # launches for each backend and world size
_LIMIT = 1 / 10


def measure_verification(tell: Callable[[str], None]) -> Measure:
    """Wall time of the whole verification, and of as many launches, extrapolated from a sample.

    Only plain probes are in the sample, none that hangs, so the extrapolation errs to the disadvantage of the project.
    What is made again to confirm it counts as a probe on both sides.
    """
    data, backends = load(), load_backends()
    context = make_context(backends, load_examples(examples_folder()))
    usable = [backend for backend in backends if look_for(backend).available]
    kept = launches = 0.0
    calls = 0
    for backend in usable:
        for size in _WORLD_SIZES:
            tell(f"verifying on {backend.name} with {size} ranks")
            start = time.perf_counter()
            record = verify(data, backend, size, context)
            kept += time.perf_counter() - start
            made = sum(1 + (probe.confirmed or probe.again is not None) for probe in record.probes)
            calls += made
            tell(f"one launch per probe on {backend.name} with {size} ranks, a sample of {_SAMPLE}")
            launches += made * _launch(data, backend, size, context.examples, record.framework_version)
    names = ", ".join(backend.name for backend in usable)
    return Measure(
        f"verifying {len(data.mappings)} mappings on {names} × 2, 3, 4 ranks "
        f"({calls} probe calls, {calls / kept:.1f} a second)",
        f"one launch per probe call, extrapolated from {_SAMPLE * len(usable) * len(_WORLD_SIZES)}",
        kept,
        launches,
        _LIMIT,
    )


def _launch(data: Data, backend: Backend, size: int, examples: Examples, version: str) -> float:
    """Mean seconds of starting ranks, making one probe and ending them."""
    plan = make_plan(data, backend, version, size, examples)
    plain = [step for step in plan.steps if step.risk == 0 and step.example is None]
    chosen = [plain[len(plain) * number // _SAMPLE] for number in range(_SAMPLE)]
    start = time.perf_counter()
    for step in chosen:
        with tempfile.TemporaryDirectory() as logs, Runner(backend, size, Path(logs)) as runner:
            runner.run([step], lambda _: None, Journal(None, plan))
    return (time.perf_counter() - start) / _SAMPLE
