"""Worlds that get ready before they are needed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from apidiff.execute.remote import HostError
from apidiff.execute.world import StartError, World

_AT_ONCE = 2


class Spares:
    """Starts worlds ahead, two at a time at most, and hands them out. ``make`` makes one that is not started yet."""

    def __init__(self, make: Callable[[], World]) -> None:
        self._make = make
        self._starter = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="apidiff-spare")
        self._waiting: list[Future[World]] = []
        self._starting: list[World] = []
        self._closed = False

    def keep(self, count: int) -> None:
        """Has at least ``count`` worlds ready or under way; returns at once."""
        while len(self._waiting) < count:
            self._waiting.append(self._starter.submit(self._started))

    def take(self) -> World:
        """A started world that nobody has asked anything: the one begun first, or a new one. Raises StartError."""
        self.keep(1)
        return self._waiting.pop(0).result()

    def close(self) -> None:
        """Ends every world that was not taken, those under way too."""
        self._closed = True
        for world in list(self._starting):
            world.abort()
        for spare in self._waiting:
            if not spare.cancel():
                with contextlib.suppress(StartError, HostError):
                    spare.result().kill()
        self._starter.shutdown()

    def _started(self) -> World:
        # The port was free when it was looked up; another process may have taken it since, so a start is tried twice.
        with contextlib.suppress(StartError, HostError):
            return self._start()
        if self._closed:
            raise StartError("closed while ranks were starting")
        return self._start()

    def _start(self) -> World:
        world = self._make()
        self._starting.append(world)
        try:
            return world.start()
        finally:
            self._starting.remove(world)
