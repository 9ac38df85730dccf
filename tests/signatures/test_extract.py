"""Whole frameworks: a tiny wheel, and the installed ones against what ``inspect`` says of them."""

from __future__ import annotations

import argparse
import functools
import importlib.metadata
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from wheels import WHEEL, make_wheel

from apidiff.cli import signatures as command
from apidiff.database.paths import DATA
from apidiff.database.scope import load_scope
from apidiff.database.signatures import load_signatures
from apidiff.errors import ApidiffError, DataError
from apidiff.model.signature import SignatureFile, SignatureKind, SignatureSource
from apidiff.signatures import extract, installed, render, write

EXPECTED = """{
"framework": "torch",
"version": "9.1.0",
"tool": "TOOL",
"listed": LISTED,
"apis": {
"torch.distributed.Error": {"kind":"class","source":"stub","parameters":[{"name":"args","kind":"variadic positional"}]},
"torch.distributed.Store": {"kind":"class","source":"stub","members":["get"]},
"torch.distributed.all_reduce": {"kind":"function","parameters":[{"name":"tensor"}]},
"torch.distributed.is_available": {"kind":"function","returns":"bool"},
"torch.distributed.reduce": {"kind":"function","parameters":[{"name":"tensor"},{"name":"dst","default":"None"},\
{"name":"op","default":"ReduceOp.SUM"}]}
},
"unreadable": {
"torch.distributed.Hidden": "defined in the compiled module torch._C._distributed_c10d, whose stub does not have it",
"torch.distributed.Store.__init__": "a compiled class, whose stub has no constructor"
}
}
"""


def run(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args(["extract", *arguments]))


def test_a_wheel_is_read_without_being_imported(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "torch.whl", WHEEL)
    assert run(["--framework", "torch", "--wheel", str(wheel), "--into", str(tmp_path / "out")]) == 0
    [path] = (tmp_path / "out").iterdir()
    assert path.name == "torch-9.1.0.json"
    written = load_signatures(tmp_path / "out")["torch", "9.1.0"]
    listed = msgspec.json.encode(sorted(load_scope().torch.listed())).decode()
    assert path.read_text() == EXPECTED.replace("TOOL", written.tool).replace("LISTED", listed)
    assert render(written) == path.read_text()


def test_what_a_wheel_says_steers_no_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = 'class Store(f"\x1b[31m\u202e{1}"): pass\n'
    wheel = make_wheel(tmp_path / "torch.whl", WHEEL | {"torch/distributed/__init__.py": code})
    assert run(["--framework", "torch", "--wheel", str(wheel), "--into", str(tmp_path / "\u202eout")]) == 0
    told = capsys.readouterr().out
    assert "\\u202eout/torch-9.1.0.json: " in told
    assert "\\x1b[31m\\u202e" in told
    assert not {"\x1b", "\u202e"} & {*told}


def test_a_wheel_that_tells_nothing_replaces_no_signatures(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "torch.whl", {key: WHEEL[key] for key in list(WHEEL)[:2]})
    written = tmp_path / "torch-9.1.0.json"
    written.write_text("signatures")
    with pytest.raises(ApidiffError, match=r"torch\.whl: its Python source and type stubs tell no signature"):
        run(["--framework", "torch", "--wheel", str(wheel), "--into", str(tmp_path)])
    assert written.read_text() == "signatures"


def test_extracting_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "torch.whl", WHEEL)
    written = []
    for folder in ("one", "two"):
        assert run(["--framework", "torch", "--wheel", str(wheel), "--into", str(tmp_path / folder)]) == 0
        written.append((tmp_path / folder / "torch-9.1.0.json").read_bytes())
    assert written[0] == written[1]


def test_an_absent_framework(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.distribution", absent)
    with pytest.raises(ApidiffError, match="torch is not installed"):
        installed("torch")


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ApidiffError, match="--into"):
        write(SignatureFile(framework="torch", version="9.1.0", tool="t", apis={}), tmp_path / "file")


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(ApidiffError, match="No space left"):
        write(SignatureFile(framework="torch", version="9.1.0", tool="t", apis={}), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("torch-1.0.0.json", "{", "holds no signatures"),
        (
            "torch-1.0.0.json",
            '{"framework":"torch","version":"1.0.0","tool":"t","apis":{},"more":1}',
            "unknown field `more`",
        ),
        (
            "torch-1.0.0.json",
            '{"framework":"torch","version":"1.0.0","tool":"t","apis":{"torch.x. All is signed":{"kind":"constant"}}}',
            "Expected `str` matching regex",
        ),
        (
            "torch-1.0.0.json",
            '{"framework":"torch","version":"1.0.0","tool":"t",'
            '"apis":{"torch.x":{"kind":"function","parameters":[{"name":"\\u001b"}]}}}',
            "Expected `str` matching regex",
        ),
        (
            "torch-1.0.0.json",
            '{"framework":"torch","version":"1.0.0","tool":"t",'
            '"apis":{"torch.x":{"kind":"constant","deprecated":{"since":"2.0. All is signed"}}}}',
            "Expected `str` matching regex",
        ),
        (
            "torch-2.0.0.json",
            '{"framework":"torch","version":"1.0.0","tool":"t","apis":{}}',
            "but holds 'torch-1.0.0.json'",
        ),
    ],
)
def test_a_broken_file(tmp_path: Path, name: str, text: str, found: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=found):
        load_signatures(tmp_path)


