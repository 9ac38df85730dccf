"""One page of every type there is, for tests that look at all of them."""

from __future__ import annotations

from pathlib import Path

HEAVY = "mappings/torch.distributed.reduce.html"
PROOF = "evidence/torch.distributed.reduce.html"
COMPOSED = "mappings/torch.distributed.monitored_barrier.html"
LANGUAGES = ("en", "zh-cn")
DESK = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}

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
    "module": "api/apidiff.model/*.html",
    "search": "search.html",
}


def path_of(site: Path, language: str, kind: str) -> str:
    """The address, below the site, of the page of this type; of several the smallest, which shows what all show."""
    folder = site / language
    pages = [path for path in folder.glob(PAGE_TYPES[kind].replace("runs/*", "runs/**/*")) if ".part-" not in path.name]
    found = sorted(pages, key=lambda path: path.stat().st_size)
    assert found, f"no page of the type {kind!r} in {folder}"
    return found[0].relative_to(site).as_posix()
