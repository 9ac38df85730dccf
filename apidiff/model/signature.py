"""Signatures: what a framework version's own source says of its APIs. Written by a tool, never by hand."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated

from msgspec import Meta, ValidationError, convert

from apidiff.model.base import Record

# A wheel may be anybody's, and what is read of it stands in sentences of ours: names are names, versions are versions, and code
# ends no quote that it stands in. In other letters than ASCII's a name may be a sentence.
_NAME = "[A-Za-z_][A-Za-z0-9_]*"
_DOTTED = rf"{_NAME}(\.{_NAME})*"
_LONGEST = 300
Name = Annotated[str, Meta(pattern=rf"\A{_NAME}\Z", max_length=_LONGEST)]
DottedName = Annotated[str, Meta(pattern=rf"\A{_DOTTED}\Z", max_length=_LONGEST)]
Unread = Annotated[str, Meta(pattern=rf"\A{_DOTTED}(\.\*)?\Z", max_length=_LONGEST)]
Since = Annotated[str, Meta(pattern=r"\A[0-9]{1,5}(\.[0-9]{1,5}){0,3}((a|b|rc|\.dev|\.post)[0-9]{1,5})?\Z")]
Code = Annotated[str, Meta(pattern=r"\A[^`]*\Z", max_length=2_000)]
Said = Annotated[str, Meta(max_length=2_000)]
# Far more than any API has, and few enough for whatever is done with each pair of them.
_MOST_PARAMETERS, _MOST_WAYS, _MOST_MEMBERS = 200, 50, 2_000
_MOST_IN_ALL = {"parameters": 50_000, "members": 200_000}  # of a version: ten times what torch has


def fits(plain: object, kind: object) -> bool:
    """Whether plain values are of a kind: what was read of a wheel could be read again once it is written."""
    try:
        convert(plain, kind)
    except ValidationError:
        return False
    return True


class SignatureKind(Enum):
    """What an API is."""

    FUNCTION = "function"
    PRIMITIVE = "primitive"  # a class that is constructed with settings, then called with tensors
    CLASS = "class"
    ENUM = "enum"  # a closed set of named values; nobody constructs it
    CONSTANT = "constant"


class SignatureSource(Enum):
    """What a signature was read from."""

    SOURCE = "source"  # Python source
    STUB = "stub"  # the type stub beside a compiled module
    INTROSPECTION = "introspection"  # the object itself, in the installed package


class ParameterKind(Enum):
    """The words of ``inspect.Parameter.kind.description``."""

    POSITIONAL_ONLY = "positional-only"
    POSITIONAL_OR_KEYWORD = "positional or keyword"
    VARIADIC_POSITIONAL = "variadic positional"
    KEYWORD_ONLY = "keyword-only"
    VARIADIC_KEYWORD = "variadic keyword"


class SignatureParameter(Record, frozen=True, kw_only=True):
    """One parameter. ``default`` and ``annotation`` are source text; ``default`` is None where it is required.

    A default of ``...`` is a stub's way to say that there is one, not which. ``documented``: the type that the docstring
    gives, where there is no annotation. ``documented_default``: the default that the docstring names, where it is another one.
    """

    name: Name
    kind: ParameterKind = ParameterKind.POSITIONAL_OR_KEYWORD
    default: Code | None = None
    annotation: Code | None = None
    documented: Said | None = None
    documented_default: Said | None = None


class Limit(Enum):
    """To what the documentation of an API limits it."""

    PYNATIVE = "pynative"  # PyNative mode, not graph mode
    BEFORE_TENSORS = "before-tensors"  # on Ascend, to be called before any Tensor or Parameter is made


Parameters = Annotated[list[SignatureParameter], Meta(max_length=_MOST_PARAMETERS)]
Ways = Annotated[list[Parameters], Meta(max_length=_MOST_WAYS)]
Platforms = Annotated[list[Said], Meta(max_length=_MOST_WAYS)]
Limits = Annotated[list[Limit], Meta(max_length=_MOST_WAYS)]
Members = Annotated[list[Name], Meta(max_length=_MOST_MEMBERS)]


class Deprecation(Record, frozen=True, kw_only=True):
    """What the mark in the source says: the version it holds from, what to use instead, or the message it prints."""

    since: Since | None = None
    instead: DottedName | None = None
    message: Said | None = None


class Signature(Record, frozen=True, kw_only=True):
    """One API.

    ``parameters``: of the function, or of the constructor of a class. ``call``: what a primitive is called with after
    construction, None where that cannot be read (``SignatureFile.unreadable`` says why). ``overloads``: all ways to call
    it, where there are several and none is the implementation; ``parameters`` is empty then. ``platforms``: the devices
    that MindSpore's documentation of the API lists; empty where it lists none; ``limits``: what its notes limit the API to.
    ``returned_like``: ``shape`` and ``dtype`` → the parameter whose shape or dtype what is returned has by its docstring.
    ``members``: of a class or an enumeration, its public methods, attributes, properties and values, sorted, with those
    inherited from classes of the framework.
    A stub may be wrong: ``not_in_stub`` and ``only_in_stub`` are the members that the installed class has beyond ``members``,
    and those of ``members`` that it lacks; both stay empty where the package was not looked at.
    """

    kind: SignatureKind
    source: SignatureSource = SignatureSource.SOURCE
    parameters: Parameters = []
    overloads: Ways = []
    call: Parameters | None = None
    returns: Code | None = None
    deprecated: Deprecation | None = None
    platforms: Platforms = []
    limits: Limits = []
    returned_like: dict[str, Name] = {}
    members: Members = []
    not_in_stub: Members = []
    only_in_stub: Members = []

    @property
    def every_member(self) -> list[str]:
        """The members by source or stub, with those that only the installed class shows."""
        return sorted({*self.members, *self.not_in_stub})

    @property
    def every_parameter(self) -> list[SignatureParameter]:
        """The parameters a caller can give: of the function or constructor, of its overloads, of a primitive's call."""
        overloaded = [parameter for way in self.overloads for parameter in way]
        return [*self.parameters, *overloaded, *(self.call or [])]

    def text(self, name: str) -> str:
        """The signature as code, under ``name``: ``reduce(tensor, dst) -> None``, ``AllReduce(op)(input_x, /)``.

        Overloads are joined by ' | '.
        """
        if self.kind in {SignatureKind.CONSTANT, SignatureKind.ENUM}:
            return name
        if self.overloads:
            return " | ".join(f"{name}({_arguments(way)})" for way in self.overloads)
        returns = f" -> {self.returns}" if self.returns else ""
        call = f"({_arguments(self.call)})" if self.call is not None else ""
        return f"{name}({_arguments(self.parameters)}){call}{returns}"


