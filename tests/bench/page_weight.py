"""What the pages of a built site weigh, as files: without styles, scripts and fonts, which all pages share."""

from __future__ import annotations

from pathlib import Path

HEAVIEST_KB = 100.0
MEDIAN_KB = 40.0


def page_sizes(folder: Path) -> list[tuple[str, float]]:
    """Every page below ``folder`` with its size in KB, lightest first."""
    pages = [path for path in folder.rglob("*.html") if "_static" not in path.parts]
    sizes = [(path.relative_to(folder).as_posix(), path.stat().st_size / 1000) for path in pages]
    return sorted(sizes, key=lambda page: page[1])
