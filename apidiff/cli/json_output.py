r"""JSON for standard output: UTF-8 whatever the locale, with what nobody can see written as the escapes that JSON has.

Values stay what they are: a reader of JSON gets the character that ``\u202e`` stands for.
"""

from __future__ import annotations

import json

import msgspec

from apidiff.messages.escape_invisible import hidden


def json_line(value: object, indent: int | None = None) -> bytes:
    """``value`` as a line of JSON, or as several where ``indent`` says how many spaces a level has."""
    encoded = msgspec.json.encode(value)
    if indent is not None:
        encoded = msgspec.json.format(encoded, indent=indent)
    if not encoded.isascii():
        text = encoded.decode()
        encoded = text.translate({ord(one): json.dumps(one)[1:-1] for one in hidden(text)}).encode()
    return encoded + b"\n"