def test_more_files_than_anybody_compares(tmp_path: Path) -> None:
    for minor in range(101):
        text = f'{{"framework":"torch","version":"9.{minor}.0","tool":"t","apis":{{}}}}'
        (tmp_path / f"torch-9.{minor}.0.json").write_text(text)
    broken: list[DataError] = []
    assert len(load_signatures(tmp_path, broken)) == 100
    assert [error.found for error in broken] == ["is one file more than 100"]


@functools.cache
def of_installed(framework: str) -> SignatureFile:
    """What the source of the installed framework says, read once."""
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    return extract(installed(framework))


VARIADIC = ["variadic positional", "variadic keyword"]
_INSPECT = """
import importlib, inspect, json, sys
found = {}
for name in json.load(sys.stdin):
    module, _, last = name.rpartition(".")
    try:
        holder = importlib.import_module(module)
    except ModuleNotFoundError:  # a class
        above, _, holder = module.rpartition(".")
        holder = getattr(importlib.import_module(above), holder)
    try:
        signature = inspect.signature(getattr(holder, last))
    except ValueError:  # compiled
        continue
    parameters = [(p.name, p.kind.description, p.default is p.empty) for p in signature.parameters.values()]
    found[name] = parameters[1:] if isinstance(holder, type) and parameters[:1] and parameters[0][0] == "self" else parameters
print("RESULT" + json.dumps(found))
"""


@pytest.mark.turning(days=2, group="of a framework")
@pytest.mark.parametrize("framework", ["torch", "mindspore"])
def test_against_inspect(framework: str) -> None:
    found = of_installed(framework)
    apis = {
        name: signature
        for name, signature in found.apis.items()
        if signature.source is SignatureSource.SOURCE
        and signature.kind not in {SignatureKind.CONSTANT, SignatureKind.ENUM}
        and f"{name}.__init__" not in found.unreadable
    }
    done = subprocess.run(
        [sys.executable, "-c", _INSPECT], input=json.dumps(list(apis)), capture_output=True, text=True, timeout=1000
    )
    assert done.returncode == 0, done.stderr
    [line] = [line for line in done.stdout.splitlines() if line.startswith("RESULT")]
    read = {
        name: [[p.name, p.kind.value, p.default is None] for p in signature.parameters]
        for name, signature in apis.items()
    }
    inspected = json.loads(line.removeprefix("RESULT"))
    # Of some functions only docstrings tell the parameters: they are compiled, or hand on whatever they get.
    told = {name for name in read if [kind for _, kind, _ in inspected.get(name, [])] in ([], VARIADIC) and read[name]}
    assert len(told) < len(read) / 2  # what is compared is the greater part
    assert {name: read[name] for name in read.keys() - told} == {name: inspected[name] for name in read.keys() - told}


@pytest.mark.turning(days=2, group="of a framework")
@pytest.mark.parametrize("framework", ["torch", "mindspore"])
def test_checked_in_files_are_what_the_source_says(framework: str) -> None:
    found = of_installed(framework)
    path = DATA / "signatures" / f"{framework}-{found.version}.json"
    if not path.exists():
        pytest.skip(f"no signatures are checked in for {framework} {found.version}")
    # Another release of the tool may say the same; its name is no part of what is compared.
    tool = load_signatures(DATA / "signatures")[framework, found.version].tool
    assert path.read_text() == render(msgspec.structs.replace(found, tool=tool))


@pytest.mark.parametrize(
    ("framework", "version", "name", "text"),
    [
        (
            "torch",
            "2.13.0",
            "torch.distributed.all_reduce",
            "f(tensor, op=ReduceOp.SUM, group=None, async_op: bool = False)",
        ),
        ("mindspore", "2.7.1", "mindspore.ops.AllGather", "f(group=GlobalComm.WORLD_COMM_GROUP)(input_x: Tensor, /)"),
        (
            "mindspore",
            "2.10.0",
            "mindspore.ops.Reduce",
            "f(dest_rank, op=ReduceOp.SUM, group=GlobalComm.WORLD_COMM_GROUP)(input_x: Tensor, /)",
        ),
        (
            "mindspore",
            "2.10.0",
            "mindspore.mint.distributed.reduce",
            "f(tensor, dst, op=ReduceOp.SUM, group=None, async_op=False)",
        ),
    ],
)
def test_checked_in_signatures(framework: str, version: str, name: str, text: str) -> None:
    assert load_signatures(DATA / "signatures")[framework, version].apis[name].text("f") == text
