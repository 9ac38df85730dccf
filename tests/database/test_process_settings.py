"""What ``conf/single.toml`` and ``conf/backends.toml`` may not set for processes is refused where they are read."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from apidiff.database.backends import load_backends
from apidiff.database.devices import load_devices
from apidiff.database.paths import conf_file
from apidiff.database.process_settings import ProcessSettings, says_unsupported
from apidiff.errors import Damage, DataError

SINGLE, BACKENDS = "single.toml", "backends.toml"
VARIABLE = 'OMP_NUM_THREADS = "1"'
DEADLINES = {SINGLE: "start = 120, call = 20", BACKENDS: "start = 90, probe = 8"}
UNSUPPORTED = {SINGLE: "\"not implemented for '\\\\w+'\"", BACKENDS: '"Invalid scalar type"'}
LOADED = {SINGLE: load_devices, BACKENDS: load_backends}
FIRST = {SINGLE: "device[0]", BACKENDS: "backend[0]"}
BOTH = (SINGLE, BACKENDS)
# Patterns that could be searched for without end in a message of letters that they do not quite fit.
ENDLESS = [
    *(r"(\w+\s?)+\x00", "(a|a)*b", "(aa?)+b", "((a)*)*b", "(a{1,9}){9}b", "a*a*a*b", ".*x.+y", "a{0,99}a{0,99}b"),
    *("(a|aa)(a|aa)(a|aa)(a|aa)(a|aa)b", "a?a?a?a?a?a", "(?x)#[\n(a+)+b#]", "(?=a+)b", "(a) *b"),
]
QUICK = [
    *(
        "(Backend gloo|ProcessGroupGloo) does not support",
        r"Select CPU operator\[\w+\] fail",
        "only supports? .* on CPU",
    ),
    *(r"\(a\)+", "[(a)+*?|{]+", "a|b|c|d|e", "^a{2}", "[]*+]", r"[\]*+]a*"),
]
# files, what the first table has, what stands there instead, the key whose line is told (empty: the head), what is said
REFUSED: list[tuple[Sequence[str], str | dict[str, str], str, str, str]] = [
    (
        BOTH,
        UNSUPPORTED,
        '"a{99999999999}"',
        "",
        "`unsupported` has 'a{99999999999}', which is no regular expression: the rep",
    ),
    (
        BOTH,
        UNSUPPORTED,
        ", ".join(f'"[^@]*zq{n}"' for n in range(33)),
        "unsupported",
        "Expected `array` of length <= 32",
    ),
    (BOTH, UNSUPPORTED, f'"{"(" * 3000}{")" * 3000}"', "unsupported", "Expected `str` of length <= 1000"),
    (BOTH, UNSUPPORTED, '"("', "", "`unsupported` has '(', which is no regular expression: missing )"),
    *(
        (
            BOTH,
            UNSUPPORTED,
            json.dumps(pattern),
            "",
            f"`unsupported` has {pattern!r}, which could be searched for without end",
        )
        for pattern in ENDLESS
    ),
    (BOTH, UNSUPPORTED, "1", "unsupported", "Expected `str`, got `int` - at `$.{}.unsupported["),
    (BOTH, VARIABLE, '"A=B" = "1"', "environment", "- at `key` in `$.{}.environment`"),
    (BOTH, VARIABLE, '"A\\u0000" = "1"', "environment", "- at `key` in `$.{}.environment`"),
    (BOTH, VARIABLE, '"" = "1"', "environment", "- at `key` in `$.{}.environment`"),
    (BOTH, VARIABLE, 'A = "1\\u0000"', "environment", "- at `$.{}.environment[...]`"),
    (BOTH, VARIABLE, f'A = "{"1" * 2**18}"', "environment", "length <= 4000 - at `$.{}.environment[...]`"),
    (BOTH, DEADLINES, "start = nan, call = 1", "deadlines", "`float` >= 0.1 - at `$.{}.deadlines.start`"),
    (BOTH, DEADLINES, "start = inf, call = 1", "deadlines", "`float` <= 2592000.0 - at `$.{}.deadlines.start`"),
    (BOTH, DEADLINES, "start = 1e300, call = 1", "deadlines", "`float` <= 2592000.0 - at `$.{}.deadlines.start`"),
    (BOTH, DEADLINES, "start = -1, call = 1", "deadlines", "- at `$.{}.deadlines.start`"),
    ([SINGLE], DEADLINES, "start = 1, call = nan", "deadlines", "- at `$.{}.deadlines.call`"),
    ([SINGLE], DEADLINES, "start = 1, call = 1, graph = nan", "deadlines", "- at `$.{}.deadlines.graph`"),
    ([BACKENDS], DEADLINES, "start = 1, probe = nan", "deadlines", "- at `$.{}.deadlines.probe`"),
    (
        [BACKENDS],
        DEADLINES,
        "start = 1, probe = 1, after_error = nan",
        "deadlines",
        "- at `$.{}.deadlines.after_error`",
    ),
    ([SINGLE], "deadlines", "memory = nan\ndeadlines", "memory", "`float` >= 0.1 - at `$.{}.memory`"),
    ([SINGLE], "deadlines", "memory = 1e300\ndeadlines", "memory", "`float` <= 65536.0 - at `$.{}.memory`"),
    (BOTH, 'framework = "torch"', 'framework = ""', "framework", "- at `$.{}.framework`"),
    (BOTH, 'device = "cpu"', 'device = "cpu\\u0000"', "device", "- at `$.{}.device`"),
    (BOTH, "deadlines", "wrong = 1\ndeadlines", "wrong", "unknown field `wrong` - at `$.{}`"),
    ([BACKENDS], 'check.code = "', 'check.code = "\\u0000', "check.code", "- at `$.{}.check.code`"),
    (
        [BACKENDS],
        'looks_for.zh = "',
        'looks_for.zh = ""\nx = "',
        "check.looks_for.zh",
        "- at `$.{}.check.looks_for.zh`",
    ),
]


@pytest.mark.parametrize(
    ("file", "old", "new", "key", "said"),
    [
        (file, old if isinstance(old, str) else old[file], new, key, said)
        for files, old, new, key, said in REFUSED
        for file in files
    ],
)
def test_what_no_process_can_be_given_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, file: str, old: str, new: str, key: str, said: str
) -> None:
    """The line is told, and what to do."""
    head, table = conf_file(file).read_text(encoding="utf-8").split("[[", 1)
    assert old in table
    text = f"{head}[[{table.replace(old, new, 1)}"
    path = tmp_path / file
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(f"apidiff.database.{LOADED[file].__module__.rpartition('.')[2]}.conf_file", lambda _: path)
    with pytest.raises(DataError) as caught:
        LOADED[file]()
    error = caught.value
    lines = text.split("\n")
    assert error.line == next(number for number, line in enumerate(lines, 1) if line.startswith(key or "[["))
    assert said.format(FIRST[file]) in error.found if key else said in error.found
    assert (error.remedy, error.damage) == (
        "Correct it; the comment at the head of the file says what each key is.",
        Damage.FORM,
    )


def test_a_pattern_that_python_warns_of_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Python's own words, with a line of this code, stood on the terminal."""
    path = tmp_path / SINGLE
    path.write_text(
        re.sub(r"unsupported = .*", "unsupported = ['[[a-c]']", conf_file(SINGLE).read_text(encoding="utf-8"))
    )
    monkeypatch.setattr(f"apidiff.database.{load_devices.__module__.rpartition('.')[2]}.conf_file", lambda _: path)
    with warnings.catch_warnings(action="error"):
        with pytest.raises(FutureWarning):
            re.compile("[[a-d]")
        assert {one.pattern for device in load_devices() for one in device.unsupported_patterns} == {"[[a-c]"}


