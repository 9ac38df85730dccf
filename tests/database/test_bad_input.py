"""Rows of (what is done to a good record, what the one error must say). Each names the file, most the line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from apidiff.database import DataError, InvalidData, load
from apidiff.database.checks import check_records
from apidiff.database.paths import DATA

REDUCE = "mappings/torch/distributed/reduce.yaml"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A copy of the data with one mapping and no runs."""
    for name in ("documents.yaml", "frameworks.yaml"):
        shutil.copy(DATA / name, tmp_path / name)
    (tmp_path / REDUCE).parent.mkdir(parents=True)
    shutil.copy(DATA / REDUCE, tmp_path / REDUCE)
    shutil.copytree(DATA / "signatures", tmp_path / "signatures")
    return tmp_path


def edit(root: Path, old: str, new: str, file: str = REDUCE) -> int:
    """Replaces the first ``old`` and gives the line it stood in."""
    path = root / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


# old text, new text, what the error says, how far below the edit the line it names is
BROKEN = [
    ("category: collective", "category: [collective", "broken YAML", None),
    ("category: collective", "category: collective\nsurprise: 1", "unknown key 'surprise'", 1),
    ("category: collective", "category: collective\ncategory: twice", "'category' is given twice", 1),
    ("category: collective", "category: Not A Slug", "category", 0),
    ("id: torch.distributed.reduce", "id: torch.distributed.other", "the path says 'torch.distributed.reduce'", 0),
    ("ranks: root}", "ranks: somebody}", "Invalid enum value 'somebody'", 0),
    ("{structure: None}", "{structure: null}", "Expected `str`, got `null`", 0),
]


@pytest.mark.parametrize(("old", "new", "message", "below"), BROKEN)
def test_broken_record(root: Path, old: str, new: str, message: str, below: int | None) -> None:
    line = edit(root, old, new)
    with pytest.raises(InvalidData) as caught:
        load(root)
    (error,) = caught.value.errors
    assert message in str(error)
    assert str(root / REDUCE) in str(error)
    assert below is None or error.line == line + below


def test_a_text_without_chinese_names_its_line(root: Path) -> None:
    path = root / REDUCE
    lines = path.read_text(encoding="utf-8").splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("  zh:"))
    path.write_text("\n".join(lines[:at] + lines[at + 1 :]), encoding="utf-8")
    with pytest.raises(InvalidData, match=r"reduce\.yaml:\d+: .*lacks the key 'zh'.*both languages"):
        load(root)


def test_all_broken_records_are_told_at_once(root: Path) -> None:
    (root / "mappings/torch/bad.yaml").write_text("id: [", encoding="utf-8")
    edit(root, "category: collective", "category: 7")
    with pytest.raises(InvalidData) as caught:
        load(root)
    assert len(caught.value.errors) == 2


def test_bytes_that_are_no_text(root: Path) -> None:
    (root / REDUCE).write_bytes(b"id: a\n\xff\xfe")
    with pytest.raises(InvalidData, match=r"reduce\.yaml:2: is not UTF-8"):
        load(root)


# old text, new text, what the check says
FAULTY = [
    ("probes: [sync, async, dst-1, int64, group-dst]", "probes: [sync, nothing]", "names probe 'nothing'"),
    ("      probes: [other-shape]\n", "", "has no probe"),
    ("like: sync, set: {async_op: true}", "like: nobody, set: {async_op: true}", "no probe 'nobody'"),
    ("like: sync, set: {async_op: true}", "like: async, set: {async_op: true}", "is like itself"),
    ("keeps: {argument: tensor, ranks: others}", "keeps: {argument: other, ranks: others}", "speaks of 'other'"),
    ("id: others-keep-tensor", "id: dst-holds-sum", "stands twice"),
    ("source_claims: [others-keep-tensor,", "source_claims: [never-claimed,", "cites claim 'never-claimed'"),
    ("document: mindspore-r2.4.0-diff-reduce", "document: nowhere", "unknown document 'nowhere'"),
    (
        'since: "2.4", until: "2.4", status: current',
        'since: "2.4", until: "2.4", status: available',
        "0 targets are current",
    ),
    ('since: "2.5", status: current', 'since: "2.4", status: current', "2 targets are current"),
    ('since: "2.5", status: current', 'since: "2.x", status: current', "Expected a release version"),
    ("relations: [same]", "relations: [same, renamed]", "has relations"),
    (
        "source: tensor, target: input_x, relations: [renamed,",
        "source: tensor, target: input_x, relations: [",
        "'renamed'",
    ),
    (
        "source: tensor, target: input_x, relations: [renamed",
        "source: tensor, target: gone, relations: [renamed",
        "'gone'",
    ),
    ("{source: group_dst, relations: [only_in_source]", "{source: group_dst, relations: [only_in_target]", "only_in_"),
    ("relations: [renamed, default_differs, meaning_differs]", "relations: [renamed]", "defaults are"),
    (
        "      - {source: async_op, relations: [only_in_source], risk: rewrite}\n",
        "",
        "no row for parameter 'async_op'",
    ),
    ("example: torch.distributed.reduce/torch_example.py", "example: nowhere.py", "example 'nowhere.py' is not there"),
    ("Do not read `tensor`", "Do not read `result`", "different identifiers: result, tensor"),
    ("leaves the result on one rank", "leaves the result on 1 rank", "different numbers: 1"),
    ("对所有 rank 上的张量做归约", "对所有秩上的张量做归约", "zh says '秩'"),
]


def test_the_data_as_it_is_passes(root: Path) -> None:
    assert [str(error) for error in check_records(load(root))] == []


@pytest.mark.parametrize(("old", "new", "message"), FAULTY)
def test_faulty_record(root: Path, old: str, new: str, message: str) -> None:
    edit(root, old, new)
    errors = [str(error) for error in check_records(load(root))]
    assert any(message in error for error in errors), errors
    assert all(error.startswith(f"{root / REDUCE}:") for error in errors)


def test_a_changed_byte_in_a_run_record_is_noticed(root: Path) -> None:
    records = sorted((DATA / "runs").rglob("*.json"))
    assert records, "run records are checked in"
    copy = root / records[0].relative_to(DATA)
    copy.parent.mkdir(parents=True)
    copy.write_bytes(records[0].read_bytes())
    load(root)
    copy.write_bytes(records[0].read_bytes().replace(b"cpu", b"cpv", 1))
    with pytest.raises(DataError, match=copy.name):
        load(root)
