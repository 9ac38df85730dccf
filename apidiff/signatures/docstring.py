"""What docstrings say: the sections of Google style, the types of parameters, and signatures where compiled code has none."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import lru_cache

import griffe

from apidiff.errors import typed
from apidiff.model.python_tree import NO_PYTHON, python_tree
from apidiff.model.signature import Limit, ParameterKind, SignatureParameter
from apidiff.signatures.modules import NotReadable

_LONGEST_LINE = 4000  # characters of a line that is looked into
_LONGEST_DOCSTRING = 2**17  # characters of one that is looked into: MindSpore's longest has a quarter of that
_KEPT = 256  # docstrings of which the lines are kept
_READ = 2**14  # those of which what they say is: thousands of names may rename one function, or inherit one constructor
_MOST_JOINED = 500  # lines of a signature in a docstring
# name (type): …, and the type may hold brackets: "group (Union[str, tuple(int)], optional): …". torch writes "group: (type): …"
# in places.
_ARGUMENT = re.compile(r"\*{0,2}(?P<name>\w+):?\s*\((?P<type>.+?)\)\s*:(\s|$)")
_ROLE = re.compile(r":\w+(?::\w+)?:`~?\.?(?P<name>[^`<]+)(?: <[^`]*>)?`")
# These are searched for in what others wrote: no blank may be taken by two parts of a pattern, nor by what it begins with.
_OPTIONAL = re.compile(r"(?:optional|default[:=\s].*|可选)\s*$", re.IGNORECASE | re.DOTALL)
_DEFAULT = re.compile(
    r"\bdefaults?(?: to| is)?\s*(?::\s*)?(?:``(?P<code>[^`]+)``|(?P<number>-?\d[\d.e-]*|True|False|None)\b)",
    re.IGNORECASE,
)
_WAY = re.compile(r"^(?:\d+\. )?(?:\w+\.)*(?P<head>\w+\(.*\))(?: -> (?P<returns>.+?):?)?$")
_REPR = re.compile(r"<[^<>]*>|(?<== )\.\.\.")
_LIMITS = {
    Limit.PYNATIVE: re.compile(r"\bOnly supports? PyNative mode, Graph mode is not currently supported", re.IGNORECASE),
    Limit.BEFORE_TENSORS: re.compile(r"\bbefore the definition of any Tensor and Parameter\b"),
}
_WHAT = "(?:shape|dtype|type|data type)"
_SAME = re.compile(
    r"(?:An? )?(?:output )?Tensor,? (?:which )?(?:has|with|of) the same "
    rf"(?P<one>{_WHAT})(?: and (?:the same )?(?P<other>{_WHAT}))? as"
    r" (?:the )?(?:input )?`+(?P<name>\w+)`+ ?\."
)
_ARGUMENT_SECTIONS = ("Args:", "Arguments:", "Parameters:", "Keyword Args:")


def section(documented: griffe.Object, title: str) -> list[str]:
    """The lines of a section of a docstring, stripped: up to the next line that is not indented deeper."""
    return [line.strip() for line in _indented(_text(documented), title)]


@lru_cache(_KEPT)
def _indented(text: str, title: str) -> list[str]:
    lines = [line for line in text.splitlines() if len(line) <= _LONGEST_LINE]
    stripped = [line.strip() for line in lines]
    if title not in stripped:
        return []
    start = stripped.index(title)
    indent = len(lines[start]) - len(lines[start].lstrip())
    inside = []
    for line in lines[start + 1 :]:
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        inside.append(line)
    return inside


def _text(documented: griffe.Object) -> str:
    """The docstring; empty where there is none, or one that is too long to be looked into."""
    text = documented.docstring.value if documented.docstring else ""
    return text if len(text) <= _LONGEST_DOCSTRING else ""


def _entries(text: str, title: str) -> list[list[str]]:
    """The entries of a section, each as its stripped lines; what is indented deeper goes on with an entry."""
    lines = [line for line in _indented(text, title) if line.strip()]
    indent = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    entries: list[list[str]] = []
    for line in lines:
        if not entries or len(line) - len(line.lstrip()) == indent:
            entries.append([])
        entries[-1].append(line.strip())
    return entries


def documented_types(documented: griffe.Object) -> dict[str, str]:
    """Parameter → the type that the docstring gives, without 'optional' and without markup."""
    return _types(_text(documented))


@lru_cache(_READ)
def _types(text: str) -> dict[str, str]:
    types: dict[str, str] = {}
    for title in _ARGUMENT_SECTIONS:
        for head, *_ in _entries(text, title):
            if match := _ARGUMENT.match(head):
                plain = _ROLE.sub(lambda role: role["name"].strip(), match["type"]).replace("`", "")
                if kind := _without_optional(plain):
                    types.setdefault(match["name"], kind)
    return types


def _without_optional(text: str) -> str:
    """``text``, a type, without 'optional' or a default at its end, nor the comma before it."""
    if match := _OPTIONAL.search(text):
        text = text[: match.start()].rstrip().removesuffix(",")
    return text.strip()


def documented_defaults(documented: griffe.Object) -> dict[str, str]:
    """Parameter → the default that the docstring names; the last one, as explanations stand before it."""
    return _defaults(_text(documented))


@lru_cache(_READ)
def _defaults(text: str) -> dict[str, str]:
    defaults: dict[str, str] = {}
    for title in _ARGUMENT_SECTIONS:
        for lines in _entries(text, title):
            named = list(_DEFAULT.finditer(" ".join(lines)))
            if named and (match := _ARGUMENT.match(lines[0])):
                defaults.setdefault(match["name"], named[-1]["code"] or named[-1]["number"].rstrip("."))
    return defaults


def returned_like(documented: griffe.Object) -> dict[str, str]:
    """``shape`` and ``dtype`` → the parameter whose shape or dtype the returned tensor has, where the docstring says no more."""
    for title in ("Returns:", "Outputs:"):
        if match := _SAME.match(" ".join(section(documented, title))):
            said = [word for word in (match["one"], match["other"]) if word]
            return {"shape" if word == "shape" else "dtype": match["name"] for word in said}
    return {}


def documented_limits(documented: griffe.Object) -> list[Limit]:
    """What the notes of a docstring limit the API to."""
    return _limits(_text(documented))


@lru_cache(_READ)
def _limits(text: str) -> list[Limit]:
    words = " ".join(text.split())
    return [limit for limit, pattern in _LIMITS.items() if pattern.search(words)]


@dataclass(frozen=True)
class Ways:
    """How a compiled function is called, as its docstring says: one way, or several overloads."""

    ways: list[list[SignatureParameter]]
    returns: str | None


def docstring_ways(doc: str) -> Ways:
    """The signatures that pybind11 writes into a docstring: its first line, or the numbered lines of an overloaded function.

    MindSpore lists the further ways to call a method of its tensors as ``.. method:: Tensor.argmax(dim=None)``.

    Raises NotReadable for a docstring that holds none, or one that is no Python, and for one that is too long.
    """
    if len(doc) > _LONGEST_DOCSTRING:
        raise NotReadable("the docstring of the installed object is too long for a signature")
    lines = _joined([line.strip() for line in doc.strip().splitlines()])
    overloaded = "Overloaded function." in lines[:3]
    heads = [line for line in lines if re.match(r"\d+\. \w+\(", line)] if overloaded else lines[:1] + _further(lines)
    matches = [_WAY.match(line) if len(line) <= _LONGEST_LINE else None for line in heads]
    if not matches or not all(matches):
        raise NotReadable("the docstring of the installed object is no signature")
    returns = {match["returns"] for match in matches if match}
    ways = [_parsed(match["head"]) for match in matches if match]
    return Ways(ways, returns.pop() if len(returns) == 1 else None)


def _joined(lines: list[str]) -> list[str]:
    """The lines, those of a signature that goes over several as the first."""
    head = ""
    for number, line in enumerate(lines[:_MOST_JOINED], 1):
        head = f"{head} {line}".lstrip()
        if not line or not re.match(r"[\w.]+\(", head):
            break
        if head.count("(") == head.count(")") or len(head) > _LONGEST_LINE:
            return [head, *lines[number:]]
    return lines


def _further(lines: list[str]) -> list[str]:
    marks = (re.match(r"\.\. method:: Tensor\.(\w+\(.*)", line) for line in lines[1:])
    return [mark[1] for mark in marks if mark]


def _parsed(head: str) -> list[SignatureParameter]:
    """The parameters of ``name(self: X, a: int = 1)``, without ``self``; a default that is no Python becomes ``...``."""
    try:
        [node] = python_tree(f"def {_REPR.sub('...', head)}: ...").body
    except NO_PYTHON as error:
        raise NotReadable(f"the signature in its docstring is no Python: {typed(head)}") from error
    if not isinstance(node, ast.FunctionDef):
        raise NotReadable(f"the signature in its docstring is no Python: {typed(head)}")
    arguments = node.args
    kinds = [
        *((argument, ParameterKind.POSITIONAL_ONLY) for argument in arguments.posonlyargs),
        *((argument, ParameterKind.POSITIONAL_OR_KEYWORD) for argument in arguments.args),
    ]
    padding: list[ast.expr | None] = [None] * (len(kinds) - len(arguments.defaults))
    parameters = [
        _from_ast(argument, kind, default)
        for (argument, kind), default in zip(kinds, [*padding, *arguments.defaults], strict=True)
    ]
    if arguments.vararg:
        parameters.append(_from_ast(arguments.vararg, ParameterKind.VARIADIC_POSITIONAL, None))
    parameters += [
        _from_ast(argument, ParameterKind.KEYWORD_ONLY, default)
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    if arguments.kwarg:
        parameters.append(_from_ast(arguments.kwarg, ParameterKind.VARIADIC_KEYWORD, None))
    return [parameter for parameter in parameters if parameter.name != "self"]


def _from_ast(argument: ast.arg, kind: ParameterKind, default: ast.expr | None) -> SignatureParameter:
    return SignatureParameter(
        name=argument.arg,
        kind=kind,
        default=None if default is None else ast.unparse(default),
        annotation=None if argument.annotation is None else ast.unparse(argument.annotation),
    )
