"""How PyTorch APIs differ from their MindSpore counterparts.

>>> import apidiff
>>> kb = apidiff.load()
>>> answer = kb.lookup("torch.distributed.reduce", mindspore="2.10")
>>> answer.target.name
'mindspore.mint.distributed.reduce'

Importing this package imports nothing else; what is named here is imported when it is first used.
"""

from __future__ import annotations

import sys

# `python -m apidiff` and its like: a stranger's `signal.py` may lie in the current folder. This package is found by its place.
if sys.argv[:1] == ["-m"] and sys.path and not sys.flags.safe_path:  # what is started is being looked for
    _started = sys.orig_argv[-len(sys.argv)].removeprefix("-m")
    if _started.partition(".")[0] == __name__:
        del sys.path[0]

__version__ = "0.1.0"
__all__ = ["Answer", "ApidiffError", "KnowledgeBase", "SearchResult", "__version__", "load"]

TYPE_CHECKING = False  # as type checkers read it; `typing` takes longer to import than all of this
if TYPE_CHECKING:
    from apidiff.errors import ApidiffError
    from apidiff.lookup.answer import Answer, SearchResult
    from apidiff.lookup.knowledge import KnowledgeBase, load

# Not imported here: apidiff.execute.offline runs before any other package is there, and a rank must not start threads.
_MODULES = {
    "Answer": "apidiff.lookup.answer",
    "ApidiffError": "apidiff.errors",
    "KnowledgeBase": "apidiff.lookup.knowledge",
    "SearchResult": "apidiff.lookup.answer",
    "load": "apidiff.lookup.knowledge",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'apidiff' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
