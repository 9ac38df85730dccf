"""Reads what source and stubs do not tell from the installed framework, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

from apidiff.errors import ApidiffError
from apidiff.model.signature import ParameterKind, Signature, SignatureFile, SignatureKind, SignatureParameter
from apidiff.model.signature import SignatureSource as Origin
from apidiff.process_group import run
from apidiff.signatures.docstring import Ways, docstring_ways
from apidiff.signatures.modules import NotReadable

_DEADLINE = 180.0  # seconds; importing a framework takes some
_LOOK = Path(__file__).parent / "look.py"


def introspected(written: SignatureFile) -> SignatureFile:
    """``written`` with what the running framework adds to it. Raises ApidiffError where it cannot be imported."""
    parts = ("__init__", "*")
    asked = {name.rpartition(".")[0] if name.rpartition(".")[2] in parts else name for name in written.unreadable}
    asked = {name for name in asked if not name.endswith(".__call__")}
    stubs = {
        name for name, api in written.apis.items() if api.source is Origin.STUB and api.kind is SignatureKind.CLASS
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
        return Ways([[_parameter(*parameter) for parameter in parameters]], None)
    if not shown.get("doc"):
        raise NotReadable("the installed package shows no signature")
    return docstring_ways(shown["doc"])


def _parameter(name: str, kind: str, default: str | None, annotation: str | None) -> SignatureParameter:
    default = "..." if default is not None and default.startswith("<") else default
    return SignatureParameter(name=name, kind=ParameterKind(kind), default=default, annotation=annotation)


def _look(framework: str, names: list[str]) -> dict[str, dict[str, Any]]:
    """What ``look.py`` says of ``names``. Its whole process group is gone when this returns or raises."""
    # -P: the folder of the script is not searched for modules.
    try:
        done = run([sys.executable, "-P", str(_LOOK), framework], _DEADLINE, text=json.dumps(names))
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
