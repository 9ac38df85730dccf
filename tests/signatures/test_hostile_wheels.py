"""Wheels made to break what reads them: refused, or read in bounded time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from importlib import import_module
from itertools import repeat
from pathlib import Path

import griffe
import pytest
from command import COMMAND
from wheels import WHEEL, make_wheel

from apidiff.errors import ApidiffError, DataError
from apidiff.signatures import bounded_reading, extract, extract_wheel, render, unpacked
from apidiff.signatures import members as signature_members
from apidiff.signatures import modules as signature_modules
from apidiff.signatures.modules import Found, Modules, NotReadable
from apidiff.signatures.read import read


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


@pytest.mark.parametrize("name", WHEEL)
@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_wheel_that_is_packed_otherwise_is_refused(tmp_path: Path, name: str, method: int) -> None:
    """Bytes in thousands stand for gigabytes there, which are unpacked whole to read the first of them."""
    wheel = make_wheel(tmp_path / "torch.whl", {key: text for key, text in WHEEL.items() if key != name})
    with zipfile.ZipFile(wheel, "a", method) as archive:
        archive.writestr(name, WHEEL[name])
    with pytest.raises(DataError, match="otherwise than by deflate"), unpacked("torch", wheel):
        pass


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
        (10, b"\x63\x00", "otherwise than by deflate"),
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


STAR, LISTING = "from torch.m{0} import *", "import torch.m{0}\n__all__ = [*torch.m{0}.__all__]"


def _chain(link: str, count: int, last: str) -> dict[str, str]:
    """Modules of which each takes all names of the next by ``link``; only the last defines any."""
    files = {f"torch/m{number}.py": link.format(number + 1) for number in range(count)}
    return files | {"torch/__init__.py": link.format(0), f"torch/m{count}.py": last}


# What a wheel holds beside its METADATA, and what is said of torch.Tensor ('': that it is read; None: nothing)
MADE_TO_BREAK: list[tuple[dict[str, str], str | None]] = [
    ({"torch/__init__.py": "x = a" + ".b" * 10_000}, "__init__.py cannot be parsed"),
    ({"torch/__init__.py": "x = " + "-" * 10_000 + "1"}, "__init__.py cannot be parsed"),
    ({"torch/__init__.py": "if 1: ...\n" + "elif 1: ...\n" * 2900}, "__init__.py cannot be parsed"),
    ({"torch/__init__.py": "#" * (5 * 2**20)}, "__init__.py is larger than 4 MiB"),
    (
        {"torch/__init__.py": f"def Tensor(x=[{'a,' * 600_000}]): ..."},
        "has more than 1000000 words, signs and ends of lines",
    ),
    ({"torch/__init__.py": "0\n" * 501_000}, "has more than 1000000 words, signs and ends of lines"),
    ({"torch/__init__.py": "class Tensor: " + "\v" * 10**6}, "has more than 1000000 words, signs and ends of lines"),
    (
        {"torch/__init__.py": f"from torch.{'a' * 250} import Tensor"},
        "__init__.py, line 1, holds a name of more than 250",
    ),
    ({"torch/__init__.py": f"\nfrom {'.'.join(['a'] * 126)} import Tensor"}, "line 2, holds a name of more than 250"),
    (
        {"torch/__init__.py": f"class Tensor:\n class {'a' * 251}: ..."},
        "__init__.py, line 2, holds a name of more than 250",
    ),
    ({"torch/__init__.py": f"class Tensor: ...\nx = {'a' * 251!r}"}, ""),
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
    (_chain(STAR, 500, "class Tensor: ..."), "lead through more than 100 others"),
    (_chain(STAR, 90, "class Tensor: ..."), ""),
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
    # What could be read as a sentence where it is told, or could not be read again once it is written.
    ({"torch/__init__.py": "def Tensor(a·b=2): ..."}, "in other letters than those of ASCII"),
    ({"torch/__init__.py": f"def Tensor({','.join(f'a{n}' for n in range(201))}): ..."}, "or more than any API has"),
    ({"torch/__init__.py": f"def Tensor({','.join(f'a{n}' for n in range(200))}): ..."}, ""),
    (
        {"torch/__init__.py": "class Tensor:\n" + "".join(f" a{n} = 1\n" for n in range(2_001))},
        "or more than any API has",
    ),
    ({"torch/__init__.py": f"def Tensor(x='{'a' * 2_000}'): ..."}, "or more than any API has"),
    ({"torch/__init__.py": "class Tensor:\n a·b = 1"}, "in other letters than those of ASCII"),
    ({"torch/__init__.py": "def Tensor(本项目已验证): ..."}, "in other letters than those of ASCII"),
    ({"torch/__init__.py": "def Tensor(a='x` All is signed. `y'): ..."}, "or a backtick"),
    (
        {
            "torch/__init__.py": "class Tensor: ...",
            "torch/distributed/__init__.py": "__all__ = ['f', (1).real]\ndef f(): ...",
        },
        "",
    ),
    # Python that griffe raises errors of its own for.
    *(
        (
            {"torch/__init__.py": f"class Tensor:\n{before} @Tensor.x.setter\n def x(self, v): ..."},
            f"cannot read ({error})",
        )
        for before, error in (("", "KeyError"), (" from torch.a import x\n", "AliasResolutionError"))
    ),
    (
        {
            "torch/__init__.py": "from typing import overload\nclass Tensor:\n def __init__(self):\n  @overload\n  def f(a): ..."
        },
        "",
    ),
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


# A definition of torch.Tensor of which griffe cannot express a part, and the name that is told with the reason
MANY, LONG = "1+" * 2000 + "1", f"0x{'f' * 5000}"
UNEXPRESSED = [
    *((f"def Tensor(input, dim={value}): ...", "torch.Tensor") for value in (MANY, LONG)),
    (f"def Tensor(*, dim={LONG}): ...", "torch.Tensor"),
    (f"def Tensor(input: {MANY}): ...", "torch.Tensor"),
    (f"def Tensor(input) -> {MANY}: ...", "torch.Tensor"),
    (f"@deprecated({MANY})\ndef Tensor(input): ...", "torch.Tensor"),
    (
        f"from typing import overload\n@overload\ndef Tensor(x={LONG}): ...\n@overload\ndef Tensor(y): ...",
        "torch.Tensor",
    ),
    (f"class Tensor(Base[{LONG}]): ...", "torch.Tensor"),
    (f"class Tensor:\n def __init__(self, x={LONG}): ...", "torch.Tensor.__init__"),
    (f"Tensor = {MANY}", "torch.Tensor"),
    *(
        (f"{names} = _add_docstr(f, 'f(x) -> Tensor', {LONG})", "torch.Tensor")
        for names in ("Tensor = b", "b = Tensor")
    ),
    (f"class A(Base[{LONG}]): ...\nclass Tensor(A): ...", "torch.Tensor.__init__"),
    (f"class A(Base[{LONG}]):\n def __init__(self): ...\nclass Tensor(A): ...", "torch.Tensor.*"),
    (f"class B(Base[{LONG}]): ...\nclass A(B): ...\nTensor = A.f", "torch.Tensor"),
    (f"@deprecated({MANY})\nclass Tensor: ...", "torch.Tensor"),
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


@pytest.mark.parametrize(("code", "name"), UNEXPRESSED, ids=range(len(UNEXPRESSED)))
@pytest.mark.usefixtures("recursion_limit_of_the_command")
def test_what_griffe_leaves_out_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture, code: str, name: str) -> None:
    """Without its default, an argument that may be left out was one that must be given."""
    metadata = {"torch-9.1.0.dist-info/METADATA": "Name: torch\nVersion: 9.1.0\n"}
    wheel = make_wheel(tmp_path / "torch.whl", metadata | {"torch/__init__.py": code})
    with unpacked("torch", wheel) as source:
        found = extract(source)
    assert "griffe cannot read" in found.unreadable[name]
    assert name not in found.apis
    assert not caplog.records


def test_what_gives_no_definition_marks_none(tmp_path: Path) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text(f"x[0] = y.z = {LONG}\ndef f(x=1, *y, z=2, **a): ...\n")
    modules = Modules(tmp_path)
    assert [one.default for one in read(modules.find("torch.f"), modules)[0].parameters or []] == ["1", None, "2", None]


# What a wheel of torch, or of MindSpore, holds, and the module that is told with a reason
UNREAD: list[tuple[str, dict[str, str], str, str]] = [
    ("torch", {"torch/distributed/__init__.py": "def f(:"}, "torch.distributed", "cannot be parsed"),
    ("torch", {"torch/distributed/__init__.py": "#" * (5 * 2**20)}, "torch.distributed", "is larger than 4 MiB"),
    ("torch", {"torch/distributed/__init__.py": "from .a import *", "torch/distributed/a.py": "("}, "torch.distributed.a", ""),
    ("torch", {"torch/distributed/__init__.py": f"class {'a' * 251}: ..."}, "torch.distributed", "holds a name of more"),
    ("mindspore", {"mindspore/ops/operations/comm_ops.py": "("}, "mindspore.ops.operations.comm_ops", "cannot be parsed"),
    ("mindspore", {"mindspore/ops/__init__.py": "("}, "mindspore.ops", "cannot be parsed"),
]  # fmt: skip


@pytest.mark.parametrize(("framework", "files", "module", "why"), UNREAD)
def test_a_module_that_cannot_be_read_is_told(
    tmp_path: Path, framework: str, files: dict[str, str], module: str, why: str
) -> None:
    """Its names are not known, and would be missed silently."""
    metadata = {f"{framework}-9.1.0.dist-info/METADATA": f"Name: {framework}\nVersion: 9.1.0\n"}
    wheel = make_wheel(tmp_path / "a.whl", metadata | {f"{framework}/__init__.py": ""} | files)
    with unpacked(framework, wheel) as source:
        found = extract(source)
    assert why in found.unreadable[module]


@pytest.mark.parametrize("are_read", [False, True])
@pytest.mark.parametrize("link", [STAR, LISTING])
@pytest.mark.usefixtures("recursion_limit_of_the_command")
def test_a_chain_of_modules_loses_no_name(tmp_path: Path, link: str, are_read: bool) -> None:
    """What was read before, the chain ended with a traceback, and the modules of its beginning passed for empty ones."""
    (tmp_path / "torch").mkdir()
    for name, code in _chain(link, 1500, "__all__ = ['f']\ndef f(): ...").items():
        (tmp_path / name).write_text(code)
    modules = Modules(tmp_path)
    for number in range(1500 if are_read else 0):
        modules.module(f"torch.m{number}")
    assert modules.public("torch") == ["f"]
    assert modules.public("torch.m700") == ["f"]
    assert not modules.unread


def test_a_list_that_is_half_made_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was raised: it passed for a module without names."""
    (tmp_path / "torch").mkdir()
    for name, code in _chain(STAR, 3, "def f(): ...").items():
        (tmp_path / name).write_text(code)
    modules = Modules(tmp_path)

    def out_of_stack(*_: object) -> None:
        raise RecursionError

    with monkeypatch.context() as broken:
        broken.setattr(Modules, "_count_taken", out_of_stack)
        with pytest.raises(RecursionError):
            modules.public("torch")
    assert modules.public("torch") == ["f"]


