"""Runs framework versions × backends × world sizes, each version in a Python environment of its own.

Others import from here only.
"""

from __future__ import annotations

from apidiff.execute.matrix.cells import Cell, Standing, cells_of, read_matrix, standing
from apidiff.execute.matrix.run import Result, by_version, command_of, exclusive, job_array, run_cells

__all__ = [
    "Cell",
    "Result",
    "Standing",
    "by_version",
    "cells_of",
    "command_of",
    "exclusive",
    "job_array",
    "read_matrix",
    "run_cells",
    "standing",
]
