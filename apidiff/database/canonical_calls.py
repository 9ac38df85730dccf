"""Reads how APIs are ordinarily called, and puts the calls on mappings: as code to show, as a probe, and as a claim of it."""

from __future__ import annotations

import ast
import builtins
import os
from collections.abc import Collection, Iterator
from collections.abc import Mapping as Dictionary
from pathlib import Path

import msgspec

from apidiff.database.expansion.profiles import generation_of
from apidiff.database.yaml import Lines, read_yaml
from apidiff.errors import DataError
from apidiff.model.authored import CanonicalCalls
from apidiff.model.base import DottedName
from apidiff.model.claim import CANONICAL, CANONICAL_CLAIM, Claim, Completes
from apidiff.model.mapping import Api, Mapping, Target
from apidiff.model.probe import Described, Probe
from apidiff.model.probe_resolution import collective_of, with_probes
from apidiff.model.python_tree import NO_PYTHON, python_tree
from apidiff.model.sample_calls import left_out, ordinary_calls
from apidiff.model.vocabulary import Execution

WORLD_SIZE = 3

# What brings a name into code, by the generation of the API that it calls.
_MINDSPORE = {
    "mindspore": "import mindspore",
    "communication": "from mindspore import communication",
    "comm_func": "from mindspore.communication import comm_func",
    "mint": "from mindspore import mint",
    "ops": "from mindspore import ops",
}
_IMPORTS = {
    "torch": {"torch": "import torch", "dist": "import torch.distributed as dist"},
    "mint": {**_MINDSPORE, "dist": "from mindspore.mint import distributed as dist"},
    "ops": {**_MINDSPORE, "dist": "from mindspore.ops import communication as dist"},
}
# Those whose calls are written like the source's where nothing else is said.
_LIKE_THE_SOURCE = ("mint", "ops")


def with_canonical_calls(
    mappings: Dictionary[str, Mapping], path: Path, passed_over: Collection[str] = ()
) -> dict[str, Mapping]:
    """The mappings, each with the calls that the file ``path`` has of it; as they are where there is no such file.

    Calls of mappings that were ``passed_over`` are, too.
    Raises DataError for a mapping or target that is not there, for code that does not parse or uses an unknown name, and for
    a piece to leave out that no sample has.
    """
    if not os.path.lexists(path):
        return dict(mappings)
    calls, lines = read_yaml(path, dict[DottedName, CanonicalCalls])
    done = dict(mappings)
    for key, written in calls.items():
        if key in passed_over:
            continue
        if key not in mappings:
            raise DataError(path, lines.get((key,)), f"there is no mapping {key!r}", "Name a source that has a record.")
        done[key] = _with_calls(mappings[key], written, _Place(path, lines, key))
    by_definer = {(key, target.api.name): target.api for key, mapping in done.items() for target in mapping.targets}
    return {key: _shared(mapping, by_definer) for key, mapping in done.items()}


class _Place:
    """Where the calls of one mapping stand."""

    def __init__(self, path: Path, lines: Lines, key: str) -> None:
        self._path, self._lines, self._key = path, lines, key

    def error(self, at: tuple[str, ...], found: str, remedy: str) -> DataError:
        return DataError(self._path, self._lines.get((self._key, *at)), f"{self._key}: {found}", remedy)


def _with_calls(mapping: Mapping, written: CanonicalCalls, place: _Place) -> Mapping:
    if mapping.execution is Execution.SINGLE:
        return _without_comparisons(mapping, written, place)
    if written.source is None or written.leave_out:
        raise place.error(
            (), "ranks make its calls, which 'source' writes, and 'leave_out' is of samples", "Write the call."
        )
    source = _called(mapping.source, "torch", written.source, written, ("source",), place)
    targets, unused = [], set(written.targets)
    for target in mapping.targets:
        name, generation = target.api.name, generation_of(target.api.name)
        at = next((key for key in (name, generation) if key in written.targets), None)
        unused.discard(at or "")
        code = written.targets[at] if at else written.source if generation in _LIKE_THE_SOURCE else None
        where = ("targets", at) if at else ("source",)
        api = _called(target.api, generation, code, written, where, place) if code else target.api
        targets.append(msgspec.structs.replace(target, api=api))
    for key in sorted(unused):
        found = f"no target is called {key!r} or of that generation, or each has a call of its own"
        raise place.error(("targets", key), found, "Remove it, or mend the name.")
    return msgspec.structs.replace(mapping, source=source, targets=targets)


