"""Reads what source and stubs do not tell from the installed framework, in a process of its own."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from apidiff.errors import ApidiffError
from apidiff.model.signature import ParameterKind, Signature, SignatureFile, SignatureKind, SignatureParameter
from apidiff.model.signature import SignatureSource as Origin
from apidiff.process_group import run
from apidiff.signatures.modules import NotReadable

_DEADLINE = 180.0  # seconds; importing a framework takes some
_LOOK = Path(__file__).parent / "look.py"
_WAY = re.compile(r"^(?:\d+\. )?(?P<head>\w+\(.*\))(?: -> (?P<returns>.+))?$")
_REPR = re.compile(r"<[^<>]*>|(?<== )\.\.\.")


@dataclass(frozen=True)
class Ways:
    """How a compiled function is called, as its docstring says: one way, or several overloads."""

    ways: list[list[SignatureParameter]]
    returns: str | None


def introspected(written: SignatureFile) -> SignatureFile:
    """``written`` with what the running framework adds to it. Raises ApidiffError where it cannot be imported."""
    parts = ("__init__", "*")
    asked = {name.rpartition(".")[0] if name.rpartition(".")[2] in parts else name for name in written.unreadable}
    asked = {name for name in asked if not name.endswith(".__call__")}
    stubs = {
        name for name, one in written.apis.items() if one.source is Origin.STUB and one.kind is SignatureKind.CLASS
    }
    if not asked | stubs:
        return written
    apis, unreadable = dict(written.apis), dict(written.unreadable)
    for name, shown in _look(written.framework, sorted(asked | stubs)).items():
        if shown["kind"] == "absent":
            continue
        if name in unreadable:
            _whole(name, shown, apis, unreadable)
            continue
        if name in stubs and "members" in shown:
            apis[name] = _compared(apis[name], set(shown["members"]))
        if name in asked:
            _parts(name, shown, apis, unreadable)
    return msgspec.structs.replace(written, apis=apis, unreadable=unreadable)


def _whole(name: str, shown: dict[str, Any], apis: dict[str, Signature], unreadable: dict[str, str]) -> None:
    """Adds an API of which nothing is known."""
    signature = Signature(
        kind=SignatureKind(shown["kind"]), source=Origin.INTROSPECTION, members=shown.get("members", [])
    )
    why = unreadable.pop(name)
    if signature.kind in {SignatureKind.FUNCTION, SignatureKind.CLASS}:
        try:
            ways = _ways(shown)
        except NotReadable as error:
            if signature.kind is SignatureKind.FUNCTION:
                unreadable[name] = f"{why}; {error}"
                return
            unreadable[f"{name}.__init__"] = f"{why}; {error}"
        else:
            returns = ways.returns if signature.kind is SignatureKind.FUNCTION else None
            signature = msgspec.structs.replace(_called(signature, ways), returns=returns)
    apis[name] = signature


def _parts(name: str, shown: dict[str, Any], apis: dict[str, Signature], unreadable: dict[str, str]) -> None:
    """Adds the constructor or the members of a class of which the rest is known."""
    if f"{name}.*" in unreadable and "members" in shown:
        del unreadable[f"{name}.*"]
        members = sorted({*apis[name].members, *shown["members"]})
        apis[name] = msgspec.structs.replace(apis[name], members=members, source=Origin.INTROSPECTION)
    if why := unreadable.get(f"{name}.__init__"):
        try:
            apis[name] = msgspec.structs.replace(_called(apis[name], _ways(shown)), source=Origin.INTROSPECTION)
        except NotReadable as error:
            unreadable[f"{name}.__init__"] = f"{why}; {error}"
        else:
            del unreadable[f"{name}.__init__"]


def _compared(stub: Signature, shown: set[str]) -> Signature:
    """``stub`` with what its list of members has too little and too much."""
    told = set(stub.members)
    return msgspec.structs.replace(stub, not_in_stub=sorted(shown - told), only_in_stub=sorted(told - shown))


def _called(signature: Signature, ways: Ways) -> Signature:
    if len(ways.ways) == 1:
        return msgspec.structs.replace(signature, parameters=ways.ways[0])
    return msgspec.structs.replace(signature, overloads=ways.ways)


def _ways(shown: dict[str, Any]) -> Ways:
    if (parameters := shown.get("signature")) is not None:
        return Ways([[_parameter(*one) for one in parameters]], None)
    if not shown.get("doc"):
        raise NotReadable("the installed package shows no signature")
    return docstring_ways(shown["doc"])


def _parameter(name: str, kind: str, default: str | None, annotation: str | None) -> SignatureParameter:
    default = "..." if default is not None and default.startswith("<") else default
    return SignatureParameter(name=name, kind=ParameterKind(kind), default=default, annotation=annotation)


def docstring_ways(doc: str) -> Ways:
    """The signatures that pybind11 writes into a docstring: its first line, or the numbered lines of an overloaded function.

    Raises NotReadable for a docstring that holds none, or one that is no Python.
    """
    lines = [line.strip() for line in doc.strip().splitlines()]
    overloaded = "Overloaded function." in lines[:3]
    found = [line for line in lines if re.match(r"\d+\. \w+\(", line)] if overloaded else lines[:1]
    matches = [_WAY.match(line) for line in found]
    if not matches or not all(matches):
        raise NotReadable("the docstring of the installed object is no signature")
    returns = {match["returns"] for match in matches if match}
    ways = [_parsed(match["head"]) for match in matches if match]
    return Ways(ways, returns.pop() if len(returns) == 1 else None)


def _parsed(head: str) -> list[SignatureParameter]:
    """The parameters of ``name(self: X, a: int = 1)``, without ``self``; a default that is no Python becomes ``...``."""
    try:
        [node] = ast.parse(f"def {_REPR.sub('...', head)}: ...").body
    except SyntaxError as error:
        raise NotReadable(f"the signature in its docstring is no Python: {head}") from error
    if not isinstance(node, ast.FunctionDef):
        raise NotReadable(f"the signature in its docstring is no Python: {head}")
    arguments = node.args
    kinds = [
        *((one, ParameterKind.POSITIONAL_ONLY) for one in arguments.posonlyargs),
        *((one, ParameterKind.POSITIONAL_OR_KEYWORD) for one in arguments.args),
    ]
    padding: list[ast.expr | None] = [None] * (len(kinds) - len(arguments.defaults))
    found = [
        _from_ast(one, kind, default)
        for (one, kind), default in zip(kinds, [*padding, *arguments.defaults], strict=True)
    ]
    if arguments.vararg:
        found.append(_from_ast(arguments.vararg, ParameterKind.VARIADIC_POSITIONAL, None))
    found += [
        _from_ast(one, ParameterKind.KEYWORD_ONLY, default)
        for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    if arguments.kwarg:
        found.append(_from_ast(arguments.kwarg, ParameterKind.VARIADIC_KEYWORD, None))
    return [one for one in found if one.name != "self"]


def _from_ast(one: ast.arg, kind: ParameterKind, default: ast.expr | None) -> SignatureParameter:
    return SignatureParameter(
        name=one.arg,
        kind=kind,
        default=None if default is None else ast.unparse(default),
        annotation=None if one.annotation is None else ast.unparse(one.annotation),
    )


def _look(framework: str, names: list[str]) -> dict[str, dict[str, Any]]:
    """What ``look.py`` says of ``names``. Its whole process group is gone when this returns or raises."""
    # -P: the folder of the script is not searched for modules.
    try:
        done = run([sys.executable, "-P", str(_LOOK)], _DEADLINE, text=json.dumps(names))
    except subprocess.TimeoutExpired as error:
        found = f"{framework}: importing it took more than {_DEADLINE:.0f} s"
        raise ApidiffError(f"{found}. Check that `python -c 'import {framework}'` ends, or give a wheel.") from error
    lines = [line for line in done.output.splitlines() if line.startswith("LOOK")]
    if done.code != 0 or not lines:
        last = (done.errors.strip().splitlines() or ["no message"])[-1]
        remedy = f"Check `python -c 'import {framework}'`, or give a wheel with --wheel."
        raise ApidiffError(f"{framework} cannot be looked at: {last}. {remedy}")
    shown: dict[str, dict[str, Any]] = json.loads(lines[-1].removeprefix("LOOK"))
    return shown
