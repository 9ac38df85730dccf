"""What the command says of data that are broken: file, line and remedy, exit code 2, nothing written."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from apidiff import __version__
from apidiff.database.paths import PACKAGE
from apidiff.lookup.cache import index_file
from apidiff.lookup.knowledge import KnowledgeBase

REDUCE = "apidiff/data/mappings/torch/distributed/reduce.yaml"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what a checkout is made of; of records those of collectives alone, since to read all takes a minute."""
    root = tmp_path / "checkout"
    for name in ("apidiff", "conf", "executable_examples"):
        shutil.copytree(PACKAGE.parent / name, root / name, ignore=_other_records)
    shutil.copy(PACKAGE.parent / "pyproject.toml", root)
    digests = root / "apidiff" / "data" / "digests.txt"
    lines = digests.read_text().splitlines(keepends=True)
    digests.write_text("".join(line for line in lines if not line.rstrip().endswith(tuple(LEFT_OUT))))
    own = root / "apidiff" / "data" / "own_records.txt"
    own.write_text("".join(line for line in own.read_text().splitlines(keepends=True) if "/single-" not in line))
    return root


LEFT_OUT = {"canonical_calls.yaml", "writing_rules.yaml"}  # which name other records


def _other_records(folder: str, names: list[str]) -> set[str]:
    data = PACKAGE / "data"
    if Path(folder) == data / "mappings" / "torch":
        return set(names) - {"distributed", "utils"}
    if Path(folder).parent == data / "runs":
        return {name for name in names if name.startswith("single")}
    return {"__pycache__", *LEFT_OUT}


@pytest.fixture
def cache(checkout: Path, tmp_path: Path, knowledge: KnowledgeBase) -> str:
    """A cache folder in which the copy has the index of the data as they were before they were damaged."""
    cache, copies = tmp_path / "cache", str(checkout / "apidiff" / "data").lstrip("/")
    kept = cache / "apidiff" / __version__ / copies / "index.msgpack"
    kept.parent.mkdir(parents=True)
    shutil.copy(index_file(), kept)
    return str(cache)


def replace(file: str, old: str, new: str) -> Callable[[Path], None]:
    def edit(root: Path) -> None:
        text = (root / file).read_text(encoding="utf-8")
        assert old in text
        (root / file).write_text(text.replace(old, new, 1), encoding="utf-8")

    return edit


def change_a_byte_of_a_run(root: Path) -> None:
    run = min((root / "apidiff/data/runs").rglob("*.json"))
    run.write_bytes(run.read_bytes().replace(b'"holds"', b'"HOLDS"') + b" ")


def remove_releases(root: Path) -> None:
    (root / "apidiff/data/frameworks.yaml").unlink()


def remove_mindspore_releases(root: Path) -> None:
    path = root / "apidiff/data/frameworks.yaml"
    torch, _, _ = path.read_text(encoding="utf-8").partition("mindspore:")
    path.write_text(torch, encoding="utf-8")


# what is done, what the error says
BROKEN = [
    (replace(REDUCE, "profile: collective", "profile: [collective"), "reduce.yaml:", "broken YAML"),
    (
        replace(REDUCE, "profile: collective", "profile: collective\nsurprise: 1"),
        "reduce.yaml:2:",
        "unknown key 'surprise'",
    ),
    (replace(REDUCE, "  zh: 对所有", "  # 对所有"), "reduce.yaml:", "lacks the key 'zh'"),
    (replace(REDUCE, "profile: collective", "id: torch.reduce\nprofile: collective"), "reduce.yaml:1:", "key 'id'"),
    (remove_releases, "frameworks.yaml", "cannot be read"),
    (remove_mindspore_releases, "frameworks.yaml", "lists no release of mindspore"),
]


