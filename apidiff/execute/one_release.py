"""What each rank says it runs when it starts, and whether all run the same.

A record says one release, one Python and one list of packages of all its ranks, those of rank 0. Under a launcher the others
may be on machines of their own, with other environments: traces of theirs would be shown as of what rank 0 runs.
"""

from __future__ import annotations

import hashlib
import platform
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from apidiff.folder_walk import visible_files

# The packages that make a call's inputs, carry it out and take down what came of it. Others may differ between machines.
_DECIDING = {"torch": ("torch", "torch_npu", "numpy"), "mindspore": ("mindspore", "numpy")}
_CODE = "apidiff's code"
_UNTOLD = "of no known version"


class Started(msgspec.Struct):
    """The first line of a rank. ``version``: the framework's, as a record says it. ``runs``: by name, what decides its traces.

    Packages have their build in their version (``2.13.0+cpu``); code has a digest.
    """

    rank: int
    world_size: int
    version: str
    runs: dict[str, str] = msgspec.field(default_factory=dict)  # a rank of an older apidiff tells nothing


def runs_here(framework: str) -> dict[str, str]:
    """What decides the traces of this process, which has imported its framework."""
    packages = {name: str(sys.modules[name].__version__) for name in _DECIDING[framework] if name in sys.modules}
    return packages | {"Python": platform.python_version(), _CODE: code_digest()}


def mixture(started: Mapping[int, Started]) -> str | None:
    """How the first rank that does not run what rank 0 runs differs from it, with what to do; None where all run the same."""
    ours = started[0].runs
    for rank, one in sorted(started.items()):
        if one.runs != ours:
            told = [
                f"{name} {one.runs.get(name, _UNTOLD)}, rank 0 {ours.get(name, _UNTOLD)}"
                for name in ours | one.runs
                if one.runs.get(name) != ours.get(name)
            ]
            return f"rank {rank} runs {'; '.join(told)}: install one release of each on every machine"
    return None


def code_digest(package: Path = Path(__file__).parents[1]) -> str:
    """Computes the digest of the code by which ranks make probes and dump what came of them. ``package``: apidiff's folder."""
    folders = [package / "execute", package / "execute" / "ranks", package / "model"]
    content = b"".join(path.read_bytes() for folder in folders for path in visible_files(folder, "*.py"))
    return hashlib.sha256(content).hexdigest()[:12]
