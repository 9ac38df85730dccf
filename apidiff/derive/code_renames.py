"""Tells where lines of code are ported by names alone: the source's lines, renamed, are the target's lines."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from collections.abc import Mapping as AbstractMapping

from apidiff.model.mapping import Mapping, Target
from apidiff.model.python_tree import expression_tree, python_tree
from apidiff.model.sample import resolve_sample
from apidiff.model.sample_calls import code_of, samples_of
from apidiff.model.vocabulary import ApiKind, Status

_FORWARD, _CONSTRUCT = "forward", "construct"


def recommended_names(mappings: Iterable[Mapping]) -> dict[str, str]:
    """Source → the target that is recommended in the newest versions; of sources that have one."""
    found = {}
    for mapping in mappings:
        for target in mapping.targets:
            if any(one.status is Status.CURRENT and one.until is None for one in target.ranges):
                found[mapping.source.name] = target.api.name
    return found


def renamed_samples(mapping: Mapping, target: Target, names: AbstractMapping[str, str]) -> list[str]:
    """List the samples whose lines of code for ``target`` are those for the source with other names.

    Args:
        mapping: the mapping of the pair.
        target: one of its targets.
        names: what each source is named as, as `recommended_names` lists them.
    """
    chosen = {**names, mapping.source.name: target.api.name}
    method = None
    if mapping.source.kind is ApiKind.METHOD and target.api.kind is ApiKind.METHOD:
        method = mapping.source.name.rpartition(".")[2], target.api.name.rpartition(".")[2]
    found = []
    for name in samples_of(mapping, target):
        code = resolve_sample(mapping.samples, name).code
        if code is None:
            continue
        try:
            source, written = code_of(code, mapping.source.name), code_of(code, target.api.name)
        except KeyError:
            continue
        if _renamed(source, chosen, method) == ast.dump(python_tree(written.strip())):
            found.append(name)
    return found


def _renamed(code: str, names: AbstractMapping[str, str], method: tuple[str, str] | None) -> str:
    return ast.dump(_Renamer(names, method).visit(python_tree(code.strip())))


class _Renamer(ast.NodeTransformer):
    """Gives APIs their new names, and ``forward`` its own."""

    def __init__(self, names: AbstractMapping[str, str], method: tuple[str, str] | None) -> None:
        self._names, self._method = names, method

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if (name := _dotted(node)) in self._names:
            return expression_tree(self._names[name])
        if self._method is not None and node.attr == self._method[0]:
            node.attr = self._method[1]
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name == _FORWARD:
            node.name = _CONSTRUCT
        return self.generic_visit(node)


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""