@pytest.mark.turning(days=5, kind="command")
@pytest.mark.parametrize(("edit", "place", "found"), BROKEN)
@pytest.mark.parametrize("command", [["check"], ["lookup", "reduce", "--json"]])
def test_broken_data(
    run_process,
    checkout: Path,
    cache: str,
    edit: Callable[[Path], None],
    place: str,
    found: str,
    command: list[str],
) -> None:
    """What is broken is named where it is checked and where it is asked for."""
    edit(checkout)
    done = run_process(*command, PYTHONPATH=str(checkout), XDG_CACHE_HOME=cache)
    assert (done.returncode, done.stdout) == (2, ""), done
    assert place in done.stderr
    assert found.lower() in done.stderr.lower()
    assert "Traceback" not in done.stderr
    assert all(line.startswith("apidiff: ") for line in done.stderr.splitlines())


WORK = "apidiff/data/mappings/torch/distributed/Work.yaml"
NO_YAML = ("", "]: [\n")
# a file that is damaged, what in it is written otherwise (nothing: at its end), an API that is then not answered
DAMAGED = [
    (REDUCE, NO_YAML, "torch.distributed.reduce"),
    ("apidiff/data/profiles/point_to_point.yaml", NO_YAML, "torch.distributed.send"),
    ("apidiff/data/signatures/mindspore-2.8.0.json", NO_YAML, None),
    (WORK, ("source: [wait-sets-limit", "source: [wait-sets-limix"), "torch.distributed.Work"),
    (
        "apidiff/data/mappings/torch/distributed/P2POp.yaml",
        ("by: bad-peer}", "by: bad-peerr}"),
        "torch.distributed.P2POp",
    ),
    ("apidiff/data/uses.yaml", ("{diffusers: ", "{diffusers: 999999999999999999999"), None),
    ("conf/single.toml", ("call = 20", "call = nan"), None),
    ("conf/backends.toml", ("probe = 8", "probe = inf"), None),
]


@pytest.mark.turning(days=5, group="the rest goes on")
@pytest.mark.parametrize(("file", "change", "lost"), DAMAGED)
def test_one_damaged_file_stops_nothing_else(
    run_process, checkout: Path, cache: str, tmp_path: Path, file: str, change: tuple[str, str], lost: str | None
) -> None:
    """`check` names it; search, scan, lookup, export and reports go on without it, and each says so in one line."""
    path = checkout / file
    text, (old, new) = path.read_text(encoding="utf-8"), change
    assert old in text
    path.write_text(text.replace(old, new, 1) if old else f"{text}\n{new}", encoding="utf-8")
    (tmp_path / "code.py").write_text("import torch\ntorch.distributed.all_reduce(x)\n", encoding="utf-8")
    variables = {"PYTHONPATH": str(checkout), "XDG_CACHE_HOME": cache}
    done = run_process("check", **variables)
    assert (done.returncode, done.stdout) == (2, "")
    lines = done.stderr.splitlines()
    assert lines[0].startswith(f"apidiff: {path}:")
    assert len(lines) == 1 or change is not NO_YAML
    commands = (["lookup", "torch.distributed.all_reduce"], ["search", "barrier"], ["scan", str(tmp_path / "code.py")])
    for command in [
        *commands,
        ["report", "official"],
        ["report", "conditions"],
        ["runs", "list"],
        ["export", "json", str(tmp_path / "out")],
    ]:
        done = run_process(*command, **variables)
        assert done.returncode == 0, (command, done)
        notes = [line for line in done.stderr.splitlines() if line.startswith("apidiff: note: ")]
        # What makes no entries has no need of what a difference or a claim names.
        assert len(notes) == 1 or (not notes and change is not NO_YAML and command[0] in {"report", "runs"}), (
            command,
            done,
        )
        assert all(line.startswith(f"apidiff: note: damaged, and passed over: {path}:") for line in notes), command
        assert "Traceback" not in done.stderr
    if lost:
        done = run_process("lookup", lost, **variables)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"apidiff: The record of {lost} cannot be used. " in done.stderr


