"""How inputs are made: bytes of something genuine with pieces cut, doubled or replaced, and values that nobody sends."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

# A word per line break would be a page: they stand together.
# fmt: off
HOSTILE_BYTES = [
    b"", b"\0", b"\xff\xfe", b"\x1b[31m", "\u202e".encode(), b"[" * 2000, b"{" * 2000, b'"' * 9, b"- " * 300, b"&a [*a]",
    b"1" * 5000, b"1e999", b"-1", b"nan", b"2026-13-45", b"!!python/object:os.system x", b"%00", b"../" * 40, b"\r\n",
    b"a: " * 40, b"%", b"'''",
]
HOSTILE_VALUES: list[Any] = [
    None, True, -1, 0, 10**30, 10**400, 2**63, 1e308, -1e308, 0.5, "", "abc", "nan", "inf", "\u202e", "\0", "1..1",
    "a" * 300, "9" * 5000, [], [[]], [10**30, 0], [-1, -3], [None], {}, {"t": "tensor"}, {"": {}},
    {"t": "scalar", "value": 1}, "nonsense", "float8_e4m3fn", "complex64", "(1-2j)", "2999-01-01T00:00:00Z",
    "this proj\u0435ct", "{[]:1}", "1+" * 400 + "1",
]
# fmt: on


@st.composite
def mutated(draw: st.DrawFn, genuine: bytes) -> bytes:
    """Genuine bytes, changed in up to four places."""
    content = genuine
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(content)))
        until = min(len(content), at + draw(st.integers(0, 40)))
        piece = draw(st.one_of(st.sampled_from(HOSTILE_BYTES), st.binary(max_size=6), st.just(content[at:until] * 2)))
        content = content[:at] + piece + content[until:]
    return content


@st.composite
def rearranged(draw: st.DrawFn, genuine: dict[str, Any]) -> bytes:
    """The JSON of something genuine with up to three parts replaced by others of its own, renamed, emptied or left out."""
    plain = copy.deepcopy(genuine)
    for _ in range(draw(st.integers(1, 3))):
        parts = list(_parts(plain))
        if not parts:
            break
        holder, key = draw(st.sampled_from(parts))
        names = [key for _, key in parts if isinstance(key, str)]
        how = draw(st.integers(0, 5))
        if how == 0:
            del holder[key]
        elif how == 1 and isinstance(holder, dict):
            holder[draw(st.sampled_from([*names, "", "0", "a b", "x[0]"]))] = holder.pop(key)
        elif how == 2:
            holder[key] = draw(st.sampled_from([None, "", {}, [], "0", -1, "source", "a.b", "$name", "2.x"]))
        elif how == 3:
            holder[key] = draw(st.sampled_from(names))
        else:
            other, at = draw(st.sampled_from(parts))
            holder[key] = copy.deepcopy(other[at])
    return json.dumps(plain).encode("utf-8", "surrogatepass")


def _parts(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each value below, by what holds it and its key or index there."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    for key in keys:
        yield value, key
        yield from _parts(value[key])


@st.composite
def with_hostile_values(draw: st.DrawFn, genuine: bytes) -> bytes:
    """The JSON of something genuine with up to three values anywhere in it replaced, left out or given twice."""
    plain = json.loads(genuine)
    for _ in range(draw(st.integers(1, 3))):
        holder = plain
        for _ in range(draw(st.integers(0, 9))):
            inside = [value for value in (holder.values() if isinstance(holder, dict) else holder) if value]
            inside = [value for value in inside if isinstance(value, dict | list)]
            if not inside:
                break
            holder = draw(st.sampled_from(inside))
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            continue
        key = draw(st.sampled_from(keys))
        how = draw(st.integers(0, 9))
        if how == 0:
            del holder[key]
        elif how == 1 and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[key]))
        else:
            holder[key] = copy.deepcopy(draw(st.sampled_from(HOSTILE_VALUES)))
    return json.dumps(plain).encode("utf-8", "surrogatepass")
