"""Turning tests run all of their cases within the days they name, and one of each kind on each of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from turning import due

pytest_plugins = ["pytester"]
FIRST = 739_942  # 22 November 2026
HERE = Path(__file__).parent

TESTS = """
import pytest

@pytest.mark.turning(days=3)
@pytest.mark.parametrize("case", range(7))
def test_plain(case): pass

@pytest.mark.turning(days=4, kind="kind")
@pytest.mark.parametrize(("kind", "case"), [("many", 1), ("many", 2), ("many", 3), ("many", 4), ("many", 5), ("alone", 1)])
def test_kinds(kind, case): pass

def test_other(): pass
"""
GROUPS = """
import pytest

@pytest.mark.turning(days=3, group="the same")
def test_one(): pass

@pytest.mark.turning(days=3, group="the same")
@pytest.mark.parametrize("case", [1, 2])
def test_two(case): pass

@pytest.mark.turning(days=3, group="alone")
def test_three(): pass
"""


@pytest.fixture
def sessions(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder with turning tests and the conftest.py of this one."""
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeconftest((HERE / "conftest.py").read_text("utf-8"))
    pytester.makepyfile(test_it=TESTS)
    return pytester


PAGES = """
import pytest

@pytest.mark.parametrize(("language", "words"), [("en", "a"), ("zh", "b")])
@pytest.mark.parametrize("width", [1, 2])
def test_page(language, words, width): pass

@pytest.mark.parametrize("width", [1, 2])
def test_other(width): pass
"""


def test_what_is_asked_of_pages_in_two_languages_is_asked_in_one_each_day(sessions: pytest.Pytester) -> None:
    folder = sessions.mkdir("browser")
    (folder / "test_asked_of_pages.py").write_text(PAGES)
    every = {f"test_page[{width}-{words}]" for width in (1, 2) for words in ("en-a", "zh-b")}
    others = {"test_other[1]", "test_other[2]"}
    assert run(sessions, "all", "browser") == every | others
    today, tomorrow = (run(sessions, FIRST + number, "browser") for number in range(2))
    assert today & tomorrow == others
    assert today | tomorrow == every | others
    for names in (today, tomorrow):
        assert {name[:12] for name in names - others} == {"test_page[1-", "test_page[2-"}


def run(pytester: pytest.Pytester, day: object, *arguments: str) -> set[str]:
    """The names of the cases that a session collects on that day."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("APIDIFF_TURNING", str(day))
        lines = pytester.runpytest_inprocess("--collect-only", "-q", *arguments).outlines
    return {line.partition("::")[2] for line in lines if "::" in line}


def test_every_case_has_its_day_and_every_kind_one_case_each_day(sessions: pytest.Pytester) -> None:
    every = run(sessions, "all")
    assert len(every) == 7 + 6 + 1
    days = [run(sessions, FIRST + number) for number in range(4)]
    assert set().union(*days) == every
    assert set().union(*(names - {name for name in names if "kinds" in name} for names in days[:3])) >= {
        f"test_plain[{case}]" for case in range(7)
    }
    for names in days:
        assert names < every
        assert {"test_kinds[alone-1]", "test_other"} <= names
        assert any(name.startswith("test_kinds[many-") for name in names)
    assert run(sessions, FIRST) == days[0], "a day can be repeated"


def test_tests_of_a_group_turn_together(sessions: pytest.Pytester) -> None:
    sessions.makepyfile(test_groups=GROUPS)
    days = [run(sessions, FIRST + number, "test_groups.py") for number in range(3)]
    assert sorted(sorted(names - {"test_three"}) for names in days) == [["test_one"], ["test_two[1]"], ["test_two[2]"]]
    assert all("test_three" in names for names in days)


@pytest.mark.parametrize("day", range(FIRST, FIRST + 3))
def test_a_case_chosen_by_name_is_run_on_any_day(sessions: pytest.Pytester, day: int) -> None:
    assert run(sessions, day, "-k", "test_plain and 5") == {"test_plain[5]"}
    assert run(sessions, day, "test_it.py::test_plain[6]") == {"test_plain[6]"}


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 40])
@pytest.mark.parametrize("days", [1, 2, 4, 30])
def test_each_case_is_due_within_the_days_whatever_their_number(count: int, days: int) -> None:
    chosen = [due([*range(count)], days, FIRST + number) for number in range(days)]
    assert set().union(*chosen) == {*range(count)}
    assert all(chosen)


def test_what_is_no_day_is_told(sessions: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APIDIFF_TURNING", "today")
    found = sessions.runpytest_subprocess("--collect-only", timeout=500)
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    found.stderr.fnmatch_lines(["*Expected APIDIFF_TURNING to be all or the number of a day *, but got 'today'."])
