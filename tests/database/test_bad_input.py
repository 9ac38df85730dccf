"""Rows of (what is done to a good record, what the one error must say). Each names the file, most the line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from apidiff.database import InvalidData, load, load_valid
from apidiff.database.checks import check_records
from apidiff.database.paths import DATA
from apidiff.errors import DataError
from apidiff.folder_walk import visible_files

REDUCE = "mappings/torch/distributed/reduce.yaml"
GOOD = """\
category: collective
summary:
  en: Reduces a tensor over all ranks and leaves the result on one rank.
  zh: 对所有 rank 上的张量做规约操作，结果只放在一个 rank 上。
source:
  root: dst
  probes:
    sync: {set: {tensor: {shape: [3]}, dst: 0}}
    async: {like: sync, set: {async_op: true}}
    other-shape: {like: sync, on_rank: {"1": {tensor: {shape: [4]}}}, world_sizes: [3]}
  claims:
    dst-holds-sum: {result: sum, at: tensor, of: tensor, ranks: root, by: [sync, async]}
    others-keep-tensor: {keeps: tensor, ranks: others, by: sync}
    sync-returns-none: {returns: None, by: sync}
    shapes-must-match: {raises: any, some: true, by: other-shape}
    example: {prints: torch.distributed.reduce/torch_example.py}
  cite:
    mindspore-r2.4.0-diff-reduce: {pytorch/1: [dst-holds-sum, has-dst]}
caveats:
  other-ranks:
    kind: in_place
    risk: silent
    source: [others-keep-tensor]
    note: {en: Do not read `tensor` there., zh: 不要在那里读取 `tensor`。}
