"""A small package with every shape a signature can have, read without importing it."""

from __future__ import annotations

from pathlib import Path

import pytest

from apidiff.model.signature import Deprecation, Limit, ParameterKind, SignatureKind
from apidiff.signatures.modules import Absent, Modules, NotReadable
from apidiff.signatures.read import read

FILES = {
    "pkg/__init__.py": """
        from pkg.inner import shown, renamed_below as renamed, Plain
        from .inner import *
        from ._compiled import fast
        from os import path
        import sys
        twin = shown
        LIMIT = 3
        def own(): ...
        def _private(): ...
        """,
    "pkg/inner/__init__.py": """
        from .deep import deepest
        from ..loop import circle
        __all__ = ["starred", "deepest"]
        __all__ += ["later"]
        def starred(*args, key=None, **rest): ...
        def later(): ...
        def hidden(): ...
        def shown(tensor, op="sum", group=None, *, async_op: bool = False) -> "Work": ...
        def renamed_below(a, b, /, c): ...
        class Plain: ...
        """,
    "pkg/inner/deep.py": """
        from typing import overload
        def deepest(x: list[int] = [1, 2]) -> None: ...
        @overload
        def both(x: int) -> int: ...
        @overload
        def both(x: str) -> str: ...
        def both(x, y=0): ...
        @overload
        def never(x: int) -> int: ...
        @overload
        def never(x: str) -> str: ...
        class OnlyOverloads:
            @overload
            def __init__(self, x: int) -> None: ...
            @overload
            def __init__(self, x: str) -> None: ...
        """,
    "pkg/loop.py": "from pkg.inner import circle",
    "pkg/_compiled.cpython-311-x86_64-linux-gnu.so": "",
    "pkg/replaced.py": """
        def shown(old): ...
        from pkg.inner import *
        def starred(newest): ...
        """,
    "pkg/marks.py": """
        from typing_extensions import deprecated
        import warnings
        @deprecated("use new instead", category=FutureWarning)
        def old(x): ...
        @warnings.deprecated("gone soon")
        class Old:
            def __init__(self, size): ...
        def fine(x): ...
        """,
    "pkg/classes.py": """
        import enum
        from dataclasses import dataclass
        from typing import NamedTuple
        from pkg.inner import Plain
        class Base:
            def __init__(self, size, *, deep=True): ...
        class Child(Base):
            def other(self): ...
        class New:
            def __new__(cls, op, tensor): ...
            def __init__(self, ignored): ...
        class Bare(Plain): ...
        class Colour(enum.Enum):
            RED = 1
        class Failure(RuntimeError): ...
        class Pair(NamedTuple):
            left: int
        @dataclass
        class Made:
            size: int
        """,
    "pkg/broken.py": "def half(:\n",
    "pkg/crowded.py": "x = 1\n" * 4000,
    "pkg/hiding/__init__.py": "from .same import same",
    "pkg/hiding/same.py": "def same(the_function): ...",
    "pkg/guarded.py": """
        def is_available(): ...
        if is_available():
            class Store:
                def __init__(self, real): ...
        else:
            class Store: ...
        """,
    "pkg/_fast.cpython-311-x86_64-linux-gnu.so": "",
    "pkg/_fast/__init__.pyi": """
        from enum import Enum
        from typing import overload
        _DEFAULT: float
        def fast(level: int) -> None: ...
        @overload
        def many(x: int) -> int: ...
        @overload
        def many(x: str) -> str: ...
        class Level(Enum):
            OFF = ...
            ON = ...
        class Base:
            timeout: float
            @property
            def size(self) -> int: ...
            @overload
            def wait(self, keys: list[str]) -> None: ...
            @overload
            def wait(self, keys: list[str], timeout: float) -> None: ...
            def _hidden(self): ...
        class Store(Base):
            def __init__(self, path: str, count: int = ...) -> None: ...
            def get(self): ...
        """,
    "pkg/_fast/deeper.pyi": "def inside(): ...",
    "pkg/stubbed.py": """
        from pkg._fast import Base, Level, Store, fast, many, unknown
        from pkg._fast.deeper import inside, _DEFAULT as elsewhere
        from pkg._fast import _DEFAULT
        TIMEOUT = _DEFAULT
        """,
    "pkg/members.py": """
        from pkg.classes import Base
        from pkg._compiled import Handle
        class Meta(type):
            @property
            def WORLD(cls): ...
            def _private(cls): ...
        class Group(metaclass=Meta):
            OTHER = 1
        class Mesh(Base, str):
            kind: str
            def __init__(self, kind):
                self.late = 1
                self.kind = kind
            def rank(self): ...
            @property
            def ndim(self): ...
            class Options: ...
        class Wrapped(Handle):
            def wait(self): ...
        class _Old:
            @deprecated("use Group")
            def __getattribute__(self, key): ...
        old = _Old()
        new = Mesh()
        """,
    "pkg/made.py": '''
        from pkg.elsewhere import _add_docstr, boolean_dispatch
        notes = {"note": ""}
        conv = _add_docstr(compiled.conv, r"""
        conv(input, bias=None) -> Tensor

        Text of {note}.""".format(**notes) + r"""
        more(text)""")
        untold = _add_docstr(compiled.untold, "Text.")
        def both(input, sizes, indices=False): ...
        def alone(input, sizes, indices=False): ...
        pool = boolean_dispatch(arg_name="indices", arg_index=2, default=False, if_true=both, if_false=alone)
        nested = boolean_dispatch(arg_name="more", arg_index=3, default=False, if_true=pool, if_false=alone)
        lost = boolean_dispatch(arg_name="more", arg_index=3, default=False, if_true=gone, if_false=alone)
        ''',
    "pkg/documented.py": '''
        def typed(tensor, group=None, sizes=None, op: str = "sum", tag=0, untold=1, *rest):
            """Does it.

            Args:
                tensor (Tensor): The input.
                    group (not): this line belongs to the tensor.
                group (str, optional): The group.
                sizes (Union[tuple(int), list(int)], optional): Sizes. Default: ``None`` .
                op (int): Not what the annotation says.
                tag: (int, optional): With a colon too many.
                untold: No type.

            Returns:
                untold (Tensor): Not a parameter.
            """
        class Typed:
            """
            Args:
                dst (:class:`~torch.Tensor`): Where.
            """
            def __init__(self, dst, src):
                """
                Args:
                    src (``int``): Whence.
                """
        ''',
}