def _without_comparisons(mapping: Mapping, written: CanonicalCalls, place: _Place) -> Mapping:
    """``mapping`` with what its calls are shown without. What is left stands in the sample, so that runs have made it."""
    if not written.leave_out or written != CanonicalCalls(leave_out=written.leave_out):
        raise place.error((), "its calls are its samples", "Write nothing but 'leave_out'.")
    run, done = (msgspec.structs.replace(mapping, left_out=pieces) for pieces in ([], written.leave_out))
    unused = set(written.leave_out)
    seen = set[str]()  # the source's is beside that of each target
    for target in mapping.targets:
        for whole, shown in zip(ordinary_calls(run, target), ordinary_calls(done, target), strict=True):
            if whole.code in seen:
                continue
            seen.add(whole.code)
            plain = left_out(whole.code, [])
            unused -= {piece for piece in unused if left_out(whole.code, [piece]) != plain}
            try:
                made = _parts(whole.code)
            except NO_PYTHON:  # which is told of the sample
                continue
            try:
                unseen = [line for line in _statements(python_tree(shown.code)) if line not in made]
            except NO_PYTHON as error:
                found = f"without it the code does not parse: {_why(error)}"
                raise place.error(("leave_out",), found, "Leave out whole lines or expressions.") from error
            if unseen:
                found = f"without it the code has {unseen[0]!r}, which no run made"
                raise place.error(("leave_out",), found, "Leave out what is around a call, nothing of it.")
    if unused:
        found = f"the first sample has no {min(unused)!r}"
        raise place.error(("leave_out",), found, "Remove it, or mend the piece.")
    return done


def _why(error: Exception) -> str:
    return error.msg if isinstance(error, SyntaxError) else str(error) or "it is nested too deep"


def _statements(tree: ast.AST) -> Iterator[str]:
    """The simple statements of code, an expression by itself as the expression that it is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            yield ast.unparse(node.value)
        elif isinstance(node, ast.stmt) and not hasattr(node, "body"):
            yield ast.unparse(node)


def _parts(code: str) -> set[str]:
    """All statements and expressions of code."""
    return {ast.unparse(node) for node in ast.walk(python_tree(code)) if isinstance(node, ast.stmt | ast.expr)}


def _called(api: Api, generation: str, code: str, written: CanonicalCalls, at: tuple[str, ...], place: _Place) -> Api:
    """``api`` with its call: the code with imports, the probe that makes it and the claim that it completes."""
    last = api.name.rpartition(".")[2]
    plain = code.replace("$name", last).strip()
    try:
        free = free_names(plain)
    except NO_PYTHON as error:
        raise place.error(at, f"the call does not parse: {_why(error)}", "Mend the code.") from error
    known = _IMPORTS.get(generation, _MINDSPORE)
    imports = {name: line for name, line in known.items() if name in free}
    if last in free and last not in written.given and last not in imports:
        imports[last] = f"from {api.name.rpartition('.')[0]} import {last}"
    if unknown := free - imports.keys() - written.given.keys():
        found = f"the call uses {', '.join(sorted(unknown))}, which nothing makes"
        raise place.error(at, found, "Make it in the code, or put it under 'given'.")
    whole = _joined(sorted(imports.values()), plain)
    side = "source" if generation == "torch" else generation
    if api.defined_in or (written.run and side not in written.run):
        return msgspec.structs.replace(api, canonical=whole)
    read = set(_read(python_tree(plain)))
    given = {name: value for name, value in written.given.items() if name in read}
    probe = Probe(code=whole, set=given, world_sizes=[WORLD_SIZE])
    claim = Claim(id=CANONICAL_CLAIM, completes=Completes(), probes=[CANONICAL], reason=None)
    if written.reason:
        claim, probes = (
            msgspec.structs.replace(claim, probes=[], reason=written.reason, when=Described(code=whole)),
            collective_of(api).probes,
        )
    else:
        probes = {**collective_of(api).probes, CANONICAL: probe}
    return msgspec.structs.replace(with_probes(api, probes), canonical=whole, claims=[*api.claims, claim])


def _joined(imports: list[str], code: str) -> str:
    """The code below its imports, its own first lines among them."""
    if not imports:
        return code
    own = python_tree(code).body[0]
    follows = isinstance(own, ast.Import | ast.ImportFrom)
    return "\n".join(imports) + ("\n" if follows else "\n\n") + code


def free_names(code: str) -> set[str]:
    """The names that ``code`` reads and neither binds nor finds built in. Raises SyntaxError."""
    tree = python_tree(code)
    return set(_read(tree)) - set(_bound(tree)) - set(dir(builtins))


def _read(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id


def _bound(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)


def _shared(mapping: Mapping, by_definer: Dictionary[tuple[str, str], Api]) -> Mapping:
    """``mapping`` with the probes and claims of targets that other mappings define, as these have them now."""

    def shared(target: Target) -> Target:
        if target.api.defined_in is None:
            return target
        api = by_definer[target.api.defined_in, target.api.name]
        own = msgspec.structs.replace(target.api, collective=api.collective, claims=api.claims)
        return msgspec.structs.replace(target, api=own)

    return msgspec.structs.replace(mapping, targets=[shared(target) for target in mapping.targets])
