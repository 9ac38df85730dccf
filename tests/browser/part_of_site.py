"""Builds the part of the site that tests of pages look at, another one each day, and the whole site every night.

``make test`` runs this file beside the first tests, which wait more than they work; a test that comes before it is done waits.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import turning

from apidiff.atomic_write import open_in_place
from apidiff.folder_walk import visible_files
from apidiff.site_builder import build_site
from apidiff.sphinxext.repository import find_repository
from apidiff.sphinxext.site_part import GENERATED, SitePart

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PARTS = 40
# Of a page's address its name; of MindSpore's APIs those whose claims a guide refers to.
NAME = re.compile(r"\btorch(?:\.(?!(?:html|json|part)\b)\w+)+|\bmindspore(?:\.\w+)+(?=#)")
# Those whose traces tests look at, and those whose traces most links of the page "What's new" lead to.
TRACED = {"torch.distributed.reduce", "torch.distributed.all_reduce", "torch.distributed.barrier"}


def named() -> set[str]:
    """What the tests of pages and the guides name: the part of the site has all of it.

    Tests that search name collectives by the last part of their names.
    """
    tests = [path.read_text("utf-8") for path in (*visible_files(HERE, "*.py"), HERE.parent / "searched.py")]
    docs = ROOT / "docs"
    pages = [
        *visible_files(docs, "*/*.md"),
        *(page for guide in docs.glob("*/guide") for page in visible_files(guide, "*.md")),
    ]
    guides = [path.read_text("utf-8") for path in pages]
    last = {word for text in tests for word in re.findall(r"\w+", text)}
    return {name for text in tests + guides for name in NAME.findall(text)} | {
        f"torch.distributed.{word}" for word in last
    }


def site_of_today() -> Path:
    """Build the part that is due, or the whole where all is tested, unless it is there and nothing it is made from changed.

    Returns:
        The folder of the site. The whole one is built where ``make site`` builds it.
    """
    today = turning.day()
    folder = ROOT / "build" / ("site" if today is None else "part-of-site")
    folder.parent.mkdir(exist_ok=True)
    stamp = folder.with_name(f".{folder.name}-made-from")
    with open_in_place(folder.with_name(f".{folder.name}-lock"), emptied=False) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = made_from(today)
        if not (folder / "index.html").is_file() or not stamp.is_file() or stamp.read_bytes() != wanted.encode():
            stamp.unlink(missing_ok=True)
            build_site(folder, part=None if today is None else part_of(today))
            stamp.write_text(wanted)
    return folder


def part_of(today: int) -> SitePart:
    """Choose the mappings that the site of a day shows."""
    return SitePart(lambda mapping: _number(mapping) % PARTS == today % PARTS, named(), TRACED)


def _number(mapping: str) -> int:
    """A number by which mappings are dealt out to days, the same on every machine."""
    return int.from_bytes(hashlib.sha256(mapping.encode()).digest()[:8])


def made_from(today: int | None) -> str:
    """Make a digest of what a site is made from: day, chosen mappings, repository, and files with sizes and times of change."""
    lines = [today, sorted(named()), find_repository(ROOT, os.environ), *sources()]
    return hashlib.sha256("\n".join(map(str, lines)).encode()).hexdigest()


def sources() -> Iterator[tuple[str, int, int]]:
    """List the files that a site is made from, without what builds write beside them: stubs, and catalogues of words (.mo)."""
    for top in ("apidiff", "conf", "docs", "executable_examples"):
        for parent, folders, names in os.walk(ROOT / top):
            generated = GENERATED if Path(parent).parent == ROOT / "docs" else frozenset()
            folders[:] = sorted({*folders} - generated - {"__pycache__", "node_modules"})
            for name in sorted(name for name in names if not name.endswith(".mo") and not name.startswith(".")):
                state = Path(parent, name).stat()
                yield f"{parent}/{name}", state.st_size, state.st_mtime_ns


if __name__ == "__main__":
    turning.set_day()
    sys.stdout.write(f"The tests' site is at {site_of_today()}\n")
