"""`check` names a file of messages that is missing, and a part of one: no page or answer is to find out first."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from apidiff.database.checks import messages
from apidiff.database.checks.messages import (
    FILES,
    messages_are_there,
    named_keys,
    placeholders_are_alike,
    placeholders_are_filled,
)
from apidiff.errors import DataError
from apidiff.folder_walk import visible_files
from apidiff.messages.labels import FOLDER, LABELS
from apidiff.model.base import Text


def test_all_are_there() -> None:
    assert {path.stem for path in visible_files(FOLDER, "*.yaml")} == FILES
    assert len(named_keys()) > 300
    assert list(messages_are_there(FOLDER, LABELS.keys())) == []
    assert list(placeholders_are_alike(FOLDER, LABELS)) == []
    assert list(placeholders_are_filled(FOLDER, LABELS)) == []


# what is left of the keys, what is told of it
MISSING: list[tuple[Callable[[str], bool], str]] = [
    (lambda key: key != "terminal.either", "'terminal.either', which lookup/errors.py names, is in none of its files"),
    (lambda key: not key.startswith("risk."), "'risk.*', which "),
    (lambda key: False, "'terminal.either', which "),
]


@pytest.mark.parametrize(("left", "found"), MISSING)
def test_a_part_that_is_missing_is_named(left: Callable[[str], bool], found: str) -> None:
    told = [str(error) for error in messages_are_there(FOLDER, set(filter(left, LABELS)))]
    assert any(found in line for line in told), told[:5]
    assert all(line.startswith(f"{FOLDER}: ") and "reinstall apidiff" in line for line in told)


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    for name in FILES - {"scan"}:
        (tmp_path / f"{name}.yaml").touch()
    [error] = messages_are_there(tmp_path, {key for key in LABELS if not key.startswith("scan.")})
    assert str(error).startswith(f"{tmp_path / 'scan.yaml'}: is missing. It is a part of apidiff")


# a message whose placeholder is mistyped, the module that fills it in
MISTYPED = [
    ("terminal.absent", "writers/terminal.py"),  # label
    ("scan.title", "writers/scan/words.py"),  # words
    ("terminal.either", "lookup/errors.py"),  # filled
    ("machines.recorded", "writers/exports/feed.py"),  # word
    ("screen.nothing", "writers/terminal.py"),  # label, without a value
]


@pytest.mark.parametrize(("key", "module"), MISTYPED)
def test_a_placeholder_that_nothing_fills_is_named(key: str, module: str) -> None:
    text = LABELS[key]
    told = [
        str(error)
        for error in placeholders_are_filled(FOLDER, {**LABELS, key: Text(en=text.en, zh=f"{text.zh}{{typo}}")})
    ]
    found = f"{FOLDER}: '{key}' has the placeholder {{typo}}, for which {module} gives no value. "
    assert any(line.startswith(found) and "reinstall apidiff" in line for line in told), told
    assert all(f"'{key}'" in line for line in told)


# a message whose key code makes up, a placeholder, whether it is filled in
MADE_UP = [
    ("risk.silent", "zzz", False),  # shown without values
    ("outcome.refuted", "device", False),
    ("difference.shape", "text", False),  # as LABELS has it
    ("headline.effect.timeout", "zzz", False),
    ("headline.effect.timeout", "subject", True),
    ("headline.effect.timeout", "devices", True),
    ("table.all", "zzz", True),  # by a script, for all that the code tells
    ("fact.raised", "zzz", True),  # by values that the code does not name
]


@pytest.mark.parametrize(("key", "name", "is_filled"), MADE_UP)
def test_a_placeholder_of_a_key_that_code_makes_up(key: str, name: str, is_filled: bool) -> None:
    text = LABELS[key]
    mistyped = Text(en=f"{text.en} {{{name}}}", zh=f"{text.zh}{{{name}}}")
    told = [error.found for error in placeholders_are_filled(FOLDER, {**LABELS, key: mistyped})]
    assert len(told) == (0 if is_filled else 1)
    assert all(line.startswith(f"'{key}' has the placeholder {{{name}}}, for which ") for line in told)


# the text of one language, what is told
LOST: list[tuple[Text, list[str]]] = [
    (Text(en="{subject} hang", zh="{subject}会挂起"), []),
    (Text(en="{a} of {b}", zh="{b}的{a}"), []),
    (Text(en="{subject} hang", zh="会挂起"), ["'some.key' has the placeholder {subject} in English alone"]),
    (
        Text(en="{subject} hang", zh="{device}会挂起"),
        [
            "'some.key' has the placeholder {device} in Chinese alone",
            "'some.key' has the placeholder {subject} in English alone",
        ],
    ),
]


@pytest.mark.parametrize(("text", "told"), LOST)
def test_a_placeholder_that_one_language_has_alone(text: Text, told: list[str]) -> None:
    found = list(placeholders_are_alike(FOLDER, {"some.key": text}))
    assert [error.found for error in found] == told
    assert all("Write it in both languages" in str(error) for error in found)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of one module, which names one message, and its data."""
    (tmp_path / "data").mkdir()
    (tmp_path / "one.py").write_text('label("terminal.absent", name=1)')
    monkeypatch.setattr(messages, "PACKAGE", tmp_path)
    monkeypatch.setattr(messages, "DATA", tmp_path / "data")
    return tmp_path


def test_what_lies_in_the_data_is_no_module(package: Path) -> None:
    (package / "data" / "latin.py").write_bytes(b"\xff")
    (package / "data" / "note.py").write_text('label("zz.q")\n)')
    (package / "data" / "folder.py").mkdir()
    os.mkfifo(package / "data" / "pipe.py")
    assert named_keys() == {"terminal.absent": "one.py"}
    list(placeholders_are_filled(FOLDER, LABELS))


# what a module holds, what is told of it
NO_MODULES = [
    (b"\xff", "cannot be read"),
    (b'label("a.b")\n)', "is no Python"),
    (b'x = "a.b"\n\0', "is no Python"),
    (None, "cannot be read"),
]


@pytest.mark.parametrize(("content", "found"), NO_MODULES)
def test_a_module_that_is_none_is_named(package: Path, content: bytes | None, found: str) -> None:
    broken = package / "zz.py"
    os.mkfifo(broken) if content is None else broken.write_bytes(content)
    with pytest.raises(DataError, match=found) as caught:
        list(placeholders_are_filled(FOLDER, LABELS))
    assert str(caught.value).startswith(f"{broken}: ")
