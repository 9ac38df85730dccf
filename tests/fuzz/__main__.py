"""`make fuzz`: 10,000 inputs over all targets, within ten minutes; prints how many were tried, refused and survived."""

from __future__ import annotations

import argparse
import secrets
import sys
import time
import traceback

from tests.faults.place import Unavailable
from tests.fuzz.fuzzing import SLOWEST_S, fuzz
from tests.fuzz.targets import TARGETS


def main() -> int:
    """Returns 1 where an input caused a fault; it is then in tests/fuzz/corpus, to be checked in with what mends it."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of: {', '.join(TARGETS)} (default: all)")
    parser.add_argument("--count", type=int, default=10_000, help="inputs in all (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32), help="repeats a run")
    options = parser.parse_args()
    chosen = options.targets or list(TARGETS)
    each, faults = max(1, -(-options.count // len(chosen))), 0
    print(f"seed {options.seed}\n{'class':24} {'tried':>7} {'refused':>8} {'survived':>9} {'CPU s':>7}")
    for name in chosen:
        began = time.process_time()
        try:
            counts = fuzz(name, each, keep=True, seed=options.seed, slowest_s=SLOWEST_S)
        except Unavailable as reason:
            print(f"{name:24} not tried: {reason}")
            continue
        except Exception:  # noqa: BLE001 - whatever it is, the other targets are tried too
            faults += 1
            print(f"{name:24} FAULT")
            traceback.print_exc()
            continue
        took = time.process_time() - began
        print(f"{name:24} {counts.total():7} {counts['refused']:8} {counts['survived']:9} {took:7.1f}", flush=True)
    print(f"targets with a fault: {faults} of {len(chosen)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
