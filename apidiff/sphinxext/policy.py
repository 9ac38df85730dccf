"""What a page may load and run: its Content-Security-Policy, and nothing in it that the policy would have to allow."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

# A page loads from the site alone, and runs and styles by files alone: markup that a record smuggled in could do neither.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
    )
)
# Scripts of Sphinx that serve its own search and its own shortcuts.
_UNUSED_SCRIPTS = {"translations.js", "documentation_options.js", "doctools.js", "sphinx_highlight.js"}


def add_policy(
    _app: Sphinx, _pagename: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None
) -> None:
    """Put the policy before everything a page loads, and take away scripts that stand in the page or are not used."""
    meta = f'\n    <meta http-equiv="Content-Security-Policy" content="{POLICY}"/>'
    context["metatags"] = meta + context.get("metatags", "")
    context["script_files"] = [script for script in context["script_files"] if _is_used(str(script.filename or ""))]


def _is_used(filename: str) -> bool:
    return bool(filename) and filename.rsplit("/", 1)[-1] not in _UNUSED_SCRIPTS
