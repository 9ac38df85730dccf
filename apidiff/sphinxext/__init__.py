"""Sphinx extension: pages from the database. What it registers stands in `extension`, which is imported once Sphinx asks.

The build of the site makes the content of the pages without Sphinx, by `site_content`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register everything with Sphinx."""
    from apidiff.sphinxext.extension import register

    return register(app)
