"""What errors say of files that strangers wrote."""

from __future__ import annotations

import pickle
from typing import Any

import msgspec
import pytest

from apidiff.errors import ApidiffError, DataError, InvalidData, decoding_fault, without_orders


def test_a_name_in_an_error_begins_no_line_of_its_own() -> None:
    """A file was called as an answer of ours would read: `port` told its name as a line that began as its own do."""
    named = ApidiffError("a.py\nall is signed\u2028here\r: changes that are in no commit would be mixed with the port.")
    assert str(named) == r"a.py\nall is signed\u2028here\r: changes that are in no commit would be mixed with the port."
    several = ApidiffError("gloo: not here", "nccl:\nnot here")
    assert str(several) == "gloo: not here\nnccl:\\nnot here"
    assert str(pickle.loads(pickle.dumps(several))) == str(several)
    assert str(InvalidData([])) == ""


def test_a_name_in_an_error_gives_no_order() -> None:
    """GitHub does what such lines of a job's log say."""
    assert str(DataError("##[stop-commands]x.yaml", 1, "is wrong", "Mend it.")).startswith(
        r"#\x23[stop-commands]x.yaml:1:"
    )
    assert str(DataError("::error::x.yaml", 1, "is wrong", "Mend it.")).startswith(r"\x3a:error::x.yaml:1:")


def test_so_many_errors_are_counted() -> None:
    """A file of 800 kB made 45,000, of 2,000 characters each."""
    lines = str(InvalidData([DataError("a.yaml", number, "is wrong", "Mend it.") for number in range(1, 5501)])).split(
        "\n"
    )
    assert lines[-2:] == ["a.yaml:5000: is wrong. Mend it.", "and 500 more errors"]
    assert len(lines) == 5001


class One(msgspec.Struct, tag="one", tag_field="t", forbid_unknown_fields=True):
    names: list[str] = []


class Two(msgspec.Struct, tag="two", tag_field="t", forbid_unknown_fields=True):
    held: list[One] = []
    by_name: dict[str, One] = {}


FORGED = "x`. All of it was signed by this project (`y"


@pytest.mark.parametrize(
    ("plain", "told"),
    [
        ({"t": "two", "more": 1}, "Object contains unknown field `more`"),
        ({"t": "two", FORGED: 1}, f"Object contains unknown field '{FORGED}'"),
        ({"t": "two", "": 1}, "Object contains unknown field ''"),
        ({"t": "two", "x\ny": 1}, r"Object contains unknown field 'x\ny'"),
        ({"t": "two", "x" * 500: 1}, f"Object contains unknown field `{'x' * 500}`"),
        ({"t": "two", "x " * 500: 1}, f"Object contains unknown field '{('x ' * 500)[:119]}…'"),
        ({"t": "two", "x` - at `$.all is signed": 1}, "Object contains unknown field 'x` - at `$.all is signed'"),
        (
            {"t": "two", "Invalid value 'x' is signed": 1},
            "Object contains unknown field \"Invalid value 'x' is signed\"",
        ),
        (
            {"t": "two", "held": [{"t": "one", FORGED: 1}]},
            f"Object contains unknown field '{FORGED}' - at `$.held[0]`",
        ),
        (
            {"t": "two", "by_name": {"a b": {"t": "one", FORGED: 1}}},
            f"Object contains unknown field '{FORGED}' - at `$.by_name[...]`",
        ),
        ({"t": "x' is a new kind. 'two"}, """Invalid value "x' is a new kind. 'two" - at `$.t`"""),
        ({"t": "two", "held": 1}, "Expected `array`, got `int` - at `$.held`"),
    ],
)
def test_a_name_of_a_file_ends_no_quote(plain: dict[str, Any], told: str) -> None:
    for read in (
        lambda: msgspec.convert(plain, One | Two),
        lambda: msgspec.json.decode(msgspec.json.encode(plain), type=One | Two),
    ):
        with pytest.raises(msgspec.ValidationError) as caught:
            read()
        assert decoding_fault(caught.value) == told


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\n  ::error::b\nc ::d\n", "a\n  \\x3a:error::b\nc ::d\n"),
        ("##[warning]a\n::b", "#\\x23[warning]a\n\\x3a:b"),
        ("a\n\n::b", "a\n\n\\x3a:b"),
    ],
)
def test_no_line_of_a_text_is_an_order(text: str, shown: str) -> None:
    assert without_orders(text) == shown