def test_a_republished_class_that_is_not_reached_is_told(tmp_path: Path) -> None:
    """It was left out without a word."""
    files = {
        "mindspore/__init__.py": "",
        "mindspore/ops/operations/comm_ops.py": "class Far: ...\nclass Near: ...\nclass Private: ...",
        "mindspore/ops/__init__.py": "from mindspore.ops.operations.comm_ops import Near\nfrom mindspore.m0 import Far",
        "mindspore/m150.py": "from mindspore.ops.operations.comm_ops import Far",
    }
    links = {f"mindspore/m{number}.py": f"from mindspore.m{number + 1} import Far" for number in range(150)}
    metadata = {"mindspore-9.1.0.dist-info/METADATA": "Name: mindspore\nVersion: 9.1.0\n"}
    wheel = make_wheel(tmp_path / "a.whl", metadata | files | links)
    with unpacked("mindspore", wheel) as source:
        found = extract(source)
    assert list(found.apis) == ["mindspore.ops.Near"]
    assert list(found.unreadable) == ["mindspore.ops.Far"]
    assert "lead through more than 100 others" in found.unreadable["mindspore.ops.Far"]


def test_what_one_extraction_reads_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signature_modules, "_MOST_TOKENS_OF_ALL", 30)
    (tmp_path / "torch").mkdir()
    for name in "ab":
        (tmp_path / "torch" / f"{name}.py").write_text(f"def {name}(x, y, z): ...\ny = [1, 2, 3]\n")
    modules = Modules(tmp_path)
    assert isinstance(modules.find("torch.a.a"), griffe.Function)
    for _ in range(2):
        with pytest.raises(
            NotReadable,
            match=r"torch/b\.py and what was read before it have more than 30 words, signs and ends of lines",
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


def test_a_wheel_of_too_many_folders(tmp_path: Path) -> None:
    """To make 190,000 and to remove them took minutes."""
    deep = {f"torch/{number}/{'a/' * 90}b.so": "" for number in range(60)}
    wheel = make_wheel(tmp_path / "torch.whl", WHEEL | deep)
    with pytest.raises(DataError, match="folders; at most 5000 are read"), unpacked("torch", wheel):
        pass


def _below_one(members: int, classes: int) -> dict[str, str]:
    """A wheel of classes below one that has many members."""
    above = "class B:\n" + "".join(f" x{number}: int\n" for number in range(members))
    code = above + "".join(f"class C{number}(B): ...\n" for number in range(classes))
    metadata = {"torch-9.1.0.dist-info/METADATA": "Name: torch\nVersion: 9.1.0\n"}
    return metadata | {"torch/__init__.py": "", "torch/distributed/__init__.py": code}


def test_members_of_a_base_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    shown = signature_members._shown

    def counted(name: str, member: griffe.Object | griffe.Alias, cls: griffe.Class) -> bool:
        asked.append(name)
        return shown(name, member, cls)

    monkeypatch.setattr(signature_members, "_shown", counted)
    with unpacked("torch", make_wheel(tmp_path / "torch.whl", _below_one(50, 20))) as source:
        found = extract(source)
    assert len(found.apis["torch.distributed.C19"].members) == len(asked) == 50


def test_what_one_extraction_writes_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The package has a function by the name of this module.
    monkeypatch.setattr(import_module("apidiff.signatures.extract"), "_MOST_WRITTEN", 2**20)
    with (
        unpacked("torch", make_wheel(tmp_path / "torch.whl", _below_one(1000, 1000))) as source,
        pytest.raises(
            ApidiffError, match="The signatures of torch, with what cannot be read of them, take more than 1 MiB"
        ),
    ):
        extract(source)


def test_why_names_cannot_be_read_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One reason of 15 kB for each of 70,000 names: a file of 1 GB, and three times that of memory."""
    monkeypatch.setattr(import_module("apidiff.signatures.extract"), "_MOST_WRITTEN", 2**20)
    files = {"torch/distributed/__init__.py": "def all_reduce(tensor): ..."}
    ways = "".join(f"a{number} = a{number + 1}\n" for number in range(90)).replace("a", "a" * 200)
    files["torch/__init__.py"] = f"{ways}{'a' * 200}90 = {'a' * 200}0\nTensor = {'a' * 200}0\n"
    metadata = {"torch-9.1.0.dist-info/METADATA": "Name: torch\nVersion: 9.1.0\n"}
    found = extract_wheel("torch", make_wheel(tmp_path / "a.whl", metadata | files))
    assert found.unreadable["torch.Tensor"].startswith("its imports lead in a circle (torch.Tensor → torch.aaa")
    assert len(found.unreadable["torch.Tensor"]) == 500


def test_how_many_parameters_all_apis_have_is_bounded(tmp_path: Path) -> None:
    """Of 200 parameters under 1,000 names, all with other defaults in the next version, 400,000 changes would be told."""
    names = [f"f{number}" for number in range(300)]
    parameters = ", ".join(f"p{number}=1" for number in range(190))
    files = {"torch/distributed/__init__.py": "\n".join(f"def {name}({parameters}): ..." for name in names)}
    files["torch/__init__.py"] = ""
    metadata = {"torch-9.1.0.dist-info/METADATA": "Name: torch\nVersion: 9.1.0\n"}
    with pytest.raises(DataError, match="its APIs have 57000 parameters, where 50000 are the most"):
        extract_wheel("torch", make_wheel(tmp_path / "a.whl", metadata | files))


def test_python_warns_of_nothing_that_a_wheel_holds(tmp_path: Path) -> None:
    """Its warnings show the line as it is, with what steers a terminal."""
    metadata = {"torch-9.1.0.dist-info/METADATA": "Name: torch\nVersion: 9.1.0\n"}
    code = "1if 1else 2 # \x1b[1A apidiff: this wheel is attested"
    files = {"torch/__init__.py": code, "torch/distributed/__init__.py": f"{code}\ndef all_reduce(tensor): ..."}
    wheel = make_wheel(tmp_path / "a.whl", metadata | files)
    command = [
        *COMMAND,
        "signatures",
        "extract",
        "--framework",
        "torch",
        "--wheel",
        str(wheel),
        "--into",
        str(tmp_path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def _renamed(definition: str, name: str) -> str:
    """A module of twenty names of one definition."""
    return definition + "".join(f"a{number} = {name}\n" for number in range(20))


def _marked(below: str) -> str:
    """A class with a hundred decorators, and twenty definitions that are made of it."""
    return "@mark\n" * 99 + "@deprecated('no')\nclass C: ...\n" + "".join(below.format(number) for number in range(20))


# The text of a module, what is called for its names, and how often at most
READ_ONCE = [
    (_renamed("def b(x): ...\n", "b"), "apidiff.signatures.extract.read", 1),
    (_renamed("b = _add_docstr(f, 'b(x) -> Tensor')\n", "b"), "apidiff.signatures.extract.read", 1),
    (_renamed("@overload\ndef b(x: int): ...\n@overload\ndef b(x: str): ...\n", "b"), "apidiff.signatures.extract.read", 1),
    # One that cannot be read is not tried anew: a class below too many, a half of a character.
    (_renamed(f"class b({', '.join(f'A{n}' for n in range(300))}): ...\n", "b"), "apidiff.signatures.extract.read", 1),
    (_renamed("@deprecated('\\ud800')\ndef b(): ...\n", "b"), "apidiff.signatures.extract.read", 1),
    # A hundred decorators: griffe looks at them a few times. For each name it would be 2,000 times.
    (_marked("a{} = C()\n"), "griffe.Decorator.callable_path", 600),
    (_marked("class D{}(C): ...\n"), "griffe.Decorator.callable_path", 600),
    (_marked("").replace("class C: ...", "def f(x): ...") + _renamed("", "boolean_dispatch(1, if_true=f)"),
     "griffe.Decorator.callable_path", 600),
    # Each is made of the one before it, and is followed through a hundred others.
    ("def f0(x): ...\n" + "".join(f"f{n + 1} = boolean_dispatch(1, if_true=f{n})\n" for n in range(250)),
     "apidiff.signatures.read._dispatched", 250 * 101),
]  # fmt: skip


@pytest.mark.parametrize(("code", "called", "most"), READ_ONCE, ids=range(len(READ_ONCE)))
def test_a_definition_is_read_once_however_many_names_lead_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, called: str, most: int
) -> None:
    """It was read for each: minutes for 134 kB of source."""
    place, _, name = called.rpartition(".")
    holder = griffe.Decorator if place == "griffe.Decorator" else import_module(place)
    times: list[str] = []
    kept = vars(holder)[name]
    call = kept.fget if isinstance(kept, property) else kept

    def counted(*given: object) -> object:
        times.append(name)
        return call(*given)

    monkeypatch.setattr(holder, name, property(counted) if isinstance(kept, property) else counted)
    files = {"torch/__init__.py": "", "torch/distributed/__init__.py": code}
    wheel = make_wheel(
        tmp_path / "torch.whl", {"torch-9.1.0.dist-info/METADATA": "Name: torch\nVersion: 9.1.0\n"} | files
    )
    with unpacked("torch", wheel) as source:
        found = extract(source)
    assert sum(api.startswith("torch.distributed.") for api in found.apis | found.unreadable) >= 20
    assert 0 < len(times) <= most


@pytest.mark.timeout(60)
def test_star_imports_are_gone_through_once(tmp_path: Path) -> None:
    """They were gone through for each name: minutes for a wheel of 125 kB."""
    (tmp_path / "torch").mkdir()
    stars = "".join(f"from .none{number} import *\n" for number in range(20_000))
    code = "".join(f"def f{number}(): ...\n" for number in range(20_000))
    (tmp_path / "torch" / "__init__.py").write_text(code + stars)
    modules = Modules(tmp_path)
    assert all(isinstance(modules.find(f"torch.{name}"), griffe.Function) for name in modules.public("torch"))


def test_so_many_names_that_star_imports_take_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred bytes take all that another module has: 360 kB made 50,000,000 names."""
    monkeypatch.setattr(signature_modules, "_MOST_TAKEN", 25)
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "many.py").write_text("".join(f"def f{number}(): ...\n" for number in range(10)))
    for name in "abc":
        (tmp_path / "torch" / f"{name}.py").write_text("from .many import *\n")
    modules = Modules(tmp_path)
    assert [len(modules.public(f"torch.{name}")) for name in "ab"] == [10, 10]
    for _ in range(2):
        with pytest.raises(NotReadable, match=r"torch\.c and modules before it take more than 25 names from others"):
            modules.public("torch.c")
    assert list(modules.unread) == ["torch.c"]
    assert isinstance(modules.find("torch.many.f1"), griffe.Function)


