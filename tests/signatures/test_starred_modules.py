"""Which modules a star import binds, by the source of a package, and in an installed PyTorch."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable
from importlib.util import find_spec

import pytest

from apidiff.porting.torch_names import read_result_types
from apidiff.signatures.starred_modules import starred_modules

MODULES = ["a.b", "a.c", "a.d", "a.b.c", "x.b"]

PACKAGES = [  # what stands in `a/__init__.py`, the modules below it that a star import binds
    ("from . import b, c\n", ["a.b", "a.c"]),
    ("from . import b as c\n", []),
    ("from a import b as b\n", ["a.b"]),
    ("from .b import f\nfrom a.c.e import g\nimport a.d\n", ["a.b", "a.c", "a.d"]),
    ("import x.b\nfrom x import b, c\n", []),
    ("if q:\n    from . import b\nelse:\n    try:\n        pass\n    except E:\n        import a.c\n", ["a.b", "a.c"]),
    ("def f():\n    from . import b\n", []),
    ("from . import b, c\n__all__ = ['f', 'c']\n", ["a.c"]),
    ("from . import b, c\n__all__: list[str] = ['b']\n__all__ += ['c']\n", ["a.b", "a.c"]),
    ("from . import b\n__all__ = []\n", []),
    ("", []),
]


@pytest.mark.parametrize(("code", "bound"), PACKAGES)
def test_which_modules_a_star_import_binds(code: str, bound: list[str]) -> None:
    assert starred_modules("a", ast.parse(code).body, MODULES) == bound


_BOUND = """
import sys
from importlib import import_module
for name in sys.argv[1:]:
    package, _, last = name.rpartition(".")
    import_module(package)
    bound = {}
    try:
        exec(f"from {package} import *", bound)
    except AttributeError:  # what `__all__` names and is not there
        bound = import_module(package).__all__
    if last in bound:
        print(name)
"""


def _bound(names: Iterable[str]) -> set[str]:
    """Those of some modules that Python binds by a star import of what is above them."""
    asked = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _BOUND, *names], capture_output=True, text=True, check=True
    )
    return set(asked.stdout.split())


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
def test_what_is_known_is_so_in_the_installed_torch() -> None:
    types = read_result_types()
    modules = [name for name in types.modules if name.rpartition(".")[0] in {"torch", "torch.nn", "torch.optim"}]
    known = set(types.starred)
    left = {  # imported elsewhere, before the star import
        *("torch.nn.common_types", "torch.nn.grad", "torch.nn.intrinsic"),
        *("torch.nn.qat", "torch.nn.quantizable", "torch.nn.quantized"),
    }
    assert _bound(modules) == known.intersection(modules) | left
    assert {"torch.export", "torch.nn.functional", "torch.optim.lr_scheduler"} <= known
    assert not {"torch.nn", "torch.special", "torch.random"} & known
