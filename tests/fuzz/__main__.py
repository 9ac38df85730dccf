"""`make fuzz`: 10,000 inputs over all targets, then as many as libFuzzer makes in some seconds of each, within ten minutes.

Prints how many were tried, refused and survived.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
import traceback

from tests.faults.place import Unavailable
from tests.fuzz.coverage_guided import fuzz_guided, is_there
from tests.fuzz.fuzzing import SLOWEST_S, fuzz
from tests.fuzz.targets import TARGETS


def main() -> int:
    """Returns 1 where an input caused a fault; it is then in tests/fuzz/corpus, to be checked in with what mends it."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of: {', '.join(TARGETS)} (default: all)")
    parser.add_argument("--count", type=int, default=10_000, help="inputs in all (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32), help="repeats a run")
    parser.add_argument(
        "--guided", type=int, default=10, metavar="SECONDS", help="for each target (default: %(default)s)"
    )
    options = parser.parse_args()
    chosen = options.targets or list(TARGETS)
    each = max(1, -(-options.count // len(chosen)))
    ways = [
        (name, name, lambda name: fuzz(name, each, kept=True, seed=options.seed, slowest_s=SLOWEST_S))
        for name in chosen
    ]
    if options.guided and is_there():
        ways += [
            (f"{name}, guided", name, lambda name: fuzz_guided(name, options.guided, options.seed))
            for name in chosen
            if not TARGETS[name].is_elsewhere
        ]
    elif options.guided:
        print("No input is guided by coverage: atheris is not installed.")
    faulty = set()
    print(f"seed {options.seed}\n{'class':28} {'tried':>7} {'refused':>8} {'survived':>9} {'s':>7}")
    for shown, name, way in ways:
        began = time.monotonic()
        try:
            counts = way(name)
        except Unavailable as reason:
            print(f"{shown:28} not tried: {reason}")
            continue
        except Exception:  # noqa: BLE001 - whatever it is, the other targets are tried too
            faulty.add(name)
            print(f"{shown:28} FAULT")
            traceback.print_exc()
            continue
        took = time.monotonic() - began
        print(f"{shown:28} {counts.total():7} {counts['refused']:8} {counts['survived']:9} {took:7.1f}", flush=True)
    print(f"targets with a fault: {len(faulty)} of {len(chosen)}")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
