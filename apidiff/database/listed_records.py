"""Whether the records are there that the list of this project's own names, and lie where it says.

A record that another took the place of stays in the list, so a file that is gone is missed only where none of its place is left.
"""

from __future__ import annotations

from pathlib import Path

from apidiff.database.own_records import own_lines, own_records_path
from apidiff.database.runs import record_paths, run_id
from apidiff.errors import DataError


def unfit_lines(root: Path) -> list[DataError]:
    """The lines of the list below ``root`` that no record fits: it lies elsewhere, or nothing of its place is there."""
    lines, path = own_lines(root, []), own_records_path(root)
    there = {
        digest: run for run, _, digest in (run_id(file).rpartition("-") for file in record_paths(root / "runs", []))
    }
    held = {there[line.digest] for line in lines if line.digest in there}
    found: dict[str, DataError] = {}
    for line in lines:
        place = there.get(line.digest)
        if place is None and line.run not in held:
            what = f"lists {line.run}-{line.digest[:12]}, and no listed record of {line.run} is there"
            remedy = (
                "Restore its file below runs from version control, or record the run anew: apidiff verify --record."
            )
            found.setdefault(line.run, DataError(path, line.number, what, remedy))
        elif place not in {None, line.run}:
            what = f"lists the record {line.digest[:12]} as {line.run}, and it is of {place}"
            found[line.digest] = DataError(path, line.number, what, "Restore the line from version control.")
    return list(found.values())
