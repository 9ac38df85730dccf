"""Rows of (what is done to a small good record, what the one error must say)."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import msgspec
import pytest

from apidiff.database import Data, InvalidData, load, load_valid
from apidiff.database.checks import check_coverage, check_records
from apidiff.database.checks.names import targets_are_documented
from apidiff.database.checks.subject import Subject
from apidiff.database.examples import readable_examples
from apidiff.database.scope import load_scope
from apidiff.model.signature import Signature, SignatureFile, SignatureKind, SignatureParameter

COVERED = load_scope().torch.release

PASS_ON = """\
category: p2p
summary: {en: Passes a tensor on., zh: 把张量传给下一个 rank。}
source:
  probes:
    two:
      set: {tensor: {shape: [2]}, to: 1}
      ranks: [0]
      partner: {api: torch.distributed.take, ranks: [1], set: {buffer: {shape: [2], fill: sentinel}}}
    later: {like: two, set: {tensor: {shape: [3]}}}
    alone: {set: {tensor: {shape: [2]}, to: 1}, ranks: [0]}
    others: {set: {}, on_rank: {others: {tensor: {shape: [2]}}}}
    list: {set: {tensor: {list: [{call: {api: torch.distributed.Op, set: {op: {api: torch.distributed.take}}}}]}}}
  claims:
    arrives: {result: sent, at: buffer, of: tensor, ranks: partners, by: [two, later]}
    keeps: {keeps: tensor, ranks: callers, by: alone}
    round: {result: sent, at: "tensor[0].tensor", of: tensor, by: [list, others]}
    recipe: {prints: torch.distributed.pass_on/mindspore_recipe.py}
  has_members: [wait]
  lacks_members: [go]
targets:
  mindspore.mint.distributed.pass_on:
    ranges: [{since: "2.9", status: current}]
    parameters:
      old: {is: only_in_source}
      extra: {risk: none}
    members: {}
otherwise:
  - answer: no_counterpart
    until: "2.7.0"
    why: {en: There is none., zh: 没有。}
    instead: {en: Do without., zh: 不使用。}
    stated: [{document: guide, part: a}]
  - answer: composed
    since: "2.7.1"
    until: "2.8"
    why: {en: A few lines do it., zh: 几行代码即可。}
    recipe: torch.distributed.pass_on/mindspore_recipe.py
    uses: [mindspore.mint.distributed.send, mindspore.Tensor, mindspore.mint.distributed.Op.wait]
"""
PASS_ON_TOO = """\
category: p2p
summary: {en: Passes a tensor on too., zh: 也把张量传给下一个 rank。}
targets:
  mindspore.mint.distributed.pass_on:
    defined_in: torch.distributed.pass_on
    since: "2.9"
    differences: {other: {kind: parameter, risk: none, target: has-to}}
"""
ONLY = """\
mindspore.mint.distributed.spare:
  why: {en: Only MindSpore has it., zh: 只有 MindSpore 有。}
  nearest: [torch.distributed.pass_on]
  stated: [{document: guide, part: spare}]
