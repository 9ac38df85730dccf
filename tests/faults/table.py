"""Every fault: its name and what causes it. The cause raises AssertionError where the fault is not survived."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from tests.faults.files import FILES
from tests.faults.launched import LAUNCHED
from tests.faults.place import Unavailable
from tests.faults.ranks import ROWS, SHOWN, WELL, happens, name_of
from tests.faults.runs import RUNS
from tests.faults.singles import SINGLES

KINDS: dict[str, dict[str, Callable[..., None]]] = {
    **{
        f"a rank of {SHOWN[framework]}": {
            name_of(framework, row): partial(happens, framework, row) for row in ROWS[framework] if row is not WELL
        }
        for framework in ROWS
    },
    "afterwards": {name_of(framework, WELL): partial(happens, framework, WELL) for framework in ROWS},
    "a run": dict(RUNS),
    "a launched run": dict(LAUNCHED),
    "a single process": dict(SINGLES),
    "files": dict(FILES),
}
FAULTS: dict[str, Callable[..., None]] = {name: cause for faults in KINDS.values() for name, cause in faults.items()}


def survive(name: str, tried: Collection[str] = FAULTS.keys()) -> None:
    """Causes a fault in a folder of its own.

    ``tried``: the names of all faults that this process will cause; those of ranks are caused in one run.

    Raises AssertionError where it is not survived, Unavailable where it cannot be caused.
    """
    framework = "mindspore" if "MindSpore" in name else "torch"
    if find_spec(framework) is None:
        raise Unavailable(f"{framework} is not installed")
    cause = FAULTS[name]
    if isinstance(cause, partial) and cause.func is happens:
        cause(frozenset(tried))
        return
    with tempfile.TemporaryDirectory(prefix="apidiff-fault-", ignore_cleanup_errors=True) as folder:
        cause(Path(folder))
