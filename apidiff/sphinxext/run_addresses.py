"""Names the pages of run records by the ID that is shown, with twelve digits of the digest, as earlier versions did."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from apidiff.database.runs import sharing_id, short_id
from apidiff.errors import ApidiffError


def run_pages(runs: Iterable[str]) -> dict[str, str]:
    """The page of each of ``runs``, by its ID. Raises ApidiffError for two records that would have one page."""
    pages = {run: f"runs/{short_id(run)}" for run in runs}
    for group in sharing_id(pages):
        both = " and ".join(group)
        raise ApidiffError(f"{both} share twelve digits and so an address: remove the one that is not trusted.")
    return pages


def former_records(runs: Iterable[str], folder: Path) -> dict[Path, bytes]:
    """What stands where raw records of ``runs`` lay below ``folder`` under twelve digits: how the file is called today."""
    return {
        folder / f"{short_id(run)}.json": json.dumps({"moved": f"{PurePosixPath(run).name}.json"}).encode() + b"\n"
        for run in runs
        if short_id(run) != run
    }
