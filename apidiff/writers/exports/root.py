"""The page at the site's root, which leads to the reader's language."""

from __future__ import annotations

from jinja2 import Environment, StrictUndefined

from apidiff.writers.exports.address import Address


def root_page(template: str, address: Address) -> str:
    """The page from its template, with absolute addresses where the site's own is known."""
    return (
        Environment(autoescape=True, undefined=StrictUndefined).from_string(template).render(site=address.root) + "\n"
    )
