"""What a stranger wrote, in quotes of ours."""

from __future__ import annotations

import pytest

from apidiff.messages.escape_invisible import file_name, quoted


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


# GitHub does what such lines of a job's log say: `::` at the beginning, `##[` anywhere.
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("##[stop-commands]a.py", r"#\x23[stop-commands]a.py"),
        ("b/###[add-mask]a.py", r"b/##\x23[add-mask]a.py"),
        ("##\u200b[x.py", r"##\u200b[x.py"),
        ("::error::a.py", r"\x3a:error::a.py"),
        (" \t::error::a.py", r" \t\x3a:error::a.py"),
        ("a::b.py", "a::b.py"),
        ("a#[1].py", "a#[1].py"),
        ("a\nb.py", r"a\nb.py"),
        ("a\udcff.py", r"a\udcff.py"),
    ],
)
def test_a_name_of_a_file_gives_no_order(name: str, shown: str) -> None:
    assert file_name(name) == shown
