"""A tiny wheel of PyTorch, and how one is made."""

from __future__ import annotations

import zipfile
from pathlib import Path

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


def make_wheel(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path
