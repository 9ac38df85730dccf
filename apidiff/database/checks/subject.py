"""What a pass is given: one mapping, and the means to say where in its file something stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from apidiff.database.data import Data
from apidiff.errors import DataError
from apidiff.model.mapping import Api, Mapping

Place = tuple[str | int, ...]


@dataclass(frozen=True)
class Subject:
    """One mapping under check."""

    data: Data
    mapping: Mapping

    def error(self, at: Place, found: str, remedy: str) -> DataError:
        """The error for what was found at ``at``, the path of keys and indexes, or at the nearest place above it."""
        origins = self.data.origins.get(self.mapping.id, {})
        while at and at not in origins:
            at = at[:-1]
        origin = origins.get(at)
        if origin is None:
            return DataError(self.data.path_of(self.mapping.id), None, found, remedy)
        return origin.error(found, remedy)

    def apis(self) -> Iterator[tuple[Place, Api]]:
        """The APIs written in this file with their places; one that another mapping defines is checked there."""
        yield ("source",), self.mapping.source
        for index, target in enumerate(self.mapping.targets):
            if not target.api.defined_in:
                yield ("targets", index, "api"), target.api


Pass = Callable[[Subject], Iterator[DataError]]
