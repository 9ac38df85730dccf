"""Whole frameworks: a tiny wheel, and the installed ones against what ``inspect`` says of them."""

from __future__ import annotations

import argparse
import functools
import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path

import griffe
import msgspec
import pytest

from apidiff.cli import signatures as command
from apidiff.database.paths import DATA
from apidiff.database.scope import load_scope
from apidiff.database.signatures import load_signatures
from apidiff.errors import ApidiffError, DataError
from apidiff.model.signature import SignatureFile, SignatureKind, SignatureSource
from apidiff.signatures import extract, installed, render, unpacked, write
from apidiff.signatures import modules as signature_modules
from apidiff.signatures.modules import Found, Modules, NotReadable
from apidiff.signatures.read import read

WHEEL = {
    "torch-9.1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: torch\nVersion: 9.1.0+cpu\n",
    "torch/__init__.py": "raise RuntimeError('the framework must not be imported')",
    "torch/_C.cpython-311-x86_64-linux-gnu.so": "not code",
    "torch/_C/__init__.pyi": "class _Error(RuntimeError): ...\n",
    "torch/_C/_distributed_c10d.pyi": "class Store:\n    def get(self, key: str): ...\n",
    "torch/distributed/__init__.py": (
        "import logging\nimport torch\nfrom torch._C._distributed_c10d import Hidden, Store, _private\n"
        "from .c10d import *\n"
        "Error = torch._C._Error\n"
        "def is_available() -> bool: ...\n"
    ),
    "torch/distributed/c10d.py": (
        "__all__ = ['reduce', 'all_reduce']\n"
        "def reduce(tensor, dst=None, op=ReduceOp.SUM): ...\ndef all_reduce(tensor): ...\ndef hidden(): ...\n"
    ),
}
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


def make_wheel(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


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


def test_extracting_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "torch.whl", WHEEL)
    written = []
    for folder in ("one", "two"):
        assert run(["--framework", "torch", "--wheel", str(wheel), "--into", str(tmp_path / folder)]) == 0
        written.append((tmp_path / folder / "torch-9.1.0.json").read_bytes())
    assert written[0] == written[1]


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({}, "has no METADATA"),
        ({"torch-9.1.0.dist-info/METADATA": "Name: numpy\nVersion: 1.0\n"}, "a wheel of 'numpy'"),
        ({"torch-9.1.0.dist-info/METADATA": "Name: torch\nVersion: 9.1rc1\n"}, "which is no release"),
        ({"torch-9.1.0.dist-info/METADATA": "Name: torch\nVersion: 9.1\n"}, "holds no torch/__init__.py"),
        (WHEEL | {"../outside.py": "x = 1"}, r"unsafe path '\.\./outside\.py'"),
        (WHEEL | {"/outside.py": "x = 1"}, "unsafe path '/outside.py'"),
        (WHEEL | {f"torch/{'d/' * 1200}a.py": ""}, "holds a file 1201 folders deep; at most 100 are read"),
        (WHEEL | {f"torch/{'d/' * 100}a.so": ""}, "holds a file 101 folders deep; at most 100 are read"),
    ],
)
def test_a_wheel_that_is_refused(tmp_path: Path, files: dict[str, str], found: str) -> None:
    wheel = make_wheel(tmp_path / "torch.whl", files)
    with pytest.raises(DataError, match=found), unpacked("torch", wheel):
        pass
    assert not (tmp_path.parent / "outside.py").exists()


def test_a_file_that_is_no_archive(tmp_path: Path) -> None:
    (tmp_path / "torch.whl").write_text("hello")
    with pytest.raises(DataError, match="is not a wheel"), unpacked("torch", tmp_path / "torch.whl"):
        pass
    with pytest.raises(DataError, match="No such file"), unpacked("torch", tmp_path / "absent.whl"):
        pass
    os.mkfifo(tmp_path / "pipe.whl")
    with pytest.raises(DataError, match="is no regular file"), unpacked("torch", tmp_path / "pipe.whl"):
        pass


@pytest.mark.parametrize(
    ("field", "value", "found"),
    [
        (8, b"\x01\x00", "is encrypted"),  # the flags of a member of the directory
        (10, b"\x63\x00", "compression method is not supported"),
    ],
)
def test_a_wheel_that_is_made_to_break_its_reader(tmp_path: Path, field: int, value: bytes, found: str) -> None:
    wheel = make_wheel(tmp_path / "torch.whl", WHEEL)
    content = bytearray(wheel.read_bytes())
    at = content.index(b"PK\x01\x02")
    while at >= 0:
        content[at + field : at + field + len(value)] = value
        at = content.find(b"PK\x01\x02", at + 4)
    wheel.write_bytes(content)
    with pytest.raises(DataError, match=found), unpacked("torch", wheel):
        pass


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


