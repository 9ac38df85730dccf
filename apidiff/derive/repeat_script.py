"""Writes a script that makes the call of a sample with both frameworks and prints what each gives, for a reader to run."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from apidiff.derive.sample_code import sample_code, tensors_of, written
from apidiff.execute.single.arrays import Arrays
from apidiff.model.agreement import Agreement, Facet, FacetVerdict
from apidiff.model.mapping import Mapping, Target
from apidiff.model.probe import Layout
from apidiff.model.python_tree import python_tree
from apidiff.model.sample import Arguments, SampleArgument, SampleCall, SampleForm, SampleInput
from apidiff.model.sample_calls import source_call, target_call
from apidiff.model.views import RepeatEntry

_WRITTEN_OUT = 64  # elements of all drawn tensors together; more are drawn by the script itself
_DEVICES = {"cpu": ("cpu", "CPU"), "cuda": ("cuda", "GPU"), "npu": ("cpu", "Ascend")}
"""How each framework names a device; the source of what runs on Ascend is called on the CPU."""

_SHOWN = """
for framework, call in (("PyTorch", with_torch), ("MindSpore", with_mindspore)):
    try:
        print(f"{framework}: {call()}")
    except Exception as error:
        print(f"{framework} raises {type(error).__name__}:", str(error).strip().partition("\\n")[0])
"""
_SHOWN_MODES = """
for mode, call in (("PyNative mode", in_pynative), ("graph mode", in_graph)):
    try:
        print(f"{mode}: {call()}")
    except Exception as error:
        print(f"{mode} raises {type(error).__name__}:", str(error).strip().partition("\\n")[0])
"""
_SEEDS = {"torch": "torch.manual_seed(1)", "mindspore": "mindspore.set_seed(1); mindspore.manual_seed(1)"}
_CALLS = 500  # of what is drawn, half of them after the same seed as the other half
_MOMENTS = """\
half = len(drawn) // 2
return (
    f"mean {numpy.mean(drawn):.3g}, standard deviation {numpy.std(drawn):.3g},"
    f" other values at each call: {drawn[0] != drawn[1]}, the same after a seed: {drawn[0] == drawn[half]}"
)"""
_WEIGHED = """
def weighed(result, tensor):  # the sum of all elements, the i-th of which weighs i + 1
    parts = result if isinstance(result, (list, tuple)) else [result]
    return sum(
        (part.reshape(-1) * tensor(numpy.arange(1.0, part.numel() + 1), dtype=part.dtype)).sum()
        for part in parts
        if part.is_floating_point()
    )

"""
_SHARING = """
def shared(result, given):
    parts = result if isinstance(result, (list, tuple)) else [result]
    same = {name: [part is tensor for part in parts] for name, tensor in given.items()}
    memory = {
        name: [part.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr() for part in parts]
        for name, tensor in given.items()
    }
    return f"is the same object as {same}, shares memory with {memory}"

