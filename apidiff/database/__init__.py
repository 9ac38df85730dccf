"""Reads and validates the data: mappings, documents, releases, signatures and run records.

``load()`` reads everything and raises one error that lists all that is wrong. Nothing here imports a framework.
"""

from __future__ import annotations

from apidiff.database.data import Data, load
from apidiff.errors import ApidiffError, DataError, InvalidData

__all__ = ["ApidiffError", "Data", "DataError", "InvalidData", "load"]
