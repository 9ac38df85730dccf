"""Reads and validates the data: mappings, documents, releases, signatures and run records.

``load()`` reads everything and passes over what is damaged; ``load_valid()`` raises one error that lists all that is wrong.
Nothing here imports a framework.
"""

from __future__ import annotations

from apidiff.database.data import Data, load, load_valid, with_runs_of_now
from apidiff.errors import ApidiffError, DataError, InvalidData

__all__ = ["ApidiffError", "Data", "DataError", "InvalidData", "load", "load_valid", "with_runs_of_now"]
