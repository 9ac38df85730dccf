"""Docstrings that are made to keep their reader: what they say is read in time that grows with their length."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import griffe
import pytest

from apidiff.signatures.docstring import docstring_ways, documented_defaults, documented_limits, documented_types
from apidiff.signatures.modules import NotReadable

BLANKS = " " * 3900


def documented(lines: list[str]) -> griffe.Function:
    text = "\n".join(["H.", "", "Args:", *(f"    {line}" for line in lines)])
    return griffe.Function("f", docstring=griffe.Docstring(text))


@pytest.mark.parametrize(
    ("read", "lines", "told"),
    [
        (documented_defaults, ["x (int): y", *[f"    default{BLANKS}x"] * 12], {}),
        (documented_defaults, ["x (int): y", *[f"    default{BLANKS[:1900]}:{BLANKS[:1900]}x"] * 20], {}),
        (documented_defaults, ["x (int): y. Default to :  ``3``"], {"x": "3"}),
        (documented_defaults, ["x (int): y. Defaults: -1.5."], {"x": "-1.5"}),
        (documented_types, [f"{name} (a{BLANKS}b): c" for name in "pqrstuvwxyz" * 3], None),
        (documented_types, ["x (int ,  optional): y"], {"x": "int"}),
        (documented_types, ["x (int, 可选): y"], {"x": "int"}),
    ],
)
def test_arguments(
    read: Callable[[griffe.Object], dict[str, str]], lines: list[str], told: dict[str, str] | None
) -> None:
    begun = process_time()
    found = read(documented(lines))
    assert process_time() - begun < 1
    assert told is None or found == told


@pytest.mark.parametrize("read", [documented_defaults, documented_types, documented_limits])
def test_a_docstring_that_many_names_share_is_read_once(read: Callable[[griffe.Object], object]) -> None:
    function = documented([f"x{number} (int): default 1" for number in range(4000)])
    begun = process_time()
    for _ in range(500):
        read(function)
    assert process_time() - begun < 1


def test_a_docstring_that_is_too_long_tells_nothing() -> None:
    assert documented_types(documented(["x (int): y"] + ["z"] * 2**17)) == {}
    with pytest.raises(NotReadable, match="too long"):
        docstring_ways("f(x)" + "\n" * 2**17)


def test_a_signature_that_does_not_end_is_given_up() -> None:
    begun = process_time()
    with pytest.raises(NotReadable, match="is no signature"):
        docstring_ways("\n".join(["f" * 60_000 + "(", *["(" * 100] * 500]))
    assert process_time() - begun < 0.1