UNUSABLE = [
    (
        "apidiff/data/mappings/torch/distributed/P2POp.yaml",
        ("irecv: {like: isend", "irecv: {like: irecv"),
        "is like itself",
    ),
    (REDUCE, ("profile: collective", "profile: collective\ncategory: nowhere"), "unknown category 'nowhere'"),
]


@pytest.mark.turning(days=5, group="the rest goes on")
@pytest.mark.parametrize(("file", "change", "found"), UNUSABLE)
def test_a_record_that_no_entry_can_be_made_of(
    run_process, checkout: Path, cache: str, tmp_path: Path, file: str, change: tuple[str, str], found: str
) -> None:
    """Who asks for something else is told in a line; what runs what records hold, or counts what they ask, stops."""
    replace(file, *change)(checkout)
    variables = {"PYTHONPATH": str(checkout), "XDG_CACHE_HOME": cache}
    record = min((PACKAGE / "data/runs/torch-2.13.0").glob("gloo-cpu-3-*.json"))
    for command in [
        ["lookup", "torch.distributed.all_reduce"],
        ["drift", "2.9", "2.10"],
        ["runs", "plan", "--backend", "mccl"],
        ["runs", "import", str(record)],
    ]:
        done = run_process(*command, **variables)
        assert done.returncode == 0, (command, done)
        [note] = [line for line in done.stderr.splitlines() if line.startswith("apidiff: note: damaged")]
        assert found in note
    for command in [["check"], ["runs", "specs"], ["verify", "--framework", "mindspore"]]:
        done = run_process(*command, **variables)
        assert (done.returncode, done.stdout) == (2, ""), (command, done)
        assert found in done.stderr
        assert all(line.startswith("apidiff: ") for line in done.stderr.splitlines()), command


@pytest.mark.turning(days=5, group="the rest goes on")
def test_a_damaged_record_is_named_and_stops_nothing_else(run_process, checkout: Path, cache: str) -> None:
    """`check` fails; who asks, or has one mapping checked, is answered from the rest, and told in a line."""
    change_a_byte_of_a_run(checkout)
    variables = {"PYTHONPATH": str(checkout), "XDG_CACHE_HOME": cache}
    done = run_process("check", **variables)
    assert (done.returncode, done.stdout) == (2, ""), done
    [line] = [line for line in done.stderr.splitlines() if "/runs/" in line]
    assert "was changed. Restore the file" in line
    answers = {
        ("lookup", "reduce"): "Reduces a tensor over all ranks",
        ("check", "torch.distributed.reduce"): "mappings",
    }
    for command, said in answers.items():
        done = run_process(*command, **variables)
        assert done.returncode == 0, done
        assert said in done.stdout
        [line] = done.stderr.splitlines()
        assert line.startswith("apidiff: note: damaged, and passed over: ")


def test_check_names_an_index_in_the_place_of_a_wheels(run_process, checkout: Path, cache: str) -> None:
    """A lookup does not read it; whoever put it there could answer anything by it."""
    forged = checkout / "apidiff" / "data" / "index.msgpack.xz"
    forged.write_bytes(b"")
    done = run_process("check", PYTHONPATH=str(checkout), XDG_CACHE_HOME=cache)
    assert done.returncode == 2
    assert f"apidiff: {forged}: is an index of a wheel, and this is a checkout. Delete it" in done.stderr


# Files that no record needs, but other commands do, and what is said of each with a conflict of git in it.
UNREAD = [
    (
        "apidiff/data/finding_codes.json",
        ": is missing or damaged. Restore it from version control, or reinstall apidiff.",
    ),
    (
        "apidiff/data/result_types.json",
        ": is missing or damaged. Restore it from version control, or reinstall apidiff.",
    ),
    ("apidiff/data/confusables.txt", ": is missing or damaged. Restore it from version control, or reinstall apidiff."),
    (
        "apidiff/data/upstream/mapping_2025-07.csv",
        ":{line}: is no row of 7 cells with a status: '<<<<<<< HEAD'. Restore",
    ),
    (
        "apidiff/data/upstream/mapping_r2.4.10.csv",
        ":{line}: is no row of 7 cells with a status: '<<<<<<< HEAD'. Restore",
    ),
    ("conf/matrix.toml", ":{line}: broken TOML: "),
]
# A file of settings, and what is taken out of it: what is left is in order, and many verdicts would be others.
LOST = {
    "conf/backends.toml": '"kernel \\\\w+ unregistered", ',
    "conf/single.toml": '"^Not implement exception", ',
}


