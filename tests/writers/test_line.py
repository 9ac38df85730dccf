"""Chinese text in a terminal breaks between characters, and not within names, versions, or before a comma."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from apidiff.writers.line import Line

CONSOLE = Console(width=80)


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("未实测", 4, ["未实", "测"]),
        ("未实测）；又", 6, ["未实", "测）；", "又"]),
        ("版本2.10.0、2.9.0实测", 11, ["版本", "2.10.0、", "2.9.0实测"]),
        ("用（见下）", 4, ["用", "（见", "下）"]),
        ("计划用 `a.b.c_d` 取代", 10, ["计划用", "`a.b.c_d`", "取代"]),
        ("取代abcdefgh之", 6, ["取代", "abcdef", "gh之"]),
        ("一\n二", 10, ["一", "二"]),
        ("plain words only", 6, ["plain", "words", "only"]),
    ],
)
def test_lines_end_where_chinese_may_break(text: str, width: int, expected: list[str]) -> None:
    assert [line.plain.rstrip() for line in Line(text).wrap(CONSOLE, width)] == expected


@given(st.text(alphabet="中文测、。，（）`ab.1 ", max_size=60), st.integers(4, 30))
def test_nothing_is_lost_and_no_line_is_too_wide(text: str, width: int) -> None:
    lines = [line.plain for line in Line(text).wrap(CONSOLE, width)]
    assert re.sub(r"\s", "", "".join(lines)) == re.sub(r"\s", "", text)
    assert all(cell_len(line.rstrip()) <= width for line in lines)


def test_styles_stay() -> None:
    line = Line.assemble("一", ("二三", "bold"))
    spans = [(part.plain, [str(span.style) for span in part.spans]) for part in line.wrap(CONSOLE, 4)]
    assert spans == [("一二", ["bold"]), ("三", ["bold"])]
