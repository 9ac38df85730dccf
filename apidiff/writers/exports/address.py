"""Where the site stands on the web, if that is known: links that are absolute then, and relative otherwise."""

from __future__ import annotations

import posixpath
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from apidiff.errors import ApidiffError

VARIABLE = "APIDIFF_SITE_URL"


class BadAddress(ApidiffError, ValueError):
    """An address that a site cannot have."""


class Address(NamedTuple):
    """The address of the site's root, ending in a slash; empty where nobody said it."""

    root: str = ""

    @classmethod
    def parse(cls, text: str) -> Address:
        """``text`` as an address; empty text stands for none. Raises BadAddress."""
        text = text.strip()
        if not text:
            return cls()
        try:
            parts = urlsplit(text)
            fits = parts.scheme in {"http", "https"} and parts.hostname and not (parts.query or parts.fragment)
        except ValueError:
            fits = False
        if not fits or set(text) & set(" <>\"'\\`{}|^") or not text.isascii() or not text.isprintable():
            raise BadAddress(
                f"{text!r} is no address of a site. Give one like https://example.org/apidiff/ with --site-url or {VARIABLE}."
            )
        return cls(text.rstrip("/") + "/")

    def link(self, path: str, seen_from: str, part: str = "") -> str:
        """The address of ``path`` (from the site's root) for a file at ``seen_from``; ``part``: an anchor there."""
        goal = quote(path) if self.root else quote(posixpath.relpath(path, posixpath.dirname(seen_from) or "."))
        return self.root + goal + (f"#{quote(part)}" if part else "")
