"""Signatures: what a framework version's own source says of its APIs. Written by a tool, never by hand."""

from __future__ import annotations

from enum import Enum

from apidiff.model.base import Record


class SignatureKind(Enum):
    """What an API is."""

    FUNCTION = "function"
    PRIMITIVE = "primitive"  # a class that is constructed with settings, then called with tensors
    CLASS = "class"
    CONSTANT = "constant"


class ParameterKind(Enum):
    """The words of ``inspect.Parameter.kind.description``."""

    POSITIONAL_ONLY = "positional-only"
    POSITIONAL_OR_KEYWORD = "positional or keyword"
    VARIADIC_POSITIONAL = "variadic positional"
    KEYWORD_ONLY = "keyword-only"
    VARIADIC_KEYWORD = "variadic keyword"


class SignatureParameter(Record, frozen=True, kw_only=True):
    """One parameter. ``default`` and ``annotation`` are source text; ``default`` is None where it is required."""

    name: str
    kind: ParameterKind = ParameterKind.POSITIONAL_OR_KEYWORD
    default: str | None = None
    annotation: str | None = None


class Deprecation(Record, frozen=True, kw_only=True):
    """What the mark in the source says: the version it holds from, what to use instead, or the message it prints."""

    since: str | None = None
    instead: str | None = None
    message: str | None = None


class Signature(Record, frozen=True, kw_only=True):
    """One API.

    ``parameters``: of the function, or of the constructor of a class. ``call``: what a primitive is called with after
    construction, None where that cannot be read (``SignatureFile.unreadable`` says why). ``platforms``: the devices
    that MindSpore's documentation of the API lists; empty where it lists none.
    """

    kind: SignatureKind
    parameters: list[SignatureParameter] = []
    call: list[SignatureParameter] | None = None
    returns: str | None = None
    deprecated: Deprecation | None = None
    platforms: list[str] = []

    def text(self, name: str) -> str:
        """The signature as code, under ``name``: ``reduce(tensor, dst) -> None``, ``AllReduce(op)(input_x, /)``."""
        if self.kind is SignatureKind.CONSTANT:
            return name
        returns = f" -> {self.returns}" if self.returns else ""
        call = f"({_arguments(self.call)})" if self.call is not None else ""
        return f"{name}({_arguments(self.parameters)}){call}{returns}"


class SignatureFile(Record, frozen=True, kw_only=True):
    """All signatures of one framework version.

    ``apis``: by full public name. ``unreadable``: public name → why the source does not tell its signature;
    ``<name>.__call__`` where only the call of a primitive could not be read. ``tool``: what read them.
    """

    framework: str
    version: str
    tool: str
    apis: dict[str, Signature]
    unreadable: dict[str, str] = {}


def _arguments(parameters: list[SignatureParameter]) -> str:
    parts: list[str] = []
    star, slash = False, False
    for parameter in parameters:
        if parameter.kind is ParameterKind.POSITIONAL_ONLY:
            slash = True
        elif slash:
            parts.append("/")
            slash = False
        if parameter.kind is ParameterKind.VARIADIC_POSITIONAL:
            star = True
        if parameter.kind is ParameterKind.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        parts.append(_argument(parameter))
    return ", ".join([*parts, "/"] if slash else parts)


def _argument(parameter: SignatureParameter) -> str:
    stars = {ParameterKind.VARIADIC_POSITIONAL: "*", ParameterKind.VARIADIC_KEYWORD: "**"}.get(parameter.kind, "")
    head = f"{stars}{parameter.name}" + (f": {parameter.annotation}" if parameter.annotation else "")
    if parameter.default is None or stars:
        return head
    return f"{head} = {parameter.default}" if parameter.annotation else f"{head}={parameter.default}"
