r"""JSON for standard output: UTF-8 whatever the locale, with what nobody can see written as the escapes that JSON has.

Values stay what they are: a reader of JSON gets the character that ``\u202e`` stands for. What may be large is made in pieces.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import msgspec

from apidiff.messages.escape_invisible import hidden

_AT_ONCE = 1_000  # items of a list: about a megabyte


def json_line(value: object, indent: int | None = None) -> bytes:
    """``value`` as a line of JSON, or as several where ``indent`` says how many spaces a level has."""
    encoded = msgspec.json.encode(value)
    if indent is not None:
        encoded = msgspec.json.format(encoded, indent=indent)
    return _escaped(encoded) + b"\n"


def json_pieces(value: msgspec.Struct) -> Iterator[bytes]:
    """What ``json_line`` makes of ``value``, in pieces: of a long list a part of its items at a time."""
    before = b"{"
    for field in msgspec.structs.fields(value):
        yield _escaped(before + msgspec.json.encode(field.encode_name) + b":")
        held = getattr(value, field.name)
        yield from _list_pieces(held) if isinstance(held, list) else [_escaped(msgspec.json.encode(held))]
        before = b","
    yield b"}\n"


def _list_pieces(items: list[object]) -> Iterator[bytes]:
    before = b"["
    for start in range(0, len(items), _AT_ONCE):
        yield before + _escaped(msgspec.json.encode(items[start : start + _AT_ONCE])[1:-1])
        before = b","
    yield b"]" if items else b"[]"


def _escaped(encoded: bytes) -> bytes:
    encoded = encoded.replace(b"##[", b"#\\u0023[")  # GitHub does what a log says that holds it
    if encoded.isascii():
        return encoded
    text = encoded.decode()
    found = hidden(text)
    return text.translate({ord(one): json.dumps(one)[1:-1] for one in found}).encode() if found else encoded
