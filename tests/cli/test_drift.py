"""`apidiff drift`: which versions are meant, what is printed, and what is refused."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from command import give

from apidiff.cli.drift import UnknownVersion, files_of
from apidiff.database.data import Data
from apidiff.model.signature import SignatureFile

KNOWN = [
    ("torch", "2.9.0"),
    ("torch", "2.11.0"),
    ("mindspore", "2.7.0"),
    ("mindspore", "2.7.1"),
    ("mindspore", "2.9.0"),
]


def data(*known: tuple[str, str]) -> Data:
    files = {key: SignatureFile(framework=key[0], version=key[1], tool="t", apis={}) for key in known}
    return Data(Path(), {}, {}, {}, files)


def drift(*arguments: str) -> subprocess.CompletedProcess[str]:
    return give("drift", *arguments)


@pytest.mark.parametrize(
    ("framework", "old", "new", "expected"),
    [
        (None, "2.9.0", "2.11.0", ("torch", "2.9.0", "2.11.0")),
        (None, "2.9", "2.11", ("torch", "2.9.0", "2.11.0")),
        (None, "2.7.0", "2.7.1", ("mindspore", "2.7.0", "2.7.1")),
        (None, "2.7", "2.9", ("mindspore", "2.7.1", "2.9.0")),
        ("mindspore", "2.7.0", "2.9.0", ("mindspore", "2.7.0", "2.9.0")),
    ],
)
def test_the_versions_meant(framework: str | None, old: str, new: str, expected: tuple[str, str, str]) -> None:
    first, second = files_of(data(*KNOWN), framework, old, new)
    assert (first.framework, first.version, second.version) == expected


@pytest.mark.parametrize(
    ("framework", "old", "new", "found"),
    [
        (
            None,
            "2.9",
            "3.0",
            r"of both 2\.9 and 3\.0\. Known: torch: 2\.9\.0, 2\.11\.0; mindspore: .* Add one: `apidiff sig",
        ),
        ("torch", "2.7.0", "2.9", r"Known: torch: 2\.9\.0, 2\.11\.0\. Add"),
        (None, "2.9.0", "2.9.0", "Both frameworks have"),
        ("torch", "2.9.0", "2.9.0", "not older than"),
        ("torch", "2.11", "2.9", r"2\.11\.0 is not older than 2\.9\.0\. Give the older version first"),
        (None, "2.9rc1", "2.11", "Expected a release version"),
    ],
)
def test_versions_that_are_refused(framework: str | None, old: str, new: str, found: str) -> None:
    with pytest.raises(UnknownVersion, match=found):
        files_of(data(*KNOWN), framework, old, new)


def test_json() -> None:
    done = drift("--framework", "mindspore", "2.8.0", "2.9.0", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["framework"], found["old"], found["new"]) == ("mindspore", "2.8.0", "2.9.0")
    [change] = [
        one
        for one in found["changes"]
        if one["api"] == "mindspore.communication.comm_func.all_reduce" and one["change"] == "deprecated"
    ]
    assert change["new"] == "mindspore.ops.communication.all_reduce"
    assert change["evidence"] == "signatures"
    assert "torch.distributed.all_reduce" in change["mappings"]
    assert "mindspore-r2.4.0-diff-all_reduce" in {key for keys in change["stated_claims"].values() for key in keys}
    assert not {key for keys in change["stated_claims"].values() for key in keys if "r2.10" in key}


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "en",
            ["PyTorch 2.11.0 → 2.13.0", "torch.distributed.all_gather_single", "Added; not in 2.11.0.", "mappings and"],
        ),
        ("zh", ["PyTorch 2.11.0 → 2.13.0", "新增；2.11.0 中没有。", "个映射中的"]),
    ],
)
def test_text(language: str, words: list[str]) -> None:
    done = drift("--framework", "torch", "2.11", "2.13", "--lang", language)
    assert done.returncode == 0, done.stderr
    assert [word for word in words if word not in done.stdout] == []


def test_an_unknown_version_is_one_sentence() -> None:
    done = drift("2.9", "99.0")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("apidiff: No framework has signatures of both")


def test_verdicts_that_changed_come_from_the_runs_of_both_versions() -> None:
    done = drift("--framework", "mindspore", "2.7.1", "2.10.0", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["verdicts"]
    assert found
    for one in found:
        assert one["before"] != one["after"]
        assert {run.partition("/")[0] for run in one["runs"]} == {"mindspore-2.7.1", "mindspore-2.10.0"}
    text = drift("--framework", "mindspore", "2.7.1", "2.10.0", "--lang", "en").stdout
    assert "Verdicts that runs of both versions give otherwise" in text
    words = "".join(text.split())  # whatever the width
    first = found[0]
    assert f"{first['claim']}{first['before']}→{first['after']}" in words


def test_nothing_is_said_of_behaviour_where_a_version_was_not_run() -> None:
    done = drift("--framework", "torch", "2.11", "2.13", "--lang", "en")
    assert done.stdout.endswith("No backend has run records of both versions, so nothing is said of behaviour.\n")
    assert json.loads(drift("--framework", "torch", "2.11", "2.13", "--json").stdout)["verdicts"] is None
