"""Which names are read of each framework, and reading them all."""

from __future__ import annotations

import importlib.metadata

import griffe
import msgspec

from apidiff.model.signature import Signature, SignatureFile, SignatureKind
from apidiff.signatures.modules import Modules, NotReadable
from apidiff.signatures.read import call_parameters, read
from apidiff.signatures.source import Source

_MODULES = {
    "torch": ["torch.distributed"],
    "mindspore": [
        "mindspore.communication",
        "mindspore.communication.comm_func",
        "mindspore.mint.distributed",
        "mindspore.ops.communication",
    ],
}
# MindSpore's communication primitives: what this module defines and `mindspore.ops` makes public.
_PRIMITIVES = ("mindspore.ops.operations.comm_ops", "mindspore.ops")


def extract(source: Source) -> SignatureFile:
    """The signatures of all names this project speaks of in ``source``; modules that the version lacks are left out."""
    modules = Modules(source.root)
    apis: dict[str, Signature] = {}
    unreadable: dict[str, str] = {}
    for name in _names(source.framework, modules):
        try:
            found = modules.find(name)
            if isinstance(found, griffe.Module):
                continue
            apis[name] = read(found, modules)
        except NotReadable as error:
            unreadable[name] = str(error)
            continue
        if apis[name].kind is SignatureKind.PRIMITIVE and isinstance(found, griffe.Class):
            try:
                apis[name] = msgspec.structs.replace(apis[name], call=call_parameters(found))
            except NotReadable as error:
                unreadable[f"{name}.__call__"] = str(error)
    tool = f"griffelib {importlib.metadata.version('griffelib')}"
    return SignatureFile(
        framework=source.framework, version=source.version, tool=tool, apis=apis, unreadable=unreadable
    )


def _names(framework: str, modules: Modules) -> list[str]:
    names: set[str] = set()
    for module in _MODULES[framework]:
        try:
            names.update(f"{module}.{name}" for name in modules.public(module))
        except NotReadable:
            continue
    if framework == "mindspore":
        names.update(_primitives(modules))
    return sorted(names)


def _primitives(modules: Modules) -> set[str]:
    defined, public = _PRIMITIVES
    module = modules.module(defined)
    names = set()
    for name, member in module.members.items() if module else ():
        if not isinstance(member, griffe.Class) or name.startswith("_"):
            continue
        try:
            if modules.find(f"{public}.{name}").path == member.path:
                names.add(f"{public}.{name}")
        except NotReadable:
            continue
    return names
