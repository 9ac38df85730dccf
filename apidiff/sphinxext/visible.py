r"""Characters that nobody sees but that change what one sees, shown as the escapes they are written with.

A record may hold whatever a framework printed: a bidirectional override turns the rest of a line around, an escape
sequence hides a word. On a page they stand as ``\u202e``; the files keep them as they are.
"""

from __future__ import annotations

import unicodedata

_KEPT = "\t\n\r"


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


# Controls, and invisible formatting: directions, joiners, marks of byte order, tags.
ESCAPES = {
    code: _escape(chr(code))
    for code in (*range(0x10000), *range(0xE0000, 0xE0080))
    if unicodedata.category(chr(code)) in {"Cc", "Cf", "Zl", "Zp"} and chr(code) not in _KEPT
}


def visible(text: str) -> str:
    """``text`` with what cannot be seen in it shown."""
    return text if text.isascii() and text.isprintable() else text.translate(ESCAPES)
