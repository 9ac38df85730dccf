"""Writes down what a call passes, so that it can be judged without its file: literals, dtypes, tuples, tensors."""

from __future__ import annotations

import ast

import msgspec

from apidiff.porting.torch_names import TENSOR
from apidiff.porting.uses import Argument, Passed

UNKNOWN = "?"
DEVICE = "?device"  # of which no more is known than that it is named as a device is: self.device, torch.device("cuda")
IS_TENSOR = "tensor"
LITERAL = "="  # before its repr
NAMED = ":"  # before the full name of an API that is passed: :torch.float16
_A_DEVICE = "torch.device()"
_SEQUENCES = {ast.Tuple: "tuple", ast.List: "list"}
_LONGEST = 80
_METHODS = ("torch.Tensor.", "torch.nn.Module.")  # of classes whose methods are those of objects


class CallForm(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a call passes: by position, by keyword, and whether more may come from ``*`` or ``**``."""

    args: tuple[str, ...] = ()
    keywords: tuple[tuple[str, str], ...] = ()
    open: bool = False


def form_of(passed: Passed | None) -> CallForm | None:
    """Write down what a call passes; None for a name that is not called."""
    if passed is None:
        return None
    args = tuple([_written(one) for one in passed.args])
    if not passed.keywords:
        return CallForm(args)
    keywords = tuple([(name, _written(one)) for name, one in passed.keywords.items() if name != "**"])
    return CallForm(args, keywords, "**" in passed.keywords)


def behind_object(form: CallForm | None, method: str) -> CallForm | None:
    """What is passed to a method that is called on its class, behind the object, which comes first."""
    if form is None or not method.startswith(_METHODS):
        return form
    return msgspec.structs.replace(form, args=form.args[1:])


def _written(argument: Argument) -> str:
    node, value = argument.node, argument.value
    kind = type(node)
    if kind is ast.Constant:
        return _literal(node.value)  # type: ignore[attr-defined]
    if value == TENSOR:
        return IS_TENSOR
    if value is not None and value[0] == "t" and value[-1] not in ")]" and "|" not in value:
        return f"{NAMED}{value}"
    if value == _A_DEVICE or (value is None and _last_name(node).endswith("device")):
        return DEVICE
    if kind in _SEQUENCES or kind is ast.UnaryOp:
        try:
            return _literal(ast.literal_eval(node))
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError, OverflowError):
            return _SEQUENCES.get(kind, UNKNOWN)
    return UNKNOWN


def _last_name(node: ast.expr) -> str:
    """The name that an expression ends with: ``b`` of ``a.b`` and of ``a.b(c)``."""
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _literal(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # an integer of thousands of digits
        return UNKNOWN
    return f"{LITERAL}{text}" if len(text) <= _LONGEST else UNKNOWN
