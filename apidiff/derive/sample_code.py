"""Writes the call of a sample as the code a reader would type.

Tensors are variables of their parameter's name, those of a list are numbered: ``torch.cat([tensor1, tensor2])``.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping

from msgspec import json

from apidiff.model.probe import Layout
from apidiff.model.python_tree import python_tree
from apidiff.model.sample import SampleArgument, SampleCall, SampleForm, SampleInput

_SHOWN = 16  # elements of a tensor whose values are told


def sample_code(call: SampleCall) -> str:
    """The call on one line: ``torch.nn.Linear(3, 2, bias=False)(input)``, ``self.add_(other, alpha=2)``."""
    framework = call.api.partition(".")[0]
    given = _given(call.given.args, call.given.kwargs, framework)
    match call.form:
        case SampleForm.FUNCTION:
            return f"{call.api}({given})"
        case SampleForm.METHOD:
            return f"self.{call.api.rpartition('.')[2]}({given})"
        case SampleForm.CODE:
            return call.code
        case SampleForm.MODULE:
            made = _given(call.constructor.args, call.constructor.kwargs, framework)
            return f"{call.api}({made})({given})"
        case SampleForm.OPTIMIZER:
            return _stepped(call, framework)


def _stepped(call: SampleCall, framework: str) -> str:
    """The steps of an optimiser: PyTorch's reads the gradients of its parameters, MindSpore's is called with them."""
    made = _given(call.constructor.args, call.constructor.kwargs, framework)
    parameters, gradients = ", ".join(call.state), ", ".join(call.given.args)
    lines = [f"optimizer = {call.api}([{parameters}]{', ' if made else ''}{made})", f"for _ in range({call.steps}):"]
    if framework == "torch":
        lines += [f"    {name}.grad = {given}" for name, given in zip(call.state, call.given.args, strict=True)]
        return "\n".join([*lines, "    optimizer.step()"])
    return "\n".join([*lines, f"    optimizer(({gradients},))"])


def ordinary_code(call: SampleCall) -> str:
    """The call as one writes it in a program: a layer is made on a line of its own, and an optimiser steps once."""
    framework = call.api.partition(".")[0]
    match call.form:
        case SampleForm.MODULE:
            made = _given(call.constructor.args, call.constructor.kwargs, framework)
            return f"layer = {call.api}({made})\nlayer({_given(call.given.args, call.given.kwargs, framework)})"
        case SampleForm.METHOD:
            return sample_code(call).replace("self.", f"{_receiver(call)}.", 1)
        case SampleForm.OPTIMIZER:
            first, _, *step = _stepped(call, framework).splitlines()
            return "\n".join([first, *(line.removeprefix("    ") for line in step)])
        case SampleForm.CODE if "def " not in call.code:
            return re.sub(r"\bself\b", _receiver(call), _with_numbers(call))
        case _:
            return sample_code(call)


def _receiver(call: SampleCall) -> str:
    """The name of the tensor whose method is called: ``input`` where an argument is named ``tensor``."""
    return "input" if "tensor" in {*call.given.args, *call.given.kwargs} else "tensor"


def _with_numbers(call: SampleCall) -> str:
    """The code of a sample with the numbers and texts that it is given in place of their names: ``self.scatter(1, index)``."""
    tree, framework = python_tree(call.code), call.api.partition(".")[0]
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    around = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    given = {
        name: written(name, value, framework)
        for name, value in {**call.given.args, **call.given.kwargs}.items()
        if not (isinstance(value, SampleInput) and value.is_tensor)
    }
    bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    lines = call.code.splitlines()
    for node in sorted(names, key=lambda node: node.col_offset, reverse=True):
        if node.id in given.keys() - bound:
            line, code, start = lines[node.lineno - 1].encode(), given[node.id], node.col_offset
            outer = around[id(node)]
            if isinstance(outer, ast.Starred):
                code, start = code.strip("()[]").rstrip(","), outer.col_offset
            elif code.startswith("-") and isinstance(outer, ast.BinOp | ast.UnaryOp):
                code = f"({code})"
            # Places are counted in bytes.
            lines[node.lineno - 1] = (line[:start] + code.encode() + line[node.end_col_offset :]).decode()
    return "\n".join(lines)


def is_composed(source: SampleCall, target: SampleCall) -> bool:
    """Tell whether one call of a function or method becomes several: no single API of the target does the same."""
    if target.form is not SampleForm.CODE or source.form is SampleForm.MODULE:
        return False
    return _steps(sample_code(source)) <= 1 < _steps(target.code)


def _steps(code: str) -> int:
    """How many calls, operators and loops stand in code.

    An object that is made and called at once is one step; what is computed for a keyword is a setting and none.
    """
    tree = python_tree(code)
    settings = {
        id(node) for keyword in ast.walk(tree) if isinstance(keyword, ast.keyword) for node in ast.walk(keyword)
    }
    nodes = [node for node in ast.walk(tree) if id(node) not in settings]
    made = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    calls = sum(isinstance(node, ast.Call) and id(node) not in made for node in nodes)
    return calls + sum(isinstance(node, ast.BinOp | ast.For | ast.comprehension) for node in nodes)


def sample_inputs(call: SampleCall) -> str:
    """The tensors that a call is given: ```input` = float16 [1.0, 2.0], `other` = float32 (3, 4)``."""
    made = {**({"self": call.receiver} if call.receiver else {}), **call.given.args, **call.given.kwargs, **call.state}
    return ", ".join(
        f"`{name}` = {_tensor(value, call.dtype)}"
        for name, value in made.items()
        if isinstance(value, SampleInput) and value.is_tensor
    )


def elements_of(call: SampleCall) -> int:
    """How many elements the tensors of a call hold."""
    made = [call.receiver, *call.given.args.values(), *call.given.kwargs.values(), *call.state.values()]
    return sum(_elements(value) for value in made if isinstance(value, SampleInput))


def _elements(value: SampleInput) -> int:
    if value.is_tensor:
        return math.prod(value.sizes)
    return sum(_elements(item) for item in value.list or value.tuple or () if isinstance(item, SampleInput))


def _tensor(value: SampleInput, dtype: str) -> str:
    """A tensor in a few words: its dtype, and its values or, where these are drawn or many, its shape."""
    layout = "" if value.layout is Layout.CONTIGUOUS else f"{value.layout.value} "
    if value.shape is not None:
        shown = f"({', '.join(map(str, value.shape))})"
    elif math.prod(value.sizes) > _SHOWN:
        shown = f"({', '.join(map(str, value.sizes))})"
    else:  # numbers; nan and inf are written as text, since JSON has none
        shown = json.encode(value.values).decode().replace(",", ", ").replace('"', "")
        if not isinstance(value.values, list | tuple):
            shown = f"tensor({shown})"
    return f"{layout}{value.dtype or dtype} {shown}"


def _given(args: Mapping[str, SampleArgument], kwargs: Mapping[str, SampleArgument], framework: str) -> str:
    parts = [written(name, value, framework) for name, value in args.items()]
    parts += [f"{name}={written(name, value, framework)}" for name, value in kwargs.items()]
    return ", ".join(parts)


def written(name: str, value: SampleArgument, framework: str) -> str:
    """An argument as it stands in a call; tensors are variables, which `tensors_of` lists."""
    if not isinstance(value, SampleInput):
        return repr(value)
    if value.is_tensor:
        return name
    if value.framework_dtype is not None:
        return f"{framework}.{value.framework_dtype}"
    if value.number is not None:
        return f"float('{value.number}')" if value.number[-1] not in "j)" else value.number
    items = [written(variable, item, framework) for variable, item in _items(name, value)]
    if value.list is not None:
        return f"[{', '.join(items)}]"
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def tensors_of(name: str, value: SampleArgument) -> Iterator[tuple[str, SampleInput]]:
    """The tensors of an argument with their variables: its own name, or those of the items of a list."""
    if not isinstance(value, SampleInput):
        return
    if value.is_tensor:
        yield name, value
    for variable, item in _items(name, value):
        yield from tensors_of(variable, item)


def _items(name: str, value: SampleInput) -> list[tuple[str, SampleArgument]]:
    single = name.removesuffix("s") if len(name) > 1 else name
    return [(f"{single}{number}", item) for number, item in enumerate(value.list or value.tuple or (), 1)]
