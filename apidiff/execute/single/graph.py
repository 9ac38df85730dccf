"""Writes the call of a sample as a function of its tensors in a file of its own: what a compiler to graphs can read."""

from __future__ import annotations

import importlib.util
import itertools
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from apidiff.model.sample import SampleCall, SampleForm

_numbers = itertools.count()


class GraphCall:
    """A call of a sample in the making: the tensors it is given become parameters, all else stands in its code.

    ``is_tensor`` tells them apart; ``module``: what a module's call is made on.
    """

    def __init__(self, is_tensor: Callable[[object], bool]) -> None:
        self._is_tensor = is_tensor
        self.tensors: list[Any] = []
        self._constants: dict[str, Any] = {}

    def function(
        self, call: SampleCall, receiver: Any, module: Any, args: dict[str, Any], kwargs: dict[str, Any]
    ) -> Any:
        """The function ``call``, to be compiled and given ``tensors``. Raises ValueError for a form that is no single call."""
        given = [self._written(value) for value in args.values()]
        given += [f"{name}={self._written(value)}" for name, value in kwargs.items()]
        match call.form:
            case SampleForm.FUNCTION:
                callee = call.api
            case SampleForm.METHOD:
                callee = f"{self._written(receiver)}.{call.api.rpartition('.')[2]}"
            case SampleForm.MODULE:
                callee = "module"
                self._constants["module"] = module
            case _:
                raise ValueError(f"a sample in the form of {call.form.value} is no single call to compile")
        parameters = ", ".join(f"tensor_{index}" for index in range(len(self.tensors)))
        text = f"import mindspore\n\n\ndef call({parameters}):\n    return {callee}({', '.join(given)})\n"
        return _loaded(text, self._constants).call

    def _written(self, value: Any) -> str:
        if self._is_tensor(value):
            self.tensors.append(value)
            return f"tensor_{len(self.tensors) - 1}"
        if isinstance(value, list):
            return f"[{', '.join(map(self._written, value))}]"
        if isinstance(value, tuple):
            return f"({''.join(f'{self._written(item)}, ' for item in value)})"
        if value is None or isinstance(value, bool | int | str):
            return repr(value)
        name = f"value_{len(self._constants)}"  # a dtype, nan, a complex number: nothing that a literal is
        self._constants[name] = value
        return name


def _loaded(text: str, constants: dict[str, Any]) -> ModuleType:
    """The module that ``text`` is. Its file stays while the process lives: the compiler reads it."""
    path = _folder() / f"apidiff_sample_{next(_numbers)}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    vars(module).update(constants)
    sys.modules[spec.name] = module  # where the compiler looks for what the code names
    spec.loader.exec_module(module)
    return module


@cache
def _folder() -> Path:
    """The folder of this process, which whoever started it removes.

    Processes forked from one must not share it: of a file that is written anew within a second Python loads what it compiled
    of the former one.
    """
    return Path(tempfile.mkdtemp(prefix="apidiff-graph-"))