"""
RELEASES = ["2.6.0", "2.7.0", "2.7.1", "2.8.0", "2.9.0", "2.10.0"]


def signature(*names: str, members: list[str] | None = None, kind: SignatureKind = SignatureKind.FUNCTION) -> Signature:
    return Signature(kind=kind, parameters=[SignatureParameter(name=name) for name in names], members=members or [])


# framework, version, signatures, names that cannot be read
FILES = [
    ("torch", "2.6.0", {"pass_on": signature("tensor", "old", members=["wait"])}, {}),
    (
        "torch",
        COVERED,
        {"pass_on": signature("tensor", "to", "tag", members=["done", "wait"]), "pass_on_too": signature()},
        {"torch.distributed.pass_on_too.__call__": "compiled"},
    ),
    ("mindspore", "2.8.0", {"send": signature("tensor")}, {}),
    ("mindspore", "2.9.0", {"pass_on": signature("tensor", "to", "extra", members=["wait"])}, {}),
    (
        "mindspore",
        "2.10.0",
        {
            "pass_on": signature("tensor", "to", members=["wait"]),
            "Op": signature(members=["wait"], kind=SignatureKind.CLASS),
            "send": signature("tensor"),
            "spare": signature(),
        },
        {},
    ),
]
PREFIX = {"torch": "torch.distributed.", "mindspore": "mindspore.mint.distributed."}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A database of two mappings that passes."""
    root = tmp_path / "data"
    (root / "mappings/torch/distributed").mkdir(parents=True)
    (root / "signatures").mkdir()
    write(root, "pass_on", PASS_ON)
    write(root, "pass_on_too", PASS_ON_TOO)
    (root / "mindspore_only.yaml").write_text(ONLY, encoding="utf-8")
    guide = "guide: {title: Guide, url: https://example.org, framework: mindspore, version: '2.10'}\n"
    (root / "documents.yaml").write_text(guide, encoding="utf-8")
    releases = "".join(f"  - version: {version!r}\n" for version in RELEASES)
    (root / "frameworks.yaml").write_text(f"torch: []\nmindspore:\n{releases}", encoding="utf-8")
    for framework, version, apis, unreadable in FILES:
        file = SignatureFile(
            framework=framework,
            version=version,
            tool="test",
            apis={PREFIX[framework] + name: one for name, one in apis.items()},
            unreadable=unreadable,
        )
        (root / "signatures" / f"{framework}-{version}.json").write_bytes(msgspec.json.encode(file))
    return root


SCRIPT = '''"""Passes on.

Command:
    python x.py

Output:
    rank 0: 1
"""

def example(rank, world_size):
    print(1)
'''


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    """The scripts that the records name."""
    folder = tmp_path / "scripts"
    (folder / "torch.distributed.pass_on").mkdir(parents=True)
    for name in ("mindspore_recipe.py", "torch_recipe.py"):
        (folder / "torch.distributed.pass_on" / name).write_text(SCRIPT, encoding="utf-8")
    return folder


def write(root: Path, name: str, text: str) -> Path:
    path = root / f"mappings/torch/distributed/{name}.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_record_as_it_is_passes(root: Path, scripts: Path) -> None:
    data = load(root)
    assert [str(error) for error in check_records(data, scripts)] == []
    assert check_coverage(data) == []


NONE_AT_ALL = PASS_ON[PASS_ON.index("targets:") :]
OTHERWISE = PASS_ON[PASS_ON.index("otherwise:") :]

