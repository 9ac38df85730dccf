"""`apidiff report` writes the reports on upstream's tables and on what code uses, as text and as JSON."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from apidiff.derive.official import OfficialReport
from apidiff.lookup.census import CensusReport


@pytest.mark.parametrize(
    ("language", "variables", "title"),
    [
        ("en", {}, "# What the official table says, and what runs show"),
        ("zh", {}, "# 官方映射表与实测结果"),
        (None, {"LANG": "zh_CN.UTF-8"}, "# 官方映射表与实测结果"),
        ("zh", {"PYTHONIOENCODING": "ascii"}, "# 官方映射表与实测结果"),
    ],
)
def test_markdown(run, language: str | None, variables: dict[str, str], title: str) -> None:
    done = run("report", "official", *(["--lang", language] if language else []), **variables)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{title}\n")
    assert "`torch.distributed.reduce` → `mindspore.mint.distributed.reduce`" in done.stdout
    assert done.stdout.count("| `torch.") + done.stdout.count(" → `mindspore.") >= 50


def test_json(run) -> None:
    done = run("report", "official", "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    report = msgspec.json.decode(done.stdout, type=OfficialReport)
    assert [(table.name, len(table.rows)) for table in report.tables] == [("2025-07", 32), ("r2.4.10", 18)]
    recorded = {one.id for one in report.runs}
    for table in report.tables:
        assert {row.standing for row in table.rows} <= {
            "contradicted",
            "differs",
            "no_record",
            "undecided",
            "confirmed",
        }
        for row in table.rows:
            assert all(bool(one.runs) for one in row.verdicts if one.outcome in {"holds", "refuted"})
            assert {name for one in row.verdicts for name in one.runs} <= recorded


def test_another_report_is_refused(run) -> None:
    done = run("report", "other")
    assert done.returncode == 2
    assert "official" in done.stderr


def test_census(run, tmp_path: Path) -> None:
    path = tmp_path / "census.csv"
    path.write_text("torch_name,timm,total\ntorch.nn.Linear,3,3\ntorch.nothing,1,1\n")
    done = run("report", "census", str(path), "--lang", "en")
    assert (done.returncode, done.stderr) == (0, "")
    assert "answered: 75.0 % of the references (3), 1 names" in done.stdout
    report = msgspec.json.decode(run("report", "census", str(path), "--json").stdout, type=CensusReport)
    assert (report.answered, report.run) == (3, 3)
    assert [used.name for used in report.unanswered] == ["torch.nothing"]


def test_what_is_no_census_is_one_error(run, tmp_path: Path) -> None:
    path = tmp_path / "census.csv"
    path.write_text("torch_name,total\ntorch.nn.Linear,?\n")
    done = run("report", "census", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"apidiff: {path}:2: the total of torch.nn.Linear is '?'. Write a whole number.\n"
