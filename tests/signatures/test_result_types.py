"""What is read of a folder of PyTorch: types of results, and what is said of a file that cannot be parsed."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from deep_folders import deep

from apidiff.errors import DataError
from apidiff.model.result_types import INSTANCE, NO_OBJECT, SEQUENCE
from apidiff.signatures.result_types import read_result_types, write_result_types

FILES = (
    "_C/_VariableFunctions.pyi",
    "functional.py",
    "nn/functional.pyi",
    "nn/functional.py",
    "nn/init.py",
    "nn/utils/clip_grad.py",
    "_C/__init__.pyi",
    "_tensor.py",
    "linalg/__init__.py",
    "fft/__init__.py",
    "special/__init__.py",
)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder that has each file that is read, empty."""
    for file in FILES:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("annotation", "result"),
    [
        ("Tensor", f"torch.Tensor{INSTANCE}"),
        ("'Optional[Tensor]'", f"torch.Tensor{INSTANCE}"),
        ("tuple[Tensor, int]", f"torch.Tensor{INSTANCE}{SEQUENCE}"),
        ("list[int]", NO_OBJECT),
        ("Literal['a b']", ""),
        (f"{'tuple[' * 60}Any{']' * 60}", ""),  # two readings of each level would take for ever
    ],
)
def test_the_type_of_a_result(package: Path, annotation: str, result: str) -> None:
    (package / "functional.py").write_text(f"def f() -> {annotation}: ...\n")
    assert read_result_types(package, "2.13.0").results == {"torch.f": result}


@pytest.mark.parametrize(
    ("annotation", "result"), [("Self", "torch.nn.A()"), ("'Self'", ""), ("Tensor", "torch.Tensor()")]
)
def test_a_method_that_returns_its_object_returns_one_of_its_class(package: Path, annotation: str, result: str) -> None:
    (package / "nn" / "modules").mkdir(parents=True, exist_ok=True)
    (package / "nn" / "modules" / "a.py").write_text(f"class A:\n    def to(self) -> {annotation}: ...\n")
    assert read_result_types(package, "2.13.0").results["torch.nn.A.to"] == result


@pytest.fixture
def usual_depth() -> Iterator[None]:
    """How deep Python goes, where another test's library has asked for more."""
    found = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(found)


@pytest.mark.parametrize(
    ("file", "content", "found"),
    [
        ("functional.py", b"import ast\ndef f(:\n", ":2: cannot be parsed (invalid syntax)."),
        ("nn/init.py", b"x = 1\n\0", ":2: holds a zero byte"),
        ("_tensor.py", b"x = 1\n# \xff", ":2: is not UTF-8 text."),
        ("functional.py", b"\n\ndef f() -> 'a b': ...", ":3: cannot be parsed (the annotation 'a b' is no Python)."),
        ("functional.py", b"\ndef f() -> \"Optional['a b']\": ...", ":2: cannot be parsed (the annotation 'a b' is"),
        ("functional.py", b"def f(x: 'a\\0b'): ...", ":1: cannot be parsed (the annotation 'a\\x00b' is no Python)."),
        ("_tensor.py", b"class Tensor:\n    x: '(': ...", ":2: cannot be parsed (invalid syntax)."),
        ("_tensor.py", b"class Tensor:\n    x: '('\n", ":2: cannot be parsed (the annotation '(' is no Python)."),
        ("optim/adam.py", b"class Adam(:", ":1: cannot be parsed (invalid syntax)."),
        ("jit/__init__.py", b"\x0c(", ":1: cannot be parsed ('(' was never closed)."),
        ("functional.py", b"x = " + b"-" * 10_000 + b"1", ": cannot be parsed ("),
        ("functional.py", b"def f() -> " + b"|".join([b"int"] * 3000) + b": ...", ""),
        ("functional.py", b"#" * (9 * 2**20), ": is larger than 8 MiB."),
        ("__init__.py", b"\nfrom torch.%b import a" % (b"b" * 250), ":2: holds a name of more than 250 characters."),
        (
            "__init__.py",
            b"from .%b import a" % b".".join([b"b"] * 126),
            ":1: holds a name of more than 250 characters.",
        ),
        ("nn/modules/a.py", b"class %b: ..." % (b"b" * 251), ":1: holds a name of more than 250 characters."),
    ],
)
@pytest.mark.usefixtures("usual_depth")
def test_a_file_that_cannot_be_parsed_is_named(package: Path, file: str, content: bytes, found: str) -> None:
    path = package / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    with pytest.raises(DataError, match=re.escape(f"{path}{found}")) as raised:
        read_result_types(package, "2.13.0")
    assert str(raised.value).endswith("Install PyTorch anew, and give the folder torch of it.")


@pytest.mark.parametrize("name", ["a\udcff.py", "a b/__init__.py", "a\nb/c.py", "a-b.py", "1.py"])
def test_what_no_module_can_be_called_is_passed_over(package: Path, name: str) -> None:
    before = write(package)
    (package / name).parent.mkdir(exist_ok=True)
    (package / name).write_text("from torch.nn import Linear\n")
    assert write(package) == before


def write(package: Path) -> bytes:
    path = package.parent / f"{package.name}.json"
    write_result_types(read_result_types(package, "2.13.0"), path)
    return path.read_bytes()


@pytest.mark.usefixtures("usual_depth")
def test_folders_may_lie_as_deep_as_they_can(package: Path) -> None:
    with deep(package / "deep", 1_500, ["__init__.py", "last.py"]):
        found = read_result_types(package, "2.13.0")
    last = ".".join(["torch.deep", *["d"] * 1_500])
    assert [name for name in found.modules if name.startswith("torch.deep")] == [last, f"{last}.last"]


def test_only_regular_files_are_read(package: Path) -> None:
    (package / "functional.py").unlink()
    (package / "functional.py").symlink_to("/dev/null")
    with pytest.raises(DataError, match=r"functional\.py: cannot be read \(it is no regular file\)\. Give the folder"):
        read_result_types(package, "2.13.0")