# old text, new text, what the one error says
FAULTY = [
    # ranges
    (NONE_AT_ALL, "", "no answer at any known MindSpore release"),
    ('until: "2.8"\n', 'until: "2.7.1"\n', "at MindSpore 2.8.0 0 targets are current (none)"),
    (
        'until: "2.8"\n',
        'until: "2.9"\n',
        "at MindSpore 2.9.0 2 answers stand (mindspore.mint.distributed.pass_on, other",
    ),
    (
        'until: "2.7.0"\n',
        'until: "2.7"\n',
        "at MindSpore 2.7.1 2 answers stand (otherwise no_counterpart, otherwise comp",
    ),
    (OTHERWISE, "otherwise: []\n", None),
    ('until: "2.8"\n', 'until: "2.x"\n', "Expected a release version such as 2.10"),
    ('until: "2.8"\n', 'until: "2.6"\n', "a range from 2.7.1 to 2.6 is empty"),
    (
        '[{since: "2.9", status: current}]',
        '[{since: "2.9", status: current}, {since: "2.10", status: deprecated}]',
        "at MindSpore 2.10.0 mindspore.mint.distributed.pass_on is current and deprecated",
    ),
    # names and targets
    *(
        (
            "category: p2p",
            f"category: p2p\naliases: [{alias}]",
            f"alias {alias.strip(chr(34))!r} is no name of PyTorch. Write its full name",
        )
        for alias in ("dist.broadcast", "mindspore.mint.neg", "sin", "torchfoo.bar", "torch..x", '"torch.x(1"', "torch")
    ),
    ("category: p2p", "category: surprise", "unknown category 'surprise'. Name one of collective, p2p"),
    (
        '[{since: "2.9", status: current}]',
        '[{since: "2.8", status: available, until: "2.8"}, {since: "2.9", status: current}]',
        "pass_on is not in MindSpore 2.8.0, which its ranges hold. Mend the ranges: it is in 2.9.0, 2.10.0.",
    ),
    ("  mindspore.mint.distributed.pass_on:", "  mindspore.mint.distributed.gone:", "No signature file has it"),
    ("  mindspore.mint.distributed.pass_on:", "  torch.distributed.take:", "is no API of MindSpore"),
    # parameters and members
    ("extra:", "gone:", "has no parameter 'gone' in any version from 2.9.0 to 2.10.0"),
    ("      old:", "      gone:", "torch.distributed.pass_on has no parameter 'gone' in any version from 2.6.0"),
    ("members: {}", "members: {wait: go}", "has no member 'go' in any version"),
    ("members: {}", 'members: {}\n    fill: {gone: "1"}', "mindspore.mint.distributed.pass_on has no parameter 'gone'"),
    ("members: {}", 'members: {}\n    fill: {extra: "{gone}"}', "torch.distributed.pass_on has no parameter 'gone'"),
    # claims and probes
    (", by: alone}", "}", "no probe"),
    ("at: buffer, of", "at: tensor, of", "'tensor', which the partner of probe 'two' does not pass"),
    ("of: tensor, ranks: partners", "of: buffer, ranks: partners", "'buffer', which probe 'two' does not pass"),
    ("ranks: partners, by: [two,", "ranks: partners, by: [alone,", "probe 'alone' has no partner"),
    ("partner: {api: torch.distributed.take", "partner: {api: mindspore.ops.Receive", "called by a probe of torch"),
    ("{call: {api: torch.distributed.Op", "{call: {api: mindspore.mint.distributed.Op", "called by a probe of torch"),
    ("{op: {api: torch.distributed.take}}", "{op: {api: mindspore.ops.Receive}}", "called by a probe of torch"),
    (
        "partner: {api: torch.distributed.take, ranks: [1]",
        "partner: {api: torch.distributed.take, ranks: [0]",
        "rank 0",
    ),
    # answers
    ("    recipe: torch.distributed.pass_on/mindspore_recipe.py\n", "", "a composed answer has no recipe"),
    (
        "recipe: torch.distributed.pass_on/mindspore_recipe",
        "recipe: torch.distributed.pass_on/torch_recipe",
        "not named",
    ),
    (
        "    recipe: {prints: torch.distributed.pass_on/mindspore_recipe.py}\n",
        "",
        "no claim of the sour",
    ),
    ("    instead: {en: Do without., zh: 不使用。}\n", "", "nothing says what to do where there is no counterpart"),
    ("uses: [mindspore.mint.distributed.send,", "uses: [mindspore.mint.distributed.gone,", "no signature file of Min"),
    ("mindspore.mint.distributed.Op.wait]", "mindspore.mint.distributed.Op.go]", "no signature file of MindSpore has"),
    ("uses: [mindspore.mint.distributed.send,", "uses: [torch.distributed.send,", "is no API of MindSpore"),
    ("{document: guide,", "{document: gone,", "unknown document 'gone'"),
    ("en: A few lines do it.", "en: 3 lines do it.", "en and zh name different numbers: 3"),
]


@pytest.mark.parametrize(("old", "new", "message"), FAULTY)
def test_faulty_record(root: Path, scripts: Path, old: str, new: str, message: str | None) -> None:
    assert old in PASS_ON
    path = write(root, "pass_on", PASS_ON.replace(old, new, 1))
    (root / "mappings/torch/distributed/pass_on_too.yaml").unlink()
    errors = [str(error) for error in check_records(load(root), scripts)]
    assert any(message in error for error in errors) if message else not errors, errors
    assert all(error.startswith(f"{path}:") for error in errors)


