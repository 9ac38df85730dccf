"""How PyTorch APIs differ from their MindSpore counterparts.

>>> import apidiff
>>> kb = apidiff.load()
>>> answer = kb.lookup("torch.distributed.reduce", mindspore="2.10")
>>> answer.target.name
'mindspore.mint.distributed.reduce'

Importing this package imports no framework, no NumPy and no Sphinx.
"""

from __future__ import annotations

__version__ = "0.1.0"

from apidiff.errors import ApidiffError
from apidiff.lookup.answer import Answer, SearchResult
from apidiff.lookup.knowledge import KnowledgeBase, load

__all__ = ["Answer", "ApidiffError", "KnowledgeBase", "SearchResult", "__version__", "load"]