def _doubled(count: int) -> dict[str, str]:
    """Modules of which each takes all from two others, so that there are ``2**count`` ways through them."""
    names = [f"{side}{number}" for number in range(count) for side in "ab"]
    files = {
        f"torch/{name}.py": "".join(f"from torch.{side}{int(name[1:]) + 1} import *\n" for side in "ab")
        for name in names
    }
    last = {f"torch/{side}{count}.py": "def last(x): ...\n" for side in "ab"}
    return files | last | {"torch/__init__.py": "from torch.a0 import *\nfrom torch.b0 import *\n"}


def _bases(count: int) -> str:
    """Classes of which each has two bases, so that there are ``2**count`` ways up."""
    pairs = (
        f"class {side}{number}(torch.a{number + 1}, torch.b{number + 1}): ..."
        for number in range(count)
        for side in "ab"
    )
    above = "\n".join([*pairs, f"class a{count}: ...", f"class b{count}: ..."])
    return f"import torch\nclass Tensor(torch.a0, torch.b0): ...\n{above}\n"


# What a wheel holds beside its METADATA, and what is said of torch.Tensor ('': that it is read; None: nothing)
MADE_TO_BREAK: list[tuple[dict[str, str], str | None]] = [
    ({"torch/__init__.py": "x = a" + ".b" * 10_000}, "__init__.py cannot be parsed"),
    ({"torch/__init__.py": "x = " + "-" * 10_000 + "1"}, "__init__.py cannot be parsed"),
    ({"torch/__init__.py": "if 1: ...\n" + "elif 1: ...\n" * 2900}, "__init__.py cannot be parsed"),
    ({"torch/__init__.py": "#" * (5 * 2**20)}, "__init__.py is larger than 4 MiB"),
    ({"torch/__init__.py": f"def Tensor(x=[{'a,' * 600_000}]): ..."}, "has more than 1000000 words and signs"),
    ({"torch/__init__.py": "\ufeffclass Tensor: ..."}, ""),
    ({"torch/__init__.py": "class Tensor(metaclass=type): ..."}, ""),
    ({"torch/__init__.py": "class Tensor(metaclass=Unknown): ..."}, ""),
    *(({"torch/__init__.py": f"Tensor = {value}()"}, "") for value in ("True", "None", "(1)", "b''")),
    *(({"torch/__init__.py": f"class Tensor({base}()): ..."}, "") for base in ("None", "'x'", "object, 'x'")),
    ({"torch/__init__.py": "__all__ = []\n__all__.extend(yield)\nclass Tensor: ..."}, "cannot be parsed"),
    ({"torch/__init__.py": "__all__ = []\n__all__.extend(n for n in ['Tensor'])\nclass Tensor: ..."}, ""),
    ({"torch/__init__.py": "import torch\nclass Tensor(torch.Tensor): ..."}, ""),
    ({"torch/__init__.py": "class Tensor(metaclass=Tensor): ..."}, ""),
    ({"torch/__init__.py": "import torch\nclass Tensor(torch.B): ...\nclass B(torch.Tensor): ..."}, ""),
    ({"torch/__init__.py": _bases(25)}, ""),
    (_doubled(25), None),
    ({"torch/__init__.py": "from torch import *"}, None),
    ({"torch/__init__.py": "from torch.a import *", "torch/a.py": "from torch import *\nclass Tensor: ..."}, ""),
    (
        {"torch/__init__.py": "from torch.m0 import Tensor"}
        | {f"torch/m{number}.py": f"from torch.m{number + 1} import Tensor" for number in range(200)},
        "lead through more than 100 others",
    ),
    (
        {
            "torch/__init__.py": "import torch\nclass Tensor(torch.c0): ...\n"
            + "".join(f"class c{number}(torch.c{number + 1}): ...\n" for number in range(3000))
        },
        "have more than 200 bases",
    ),
    (
        {"torch/__init__.py": f"class Tensor({', '.join(f'A{number}' for number in range(5000))}): ..."},
        "have more than 200 bases",
    ),
    ({"torch/__init__.py": "Tensor = boolean_dispatch(1, if_true=Tensor)"}, ""),
    ({"torch/__init__.py": "Tensor = _add_docstr(x, *y)"}, ""),
    ({"torch/__init__.py": "Tensor = _add_docstr(x, 'f(x=" + "-" * 9000 + "1)')"}, ""),
    ({"torch/__init__.py": "@deprecated('\\ud800')\nclass Tensor: ..."}, "half of a character"),
    ({"torch/__init__.py": f"def Tensor(x):\n '''\n Args:\n  x (a{' ' * 100_000}b): c\n '''"}, ""),
    (
        {
            f"torch/{module}__init__.py": "__all__ = ['', '.', '**', '/x', '\\0', '\\ud800', 'a b', './', '..', '"
            + "x" * 300
            + "']"
            for module in ("", "distributed/", "nn/functional/", "optim/", "linalg/")
        },
        None,
    ),
]


@pytest.fixture
def recursion_limit_of_the_command() -> Iterator[None]:
    """Frameworks that other tests import raise it."""
    raised = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(raised)


