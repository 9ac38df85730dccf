"""Turns what griffe found into a signature, and says what of it cannot be read."""

from __future__ import annotations

import ast
import builtins
import re
from functools import lru_cache

import griffe
import msgspec

from apidiff.model.literals import literal
from apidiff.model.python_tree import NO_PYTHON, expression_tree
from apidiff.model.signature import (
    Deprecation,
    DottedName,
    ParameterKind,
    Signature,
    SignatureKind,
    SignatureParameter,
    Since,
    fits,
)
from apidiff.model.signature import SignatureSource as Origin
from apidiff.signatures.docstring import (
    Ways,
    docstring_ways,
    documented_defaults,
    documented_limits,
    documented_types,
    returned_like,
    section,
)
from apidiff.signatures.members import members
from apidiff.signatures.modules import (
    LONGEST_WAY,
    Found,
    Modules,
    NotReadable,
    Overloads,
    first_seen,
    is_stub,
    path_of,
    refuse_marked,
    told_path,
)

_PRIMITIVE = "mindspore.ops.primitive.Primitive"
_INPUT = re.compile(r"- \*\*(?P<name>\w+)\*\* \((?P<type>.+?)\) - ")
_PLATFORM = re.compile(r"``(\w+)``")
_ENUMS = {"enum.Enum", "enum.IntEnum", "enum.Flag", "enum.IntFlag", "enum.StrEnum"}
_VARIADIC = [ParameterKind.VARIADIC_POSITIONAL, ParameterKind.VARIADIC_KEYWORD]
_KEPT = 2**14  # definitions that thousands of others may be made of
_ANYTHING = [SignatureParameter(name="args", kind=ParameterKind.VARIADIC_POSITIONAL)]


def read(documented: Found, modules: Modules) -> tuple[Signature, dict[str, str]]:
    """The signature of ``documented``, and what of it nothing tells: ``__init__``, ``__call__`` or ``*`` (members) → why.

    Raises NotReadable where there is nothing to tell.
    """
    if isinstance(documented, Overloads):
        ways = [_parameters(way, bound=_is_bound(way)) for way in documented.ways]
        return Signature(kind=SignatureKind.FUNCTION, source=_origin(documented.ways[0]), overloads=ways), {}
    refuse_marked(documented)
    if isinstance(documented, griffe.Function):
        return _function(documented), {}
    if isinstance(documented, griffe.Class):
        return _class(documented, modules)
    if isinstance(documented, griffe.Attribute):
        return _constant(documented, modules), {}
    raise NotReadable("is a module")


def _origin(documented: griffe.Object) -> Origin:
    return Origin.STUB if is_stub(documented) else Origin.SOURCE


@lru_cache(_KEPT)
def _function(function: griffe.Function) -> Signature:
    """A function. One that takes anything and hands it on to compiled code is called as its docstring begins."""
    parameters = _parameters(function, bound=_is_bound(function))
    returns = None if function.returns is None else str(function.returns)
    if function.docstring and [parameter.kind for parameter in parameters] == _VARIADIC:
        ways = _ways_in_words(function.docstring.value)
        if ways and len(ways.ways) == 1:
            parameters, returns = ways.ways[0], ways.returns
    return Signature(
        kind=SignatureKind.FUNCTION,
        source=_origin(function),
        parameters=_with_documented(parameters, function),
        returns=returns,
        deprecated=_deprecation(function),
        platforms=_platforms(function),
        limits=documented_limits(function),
        returned_like=returned_like(function),
    )


def _is_bound(function: griffe.Function) -> bool:
    """Whether a call leaves out the first parameter: that of a method."""
    return isinstance(function.parent, griffe.Class) and "staticmethod" not in function.labels


def _ways_in_words(doc: str) -> Ways | None:
    """The signatures that a docstring begins with; None where it begins with something else."""
    try:
        return docstring_ways(doc)
    except NotReadable:
        return None


def _constant(constant: griffe.Attribute, modules: Modules) -> Signature:
    """A constant; one that holds an object of a class of the framework is deprecated where the class says so."""
    mark = None
    if isinstance(constant.value, griffe.ExprCall):
        if (function := _added_docstring(constant, constant.value)) is not None:
            return function
        if (function := _dispatched(constant, modules)) is not None:
            return function
        try:
            made = modules.find(path_of(constant.value))
        except NotReadable:
            made = None
        if isinstance(made, griffe.Class):
            methods = [made.members.get(name) for name in ("__init__", "__getattribute__", "__getattr__")]
            places = [place for place in (made, *methods) if isinstance(place, griffe.Function | griffe.Class)]
            mark = next(filter(None, map(_deprecation, places)), None)
    return Signature(kind=SignatureKind.CONSTANT, source=_origin(constant), deprecated=mark)


