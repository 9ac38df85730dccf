r"""Characters that nobody sees but that change what one sees, shown as the escapes they are written with.

A record may hold whatever a framework printed or a stranger wrote: a bidirectional override turns the rest of a line
around, an escape sequence hides a word or moves the cursor. On a page and in a terminal they stand as ``\u202e``; the files
keep them as they are.
"""

from __future__ import annotations

import unicodedata
from functools import cache

_KEPT = "\t\n\r"
_ENDS = {ord("\t"): "\\t", ord("\n"): "\\n", ord("\r"): "\\r"}


def visible(text: str) -> str:
    """``text`` with what cannot be seen in it shown."""
    return text if text.isascii() and text.isprintable() else text.translate(escapes())


def one_line(text: str, limit: int = 120) -> str:
    """``text`` of a stranger for a line of ours: visible, without line breaks, and cut where it is long."""
    shown = visible(" ".join(text.split()))
    return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"


def unbroken(line: str) -> str:
    """``line`` of ours, visible, with a stranger's text in it that begins no line of its own: it could pass for one of ours."""
    return visible(" ".join(line.splitlines()))


def file_name(name: str) -> str:
    """The name of a stranger's file for a line of ours: it may hold line ends, or bytes that are no text."""
    if name.isprintable():
        return name
    return visible(name).translate(_ENDS).encode("utf-8", "backslashreplace").decode()


@cache
def escapes() -> dict[int, str]:
    """What stands for controls, and for invisible formatting: directions, joiners, marks of byte order, tags."""
    return {
        code: _escape(chr(code))
        for code in (*range(0x10000), *range(0xE0000, 0xE0080))
        if unicodedata.category(chr(code)) in {"Cc", "Cf", "Zl", "Zp"} and chr(code) not in _KEPT
    }


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
