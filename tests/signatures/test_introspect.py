"""What the installed package adds: a fake framework, whose names are made at run time."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from apidiff.errors import ApidiffError
from apidiff.signatures import Source, extract, introspect
from apidiff.signatures.introspect import docstring_ways
from apidiff.signatures.modules import NotReadable

MADE = """
__all__ = ["called", "Shape", "Colour", "LIMIT", "documented", "silent", "gone", "plain"]
import enum
print("LOOK: a framework that talks while it is imported")
def plain(x): ...
def _make():
    def called(tensor, group=None, *, wait: bool = False, op=object()): ...
    class Shape(RuntimeError):
        def __init__(self, size=3): ...
        def area(self): ...
        def _hidden(self): ...
    class Colour(enum.Enum):
        RED = 1
    class Documented:
        __signature__ = "none"
        __doc__ = "documented(level: int = 3) -> None"
        def __call__(self): ...
    class Silent(Documented):
        __doc__ = "Does something."
    return {"called": called, "Shape": Shape, "Colour": Colour, "LIMIT": 5, "documented": Documented(), "silent": Silent()}
globals().update(_make())
"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "torch" / "distributed").mkdir(parents=True)
    (tmp_path / "torch" / "__init__.py").write_text("")
    (tmp_path / "torch" / "distributed" / "__init__.py").write_text(MADE)
    return tmp_path


def test_what_only_the_running_package_shows(fake: Path) -> None:
    found = extract(Source("torch", "9.1.0", fake, installed=True))
    shown = {
        name.rpartition(".")[2]: (one.source.value, one.kind.value, one.text("f"), one.members)
        for name, one in found.apis.items()
    }
    assert shown == {
        "called": ("introspection", "function", "f(tensor, group=None, *, wait: bool = False, op=...)", []),
        "Shape": ("introspection", "class", "f(size=3)", ["area"]),
        "Colour": ("introspection", "enum", "f", ["RED"]),
        "LIMIT": ("introspection", "constant", "f", []),
        "documented": ("introspection", "function", "f(level: int = 3) -> None", []),
        "plain": ("source", "function", "f(x)", []),
    }
    assert found.unreadable == {
        "torch.distributed.gone": "torch.distributed has no gone in its source",
        "torch.distributed.silent": (
            "torch.distributed has no silent in its source; the docstring of the installed object is no signature"
        ),
    }


def test_a_wheel_is_never_looked_at_that_way(fake: Path) -> None:
    assert set(extract(Source("torch", "9.1.0", fake)).apis) == {"torch.distributed.plain"}


@pytest.mark.parametrize("error", ["RuntimeError: no driver", "ImportError: libcudnn.so.9: cannot open"])
def test_a_package_that_cannot_be_imported(fake: Path, error: str) -> None:
    kind, _, text = error.partition(": ")
    (fake / "torch" / "__init__.py").write_text(f"raise {kind}({text!r})")
    with pytest.raises(ApidiffError, match=rf"{error}\. Check `python -c 'import torch'`"):
        extract(Source("torch", "9.1.0", fake, installed=True))


def test_a_package_that_hangs_is_ended_with_what_it_started(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(introspect, "_DEADLINE", 10.0)
    code = (
        "import subprocess, sys, time\np = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
    )
    note = f"open({str(fake / 'pid')!r}, 'w').write(str(p.pid))\ntime.sleep(600)\n"
    (fake / "torch" / "__init__.py").write_text(code + note)
    with pytest.raises(ApidiffError, match="more than 10 s"):
        extract(Source("torch", "9.1.0", fake, installed=True))
    assert ended(int((fake / "pid").read_text()))


def ended(pid: int) -> bool:
    """Whether the process is gone, or only waits for its parent to take note."""
    for _ in range(1200):
        stat = Path(f"/proc/{pid}/stat")
        if not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.1)
    os.kill(pid, 9)
    return False


@pytest.mark.parametrize(
    ("doc", "ways", "returns"),
    [
        ("f(self: a.B, level: int) -> None\n\nMore.", [["level"]], "None"),
        ("f(self: a.B, op: a.Op = <Op.SUM: 0>, key: str = 'a') -> None", [["op=...", "key='a'"]], "None"),
        ("f(self: a.B, opts: a.O = <a.O object at 0x7f>) -> a.Work", [["opts=..."]], "a.Work"),
        (
            "f(*args, **kwargs)\nOverloaded function.\n\n1. f(x: int) -> int\n\nOne.\n\n2. f(x: str, y: int = 2) -> str",
            [["x"], ["x", "y=2"]],
            None,
        ),
        ("f() -> None", [[]], "None"),
        ("\nlinalg.f(A, *, out=None) -> Tensor\n\nText.", [["A", "out=None"]], "Tensor"),
        ("f(a, b=0.0,\n    c=None) -> Tensor:\n\n    Text.", [["a", "b=0.0", "c=None"]], "Tensor"),
    ],
)
def test_signatures_in_docstrings(doc: str, ways: list[list[str]], returns: str | None) -> None:
    found = docstring_ways(doc)
    shown = [[one.name + (f"={one.default}" if one.default else "") for one in way] for way in found.ways]
    assert (shown, found.returns) == (ways, returns)


@pytest.mark.parametrize(
    ("doc", "reason"),
    [
        ("Initialize self.  See help(type(self)) for accurate signature.", "no signature"),
        ("f(self: a::B, x: int) -> None", "no Python"),
        ("f(*args, **kwargs)\nOverloaded function.\n", "no signature"),
        ("", "no signature"),
        ("f(a,\n\nText (of b).", "no signature"),
        ("f(A, *, bool pivot=True) -> Tensor", "no Python"),
    ],
)
def test_docstrings_that_tell_nothing(doc: str, reason: str) -> None:
    with pytest.raises(NotReadable, match=reason):
        docstring_ways(doc)