_VARIADIC = {ParameterKind.VARIADIC_POSITIONAL, ParameterKind.VARIADIC_KEYWORD}


def comparable(one: Signature | None, other: Signature | None) -> bool:
    """Whether two signatures tell which parameters correspond: each is known, has one way to call it, and hides none.

    ``*args`` and ``**kwargs`` on one side alone hide what it takes, and alone they hide everything. Of a name that is assigned,
    as ``torch.conv2d`` is, the source tells no parameters.
    """
    if one is None or other is None or one.overloads or other.overloads:
        return False
    if SignatureKind.CONSTANT in {one.kind, other.kind} or _hides_all(one) or _hides_all(other):
        return False
    return _hiding(one) == _hiding(other)


def _hides_all(signature: Signature) -> bool:
    every = signature.every_parameter
    return bool(every) and all(parameter.kind in _VARIADIC for parameter in every)


def _hiding(signature: Signature) -> set[ParameterKind]:
    kinds = {parameter.kind for parameter in signature.every_parameter}
    return kinds & _VARIADIC


class SignatureFile(Record, frozen=True, kw_only=True):
    """All signatures of one framework version.

    ``apis``: by full public name. ``unreadable``: public name → why nothing tells its signature; ``<name>.__init__``,
    ``<name>.__call__`` or ``<name>.*`` where only the constructor of a class, the call of a primitive or all inherited
    members could not be read; a module where it is not known which names it has. ``tool``: what read them. ``listed``: the
    names that were looked for one by one, and not as part of a module: of a name that other files list and this one does
    not, its absence says nothing.
    """

    framework: str
    version: str
    tool: str
    listed: list[str] = []
    apis: dict[DottedName, Signature]
    unreadable: dict[Unread, str] = {}

    def __post_init__(self) -> None:
        """Raises ValueError where all APIs together have more parameters or members than can be compared and told."""
        counts = {
            "parameters": sum(len(api.every_parameter) for api in self.apis.values()),
            "members": sum(len(api.members) + len(api.not_in_stub) for api in self.apis.values()),
        }
        for parts, most in _MOST_IN_ALL.items():
            if counts[parts] > most:
                raise ValueError(f"its APIs have {counts[parts]} {parts}, where {most} are the most")

    def __contains__(self, name: str) -> bool:
        """Whether the version has the API ``name``, be its signature readable or not."""
        return name in self.apis or name in self.unreadable

    def tells_parameters(self, name: str) -> bool:
        """Whether the parameters of ``name`` are known; a signature without any may be one that could not be read."""
        return name in self.apis and not {f"{name}.__init__", f"{name}.__call__"} & self.unreadable.keys()

    def tells_members(self, name: str) -> bool:
        """Whether ``members`` of ``name`` is the whole list."""
        return name in self.apis and f"{name}.*" not in self.unreadable


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


def is_absent(files: Mapping[tuple[str, str], SignatureFile], framework: str, version: str, name: str) -> bool:
    """Whether the release ``version`` is known to have no API ``name`` that another release of ``framework`` has."""
    file = files.get((framework, version))
    if file is None or name in file:
        return False
    having = [other for (owner, _), other in files.items() if owner == framework and name in other]
    return any(name not in other.listed for other in having) or (bool(having) and name in file.listed)
