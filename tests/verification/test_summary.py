"""The summary for CI services: rows of (changes, lines that stand in it); text is never markup."""

from __future__ import annotations

from pathlib import Path

import pytest

from apidiff.database import DataError
from apidiff.model.verdict import EvidenceCode, Observation, Outcome, evidence
from apidiff.model.version import VersionError, release_of
from apidiff.verification.summary import check_writable, markdown, write_summary
from apidiff.verification.verdict_changes import Change


def seen(outcome: Outcome, *lines: str) -> Observation:
    where = {"framework": "torch", "framework_version": "2.13.0", "backend": "gloo", "device": "cpu", "world_size": 2}
    facts = [evidence(EvidenceCode.SIGNATURE, signature=line) for line in lines]
    return Observation(outcome=outcome, probe="sync", run="a/b", facts=facts, **where)


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ([], ["Every verdict that was compared is what is recorded."]),
        (
            [Change("torch.one#claim", seen(Outcome.HOLDS), seen(Outcome.REFUTED, "rank 0: 1 ≠ 2"))],
            [
                "## 1 verdict changed",
                "| torch.one&#35;claim | torch 2.13.0, gloo, 2 ranks, sync | holds | refuted: rank 0: 1 ≠ 2 |",
            ],
        ),
        (
            [Change("a.b#c", None, seen(Outcome.ERROR, "<img src=x onerror=alert(1)> | `x`\nnext"))] * 2,
            [
                "## 2 verdicts changed",
                "nothing",
                "&#60;img src=x onerror=alert&#40;1&#41;&#62; &#124; &#96;x&#96; next |",
            ],
        ),
    ],
)
def test_summary(changes: list[Change], lines: list[str]) -> None:
    counts = {"passed": 3, "failed": 0, "skipped": 1}
    text = markdown(["torch 2.13.0 on gloo with 2 ranks: 3 probes"], counts, changes, [], compared=True)
    assert "Claims: 3 passed, 1 skipped." in text
    for line in lines:
        assert line in text
    assert "<" not in text


@pytest.mark.parametrize(
    ("counts", "lacking", "compared", "end"),
    [
        (
            {"skipped": 0},
            ["Nothing was compared: a <b>"],
            False,
            "Claims: none.\n\n**Nothing was compared: a &#60;b&#62;**\n",
        ),
        (
            {"passed": 2},
            ["nccl was asked for and is not here"],
            True,
            "Claims: 2 passed.\n\n**nccl was asked for and is not here**\n\n"
            "Every verdict that was compared is what is recorded.\n",
        ),
    ],
)
def test_what_is_lacking_is_told(counts: dict[str, int], lacking: list[str], compared: bool, end: str) -> None:
    assert markdown([], counts, [], lacking, compared=compared).endswith(end)


def test_whether_a_summary_can_be_written_is_seen_before(tmp_path: Path) -> None:
    check_writable(tmp_path / "claims.md")
    assert list(tmp_path.iterdir()) == []
    for path, complaint in {
        tmp_path: "Is a directory",
        tmp_path / "nowhere" / "claims.md": "No such file or directory",
        tmp_path / "claims\0.md": "a NUL is in no name of a file",
    }.items():
        with pytest.raises(DataError, match=complaint):
            check_writable(path)


def test_a_summary_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    write_summary(tmp_path / "claims.md", "one\n")
    write_summary(tmp_path / "claims.md", "two\n")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("claims.md", "two\n")]
    with pytest.raises(DataError, match="No such file or directory"):
        write_summary(tmp_path / "nowhere" / "claims.md", "one\n")


@pytest.mark.parametrize(
    ("build", "release"),
    [
        ("2.13.0", "2.13.0"),
        ("2.16.0.dev20261120+cpu", "2.16.0"),
        ("2.16.0rc1", "2.16.0"),
        ("2.10", "2.10"),
        ("nightly", None),
    ],
)
def test_a_nightly_build_counts_as_the_release_it_leads_to(build: str, release: str | None) -> None:
    if release is None:
        with pytest.raises(VersionError):
            release_of(build)
    else:
        assert release_of(build) == release