"""
_PARTS = "(result if isinstance(result, (list, tuple)) else [result])"
_TOLD = {  # what is returned, where that is not the result itself
    Facet.STRUCTURE: "return type(result), result",
    Facet.SHAPE: f"return [tuple(part.shape) for part in {_PARTS}]",
    Facet.DTYPE: f"return [part.dtype for part in {_PARTS}]",
    Facet.LAYOUT: f'return "is contiguous:", [part.is_contiguous() for part in {_PARTS}]',
    Facet.ACCURACY: f"return [part.tolist() for part in {_PARTS}]",
}


def repeat_of(mapping: Mapping, target: Target, verdict: FacetVerdict, device: str, inputs: str = "") -> RepeatEntry:
    """Say how to repeat what ``verdict`` found of ``target`` on ``device``: by a command, and by a script of its own.

    ``mapping`` has the samples that the verdict is of; ``inputs``: ``extracted`` where those are not its own.
    """
    slot = str(verdict.facts[0].values.get("slot", "")) if verdict.facts else ""
    calls = source_call(mapping, verdict.sample), target_call(mapping, target, verdict.sample)
    facet = verdict.facet if verdict.agreement is Agreement.DIFFERS else None
    return RepeatEntry(
        sample=verdict.sample,
        inputs=inputs,
        command=repeat_command(mapping.id, verdict.sample, inputs),
        script=repeat_script(*calls, device, facet, slot),
    )


def repeat_command(mapping: str, sample: str, inputs: str = "") -> str:
    """Write the command that makes one sample again. It says which one: a written and an extracted one may share a name."""
    return f"apidiff verify {mapping} --sample {sample} --inputs {inputs or 'written'}"


def repeat_script(
    source: SampleCall, target: SampleCall, device: str, facet: Facet | None = None, slot: str = ""
) -> str:
    """Write the script of one sample.

    Args:
        source: the call of the PyTorch API.
        target: the same sample's call of the MindSpore API.
        device: on which the target is called: ``cpu``, ``cuda`` or ``npu``.
        facet: what to print of the result: its dtypes, what it shares memory with, gradients; the result itself for None.
        slot: the argument to print instead of the result, where the difference is in what the call wrote.
    """
    sides = [_Side(source, "torch", device), _Side(target, "mindspore", device)]
    if facet is Facet.GRAPH:  # which compares MindSpore with itself
        sides = sides[1:]
        bodies = [sides[0].pynative(), sides[0].graph()]
    elif facet is Facet.RANDOMNESS:
        bodies = [side.many() for side in sides]
    else:
        bodies = [side.function(facet, slot) for side in sides]
    helper = _WEIGHED if facet is Facet.GRADIENT else _SHARING if facet is Facet.ALIAS else ""
    text = "\n".join([*bodies, helper])
    needed = {"mindspore", "torch"} if facet is not Facet.GRAPH else {"mindspore"}
    modules = [name for name in ("mindspore", "numpy", "torch") if f"{name}." in text or name in needed]
    imports = [f"import {name}" for name in modules]
    used = {node.id for node in ast.walk(python_tree(text)) if isinstance(node, ast.Name)}
    numbers = [name for name in ("inf", "nan") if name in used]
    head = [f"from math import {', '.join(numbers)}\n", *imports] if numbers else imports
    chosen = f'mindspore.set_device("{_DEVICES[device][1]}")'
    shown = _SHOWN_MODES if facet is Facet.GRAPH else _SHOWN
    return "\n".join([*head, "", chosen, "", helper, *bodies]).replace("\n\n\n\n", "\n\n\n") + shown


class _Side:
    """The part of a script that calls one framework."""

    def __init__(self, call: SampleCall, framework: str, device: str) -> None:
        self._call, self._framework = call, framework
        self._where = ', device="cuda"' if framework == "torch" and device == "cuda" else ""
        drawn = [tensor for value in _values(call) for tensor in _tensors(value) if tensor.shape is not None]
        self._draws = sum(math.prod(tensor.shape or ()) for tensor in drawn) > _WRITTEN_OUT

    def function(self, facet: Facet | None, slot: str) -> str:
        """The function that makes the call."""
        lines = [*self._inputs(), *self._gradients()] if facet is Facet.GRADIENT else [*self._inputs(), *self._made()]
        if facet is not Facet.GRADIENT:
            given = ", ".join(f'"{name}": {name}' for name in self._given())
            if facet is Facet.IN_PLACE or (slot and slot in self._given()):
                lines.append(f"return {{{given}}}")
            elif facet is Facet.ALIAS:
                lines.append(f"return shared(result, {{{given}}})")
            else:
                lines.append(_TOLD.get(facet, "return result") if facet else "return result")
        return _function(f"with_{self._framework}", lines)

    def pynative(self) -> str:
        """The function that makes the call as it is written, and returns the tensors that it was given too."""
        return _function(
            "in_pynative", [*self._inputs(), *self._made(), f"return result, [{', '.join(self._given())}]"]
        )

    def graph(self) -> str:
        """The function that makes the call compiled to a graph."""
        given = ", ".join(self._given())
        lines = [*self._inputs(), "", "@mindspore.jit", f"def compiled({given}):"]
        lines += [*(f"    {line}" for line in self._made()), "    return result"]
        return _function("in_graph", [*lines, "", f"return compiled({given}), [{given}]"])

    def many(self) -> str:
        """The function that makes the call many times, and returns what can be said of all together."""
        lines = ["drawn = []", f"for number in range({_CALLS}):", f"    if number in (0, {_CALLS // 2}):"]
        lines.append(f"        {_SEEDS[self._framework]}")
        lines += [f"    {line}" for line in (*self._inputs(), *self._made(), "drawn.append(result.tolist())")]
        return _function(f"with_{self._framework}", [*lines, *_MOMENTS.splitlines()])

    def _given(self) -> list[str]:
        """The names of the tensors that the call is given."""
        call = self._call
        named = {**({"self": call.receiver} if call.receiver else {}), **call.given.args, **call.given.kwargs}
        return [name for value_name, value in named.items() for name, _ in tensors_of(value_name, value)]

    def _inputs(self) -> Iterator[str]:
        call = self._call
        arrays = Arrays(call.dtype, call.seed)
        if self._draws:
            yield f"random = numpy.random.RandomState({call.seed})"
        named = {**({"self": call.receiver} if call.receiver else {}), **call.given.args, **call.given.kwargs}
        for name, value in named.items():
            yield from self._tensors(name, value, arrays)
        state = {name: self._tensor(value, arrays) for name, value in call.state.items()}
        if call.form is SampleForm.CODE:  # which names whatever it is given
            used = {node.id for node in ast.walk(python_tree(call.code)) if isinstance(node, ast.Name)}
            for name, value in named.items():
                if name in used and not (isinstance(value, SampleInput) and value.is_tensor):
                    yield f"{name} = {written(name, value, self._framework)}"
            yield from (f"{name} = {code}" for name, code in state.items())
        if call.form is SampleForm.OPTIMIZER:
            kind = "torch.nn.Parameter" if self._framework == "torch" else "mindspore.Parameter"
            yield from (f"{name} = {kind}({code})" for name, code in state.items())
        again = Arrays(call.dtype, call.seed)
        for name, value in {**call.constructor.args, **call.constructor.kwargs}.items():
            yield from self._tensors(name, value, again)
        if call.form is not SampleForm.MODULE:
            return
        whole = sample_code(replace(call, given=Arguments()))
        yield f"layer = {whole.removesuffix('()')}"
        for name, code in state.items():
            write = "data.copy_" if self._framework == "torch" else "set_data"
            yield f"layer.{name}.{write}({code})"

    def _made(self) -> Iterator[str]:
        """The lines that make the call and keep what it gives as ``result``."""
        call = self._call
        if call.form is SampleForm.OPTIMIZER:
            yield from (
                *sample_code(call).splitlines(),
                f"result = [{', '.join(f'{name} + 0' for name in call.state)}]",
            )
            return
        if call.form is not SampleForm.CODE:
            yield f"result = {self._expression()}"
            return
        lines = call.code.splitlines()
        last = python_tree(call.code).body[-1]
        if isinstance(last, ast.Expr):
            line = lines[last.lineno - 1].encode()  # places are counted in bytes
            lines[last.lineno - 1] = (line[: last.col_offset] + b"result = " + line[last.col_offset :]).decode()
        elif isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name):
            lines.append(f"result = {last.targets[0].id}")
        yield from lines

    def _expression(self) -> str:
        code = sample_code(self._call)
        if self._call.form is SampleForm.MODULE:
            whole = sample_code(replace(self._call, given=Arguments()))
            return "layer" + code.removeprefix(whole.removesuffix("()"))
        return code

    def _gradients(self) -> Iterator[str]:
        """The lines that return the gradient of every floating argument, and of the state of a layer."""
        call = self._call
        named = {**({"self": call.receiver} if call.receiver else {}), **call.given.args, **call.given.kwargs}
        names = [name for name, value in named.items() if _is_floating(value, call.dtype)]
        weights = [f"layer.{name}" for name in call.state] if call.form is SampleForm.MODULE else []
        if self._framework == "torch":
            yield from (f"{name}.requires_grad_()" for name in names)
            yield from self._made()
            yield "weighed(result, torch.tensor).backward()"
            yield f"return [{', '.join(f'{name}.grad' for name in [*names, *weights])}]"
            return
        yield f"def loss({', '.join(names)}):"
        yield from (f"    {line}" for line in self._made())
        yield "    return weighed(result, mindspore.tensor)"
        positions = f"({', '.join(map(str, range(len(names))))},)" if names else "None"
        more = f", weights=[{', '.join(weights)}]" if weights else ""
        yield f"return mindspore.grad(loss, {positions}{more})({', '.join(names)})"

    def _tensors(self, name: str, value: SampleArgument, arrays: Arrays) -> Iterator[str]:
        """A line for each tensor of an argument; other values stand in the call itself."""
        for variable, tensor in tensors_of(name, value):
            yield f"{variable} = {self._tensor(tensor, arrays)}"

    def _tensor(self, tensor: SampleInput, arrays: Arrays) -> str:
        array, dtype = arrays.make(tensor)
        if self._draws and tensor.shape is not None and array.size:
            values = self._drawn(tensor, array.dtype.name)
        elif not array.size:
            values = f"numpy.zeros({array.shape})"
        else:
            values = repr(array.tolist() if array.dtype.kind != "f" else _short(array))
        dimensions = array.ndim
        if tensor.layout is Layout.SLICE:
            values = f"numpy.tile({values}, {(3, *[1] * (dimensions - 1))})"
        if self._framework == "torch":
            made = f"torch.tensor({values}, dtype=torch.{dtype}{self._where})"
            if tensor.layout is Layout.STRIDED:
                return f"{made}.repeat_interleave(2, -1)[..., ::2]"
            return f"{made}.narrow(0, {len(array)}, {len(array)})" if tensor.layout is Layout.SLICE else made
        if tensor.layout is Layout.STRIDED and dimensions > 1:
            values = f"numpy.ascontiguousarray(numpy.swapaxes({values}, -1, -2))"
            return f"mindspore.mint.transpose(mindspore.Tensor({values}, mindspore.{dtype}), -1, -2)"
        if tensor.layout is Layout.STRIDED:
            made = f"mindspore.Tensor(numpy.stack([{values}] * 2, -1), mindspore.{dtype})"
            return f"mindspore.mint.select({made}, -1, 0)"
        made = f"mindspore.Tensor({values}, mindspore.{dtype})"
        return (
            f"mindspore.mint.narrow({made}, 0, {len(array)}, {len(array)})" if tensor.layout is Layout.SLICE else made
        )

    @staticmethod
    def _drawn(tensor: SampleInput, kept: str) -> str:
        shape = tuple(tensor.shape or ())
        if kept.startswith(("float", "complex")):
            return f'random.uniform({tensor.low}, {tensor.high}, {shape}).astype("{kept}")'
        low, high = (0, 2) if kept == "bool" else (int(tensor.low), int(tensor.high) + 1)
        return f'random.randint({low}, {high}, {shape}).astype("{kept}")'


def _function(name: str, lines: Sequence[str]) -> str:
    body = "\n".join(f"    {line}" if line else "" for line in lines)
    return f"def {name}():\n{body}\n\n"


def _short(array: Any) -> Any:
    """Floats no longer than their precision asks for: float32 0.1 is 0.1."""
    if array.ndim == 0:
        return float(str(array))
    return [_short(item) for item in array]


def _tensors(value: SampleArgument) -> Iterator[SampleInput]:
    for _, tensor in tensors_of("", value):
        yield tensor


def _values(call: SampleCall) -> Iterator[SampleArgument]:
    yield from ([call.receiver] if call.receiver else [])
    for given in (call.given, call.constructor):
        yield from given.args.values()
        yield from given.kwargs.values()
    yield from call.state.values()


def _is_floating(value: SampleArgument, dtype: str) -> bool:
    if not isinstance(value, SampleInput) or not value.is_tensor:
        return False
    return (value.dtype or dtype).startswith(("float", "bfloat"))
