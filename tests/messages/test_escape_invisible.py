"""What a stranger wrote, in quotes of ours."""

from __future__ import annotations

import pytest

from apidiff.messages.escape_invisible import quoted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Debian 12", "“Debian 12”"),
        ('Debian 12", signed by "a lab', "“Debian 12', signed by 'a lab”"),
        ("Debian 12ˮ, signed by ❝a lab", "“Debian 12', signed by 'a lab”"),
        ("Debian 12„, 「a lab」", "“Debian 12', 'a lab'”"),
        ("Debian 12'', signed", "“Debian 12' ', signed”"),
        ("Debian 12‘‘'signed", "“Debian 12' ' 'signed”"),
        ("Debian’’, signed", "“Debian’ ’, signed”"),
        ("Debian´´´, signed", "“Debian´ ´ ´, signed”"),
        ("Debian``, signed", "“Debian` `, signed”"),
        ("Debian’ʼ, ′＇ signed", "“Debian’ ʼ, ′ ＇ signed”"),
        ("Debian’\u0301’, signed", "“Debian’ \u0301’, signed”"),
        ("Debian\u0315\u0315, signed", "“Debian\u0315 \u0315, signed”"),
        ("Debian \u030b, ᐥsigned", "“Debian ', 'signed”"),
        ("Do\u030bry", "“Do\u030bry”"),
        ("Debian’s 木", "“Debian’s 木”"),
        ("Debian\n12", "“Debian 12”"),
    ],
)
def test_what_is_quoted_does_not_end_the_quote(text: str, expected: str) -> None:
    assert quoted(text) == expected
