"""Turns what griffe found into a signature, or says why that cannot be done."""

from __future__ import annotations

import ast
import re

import griffe

from apidiff.model.signature import Deprecation, ParameterKind, Signature, SignatureKind, SignatureParameter
from apidiff.signatures.modules import Found, Modules, NotReadable

_PRIMITIVE = "mindspore.ops.primitive.Primitive"
_INPUT = re.compile(r"- \*\*(?P<name>\w+)\*\* \((?P<type>.+?)\) - ")
_PLATFORM = re.compile(r"``(\w+)``")


def read(found: Found, modules: Modules) -> Signature:
    """The signature of ``found``, without a primitive's call. Raises NotReadable where its source does not tell it."""
    if isinstance(found, griffe.Function):
        return _function(found)
    if isinstance(found, griffe.Class):
        return _class(found, modules)
    if isinstance(found, griffe.Attribute):
        return Signature(kind=SignatureKind.CONSTANT)
    raise NotReadable("is a module")


def call_parameters(primitive: griffe.Class) -> list[SignatureParameter]:
    """What a primitive is called with: by its ``__call__`` or ``construct``, else the inputs its documentation lists.

    Raises NotReadable where there is neither.
    """
    for name in ("__call__", "construct"):
        method = primitive.members.get(name)
        if isinstance(method, griffe.Function):
            return _parameters(method, bound=True)
    inputs = [
        SignatureParameter(name=match["name"], kind=ParameterKind.POSITIONAL_ONLY, annotation=match["type"])
        for line in _section(primitive, "Inputs:")
        if (match := _INPUT.match(line))
    ]
    if not inputs:
        raise NotReadable("no __call__ and no construct in its source, and its documentation lists no inputs")
    return inputs


def _function(function: griffe.Function) -> Signature:
    return Signature(
        kind=SignatureKind.FUNCTION,
        parameters=_parameters(function, bound=False),
        returns=None if function.returns is None else str(function.returns),
        deprecated=_deprecation(function),
        platforms=_platforms(function),
    )


def _class(found: griffe.Class, modules: Modules) -> Signature:
    constructor = _constructor(found, modules)
    primitive = _derives(found, _PRIMITIVE, modules)
    own = found.members.get("__init__")
    return Signature(
        kind=SignatureKind.PRIMITIVE if primitive else SignatureKind.CLASS,
        parameters=[] if constructor is None else _parameters(constructor, bound=True),
        deprecated=_deprecation(found) or (_deprecation(own) if isinstance(own, griffe.Function) else None),
        platforms=_platforms(found),
    )


def _constructor(found: griffe.Class, modules: Modules) -> griffe.Function | None:
    """The method that says what the class is called with: ``__new__`` before ``__init__``, as ``inspect`` has it.

    None where there is none up to ``object``. Raises NotReadable for a constructor that is generated or lies elsewhere.
    """
    if any(decorator.callable_path.rpartition(".")[2] == "dataclass" for decorator in found.decorators):
        raise NotReadable("a dataclass: its constructor is generated")
    for name in ("__new__", "__init__"):
        method = found.members.get(name)
        if isinstance(method, griffe.Function):
            return method
        if found.overloads.get(name):
            raise NotReadable(f"{name} has only overloads, no implementation")
    for base in found.bases:
        path = _base_path(base)
        if path in {"object", "builtins.object"}:
            continue
        try:
            above = modules.find(path)
        except NotReadable as error:
            raise NotReadable(f"takes its constructor from {path}, which is not in the package's source") from error
        if isinstance(above, griffe.Class) and (method := _constructor(above, modules)) is not None:
            return method
    return None


def _derives(found: griffe.Class, wanted: str, modules: Modules) -> bool:
    if found.path == wanted:
        return True
    for base in found.bases:
        try:
            above = modules.find(_base_path(base))
        except NotReadable:
            continue
        if isinstance(above, griffe.Class) and _derives(above, wanted, modules):
            return True
    return False


def _base_path(base: griffe.Expr | str) -> str:
    return base if isinstance(base, str) else base.canonical_path


def _parameters(function: griffe.Function, *, bound: bool) -> list[SignatureParameter]:
    """The parameters; of a method, without the first one, which the call does not give."""
    parameters = list(function.parameters)
    return [
        SignatureParameter(
            name=parameter.name.lstrip("*"),
            kind=ParameterKind(parameter.kind.value if parameter.kind else "positional or keyword"),
            default=_default(parameter),
            annotation=None if parameter.annotation is None else str(parameter.annotation),
        )
        for parameter in (parameters[1:] if bound else parameters)
    ]


def _default(parameter: griffe.Parameter) -> str | None:
    # griffe gives *args and **kwargs the defaults "()" and "{}", which nobody wrote.
    variadic = {griffe.ParameterKind.var_positional, griffe.ParameterKind.var_keyword}
    return None if parameter.default is None or parameter.kind in variadic else str(parameter.default)


def _deprecation(marked: griffe.Function | griffe.Class) -> Deprecation | None:
    for decorator in marked.decorators:
        if decorator.callable_path.rpartition(".")[2] != "deprecated":
            continue
        arguments = []
        if isinstance(decorator.value, griffe.ExprCall):
            arguments = [_literal(argument) for argument in decorator.value.arguments[:2]]
        if decorator.callable_path.startswith("mindspore."):  # deprecated(version, substitute, …)
            since, instead = [*arguments, None, None][:2]
            return Deprecation(since=since, instead=instead or None)
        return Deprecation(message=arguments[0] if arguments else None)  # PEP 702: deprecated(message, …)
    return None


def _literal(expression: griffe.Expr | str) -> str | None:
    """The text of a string literal; None for whatever is no string."""
    try:
        value = ast.literal_eval(str(expression))
    except (ValueError, SyntaxError):
        return None
    return value if isinstance(value, str) else None


def _platforms(documented: griffe.Function | griffe.Class) -> list[str]:
    return _PLATFORM.findall(" ".join(_section(documented, "Supported Platforms:")))


def _section(documented: griffe.Object, title: str) -> list[str]:
    """The lines of a section of a Google-style docstring, stripped: up to the next line that is not indented deeper."""
    lines = documented.docstring.value.splitlines() if documented.docstring else []
    stripped = [line.strip() for line in lines]
    if title not in stripped:
        return []
    start = stripped.index(title)
    indent = len(lines[start]) - len(lines[start].lstrip())
    found = []
    for line in lines[start + 1 :]:
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        found.append(line.strip())
    return found
