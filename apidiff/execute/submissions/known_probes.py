"""What versions of this project ever ran: `known_specs.txt` of the data, a line for each probe and example.

    torch.distributed.broadcast sync 0a1b2c3d4e5f 112233445566

An API, one of its probes, and the digests of what that called, today's and all former ones. The list only grows.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from apidiff.errors import DataError

# API, probe, digest of what is called.
Spec = tuple[str, str, str]
_LINE = re.compile(r"\S+ \S+( [0-9a-f]{12})+")


def specs_path(root: Path) -> Path:
    """Where below the data folder ``root`` the list lies."""
    return root / "known_specs.txt"


def load_specs(root: Path) -> frozenset[Spec]:
    """All that is listed; nothing where there is no list. Raises DataError for a line that is none of one."""
    path = specs_path(root)
    found: set[Spec] = set()
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return frozenset()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(path, None, f"cannot be read ({error})", "Restore it from version control.") from error
    for number, line in enumerate(text.splitlines(), 1):
        if not _LINE.fullmatch(line):
            found_there = "is no API, probe and digests of twelve hexadecimal digits"
            raise DataError(path, number, found_there, "Restore the line from version control, then: make specs")
        api, probe, *digests = line.split(" ")
        found.update((api, probe, digest) for digest in digests)
    return frozenset(found)


def specs_text(specs: Iterable[Spec]) -> str:
    """The list as it is written: sorted, one probe a line."""
    lines: dict[tuple[str, str], set[str]] = defaultdict(set)
    for api, probe, digest in specs:
        lines[api, probe].add(digest)
    return "".join(f"{' '.join([*key, *sorted(digests)])}\n" for key, digests in sorted(lines.items()))
