"""Signature files written as code: ``file("2.0", all_reduce="(tensor, op='sum')")``."""

from __future__ import annotations

import ast

import msgspec

from apidiff.model.signature import (
    Deprecation,
    ParameterKind,
    Signature,
    SignatureFile,
    SignatureKind,
    SignatureParameter,
    SignatureSource,
)


def function(code: str, **changes: object) -> Signature:
    """The signature of a function with the parameters ``code``."""
    [node] = ast.parse(f"def f{code}: ...").body
    assert isinstance(node, ast.FunctionDef)
    found = node.args
    defaults = [None] * (len(found.args) - len(found.defaults)) + list(found.defaults)
    parameters = [
        SignatureParameter(name=one.arg, default=ast.unparse(default) if default else None)
        for one, default in zip(found.args, defaults, strict=True)
    ]
    parameters += [
        SignatureParameter(
            name=one.arg, kind=ParameterKind.KEYWORD_ONLY, default=ast.unparse(default) if default else None
        )
        for one, default in zip(found.kwonlyargs, found.kw_defaults, strict=True)
    ]
    return msgspec.structs.replace(Signature(kind=SignatureKind.FUNCTION, parameters=parameters), **changes)


def deprecated(code: str, since: str | None = None, instead: str | None = None) -> Signature:
    """The same, marked."""
    return function(code, deprecated=Deprecation(since=since, instead=instead))


def class_of(*members: str, stub: bool = False) -> Signature:
    """A class with these members."""
    source = SignatureSource.STUB if stub else SignatureSource.SOURCE
    return Signature(kind=SignatureKind.CLASS, members=list(members), source=source)


def file(version: str, unreadable: tuple[str, ...] = (), /, **apis: str | Signature) -> SignatureFile:
    """The file of torch ``version``; names stand below ``torch.distributed``."""
    return SignatureFile(
        framework="torch",
        version=version,
        tool="test",
        apis={
            f"torch.distributed.{name}": one if isinstance(one, Signature) else function(one)
            for name, one in apis.items()
        },
        unreadable={f"torch.distributed.{name}": "not told" for name in unreadable},
    )