targets:
  mindspore.ops.Reduce:
    kind: primitive
    constructor: [dest_rank, op, group]
    ranges: [{since: "2.3", until: "2.3", status: current}, {since: "2.4", until: "2.4", status: current}]
    parameters:
      tensor: {to: input_x, is: [meaning_differs]}
      dst: dest_rank
      group: {is: [type_differs]}
  mindspore.mint.distributed.reduce:
    since: "2.5"
    parameters:
      group: {is: type_differs}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A data folder with one mapping and no runs."""
    for name in ("documents.yaml", "frameworks.yaml"):
        shutil.copy(DATA / name, tmp_path / name)
    (tmp_path / REDUCE).parent.mkdir(parents=True)
    (tmp_path / REDUCE).write_text(GOOD, encoding="utf-8")
    shutil.copytree(DATA / "signatures", tmp_path / "signatures", symlinks=True)
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
    ("ranks: root,", "ranks: somebody,", "'somebody' in $.source.claims.dst-holds-sum.ranks", 0),
    ("returns: None", "returns: null, raises: 1", "Expected `str | null`, got `int`", 0),
    ("returns: None", "returns: None, keeps: tensor", "needs exactly one kind, got keeps, returns", 0),
    ("sync: {set: {tensor: {shape: [3]}", "sync: {set: {tensor: {}", "an argument needs exactly one of", 0),
    # What a check would make an array of is bounded: dimensions, elements, dtypes, places in what is returned.
    ("{shape: [3]}, dst: 0", "{shape: [1048576, 1048576]}, dst: 0", "at most 1000 elements in a world of 64", 0),
    ("{shape: [3]}, dst: 0", "{shape: [0, 1048576]}, dst: 0", "at most 1000 elements in a world of 64", 0),
    ("{shape: [3]}, dst: 0", '{shape: ["16*world"]}, dst: 0', "at most 1000 elements in a world of 64", 0),
    ("{shape: [3]}, dst: 0", "{each: {shape: [16]}}, dst: 0", "at most 1000 elements in a world of 64", 0),
    ("{shape: [3]}, dst: 0", "{each: {each: {none: true}}}, dst: 0", "at most 1000 elements in a world of 64", 0),
    ("{shape: [3]}, dst: 0", "{each: {each: {shape: [0]}}}, dst: 0", "at most 1000 elements in a world of 64", 0),
    # `datetime.timedelta` takes no more than 1e14 seconds.
    ("{shape: [3]}, dst: 0", "{shape: [3]}, dst: {seconds: 1.0e+300}", "`float` <= 86400", 0),
    ("{shape: [3]}, dst: 0", "{shape: [3]}, dst: {seconds: -1.0}", "`float` >= 0", 0),
    ("{shape: [3]}, dst: 0", "{shape: [3]}, dst: {group: [], timeout: 1.0e+15}", "`float` <= 86400", 0),
    ("raises: any, some: true", "raises: any, after: 1.0, within: 1.0e+300", "`float` <= 86400", 0),
    ("{shape: [3]}, dst: 0", "{shape: [3]}, dst: .nan", "'.nan' is no finite number", 0),
    ("{shape: [3]}, dst: 0", "{shape: [3]}, dst: -.inf", "'-.inf' is no finite number", 0),
    ("{shape: [3]}, dst: 0", '{shape: [3], dtype: "int64\\n"}, dst: 0', "matching regex", 0),
    ("{shape: [3]}, dst: 0", '{shape: ["2*world\\n"]}, dst: 0', "matching regex", 0),
    ("{shape: [3]}, dst: 0", "{list: [{shape: [500]}, {shape: [501]}]}, dst: 0", "at most 1000 elements", 0),
    ("{shape: [3]}, dst: 0", f"{{shape: [{'1, ' * 32}1]}}, dst: 0", "of length <= 32", 0),
    ("{shape: [3]}, dst: 0", '{shape: [3], dtype: "<U99999999"}, dst: 0', "matching regex", 0),
    ("at: tensor, of", f"at: 'return[{'9' * 4000}]', of", "matching regex", 0),
    ("at: tensor, of", "at: 'return[90000000]', of", "matching regex", 0),
    ("at: tensor, of", f"at: 'return{'[0]' * 9}', of", "matching regex", 0),
    ("[dst-holds-sum, has-dst]", "[dst-holds-sum, has-it]", "has no claim 'has-it'", 0),
    ('since: "2.5"', 'note: no-such-note\n    since: "2.5"', "there is no note 'no-such-note'", -1),
    ('since: "2.5"', 'profile: mint\n    since: "2.5"', "there is no profile 'mint'", -1),
    ('since: "2.5"', 'like: mindspore.ops.Gone\n    since: "2.5"', "is no target before it", None),
]


@pytest.mark.parametrize(("old", "new", "message", "below"), BROKEN)
def test_broken_record(root: Path, old: str, new: str, message: str, below: int | None) -> None:
    line = edit(root, old, new)
    with pytest.raises(InvalidData) as caught:
        load_valid(root)
    (error,) = caught.value.errors
    assert message in str(error)
    assert str(root / REDUCE) in str(error)
    assert below is None or error.line == line + below


# old text of documents.yaml, new text, the part of a document that the error names
DOCUMENTS = [
    ("url: https:", "url: javascript:", "url"),
    ("url: https:", "url: HTTPS:", "url"),
    ("url: https://gitee.com", "url: https://", "url"),
    ('version: "2.4.0"', "version: abc", "version"),
    ('version: "2.4.0"', 'version: "2.4.0rc1"', "version"),
    ('version: "2.4.0"', 'version: "2.4.0\\n"', "version"),
    ("  framework: mindspore", "  framework: mindspore\n  url_zh: data:text/html,a", "url_zh"),
]


@pytest.mark.parametrize(("old", "new", "part"), DOCUMENTS)
def test_a_broken_document_is_told_where_it_stands(root: Path, old: str, new: str, part: str) -> None:
    line = edit(root, old, new, "documents.yaml") + new.count("\n")
    with pytest.raises(
        DataError, match=rf"Expected `str` matching regex .* in \$\.[^.]+.*\.{part}\. See the schema"
    ) as told:
        load_valid(root)
    assert (told.value.path, told.value.line) == (root / "documents.yaml", line)


def test_a_text_without_chinese_names_its_line(root: Path) -> None:
    path = root / REDUCE
    lines = path.read_text(encoding="utf-8").splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("  zh:"))
    path.write_text("\n".join(lines[:at] + lines[at + 1 :]), encoding="utf-8")
    with pytest.raises(InvalidData, match=r"reduce\.yaml:\d+: .*lacks the key 'zh'.*both languages"):
        load_valid(root)


def test_all_broken_records_are_told_at_once(root: Path) -> None:
    (root / "mappings/torch/bad.yaml").write_text("id: [", encoding="utf-8")
    edit(root, "category: collective", "category: 7")
    with pytest.raises(InvalidData) as caught:
        load_valid(root)
    assert len(caught.value.errors) == 2


def test_bytes_that_are_no_text(root: Path) -> None:
    (root / REDUCE).write_bytes(b"id: a\n\xff\xfe")
    with pytest.raises(InvalidData, match=r"reduce\.yaml:2: is not UTF-8"):
        load_valid(root)


_MANY = "others-keep-tensor, " * 90

# old text, new text, what the check says
FAULTY = [
    ("by: [sync, async]", "by: [sync, nothing]", "names probe 'nothing'"),
    (", by: other-shape", "", "has no probe"),
    (
        "by: other-shape",
        "reason: {en: Nobody can., zh: 无人能做。}",
        "has no probe and does not say which call it speaks of",
    ),
    ("by: other-shape", "by: other-shape, when: {}", "has probes and 'when'"),
    ("like: sync, set: {async_op: true}", "like: nobody, set: {async_op: true}", "no probe 'nobody'"),
    ("like: sync, set: {async_op: true}", "like: async, set: {async_op: true}", "is like itself"),
    ("keeps: tensor, ranks: others", "keeps: other, ranks: others", "speaks of 'other'"),
    ("source: [others-keep-tensor]", "source: [never-claimed]", "cites claim 'never-claimed'"),
    (
        "caveats:\n",
        "caveats:\n" + "".join(f"  d{n}: {{kind: in_place, risk: error, source: [{_MANY}]}}\n" for n in range(6)),
        "with those of 'd5' the differences cite more than 500 claims",
    ),
    ("    mindspore-r2.4.0-diff-reduce:", "    nowhere:", "unknown document 'nowhere'"),
    ('until: "2.4", status: current', 'until: "2.4", status: available', "0 targets are current"),
    ('since: "2.5"', 'since: "2.4"', "2 targets are current"),
    ('since: "2.5"', 'since: "2.x"', "Expected a release version"),
    ("group: {is: type_differs}", "group: {to: gone}", "has no parameter 'gone'"),
    ("      dst: dest_rank\n", "      dst: dest_rank\n      gone: {is: only_in_source}\n", "has no parameter 'gone'"),
    ("prints: torch.distributed.reduce/torch_example.py", "prints: nowhere.py", "example 'nowhere.py' is not there"),
    ("Do not read `tensor`", "Do not read `result`", "different identifiers: result, tensor"),
    ("leaves the result on one rank", "leaves the result on 1 rank", "different numbers: 1"),
    ("对所有 rank 上的张量做规约", "对所有秩上的张量做规约", "zh says '秩'"),
    ("      group: {is: type_differs}", "      async_op: {risk: none}", "says what is so without it"),
    ("      group: {is: type_differs}\n", "      async_op: async_op\n", "says what is so without it"),
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
    records = visible_files(DATA / "runs", "**/*.json")
    assert records, "run records are checked in"
    copy = root / records[0].relative_to(DATA)
    copy.parent.mkdir(parents=True)
    copy.write_bytes(records[0].read_bytes())
    load(root)
    copy.write_bytes(records[0].read_bytes().replace(b"cpu", b"cpv", 1))
    there = load(root)
    assert there.runs == []
    assert [error.path for error in there.damaged] == [copy]
