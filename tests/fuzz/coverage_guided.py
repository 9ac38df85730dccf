"""Inputs that libFuzzer makes, guided by coverage: the lines of apidiff that each ran through; only where atheris is installed.

libFuzzer ends the process that it runs in: each target has one of its own, `python -m tests.fuzz.coverage_guided TARGET FOLDER`.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

from apidiff.process_group import run

BEGINS_S = 240.0
SLOWEST_INPUT_S = 60
MOST_MEMORY_MB = 4096
SEEDS = 40


def is_there() -> bool:
    """Whether atheris is installed."""
    return find_spec("atheris") is not None


def fuzz_guided(
    name: str, seconds: int, seed: int, *, program: tuple[str, ...] = ("-m", "tests.fuzz.coverage_guided")
) -> Counter[str]:
    """Gives a target inputs for so many seconds. Raises AssertionError with what was printed where one caused a fault.

    ``program``: what the process runs, to which target, folder, seconds and seed are handed.
    """
    with tempfile.TemporaryDirectory(prefix="apidiff-fuzz-guided-") as folder:
        command = [sys.executable, *program, name, folder, str(seconds), str(seed)]
        environment = {**os.environ, "TMPDIR": folder}
        ended = run(command, BEGINS_S + seconds + SLOWEST_INPUT_S, environment=environment)
        assert ended.code == 0, f"{ended.output}{ended.errors}"[-5000:]
        return Counter((Path(folder) / "came").read_text("ascii").split())


def _give_guided(name: str, folder: Path, seconds: int, seed: int) -> None:
    """What the process of a target does: it begins with inputs as Hypothesis makes them, and with those that ever failed."""
    import atheris

    with atheris.instrument_imports(include=["apidiff"]):
        from tests.fuzz.fuzzing import corpus_of, examples, give, keep

    seeds = folder / "seeds"
    seeds.mkdir()
    for number, content in enumerate([*examples(name, SEEDS), *(path.read_bytes() for path in corpus_of(name))]):
        (seeds / str(number)).write_bytes(content)
    came = (folder / "came").open("w", encoding="ascii", buffering=1)

    def once(content: bytes) -> None:
        try:
            print(give(name, content), file=came)
        except BaseException:
            keep(name, content)
            raise

    options = {
        "max_total_time": seconds,
        "seed": seed % 2**31 or 1,
        "timeout": SLOWEST_INPUT_S,
        "rss_limit_mb": MOST_MEMORY_MB,
        "artifact_prefix": f"{folder}/",
    }
    atheris.Setup([sys.argv[0], str(seeds), *(f"-{key}={value}" for key, value in options.items())], once)
    atheris.Fuzz()


if __name__ == "__main__":
    _give_guided(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