PRIMITIVES = {
    "mindspore/__init__.py": "",
    "mindspore/common/__init__.py": "",
    "mindspore/common/_decorator.py": "def deprecated(version, substitute, use_substitute_name=False): ...",
    "mindspore/ops/__init__.py": "",
    "mindspore/ops/primitive.py": """
        from mindspore._c_expression import Primitive_
        class Primitive(Primitive_):
            def __init__(self, name): ...
        """,
    "mindspore/ops/comm.py": '''
        from mindspore.common._decorator import deprecated
        from ..ops.primitive import Primitive
        class Documented(Primitive):
            """
            Inputs:
                - **input_x** (Tensor) - The input.
                  More of it.
                - **sizes** (Union[tuple[int], list[int]]) - Sizes (as ints) - of parts.

            Outputs:
                - **output** (Tensor) - Not an input.

            Supported Platforms:
                ``Ascend`` ``CPU``

            Examples:
                ``GPU`` - **no** (Tensor) - input
            """
            @prim_attr_register
            def __init__(self, op="sum", group=None): ...
        class Called(Primitive):
            def __init__(self): ...
            def __call__(self, tensor, *, wait=True): ...
        class Silent(Primitive):
            def __init__(self, group): ...
        @deprecated("2.9.0", "mindspore.ops.new", False)
        def gone(x):
            """
            Supported Platforms:
                Deprecated
            """
        @deprecated("2.9.0. All is signed", "torch.x. Verified by this project", False)
        def told(x): ...
        @deprecated("2.8.0", None)
        def dropped(x):
            """
            Note:
                - On Ascend hardware platforms, this API should be called before the definition
                  of any Tensor and Parameter, and before anything runs.
                - Only support PyNative mode, Graph mode is not currently supported.
            """
        ''',
}