def test_a_record_of_thousands_of_errors(root: Path, scripts: Path) -> None:
    """Each names what there is: those of thousands of samples that were like none took minutes and 1 GB."""
    samples = "samples:\n" + "".join(f"  a{number}: {{like: b}}\n" for number in range(100))
    path = write(root, "pass_on", f"execution: single\n{samples}{PASS_ON}")
    errors = [str(error) for error in check_records(load(root), scripts) if error.path == path]
    assert errors[-1] == f"{path}: has more than these 50 errors. Mend these first."
    assert len(errors) == 51
    path.write_text(f"# {'x' * 2**17}\n{PASS_ON}", encoding="utf-8")
    with pytest.raises(InvalidData, match=r"is larger than 128 KiB\. Write it as several files."):
        load_valid(root)


# (aliases, what the one error says)
TAKEN = [
    ("torch.distributed.pass_on_too", "is a mapping of its own. Take the alias out"),
    ("torch.passed, torch.passed", "alias 'torch.passed' stands twice"),
    ("torch.pass_too", "alias 'torch.pass_too' is one of torch.distributed.pass_on_too too"),
    ("torch.distributed", "is no API but what torch.distributed.pass_on lies in. Write the full name of one"),
]


@pytest.mark.parametrize(("aliases", "message"), TAKEN)
def test_a_name_that_is_anothers(root: Path, scripts: Path, aliases: str, message: str) -> None:
    """Code that uses it would be ported as this API."""
    path = write(root, "pass_on", PASS_ON.replace("category: p2p", f"category: p2p\naliases: [{aliases}]"))
    write(root, "pass_on_too", PASS_ON_TOO.replace("category: p2p", "category: p2p\naliases: [torch.pass_too]"))
    errors = [error for error in check_records(load(root), scripts) if error.path == path]
    assert errors
    assert all(message in str(error) for error in errors)


def test_a_mapping_of_a_short_name(root: Path, scripts: Path) -> None:
    """`dist.pass_on` would stand for two APIs."""
    (root / "mappings/torch/dist").mkdir()
    (root / "mappings/torch/dist/pass_on.yaml").write_text(PASS_ON_TOO, encoding="utf-8")
    write(root, "pass_on", PASS_ON)
    errors = [str(error) for error in check_records(load(root), scripts)]
    told = "'torch.dist.pass_on' ends with 'dist.pass_on', which everyone writes for torch.distributed.pass_on"
    assert any(told in error for error in errors), errors


@pytest.mark.parametrize(("since", "told"), [("2.6", False), ("2.5", True), ("2.4", True)])
def test_a_range_that_holds_a_release_without_the_target(database: Data, since: str, told: bool) -> None:
    """Of releases before the first file of signatures documents tell."""
    mapping = database.mappings["torch.distributed.is_available"]
    target = next(one for one in mapping.targets if one.api.name.startswith("mindspore.mint."))
    ranges = [msgspec.structs.replace(target.ranges[0], since=since), *target.ranges[1:]]
    changed = msgspec.structs.replace(mapping, targets=[msgspec.structs.replace(target, ranges=ranges)])
    found = [str(error) for error in targets_are_documented(Subject(database, changed))]
    said = (
        f"{target.api.name} is not in MindSpore 2.5.0 by mindspore-r2.6.0-mint-changes, and its ranges hold that. Mend"
    )
    assert [said in error for error in found] == [True] * told


def test_a_recipe_that_is_not_there(root: Path, tmp_path: Path) -> None:
    errors = [str(error) for error in check_records(load(root), tmp_path)]
    assert len(errors) == 2  # of the answer and of the claim
    assert "recipe 'torch.distributed.pass_on/mindspore_recipe.py' is not there" in errors[0]


def test_a_recipe_that_is_no_python(root: Path, scripts: Path) -> None:
    """Its mapping is passed over and named; it stopped every answer before."""
    broken = scripts / "torch.distributed.pass_on" / "mindspore_recipe.py"
    broken.write_text("x = (", encoding="utf-8")
    errors = [str(error) for error in check_records(load(root), scripts)]
    assert [error for error in errors if error.startswith(f"{broken}:1: is not Python")]
    (scripts / "torch.zz").mkdir()
    os.mkfifo(scripts / "torch.zz" / "torch_example.py")
    assert [one.path for one in readable_examples(scripts)] == ["torch.distributed.pass_on/torch_recipe.py"]


