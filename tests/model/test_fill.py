"""What a rule may write out for an argument that a call leaves away: literals, and arguments of the source in braces."""

from __future__ import annotations

import msgspec
import pytest

from apidiff.model.mapping import Target

TARGET = {"api": {"name": "mindspore.f"}, "ranges": []}


@pytest.mark.parametrize("text", ["1", "-1.5", "None", "True", '"same"', "{kernel_size}"])
def test_literals_and_places_are_taken(text: str) -> None:
    assert msgspec.convert({**TARGET, "fill": {"x": text}}, Target).fill == {"x": text}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{", "is no literal"),
        ("{kernel_size.__class__}", "is no literal"),
        ("{kernel_size:>9}", "is no literal"),
        ("{[]: 1}", "is no literal"),
        ("one plus one", "is no literal"),
        ("f(1)", "is no literal"),
        ("(" * 1000, "is no literal"),
        ("1+" * 1500 + "1", "at most 2000 characters"),
        ("9" * 5000, "at most 2000 characters"),
        ("[1, 2]", "is no number, text, truth value or None"),
        ("1j", "is no number, text, truth value or None"),
    ],
)
def test_all_else_is_refused_where_a_record_is_read(text: str, found: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=f"`fill` for 'x': .*{found}"):
        msgspec.convert({**TARGET, "fill": {"x": text}}, Target)