@pytest.mark.parametrize(("file", "said"), [(SINGLE, "torch cpu again"), (BACKENDS, "gloo torch cpu again")])
def test_what_is_described_twice_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, file: str, said: str
) -> None:
    """As a merge leaves it that keeps both sides: one of the two would be passed over."""
    text = conf_file(file).read_text(encoding="utf-8")
    first = "[[" + text.split("[[")[1]
    path = tmp_path / file
    path.write_text(f"{text}\n{first}", encoding="utf-8")
    monkeypatch.setattr(f"apidiff.database.{LOADED[file].__module__.rpartition('.')[2]}.conf_file", lambda _: path)
    with pytest.raises(DataError, match=said) as caught:
        LOADED[file]()
    assert caught.value.line == len(text.split("\n")) + 1
    assert "as number 1 does" in caught.value.found


@pytest.mark.parametrize("file", BOTH)
def test_the_head_says_what_each_key_is(file: str) -> None:
    """The remedy refers to it."""
    head = conf_file(file).read_text(encoding="utf-8").partition("[[")[0]
    optional = {"environment", "unsupported", "deadlines"} | (
        {"memory"} if file == SINGLE else {"devices", "one_machine"}
    )
    assert {key for key in optional if f"`{key}`" not in head} == set()


@pytest.mark.parametrize("pattern", QUICK)
def test_other_patterns_may_be_set(pattern: str) -> None:
    settings = ProcessSettings(framework="torch", device="cpu", unsupported=[pattern])
    assert [one.pattern for one in settings.unsupported_patterns] == [pattern]


# an error message, whether it says that there is no kernel
MESSAGES = [
    ("no kernel", True),
    (f"{'a' * 1991}no kernel", True),
    (f"{'a' * 1992}no kernel", False),
]


@pytest.mark.parametrize(("message", "says"), MESSAGES)
def test_the_head_of_a_message_is_searched(message: str, says: bool) -> None:
    assert says_unsupported(message, [re.compile("[ab]+c"), re.compile("no kernel")]) == says


def test_a_message_is_searched_once() -> None:
    """Thousands of runs end with one message: patterns at the bounds, asked for each, took a minute."""
    searched: list[str] = []

    class Counting:
        def search(self, text: str) -> None:
            searched.append(text)

    pattern = cast("re.Pattern[str]", Counting())
    assert not any(says_unsupported(f"{'long' * 1000} {number}", [pattern]) for number in range(5))
    assert searched == [("long" * 1000)[:2000]]
