r"""Characters that nobody sees but that change what one sees, shown as the escapes they are written with.

A record may hold whatever a framework printed or a stranger wrote: a bidirectional override turns the rest of a line
around, an escape sequence hides a word or moves the cursor. On a page and in a terminal they stand as ``\u202e``; the files
keep them as they are.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache

from apidiff.errors import without_orders

_HIDDEN = {"Cc", "Cf", "Zl", "Zp"}  # of Unicode: controls, invisible formatting, ends of lines and paragraphs
_KEPT = "\t\n\r"
_MET = re.compile("['`](?=['`])")
_ENDS = {ord("\t"): "\\t", ord("\n"): "\\n", ord("\r"): "\\r"}


def visible(text: str) -> str:
    """``text`` with what cannot be seen in it shown."""
    return text if text.isprintable() else text.translate({ord(one): _escape(one) for one in hidden(text)})


def hidden(text: str) -> set[str]:
    """The characters of ``text`` that cannot be seen, without tabs and ends of lines."""
    return {one for one in set(text) if _is_hidden(one)}


def _is_hidden(character: str) -> bool:
    return not character.isprintable() and character not in _KEPT and unicodedata.category(character) in _HIDDEN


def one_line(text: str, limit: int = 120) -> str:
    """``text`` of a stranger for a line of ours: visible, without line breaks, and cut where it is long."""
    shown = visible(" ".join(text.split()))
    return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"


def quoted(text: str, limit: int = 120) -> str:
    """``text`` of a stranger in quotes: one line, and none of its quotation marks ends them."""
    return f"“{unquoted(one_line(text, limit))}”"


def unquoted(text: str) -> str:
    """``text`` that is to stand in quotes of ours, its own as apostrophes, of which two do not stand as one mark."""
    if text.isascii():
        return _MET.sub(r"\g<0> ", text.replace('"', "'"))
    # An answer without such text needs no table of Unicode's.
    from apidiff.database.measurer_names import DETACHED_MARKS, doubled_apostrophes, quotation_marks

    marks, text = quotation_marks(), DETACHED_MARKS.sub("'", text)
    return doubled_apostrophes().sub(r"\g<0> ", "".join("'" if one in marks else one for one in text))


def unbroken(line: str) -> str:
    """``line`` of ours, visible, with a stranger's text in it that begins no line of its own: it could pass for one of ours."""
    return visible(" ".join(line.splitlines()))


def file_name(name: str) -> str:
    """The name of a stranger's file for a line of ours: it may hold line ends, bytes that are no text, or an order."""
    name = without_orders(name)
    if name.isprintable():
        return name
    return visible(name).translate(_ENDS).encode("utf-8", "backslashreplace").decode()


@cache
def escapes() -> dict[int, str]:
    """What stands for controls, and for invisible formatting: directions, joiners, marks of byte order, tags."""
    return {ord(one): _escape(one) for one in map(chr, range(sys.maxunicode + 1)) if _is_hidden(one)}


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