@pytest.mark.parametrize(("files", "said"), MADE_TO_BREAK, ids=range(len(MADE_TO_BREAK)))
@pytest.mark.usefixtures("recursion_limit_of_the_command")
def test_source_that_is_made_to_break_its_reader(tmp_path: Path, files: dict[str, str], said: str | None) -> None:
    metadata = {"torch-9.1.0.dist-info/METADATA": "Name: torch\nVersion: 9.1.0\n"}
    wheel = make_wheel(tmp_path / "torch.whl", metadata | files)
    with unpacked("torch", wheel) as source:
        found = extract(source)
    assert render(found)
    assert ("torch.Tensor" in found.apis) == (said == "")
    assert (said or "") in found.unreadable.get("torch.Tensor", "")


def test_what_one_extraction_reads_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signature_modules, "_MOST_TOKENS_OF_ALL", 30)
    (tmp_path / "torch").mkdir()
    for name in "ab":
        (tmp_path / "torch" / f"{name}.py").write_text(f"def {name}(x, y, z): ...\ny = [1, 2, 3]\n")
    modules = Modules(tmp_path)
    assert isinstance(modules.find("torch.a.a"), griffe.Function)
    for _ in range(2):
        with pytest.raises(
            NotReadable, match=r"torch/b\.py and what was read before it have more than 30 words and signs"
        ):
            modules.find("torch.b.b")


def test_names_are_not_looked_for_one_by_one(tmp_path: Path) -> None:
    """What is imported by a star was looked through for each name: for 60,000, minutes."""
    (tmp_path / "torch").mkdir()
    names = [f"n{number}" for number in range(60_000)]
    (tmp_path / "torch" / "__init__.py").write_text("from .z import *\n")
    (tmp_path / "torch" / "z.py").write_text(f"__all__ = {names}\n")
    modules = Modules(tmp_path)
    begun = time.process_time()
    assert modules.public("torch") == sorted(names)
    for name in names:
        with pytest.raises(NotReadable):
            modules.find(f"torch.{name}")
    assert time.process_time() - begun < 20


def _nested(last: str) -> str:
    """Ten classes below members of others, which are themselves inherited: 1024 ways up to ``last``."""
    above = f"class Q:\n class X: ...\n class Y(Q): ...\nclass A10:\n {last}\n class Y(Q): ...\n"
    return above + "".join(f"class A{number}(A{number + 1}.X, A{number + 1}.Y): ...\n" for number in range(10))


@pytest.mark.parametrize(
    ("code", "name", "most"),
    [
        (_nested("class X: ..."), "torch.A0.X", 80),
        (_nested("class X: ..."), "torch.A0.missing", 80),
        (_nested("class Z: ..."), "torch.A0.X", 20),
    ],
)
def test_a_name_is_looked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, name: str, most: int
) -> None:
    asked: list[str] = []
    ask = Modules._of_class

    def counted(self: Modules, holder: griffe.Class, name: str, way: list[str], seen: dict[str, int]) -> Found | None:
        asked.append(holder.path)
        return ask(self, holder, name, way, seen)

    monkeypatch.setattr(Modules, "_of_class", counted)
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text(code)
    modules = Modules(tmp_path)
    for _ in range(5):
        with suppress(NotReadable):
            modules.find(name)
    assert len(asked) <= most


def _of_one(bases: int) -> str:
    """Twenty classes below one that has so many ``bases``."""
    above = [
        *(f"class C{number}: ..." for number in range(bases)),
        f"class B({', '.join(f'C{number}' for number in range(bases))}): ...",
    ]
    return "\n".join([*above, *(f"class T{number}(B): ..." for number in range(20))])


@pytest.mark.parametrize(
    ("code", "told", "most"),
    [(_of_one(100), "", 20 * (1 + 4 * 101)), (_of_one(1000), "have more than 200 bases", 20 * 2)],
)
def test_classes_below_one_of_many_bases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, told: str, most: int
) -> None:
    looked: list[str] = []
    find = Modules.find

    def counted(self: Modules, path: str) -> Found:
        looked.append(path)
        return find(self, path)

    monkeypatch.setattr(Modules, "find", counted)
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text(code)
    modules = Modules(tmp_path)
    for number in range(20):
        with pytest.raises(NotReadable, match=told) if told else nullcontext():
            read(modules.find(f"torch.T{number}"), modules)
    assert len(looked) <= most


def test_a_wheel_of_too_many_files(tmp_path: Path) -> None:
    metadata = {"torch-9.1.0.dist-info/METADATA": "Name: torch\nVersion: 9.1.0\n"}
    many = {f"torch/m{number}.{'so' if number % 2 else 'py'}": "" for number in range(20_001)}
    wheel = make_wheel(tmp_path / "torch.whl", metadata | many)
    with pytest.raises(DataError, match="at most 20000 are read"), unpacked("torch", wheel):
        pass