def _added_docstring(constant: griffe.Attribute, made: griffe.ExprCall) -> Signature | None:
    """The compiled function that torch gives a docstring, ``gelu = _add_docstr(torch._C._nn.gelu, "gelu(input, …)")``.

    None for a constant that is made otherwise.
    """
    if str(made.function).rpartition(".")[2] != "_add_docstr" or len(made.arguments) < 2:
        return None
    # The docstring may be a template, or be put together: the literal that stands first holds the signature.
    try:
        nodes = list(ast.walk(expression_tree(str(made.arguments[1]))))
    except NO_PYTHON:  # an argument that is unpacked, deep nesting
        return None
    literals = [node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    first = min(literals, key=lambda node: (node.lineno, node.col_offset), default=None)
    ways = _ways_in_words(str(first.value)) if first else None
    if ways is None:
        return None
    signature = Signature(kind=SignatureKind.FUNCTION, source=_origin(constant), returns=ways.returns)
    if len(ways.ways) == 1:
        return msgspec.structs.replace(signature, parameters=ways.ways[0])
    return msgspec.structs.replace(signature, overloads=ways.ways)


def _dispatched(made: griffe.Attribute, modules: Modules, seen: frozenset[str] = frozenset()) -> Signature | None:
    """The function that torch makes of two which one argument chooses between, ``boolean_dispatch(…, if_true=f, if_false=g)``.

    Both are called alike. None for a constant that is made otherwise, or of one of those ``seen``, or of too many.
    """
    chosen = _chosen(made)
    if chosen is None or chosen in seen or len(seen) == LONGEST_WAY:
        return None
    try:
        found = modules.find(chosen)
    except NotReadable:
        return None
    if isinstance(found, griffe.Attribute):
        return _dispatched(found, modules, seen | {chosen})
    return _function(found) if isinstance(found, griffe.Function) else None


@lru_cache(_KEPT)
def _chosen(made: griffe.Attribute) -> str | None:
    """The path of what ``if_true`` names where the constant is made by ``boolean_dispatch``."""
    value = made.value
    if not isinstance(value, griffe.ExprCall) or str(value.function).rpartition(".")[2] != "boolean_dispatch":
        return None
    named = (one.value for one in value.arguments if isinstance(one, griffe.ExprKeyword) and one.name == "if_true")
    chosen = next(named, None)
    return chosen.canonical_path if isinstance(chosen, griffe.ExprName) else None


def _class(cls: griffe.Class, modules: Modules) -> tuple[Signature, dict[str, str]]:
    own = cls.members.get("__init__")
    signature = Signature(
        kind=SignatureKind.CLASS,
        source=_origin(cls),
        deprecated=_deprecation(cls) or (_deprecation(own) if isinstance(own, griffe.Function) else None),
        platforms=_platforms(cls),
        limits=documented_limits(cls),
        returned_like=returned_like(cls),
    )
    unread: dict[str, str] = {}
    changed: dict[str, object] = {}
    if _derives(cls, _ENUMS, modules):
        return msgspec.structs.replace(signature, kind=SignatureKind.ENUM, members=members(cls, modules)[0]), {}
    try:
        changed |= _construction(cls, modules)
    except NotReadable as error:
        unread["__init__"] = str(error)
    if _derives(cls, {_PRIMITIVE}, modules):
        changed["kind"] = SignatureKind.PRIMITIVE
        try:
            changed["call"] = _call_parameters(cls)
        except NotReadable as error:
            unread["__call__"] = str(error)
    else:
        changed["members"], why = members(cls, modules)
        if why:
            unread["*"] = why
    return msgspec.structs.replace(signature, **changed), unread


def _construction(cls: griffe.Class, modules: Modules) -> dict[str, object]:
    """The fields of a signature that say what the class is called with. Raises NotReadable where nothing tells."""
    ways = _constructor(cls, modules, {})
    if ways is None:
        if is_stub(cls):
            raise NotReadable("a compiled class, whose stub has no constructor")
        return {}
    if isinstance(ways, list):
        return {"overloads": [_parameters(way, bound=True) for way in ways]}
    if isinstance(ways, griffe.Function):
        return {"parameters": _with_documented(_parameters(ways, bound=True), cls, ways)}
    return {"parameters": _ANYTHING}


def _constructor(
    cls: griffe.Class, modules: Modules, seen: dict[str, int]
) -> griffe.Function | list[griffe.Function] | type | None:
    """The method that says what the class is called with: ``__new__`` before ``__init__``, as ``inspect`` has it.

    A list: its overloads. A type: the built-in exception that it takes its constructor from. None where there is none up to
    ``object``, or only below classes ``seen``, to which each is added. Raises NotReadable for a constructor that is generated
    or lies elsewhere.
    """
    if not first_seen(cls, seen):
        return None
    if _is_dataclass(cls):
        raise NotReadable("a dataclass: its constructor is generated")
    for name in ("__new__", "__init__"):
        method = cls.members.get(name)
        if isinstance(method, griffe.Function):
            return method
        if ways := cls.overloads.get(name):
            return list(ways)
    refuse_marked(cls)
    for base in cls.bases:
        path = path_of(base)
        builtin = getattr(builtins, path.removeprefix("builtins."), None)
        if builtin is object:
            continue
        if isinstance(builtin, type) and issubclass(builtin, BaseException):
            return builtin
        try:
            above = modules.find(path)
        except NotReadable as error:
            raise NotReadable(
                f"takes its constructor from {told_path(path)}, which is not in the package's source"
            ) from error
        if isinstance(above, griffe.Class) and (inherited := _constructor(above, modules, seen)) is not None:
            return inherited
    return None


@lru_cache(_KEPT)
def _is_dataclass(cls: griffe.Class) -> bool:
    return any(decorator.callable_path.rpartition(".")[2] == "dataclass" for decorator in cls.decorators)


def _call_parameters(primitive: griffe.Class) -> list[SignatureParameter]:
    """What a primitive is called with: by its ``__call__`` or ``construct``, else the inputs its documentation lists.

    Raises NotReadable where there is neither.
    """
    for name in ("__call__", "construct"):
        method = primitive.members.get(name)
        if isinstance(method, griffe.Function):
            return _with_documented(_parameters(method, bound=True), method)
    inputs = [
        SignatureParameter(name=match["name"], kind=ParameterKind.POSITIONAL_ONLY, annotation=match["type"])
        for line in section(primitive, "Inputs:")
        if (match := _INPUT.match(line))
    ]
    if not inputs:
        raise NotReadable("no __call__ and no construct in its source, and its documentation lists no inputs")
    return inputs


def _derives(cls: griffe.Class, wanted: set[str], modules: Modules, seen: dict[str, int] | None = None) -> bool:
    """Whether one of the classes ``wanted`` is ``cls`` or above it; those ``seen`` are not asked again.

    Raises NotReadable where too many classes lie above it.
    """
    seen = {} if seen is None else seen
    if cls.path in wanted:
        return True
    if not first_seen(cls, seen):
        return False
    for base in cls.bases:
        if (path := path_of(base)) in wanted:
            return True
        try:
            above = modules.find(path)
        except NotReadable:
            continue
        if isinstance(above, griffe.Class) and _derives(above, wanted, modules, seen):
            return True
    return False


def _parameters(function: griffe.Function, *, bound: bool) -> list[SignatureParameter]:
    """The parameters; of a method, without the first one, which the call does not give. Raises NotReadable."""
    refuse_marked(function)
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


def _with_documented(parameters: list[SignatureParameter], *places: griffe.Object) -> list[SignatureParameter]:
    """``parameters`` with what a docstring of ``places`` gives: types that are not annotated, defaults that are others."""
    types: dict[str, str] = {}
    defaults: dict[str, str] = {}
    for place in places:
        types, defaults = documented_types(place) | types, documented_defaults(place) | defaults
    return [
        msgspec.structs.replace(
            parameter,
            documented=None if parameter.annotation else types.get(parameter.name),
            documented_default=_other_default(parameter.default, defaults.get(parameter.name)),
        )
        for parameter in parameters
    ]


def _other_default(default: str | None, documented: str | None) -> str | None:
    """The documented default where it is another value; None where they are equal, or one of them is no literal."""
    if default is None or documented is None:
        return None
    try:
        return None if literal(default) == literal(documented) else documented
    except ValueError:
        return None


def _default(parameter: griffe.Parameter) -> str | None:
    # griffe gives *args and **kwargs the defaults "()" and "{}", which nobody wrote.
    variadic = {griffe.ParameterKind.var_positional, griffe.ParameterKind.var_keyword}
    return None if parameter.default is None or parameter.kind in variadic else str(parameter.default)


@lru_cache(_KEPT)
def _deprecation(marked: griffe.Function | griffe.Class) -> Deprecation | None:
    for decorator in marked.decorators:
        if decorator.callable_path.rpartition(".")[2] != "deprecated":
            continue
        arguments = []
        if isinstance(decorator.value, griffe.ExprCall):
            arguments = [_literal(argument) for argument in decorator.value.arguments[:2]]
        if decorator.callable_path.startswith("mindspore."):  # deprecated(version, substitute, …)
            since, instead = [*arguments, None, None][:2]
            # Any other text could be read as a sentence of ours.
            return Deprecation(
                since=since if fits(since, Since) else None, instead=instead if fits(instead, DottedName) else None
            )
        return Deprecation(message=arguments[0] if arguments else None)  # PEP 702: deprecated(message, …)
    return None


def _literal(expression: griffe.Expr | str) -> str | None:
    """The text of a string literal; None for whatever is no string."""
    try:
        value = literal(str(expression))
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def _platforms(documented: griffe.Function | griffe.Class) -> list[str]:
    return _PLATFORM.findall(" ".join(section(documented, "Supported Platforms:")))
