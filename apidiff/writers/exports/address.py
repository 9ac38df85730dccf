"""Names addresses of the site: its root, the folder of each language, anchors on its pages."""

from __future__ import annotations

import os
import posixpath
import re
from functools import cache
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from apidiff.errors import ApidiffError
from apidiff.model.base import Language
from apidiff.model.published import FORMAT

VARIABLE = "APIDIFF_SITE_URL"
_WHERE = f"where it is set: with --site-url, in {VARIABLE} or as `site` in pyproject.toml"
API = f"api/v{FORMAT}"
_NAMES_USER = re.compile(r"[^/?#]*/{2,}[^/?#]*@")
_LONGEST = 500  # characters: links repeat it hundreds of times
_NOT_ANCHOR = re.compile(r"[^A-Za-z0-9._-]+")


# Pages that moved within each language's folder: their former names and where they lead now, anchors included.
MOVED = {"refuted": "statements", "official": "statements", "changed": "new"}


class SiteLanguage(NamedTuple):
    """One language of the site.

    ``words``: its labels, which is also the folder of its sources and the tag for Sphinx. ``sphinx``: Sphinx' name for it.
    ``folder``: its folder on the site. ``tag``: its name in HTML. ``name``: its name in the language itself.
    """

    words: Language
    sphinx: str
    folder: str
    tag: str
    name: str


LANGUAGES = (
    SiteLanguage("en", "en", "en", "en", "English"),
    SiteLanguage("zh", "zh_CN", "zh-cn", "zh-CN", "简体中文"),
)


def anchor(text: str) -> str:
    """Make an ASCII anchor of ``text``: '#' of a claim's ID becomes '--', other characters unusual in an ID become '-'."""
    return _NOT_ANCHOR.sub("-", text.replace("#", "--")).strip("-")


def answer_anchor(since: str | None) -> str:
    """Name the anchor of the section about an answer; ranges of a mapping do not overlap, so their starts differ."""
    return f"otherwise--{since or 'first'}"


class BadAddress(ApidiffError, ValueError):
    """An address that a site cannot have."""


class AddressWithPassword(BadAddress):
    """An address with a user name or a password, which links would publish. The error does not repeat it."""

    def __init__(self) -> None:
        super().__init__(
            "The address of the site holds a user name or a password, which links would publish. Write it without them "
            f"{_WHERE}."
        )


def names_user(address: str) -> bool:
    """Whether an address holds a user name or a password, be it otherwise one or not."""
    return _NAMES_USER.match(address) is not None


class Address(NamedTuple):
    """The address of the site's root, ending in a slash; empty where it is not known."""

    root: str = ""

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read an address; empty text stands for an unknown one.

        Raises:
            BadAddress: a site cannot have this address.
        """
        text = text.strip()
        if not text:
            return cls()
        if names_user(text):
            raise AddressWithPassword
        if len(text) > _LONGEST:
            raise BadAddress(
                f"The address of the site has {len(text)} characters, where {_LONGEST} are the most. "
                f"Write a shorter one {_WHERE}."
            )
        try:
            parts = urlsplit(text)
            _ = parts.port  # raises where it is none
            fits = parts.scheme in {"http", "https"} and parts.hostname and not (parts.query or parts.fragment)
        except ValueError:
            fits = False
        if not fits or set(text) & set(" <>\"'\\`{}|^") or not text.isascii() or not text.isprintable():
            raise BadAddress(f"{text!r} is no address of a site. Give one like https://example.org/apidiff/ {_WHERE}.")
        return cls(text.rstrip("/") + "/")

    @classmethod
    def configured(cls, setting: str | None = None) -> Address:
        """The address that the environment names, else ``setting``. Raises BadAddress."""
        return cls.parse(os.environ.get(VARIABLE, "").strip() or setting or "")

    def pages(self, language: Language) -> str:
        """The address of the pages in a language; empty where the site's is not known."""
        folder = next(one.folder for one in LANGUAGES if one.words == language)
        return f"{self.root}{folder}/" if self.root else ""

    def link(self, path: str, seen_from: str, part: str = "") -> str:
        """Link to a file of the site: absolute where the site's address is known, relative otherwise.

        Args:
            path: the goal, from the site's root.
            seen_from: the file that holds the link, from the site's root.
            part: an anchor in the goal.
        """
        if self.root:
            goal = self.root + quote(path)
        else:
            folder, name = posixpath.split(path)
            goal = _steps(posixpath.dirname(seen_from), folder) + quote(name)
        return goal + (f"#{quote(part)}" if part else "")


@cache  # tens of thousands of links go between few folders
def _steps(here: str, there: str) -> str:
    """Return what stands before the name of a file in the folder ``there`` in a link from a file in ``here``."""
    steps = posixpath.relpath(there or ".", here or ".")
    return "" if steps == "." else f"{quote(steps)}/"
