"""The sources of a part of the site: links to those of the checkout."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from apidiff.sphinxext.site_part import mirror_sources

FILES = [
    "apidiff/data/runs.txt",
    "executable_examples/a.py",
    "docs/en/index.md",
    "docs/en/guide/a.md",
    "docs/zh/index.md",
]
STUB = "docs/en/mappings/torch.abs.md"


def checkout(root: Path) -> Path:
    for name in [*FILES, STUB]:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(str(root))
    return root


# What is there before: of another checkout, as a copy has it; of a page that is gone; of this checkout.
@pytest.mark.parametrize("former", ["other", "gone", "same", None])
def test_every_link_leads_to_this_checkout(tmp_path: Path, former: str | None) -> None:
    root, mirror = checkout(tmp_path / "this"), tmp_path / "mirror"
    if former:
        before = root if former == "same" else checkout(tmp_path / former)
        if former == "gone":
            (before / "docs/en/gone.md").touch()
        mirror_sources(before, mirror, ["en", "zh"])
        if former == "gone":
            shutil.rmtree(before)
    mirror_sources(root, mirror, ["en", "zh"])
    assert {name: (mirror / name).read_text() for name in FILES} == dict.fromkeys(FILES, str(root))
    assert not (mirror / STUB).exists()
    assert not (mirror / "docs/en/gone.md").is_symlink()
