"""Collects garbage not at all while the content is made and read, and seldom while pages are."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# Python looks for unreachable cycles after 700 new objects, and now and then through all there are. A page is made of
# some ten thousand, and those of the content never go: half of a build's time went into looking. Trees of pages are
# cycles, so it still has to be done.
_THRESHOLD = (100_000, 20, 20)


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Collect garbage seldom within a block."""
    before = gc.get_threshold()
    gc.set_threshold(*_THRESHOLD)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def not_collecting() -> Iterator[None]:
    """Collect no garbage within a block that leaves next to none: what is made of data has no cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
