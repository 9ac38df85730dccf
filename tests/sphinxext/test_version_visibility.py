"""Sets of releases as the spans that pages carry."""

from __future__ import annotations

import pytest

from apidiff.model.ranges import ends
from apidiff.sphinxext.versions import Releases, spans

KNOWN = ["2.10.0", "2.9.1", "2.9.0", "2.8.0", "2.4.1", "2.4.0", "1.10.2", "1.9.0"]
RELEASES = Releases(known={"mindspore": KNOWN}, signed={"mindspore": ["2.10.0", "2.8.0", "2.4.0"]})

# releases, spans
SETS = [
    ([], ""),
    (["2.8.0"], "2.8.0"),
    (["2.9.1", "2.9.0"], "2.9.0..2.9.1"),
    (["2.10.0", "2.4.1", "2.4.0", "1.9.0"], "2.10.0 2.4.0..2.4.1 1.9.0"),
    (KNOWN, "1.9.0..2.10.0"),
    (["2.7.0"], ""),  # not a known release
]


@pytest.mark.parametrize(("versions", "expected"), SETS)
def test_spans_of_a_set(versions: list[str], expected: str) -> None:
    assert RELEASES.spans("mindspore", versions) == spans(KNOWN, set(versions)) == expected


# since, until, spans
RANGES = [
    (None, None, "1.9.0..2.10.0"),
    ("2.4", None, "2.4.0..2.10.0"),
    (None, "2.4", "1.9.0..2.4.1"),  # an end is read at its precision
    (None, "2.4.0", "1.9.0..2.4.0"),
    ("2.9", "2.9", "2.9.0..2.9.1"),
    ("1.10", "2.8", "1.10.2..2.8.0"),  # 1.10 is later than 1.9
    ("2.11", None, ""),
    ("2.5", "2.7", ""),
]


@pytest.mark.parametrize(("since", "until", "expected"), RANGES)
def test_spans_of_a_range(since: str | None, until: str | None, expected: str) -> None:
    assert RELEASES.spans("mindspore", RELEASES.between("mindspore", since, until)) == expected


# range as text, its ends, spans
TEXTS = [
    ("*", [(None, None)], "1.9.0..2.10.0"),
    ("≥ 2.9", [("2.9", None)], "2.9.0..2.10.0"),
    ("≤ 2.8", [(None, "2.8")], "1.9.0..2.8.0"),
    ("2.4 – 2.8", [("2.4", "2.8")], "2.4.0..2.8.0"),
    ("2.9.1", [("2.9.1", "2.9.1")], "2.9.1"),
    ("≤ 2.4.0, 2.9 – 2.9.0", [(None, "2.4.0"), ("2.9", "2.9.0")], "2.9.0 1.9.0..2.4.0"),
]


@pytest.mark.parametrize(("text", "wanted", "expected"), TEXTS)
def test_spans_of_a_text(text: str, wanted: list[tuple[str | None, str | None]], expected: str) -> None:
    assert ends(text) == wanted
    assert RELEASES.spans("mindspore", RELEASES.told("mindspore", text)) == expected


def test_signatures_speak_for_the_releases_up_to_the_next() -> None:
    assert RELEASES.read_for("mindspore") == {
        "2.10.0": ["2.10.0"],
        "2.8.0": ["2.9.1", "2.9.0", "2.8.0"],
        "2.4.0": ["2.4.1", "2.4.0"],
    }


def test_nothing_is_known_of_a_framework_without_releases() -> None:
    nothing = Releases()
    assert (nothing.first("torch"), nothing.spans("torch", ["2.1.0"]), nothing.read_for("torch")) == ("", "", {})