def test_the_list_of_another_module_is_added_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of lines that add the same one took 4 GB."""
    monkeypatch.setattr(signature_modules, "_MOST_TAKEN", 25)
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "many.py").write_text(f"__all__ = {[f'f{number}' for number in range(10)]}\n")
    head = "from torch import many\n__all__ = ['own']\n"
    (tmp_path / "torch" / "once.py").write_text(head + "__all__ += many.__all__\n" * 50)
    modules = Modules(tmp_path)
    assert len(modules.public("torch.once")) == 11
    for name in "ab":
        (tmp_path / "torch" / f"{name}.py").write_text(head + "__all__ += many.__all__\n")
    assert len(modules.public("torch.a")) == 11
    with pytest.raises(NotReadable, match="names from others"):
        modules.public("torch.b")


def test_a_list_that_cannot_be_read_takes_no_other_name_away(tmp_path: Path) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "broken.py").write_text("def (:\n")
    code = "from torch import broken\n__all__ = ['f']\n__all__ += broken.__all__\ndef f(x): ...\n"
    (tmp_path / "torch" / "a.py").write_text(code)
    (tmp_path / "torch" / "b.py").write_text("from torch.a import *\n")
    modules = Modules(tmp_path)
    assert modules.public("torch.b") == ["f"]
    assert isinstance(modules.find("torch.b.f"), griffe.Function)
    assert list(modules.unread) == ["torch.broken"]


def test_an_expression_in_the_place_of_a_base_is_told_in_quotes(tmp_path: Path) -> None:
    source = "class Tensor(signature is verified and not forged): ..."
    files = {"torch-9.1.0.dist-info/METADATA": "Name: torch\nVersion: 9.1.0\n", "torch/__init__.py": source}
    with unpacked("torch", make_wheel(tmp_path / "torch.whl", files)) as wheel:
        found = extract(wheel).unreadable
    quoted = "'signature is verified and not forged', which"
    assert {name: why[: len(why) - len(why.partition(quoted)[2])] for name, why in found.items()} == {
        "torch.Tensor.*": f"inherits from {quoted}",
        "torch.Tensor.__init__": f"takes its constructor from {quoted}",
    }


# What takes a parser minutes, and what is said of it
TAKES_LONG = [
    ("a" + "\u0315\u0300" * 20_000 + " = 1", "letters with more accents than anybody writes"),
    (f'def f(x=f"{"{a}" * 60_000}"): ...', "an f-string with more than 2,000 expressions"),
]


@pytest.mark.parametrize(("code", "why"), TAKES_LONG, ids=["accents", "f-string"])
def test_what_takes_a_parser_minutes_is_not_read(tmp_path: Path, code: str, why: str) -> None:
    """A wheel of 1 kB kept a processor busy for hours, and a signal did not end it."""
    metadata = {"torch-9.1.0.dist-info/METADATA": "Name: torch\nVersion: 9.1.0\n"}
    files = {"torch/__init__.py": "class Tensor: ...", "torch/distributed/__init__.py": code}
    found = extract_wheel("torch", make_wheel(tmp_path / "a.whl", metadata | files))
    assert why in found.unreadable["torch.distributed"]


def _busy(_: object) -> None:
    sum(repeat(0))


def _all_memory(_: object) -> None:
    bytearray(2**31)


def _fault(_: object) -> None:
    raise KeyError("all is signed")


@pytest.mark.parametrize(
    ("fails", "told"),
    [
        (_busy, r"a\.whl: cannot be read: it takes more than 1 s of a processor or 1024 MiB"),
        (_all_memory, r"a\.whl: cannot be read: it takes more than 1 s of a processor or 1024 MiB"),
        (_fault, r"""a\.whl: cannot be read \(KeyError: "'all is signed'"\)\. Give what the framework published"""),
    ],
)
def test_a_fault_that_a_wheel_brings_up_is_told_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: Callable[[object], None], told: str
) -> None:
    monkeypatch.setattr(bounded_reading, "_SECONDS", 1)
    monkeypatch.setattr(import_module("apidiff.signatures.extract"), "extract", fails)
    with pytest.raises(DataError, match=told):
        extract_wheel("torch", make_wheel(tmp_path / "a.whl", WHEEL))
