"""Which names are read of each framework, and reading them all."""

from __future__ import annotations

import importlib.metadata

import griffe

from apidiff.model.signature import Signature, SignatureFile
from apidiff.signatures.introspect import introspected
from apidiff.signatures.modules import Absent, Modules, NotReadable
from apidiff.signatures.read import read
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
# Names outside those modules, or that their lists of public names leave out, which answers refer to.
_SINGLE = {
    "torch": ["torch.utils.data.distributed.DistributedSampler"],
    "mindspore": [
        "mindspore.communication.comm_func.CommHandle",
        "mindspore.dataset.DistributedSampler",
        "mindspore.mint.distributed.TCPStore",
        "mindspore.ops.ReduceOp",
        "mindspore.runtime.synchronize",
        "mindspore.set_device",
    ],
}
# MindSpore's communication primitives: what this module defines and `mindspore.ops` makes public.
_PRIMITIVES = ("mindspore.ops.operations.comm_ops", "mindspore.ops")


def extract(source: Source) -> SignatureFile:
    """The signatures of all names this project speaks of in ``source``; names that the version lacks are left out.

    What neither source nor stub tells is read from the running framework where it is installed.
    """
    modules = Modules(source.root)
    apis: dict[str, Signature] = {}
    unreadable: dict[str, str] = {}
    for name in _names(source.framework, modules):
        try:
            found = modules.find(name)
            if isinstance(found, griffe.Module):
                continue
            apis[name], unread = read(found, modules)
        except NotReadable as error:
            # A name that a list of public names has may be made at run time; one that only we name is not there.
            if not (isinstance(error, Absent) and name in _SINGLE[source.framework]):
                unreadable[name] = str(error)
        else:
            unreadable |= {f"{name}.{part}": why for part, why in unread.items()}
    tool = f"griffelib {importlib.metadata.version('griffelib')}"
    written = SignatureFile(
        framework=source.framework, version=source.version, tool=tool, apis=apis, unreadable=unreadable
    )
    return introspected(written) if source.installed else written


def _names(framework: str, modules: Modules) -> list[str]:
    names: set[str] = set(_SINGLE[framework])
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
            shown = modules.find(f"{public}.{name}")
            if isinstance(shown, griffe.Class) and shown.path == member.path:
                names.add(f"{public}.{name}")
        except NotReadable:
            continue
    return names
