"""Documents as entries name them."""

from __future__ import annotations

from apidiff.model import Document
from apidiff.model.views import DocumentEntry


def document_entry(found: Document) -> DocumentEntry:
    """What a reader sees of a document."""
    return DocumentEntry(
        title=found.title,
        url=found.url,
        framework=found.framework.value,
        version=found.version,
        seed=found.seed is not None,
    )