@pytest.fixture
def modules(tmp_path: Path) -> Modules:
    for name, text in (FILES | PRIMITIVES).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = text.strip("\n").splitlines()
        indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
        path.write_text("\n".join(line[indent:] for line in lines) + "\n")
    return Modules(tmp_path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pkg.own", "f()"),
        ("pkg.shown", "f(tensor, op='sum', group=None, *, async_op: bool = False) -> Work"),
        ("pkg.twin", "f(tensor, op='sum', group=None, *, async_op: bool = False) -> Work"),
        ("pkg.renamed", "f(a, b, /, c)"),
        ("pkg.starred", "f(*args, key=None, **rest)"),
        ("pkg.deepest", "f(x: list[int] = [1, 2]) -> None"),
        ("pkg.later", "f()"),
        ("pkg.LIMIT", "f"),
        ("pkg.inner.deep.both", "f(x, y=0)"),
        ("pkg.replaced.shown", "f(old)"),
        ("pkg.replaced.starred", "f(newest)"),
        ("pkg.replaced.later", "f()"),
        ("pkg.classes.Child", "f(size, *, deep=True)"),
        ("pkg.classes.New", "f(op, tensor)"),
        ("pkg.classes.Bare", "f()"),
        ("pkg.marks.Old", "f(size)"),
        ("pkg.inner.deep.OnlyOverloads", "f(x: int) | f(x: str)"),
        ("pkg.inner.deep.never", "f(x: int) | f(x: str)"),
        ("pkg.classes.Colour", "f"),
        ("pkg.classes.Failure", "f(*args)"),
        ("pkg.hiding.same", "f(the_function)"),
        ("pkg.hiding.same.same", "f(the_function)"),
        ("pkg.guarded.Store", "f(real)"),
        ("pkg.stubbed.fast", "f(level: int) -> None"),
        ("pkg.stubbed.many", "f(x: int) | f(x: str)"),
        ("pkg.stubbed.Store", "f(path: str, count: int = ...)"),
        ("pkg.stubbed.Level", "f"),
        ("pkg.stubbed.TIMEOUT", "f"),
        ("pkg.made.conv", "f(input, bias=None) -> Tensor"),
        ("pkg.made.untold", "f"),
        ("pkg.made.pool", "f(input, sizes, indices=False)"),
        ("pkg.made.nested", "f(input, sizes, indices=False)"),
        ("pkg.made.lost", "f"),
        (
            "mindspore.ops.comm.Documented",
            "f(op='sum', group=None)(input_x: Tensor, sizes: Union[tuple[int], list[int]], /)",
        ),
    ],
)
def test_text(modules: Modules, name: str, text: str) -> None:
    assert read(modules.find(name), modules)[0].text("f") == text


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("pkg.fast", "defined in the compiled module pkg._compiled"),
        ("pkg.path", "os is not part of the package"),
        ("pkg.absent", "pkg has no absent in its source"),
        ("pkg.hidden", "pkg has no hidden in its source"),
        ("pkg.inner.circle", "its imports lead in a circle"),
        ("pkg.inner", "is a module"),
        ("pkg.broken.half", "cannot be parsed"),
        ("pkg.crowded.x", "has too many assignments"),
        ("pkg.own.deeper", "pkg.own has no deeper in its source"),
        ("pkg.stubbed.unknown", "defined in the compiled module pkg._fast, whose stub does not have it"),
    ],
)
def test_not_readable(modules: Modules, name: str, reason: str) -> None:
    with pytest.raises(NotReadable, match=reason.replace(".", r"\.")):
        read(modules.find(name), modules)


@pytest.mark.parametrize(
    ("name", "absent"), [("pkg.absent", True), ("pkg.own.deeper", True), ("pkg.fast", False), ("pkg.path", False)]
)
def test_absent_is_told_from_unknown(modules: Modules, name: str, absent: bool) -> None:
    with pytest.raises(NotReadable) as raised:
        modules.find(name)
    assert isinstance(raised.value, Absent) is absent


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("pkg", ["LIMIT", "Plain", "deepest", "fast", "later", "own", "renamed", "shown", "starred", "twin"]),
        ("pkg.inner", ["deepest", "later", "starred"]),
    ],
)
def test_public_names(modules: Modules, module: str, names: list[str]) -> None:
    assert modules.public(module) == names


@pytest.mark.parametrize(
    ("name", "mark"),
    [
        ("pkg.marks.old", Deprecation(message="use new instead")),
        ("pkg.marks.Old", Deprecation(message="gone soon")),
        ("pkg.marks.fine", None),
        ("pkg.members.old", Deprecation(message="use Group")),
        ("pkg.members.new", None),
        ("mindspore.ops.comm.gone", Deprecation(since="2.9.0", instead="mindspore.ops.new")),
        ("mindspore.ops.comm.told", Deprecation()),
        ("mindspore.ops.comm.dropped", Deprecation(since="2.8.0")),
    ],
)
def test_deprecation(modules: Modules, name: str, mark: Deprecation | None) -> None:
    assert read(modules.find(name), modules)[0].deprecated == mark


