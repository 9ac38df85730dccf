"""What a user's name of a backend means, and what ``conf/backends.toml`` says of each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from apidiff.database import ApidiffError
from apidiff.database.backends import Devices, find_backends, load_backends
from apidiff.database.checks.languages import text_faults
from apidiff.database.terms import load_terms
from apidiff.errors import DataError
from apidiff.model.trace import backend_name

BACKENDS = load_backends()
# (name, framework, what it means)
NAMES = [
    ("gloo", None, ["gloo-cpu torch"]),
    ("gloo-cpu", None, ["gloo-cpu torch"]),
    ("gloo-cuda", None, ["gloo-cuda torch"]),
    ("nccl", None, ["nccl-cuda torch", "nccl-cuda mindspore"]),
    ("nccl", "torch", ["nccl-cuda torch"]),
    ("nccl-cuda", "mindspore", ["nccl-cuda mindspore"]),
    ("hccl", None, ["hccl-npu torch", "hccl-npu mindspore"]),
    ("mccl", None, ["mccl-cpu mindspore"]),
]


@pytest.mark.parametrize(("name", "framework", "meant"), NAMES)
def test_names(name: str, framework: str | None, meant: list[str]) -> None:
    assert [f"{one.full_name} {one.framework}" for one in find_backends(BACKENDS, name, framework)] == meant


@pytest.mark.parametrize(("name", "framework"), [("glue", None), ("gloo-npu", None), ("mccl", "torch"), ("", None)])
def test_no_backend_of_that_name(name: str, framework: str | None) -> None:
    with pytest.raises(
        ApidiffError, match=r"No backend is called .* There are: gloo-cpu \(torch\), gloo-cuda \(torch\), "
    ):
        find_backends(BACKENDS, name, framework)


def test_a_backend_is_told_by_name_framework_and_device() -> None:
    places = [(one.name, one.framework, one.device) for one in BACKENDS]
    assert len(set(places)) == len(places)


@pytest.mark.parametrize("one", BACKENDS, ids=lambda one: f"{one.full_name}-{one.framework}")
def test_every_backend_that_is_not_on_cpu_says_how_ranks_use_its_devices(one) -> None:
    assert (one.devices is None) is (one.device == "cpu")
    assert (one.devices is Devices.SHARED) is (one.full_name == "gloo-cuda")
    assert find_backends(BACKENDS, backend_name(one.name, one.device), one.framework) == [one]


@pytest.mark.parametrize("one", BACKENDS, ids=lambda one: f"{one.full_name}-{one.framework}")
def test_what_a_check_looks_for_is_said_in_both_languages(one) -> None:
    assert list(text_faults(one.check.looks_for, load_terms())) == []
    prose = re.sub("`[^`]+`", "", one.check.looks_for.zh)
    assert set(re.findall(r"[A-Za-z]+", prose)) <= {"GPU"}
    assert "`" not in one.check.in_words


# (what a check looks for, as the file has it; what is said of it)
WORDS = [
    ('check.looks_for = "a card"', "Expected `object`, got `str` - at `$.backend[0].check.looks_for`"),
    ('check.looks_for.en = "a card"', "missing required field `zh` - at `$.backend[0].check.looks_for`"),
    ('check.looks_for = { en = "a card", zh = "" }', "length >= 1 - at `$.backend[0].check.looks_for.zh`"),
]


@pytest.mark.parametrize(("words", "message"), WORDS)
def test_words_in_one_language_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: str, message: str
) -> None:
    path = tmp_path / "backends.toml"
    head = 'name = "xccl"\nframework = "torch"\ndevice = "xpu"\nlauncher = "none"\ncheck.code = ""'
    path.write_text(f"[[backend]]\n{head}\n{words}\ndeadlines = {{ start = 1, probe = 1 }}\n", encoding="utf-8")
    monkeypatch.setattr("apidiff.database.backends.conf_file", lambda name: path)
    with pytest.raises(DataError, match=re.escape(message)):
        load_backends()
