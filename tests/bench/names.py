"""Names of PyTorch that a scan finds, against a resolver that imports: jedi, on files chosen by a seed.

Compared are names that begin with what an import binds, ``F.relu`` and ``Tensor``; methods of objects have labels of their own
(`tests.porting.measured_names`). The folder is none of this project's, so it is an argument: ``names FOLDER``.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import jedi

from apidiff.lookup.cache import open_index
from apidiff.porting.source_files import find_sources
from apidiff.porting.tree_scan import ScannedFile, scan_tree
from tests.bench.measure import Measure

_FILES, _PLACES, _SEED = 50, 40, 15
_LEAST = 0.99
_SHOWN = 20
Place = tuple[int, int]  # line, and the column in characters after the last one, from 0


class Chain(NamedTuple):
    """A name with the attributes behind it, as places at which a part ends, and the parts."""

    places: list[Place]
    parts: list[str]


class Compared(NamedTuple):
    """How many names both find, the scan alone, and jedi alone; the last two as they are written."""

    both: int
    told: list[str]
    missed: list[str]


def measure_names(tell: Callable[[str], None], folders: Sequence[Path]) -> list[Measure]:
    """What is missing of both figures, against what may be missing; [] where no folder is named."""
    if not folders:
        tell("no folder is named: no names are compared")
        return []
    files, _ = find_sources(folders)
    scanned = {file.names.path: file for file in scan_tree(files, open_index().source_names)}
    of_torch = [file.path for file in files if "torch" in Path(file.path).read_text(errors="replace")]
    chosen = random.Random(_SEED).sample(sorted(of_torch), min(_FILES, len(of_torch)))
    project = jedi.Project(Path(folders[0]).resolve().parent, smart_sys_path=False)
    both, told, missed = 0, list[str](), list[str]()
    for path in chosen:
        compared = compare_file(Path(path), scanned[path], project)
        both += compared.both
        told += compared.told
        missed += compared.missed
    precision, recall = both / (both + len(told)), both / (both + len(missed))
    tell(f"{len(chosen)} files, {both} names in both: precision {precision:.4f}, recall {recall:.4f}")
    tell(f"of the scan alone: {told[:_SHOWN]}")
    tell(f"of jedi alone: {missed[:_SHOWN]}")
    return [
        Measure("wrong names", "allowed", 1 - precision, 1 - _LEAST, 1.0),
        Measure("missing names", "allowed", 1 - recall, 1 - _LEAST, 1.0),
    ]


def compare_file(path: Path, scanned: ScannedFile, project: jedi.Project) -> Compared:
    """Compare some of the names in a file, chosen by the seed."""
    text = path.read_text()
    chains = list(_chains(text))
    chains = random.Random(_SEED).sample(chains, min(_PLACES, len(chains)))
    references = {
        (one.span.end_line, one.span.end_column - 1): one.name
        for one in scanned.references
        if one.role != "import" and not one.possible
    }
    script = jedi.Script(text, path=path, project=project)
    both, told, missed = 0, list[str](), list[str]()
    for chain in chains:
        mine = next((references[place] for place in reversed(chain.places) if place in references), None)
        theirs = _resolved(script, chain)
        where = f"{path.name}:{chain.places[0][0]} {'.'.join(chain.parts)} ({mine}, {theirs})"
        if mine is None and theirs is None:
            continue
        if mine is not None and theirs is not None and _last(mine) == _last(theirs):
            both += 1
            continue
        if mine is not None:
            told.append(where)
        if theirs is not None:
            missed.append(where)
    return Compared(both, told, missed)


def _chains(text: str) -> Iterator[Chain]:
    """The chains that begin with a name which an import binds."""
    tree, lines = ast.parse(text), text.split("\n")
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    bound = {(alias.asname or alias.name).partition(".")[0] for node in imports for alias in node.names}
    inner = {node.value for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if node in inner or not isinstance(node, ast.Name | ast.Attribute):
            continue
        steps: list[ast.expr] = [node]
        while isinstance(steps[-1], ast.Attribute):
            steps.append(steps[-1].value)
        first = steps[-1]
        if isinstance(first, ast.Name) and isinstance(first.ctx, ast.Load) and first.id in bound:
            steps.reverse()
            parts = [first.id, *(step.attr for step in steps if isinstance(step, ast.Attribute))]
            yield Chain([_end(step, lines) for step in steps], parts)


def _end(node: ast.expr, lines: Sequence[str]) -> Place:
    line = node.end_lineno or node.lineno
    return line, len(lines[line - 1].encode()[: node.end_col_offset].decode())


def _resolved(script: jedi.Script, chain: Chain) -> str | None:
    """The longest part of a chain that jedi follows to a definition in PyTorch which is no module."""
    for line, column in reversed(chain.places):
        for name in script.goto(line, column, follow_imports=True, follow_builtin_imports=True):
            full = name.full_name or ""
            if full.partition(".")[0] == "torch" and name.type != "module":
                return full
    return None


def _last(name: str) -> str:
    return name.rpartition(".")[2]