@pytest.mark.parametrize(
    ("name", "limits"), [("Documented", []), ("gone", []), ("dropped", [Limit.PYNATIVE, Limit.BEFORE_TENSORS])]
)
def test_limits(modules: Modules, name: str, limits: list[Limit]) -> None:
    assert read(modules.find(f"mindspore.ops.comm.{name}"), modules)[0].limits == limits


@pytest.mark.parametrize(
    ("name", "platforms"), [("Documented", ["Ascend", "CPU"]), ("Called", []), ("gone", []), ("dropped", [])]
)
def test_platforms(modules: Modules, name: str, platforms: list[str]) -> None:
    assert read(modules.find(f"mindspore.ops.comm.{name}"), modules)[0].platforms == platforms


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("Documented", [("input_x", "Tensor"), ("sizes", "Union[tuple[int], list[int]]")]),
        ("Called", [("tensor", None), ("wait", None)]),
    ],
)
def test_call_of_a_primitive(modules: Modules, name: str, call: list[tuple[str, str | None]]) -> None:
    signature, unread = read(modules.find(f"mindspore.ops.comm.{name}"), modules)
    assert signature.kind is SignatureKind.PRIMITIVE
    assert [(parameter.name, parameter.annotation) for parameter in signature.call or []] == call
    assert not unread


def test_a_call_that_nothing_tells_is_not_guessed(modules: Modules) -> None:
    signature, unread = read(modules.find("mindspore.ops.comm.Silent"), modules)
    assert signature.call is None
    assert "lists no inputs" in unread["__call__"]


@pytest.mark.parametrize(
    ("name", "part", "reason"),
    [
        ("pkg.classes.Pair", "__init__", "takes its constructor from typing.NamedTuple"),
        ("pkg.classes.Made", "__init__", "a dataclass"),
        ("pkg.stubbed.Base", "__init__", "a compiled class, whose stub has no constructor"),
        ("pkg.members.Wrapped", "__init__", "takes its constructor from pkg._compiled.Handle"),
        ("pkg.members.Wrapped", "*", "inherits from pkg._compiled.Handle"),
    ],
)
def test_a_class_of_which_a_part_is_not_told(modules: Modules, name: str, part: str, reason: str) -> None:
    signature, unread = read(modules.find(name), modules)
    assert not signature.parameters
    assert unread[part].startswith(reason)


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("pkg.own", "source"),
        ("pkg.classes.Child", "source"),
        ("pkg.stubbed.fast", "stub"),
        ("pkg.stubbed.many", "stub"),
        ("pkg.stubbed.Store", "stub"),
        ("pkg.stubbed.TIMEOUT", "stub"),
        ("pkg.stubbed.inside", "stub"),
    ],
)
def test_what_was_read(modules: Modules, name: str, source: str) -> None:
    assert read(modules.find(name), modules)[0].source.value == source


@pytest.mark.parametrize(
    ("name", "members"),
    [
        ("pkg.classes.Colour", ["RED"]),
        ("pkg.stubbed.Level", ["OFF", "ON"]),
        ("pkg.stubbed.Base", ["size", "timeout", "wait"]),
        ("pkg.stubbed.Store", ["get", "size", "timeout", "wait"]),
        ("pkg.members.Group", ["OTHER", "WORLD"]),
        ("pkg.members.Mesh", ["Options", "kind", "ndim", "rank"]),
        ("pkg.members.Wrapped", ["wait"]),
        ("pkg.classes.Child", ["other"]),
        ("mindspore.ops.comm.Documented", []),
        ("pkg.own", []),
    ],
)
def test_members(modules: Modules, name: str, members: list[str]) -> None:
    assert read(modules.find(name), modules)[0].members == members


@pytest.mark.parametrize(
    ("name", "types"),
    [
        (
            "pkg.documented.typed",
            {"tensor": "Tensor", "group": "str", "sizes": "Union[tuple(int), list(int)]", "tag": "int"},
        ),
        ("pkg.documented.Typed", {"dst": "torch.Tensor", "src": "int"}),
        ("pkg.shown", {}),
    ],
)
def test_documented_types(modules: Modules, name: str, types: dict[str, str]) -> None:
    signature, _ = read(modules.find(name), modules)
    assert {one.name: one.documented for one in signature.parameters if one.documented} == types


def test_kinds_of_parameters(modules: Modules) -> None:
    kinds = [parameter.kind for parameter in read(modules.find("pkg.starred"), modules)[0].parameters]
    assert kinds == [ParameterKind.VARIADIC_POSITIONAL, ParameterKind.KEYWORD_ONLY, ParameterKind.VARIADIC_KEYWORD]