# old text, new text, what the one error says
UNDEFINED = [
    (
        "defined_in: torch.distributed.pass_on\n",
        "defined_in: torch.distributed.gone\n",
        "no mapping 'torch.distributed.gone'",
    ),
    ("_in: torch.distributed.pass_on\n", "_in: torch.distributed.pass_on_too\n", "in this mapping itself"),
    (
        "distributed.pass_on:",
        "distributed.take:",
        "torch.distributed.pass_on has no target mindspore.mint.distributed.take",
    ),
    ("    since:", "    root: to\n    since:", "is defined in torch.distributed.pass_on and again here"),
    ("    since:", "    kind: primitive\n    since:", "is a primitive here and a function in torch.distr"),
]


@pytest.mark.parametrize(("old", "new", "message"), UNDEFINED)
def test_an_api_that_is_not_where_it_should_be(root: Path, old: str, new: str, message: str) -> None:
    assert old in PASS_ON_TOO
    path = write(root, "pass_on_too", PASS_ON_TOO.replace(old, new, 1))
    with pytest.raises(InvalidData) as caught:
        load_valid(root)
    (error,) = caught.value.errors
    assert message in str(error)
    assert (error.path, error.line is not None, bool(error.remedy)) == (path, True, True)


def test_an_api_defined_elsewhere_twice_over(root: Path) -> None:
    write(root, "pass_on_three", PASS_ON_TOO.replace("_too", "_three").replace("pass_on\n", "pass_on_too\n"))
    with pytest.raises(
        InvalidData, match=r"pass_on_three\.yaml:4: .* is not written in torch\.distributed\.pass_on_too"
    ):
        load_valid(root)


def test_an_api_defined_elsewhere_is_that_one(root: Path) -> None:
    mappings = load(root).mappings
    there, here = (mappings[f"torch.distributed.{name}"].targets[0].api for name in ("pass_on", "pass_on_too"))
    assert here == msgspec.structs.replace(there, defined_in="torch.distributed.pass_on")
    assert here.claims


def test_a_public_name_without_a_record(root: Path) -> None:
    path = root / "mappings/torch/distributed/pass_on_too.yaml"
    path.unlink()
    (error,) = check_coverage(load(root))
    assert error.path == path
    assert (
        "torch.distributed.pass_on_too is public in torch 2.13.0 and has no record. Add the record, or an exception in"
        in str(error)
    )


# old text, new text, what the error of mindspore_only.yaml says
UNNAMED = [
    ("distributed.spare:", "distributed.gone:", "does not list mindspore.mint.distributed.spare of MindSpore 2.10.0"),
    (
        "distributed.spare:",
        "distributed.gone:",
        "mindspore_only.yaml:1: no signature file of MindSpore has mindspore.m",
    ),
    ("distributed.spare:", "distributed.Op:", "to have no PyTorch counterpart, but torch.distributed.pass_on names it"),
    ("en: Only", "en: Only `x` of", "mindspore_only.yaml:1: en and zh name different identifiers: x"),
    (
        "[torch.distributed.pass_on]",
        "[torch.distributed.gone]",
        "torch.distributed.gone for one of the nearest, and no map",
    ),
]


@pytest.mark.parametrize(("old", "new", "message"), UNNAMED)
def test_a_mindspore_api_without_a_source(root: Path, old: str, new: str, message: str) -> None:
    path = root / "mindspore_only.yaml"
    path.write_text(ONLY.replace(old, new), encoding="utf-8")
    errors = [str(error) for error in check_coverage(load(root))]
    assert any(message in error for error in errors), errors
    assert all(error.startswith(str(path)) for error in errors)


def test_without_the_list_of_public_names_nothing_is_covered(root: Path) -> None:
    shutil.move(root / f"signatures/torch-{COVERED}.json", root)
    (error,) = check_coverage(load(root))
    assert "it says which names need a record" in str(error)
