"""One page of every type there is, for tests that look at all of them."""

from __future__ import annotations

import zlib
from pathlib import Path

import turning

HEAVY = "mappings/torch.distributed.reduce.html"
PROOF = "evidence/torch.distributed.reduce.html"
COMPOSED = "mappings/torch.distributed.monitored_barrier.html"
LANGUAGES = ("en", "zh-cn")
DESK = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}

_MANY = {"mappings", "evidence", "runs", "api"}
_PARTS = 10

PAGE_TYPES = {
    "index": "index.html",
    "mappings": "mappings.html",
    "heavy mapping": HEAVY,
    "composed mapping": COMPOSED,
    "evidence of a mapping": PROOF,
    "counterparts": "counterparts.html",
    "risks": "risks.html",
    "statements": "statements.html",
    "runs": "runs.html",
    "run": "runs/*.html",
    "evidence": "evidence/torch-2.13.0/gloo-cpu/torch.distributed.reduce.html",
    "evidence of MindSpore": "evidence/mindspore-2.10.0/mccl-cpu/mindspore.mint.distributed.reduce.html",
    "coverage": "coverage.html",
    "new": "new.html",
    "project": "project.html",
    "port": "port.html",
    "guide index": "guide/index.html",
    "guide": "guide/porting.html",
    "Python API": "python.html",
    "module": "api/apidiff.judge/*.html",
    "search": "search.html",
}


def pages_of_today(site: Path) -> list[Path]:
    """List the pages of the site, of those of which there are hundreds a tenth, another one each day; all of them every night."""
    today = turning.day()
    pages = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]
    return pages if today is None else [path for path in pages if _is_due(path.relative_to(site).as_posix(), today)]


def _is_due(path: str, today: int) -> bool:
    """Tell whether a page is looked at on that day; a part of a heavy page is, together with the page."""
    many = _MANY & set(path.split("/")[:-1])
    return not many or (zlib.crc32(path.partition(".part-")[0].removesuffix(".html").encode()) - today) % _PARTS == 0


def path_of(site: Path, language: str, kind: str) -> str:
    """The address, below the site, of the page of this type; of several the smallest, which shows what all show."""
    folder = site / language
    pages = [path for path in folder.glob(PAGE_TYPES[kind].replace("runs/*", "runs/**/*")) if ".part-" not in path.name]
    found = sorted(pages, key=lambda path: path.stat().st_size)
    assert found, f"no page of the type {kind!r} in {folder}"
    return found[0].relative_to(site).as_posix()
