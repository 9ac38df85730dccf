"""Makes the edits by hand that a ported model needs: those of MODEL/edits.toml, each of which a comment of the port told of.

    python edit.py gpt2 FOLDER

``told`` is how the comment begins that stands above the edited line, or with ``elsewhere`` in the same file. An edit whose
comment or line is not there ends the script.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent


def edit(path: Path, told: str, before: str, after: str, *, elsewhere: bool) -> int:
    """Replace ``before`` in the lines of a file that a comment told of; return in how many."""
    lines = path.read_text(encoding="utf-8").split("\n")
    told_of = [number for number, line in enumerate(lines) if line.strip().startswith(f"# {told}")]
    if not told_of:
        sys.exit(f"{path}: no comment tells: {told}")
    count = 0
    for number, line in enumerate(lines):
        if before in line and (elsewhere or any(_is_above(lines, comment, number) for comment in told_of)):
            lines[number] = line.replace(before, after)
            count += 1
    if not count:
        sys.exit(f"{path}: no line that a comment tells of has: {before}")
    path.write_text("\n".join(lines), encoding="utf-8")
    return count


def _is_above(lines: list[str], comment: int, number: int) -> bool:
    """Whether only comments stand between a comment and a line."""
    between = [line.strip() for line in lines[comment + 1 : number]]
    return comment < number and all(line.startswith("#") for line in between)


if __name__ == "__main__":
    model, folder = sys.argv[1:]
    total = 0
    for one in tomllib.loads((HERE / model / "edits.toml").read_text(encoding="utf-8"))["edit"]:
        path = Path(folder) / "mindspore" / one["file"]
        total += edit(path, one["told"], one["before"], one["after"], elsewhere=one.get("elsewhere", False))
    print(f"lines edited by hand: {total}")
