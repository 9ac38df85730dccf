"""Every fault: its name and what causes it. The cause raises AssertionError where the fault is not survived."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from tests.faults.files import FILES
from tests.faults.launched import LAUNCHED
from tests.faults.place import Unavailable
from tests.faults.ranks import ROWS, happens
from tests.faults.runs import RUNS

_SHOWN = {"torch": "torch", "mindspore": "MindSpore"}

FAULTS: dict[str, Callable[[Path], None]] = {
    **{
        f"{row.what}, {_SHOWN[framework]}": partial(happens, framework, row)
        for framework in ROWS
        for row in ROWS[framework]
    },
    **dict(RUNS),
    **dict(LAUNCHED),
    **dict(FILES),
}


def survive(name: str) -> None:
    """Causes a fault in a folder of its own. Raises AssertionError where it is not survived, Unavailable where it cannot be."""
    framework = "mindspore" if "MindSpore" in name else "torch"
    if find_spec(framework) is None:
        raise Unavailable(f"{framework} is not installed")
    with tempfile.TemporaryDirectory(prefix="apidiff-fault-", ignore_cleanup_errors=True) as folder:
        FAULTS[name](Path(folder))