def test_check_reads_what_other_commands_need(run_process, checkout: Path, cache: str) -> None:
    expected = []
    for name, said in UNREAD:
        path = checkout / name
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        half = len(lines) // 2
        conflict = ["<<<<<<< HEAD\n", lines[half], "=======\n", lines[half], ">>>>>>> other\n"]
        path.write_text("".join([*lines[:half], *conflict, *lines[half + 1 :]]), encoding="utf-8")
        expected.append(f"apidiff: {path}{said.format(line=half + 1)}")
    for name, lost in LOST.items():
        text = (checkout / name).read_text(encoding="utf-8")
        assert lost in text
        (checkout / name).write_text(text.replace(lost, "", 1), encoding="utf-8")
        expected.append(f"apidiff: {checkout / name}: is not the file whose digest digests.txt has. Restore the file")
    done = run_process("check", PYTHONPATH=str(checkout), XDG_CACHE_HOME=cache)
    assert (done.returncode, done.stdout) == (2, "")
    told = done.stderr.splitlines()
    for start in expected:
        assert any(line.startswith(start) for line in told), (start, told)


@pytest.mark.parametrize("framework", ["torch", "mindspore"])
def test_a_framework_without_releases_is_told(run_process, checkout: Path, cache: str, framework: str) -> None:
    path = checkout / "apidiff" / "data" / "frameworks.yaml"
    path.write_text(re.sub(rf"^{framework}:\n(?:[ -].*\n)+", "", path.read_text(), flags=re.MULTILINE))
    plan = ("runs", "plan", "--backend", "gloo" if framework == "torch" else "mccl")
    for command in (("check",), plan):
        done = run_process(*command, PYTHONPATH=str(checkout), XDG_CACHE_HOME=cache)
        assert done.returncode == 2
        said = f"apidiff: {path}: lists no release of {framework}. List its releases there, oldest first, or reinstall"
        assert said in done.stderr


def test_tables_that_are_gone_are_missed(run_process, checkout: Path, cache: str) -> None:
    folder = checkout / "apidiff" / "data" / "official"
    shutil.rmtree(folder)
    done = run_process("report", "official", PYTHONPATH=str(checkout), XDG_CACHE_HOME=cache)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"apidiff: {folder}: holds no table. Restore the folder, or reinstall apidiff." in done.stderr


def test_check_lists_every_error(run_process, checkout: Path) -> None:
    replace(REDUCE, "profile: collective", "surprise: 1\nprofile: collective")(checkout)
    replace(REDUCE.replace("reduce", "all_gather"), "profile: collective", "profile: [")(checkout)
    done = run_process("check", PYTHONPATH=str(checkout))
    assert [line.split(":")[1].rsplit("/", 1)[1] for line in done.stderr.splitlines()] == [
        "all_gather.yaml",
        "reduce.yaml",
    ]


@pytest.mark.turning(days=5, group="the rest goes on")
def test_an_edited_record_is_answered_as_edited(run_process, checkout: Path, cache: str) -> None:
    """The index notices; the copy has an index of its own."""
    variables = {"PYTHONPATH": str(checkout), "XDG_CACHE_HOME": cache}
    assert "Reduces a tensor over all ranks" in run_process("lookup", "reduce", **variables).stdout
    replace(REDUCE, "Reduces a tensor", "Totals a tensor")(checkout)
    assert "Totals a tensor over all ranks" in run_process("lookup", "reduce", **variables).stdout
