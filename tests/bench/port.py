"""Porting real files against ports that people made of them by hand: the names that each scope uses.

Neither side is part of this project, so the measure needs both as folders: ``APIDIFF_PORT_SOURCES`` (with
``transformers/`` and ``diffusers/``), ``APIDIFF_PORT_BY_HAND`` (with the same below ``mindone/``) and
``APIDIFF_PORT_PAIRS``, a file that lists paths, one per line. ``APIDIFF_PORT_TABLES`` may name a folder of upstream's
mapping tables as CSV (columns ``torch_api`` and ``mindspore_api``): names that one lists for the same source are
equally right.
"""

from __future__ import annotations

import ast
import csv
import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from apidiff.database import load
from apidiff.lookup.cache import open_index
from apidiff.porting.changes import PortOptions
from apidiff.porting.judgement import Judge
from apidiff.porting.port_files import PortedFile, port_files
from apidiff.porting.port_text import Porter
from apidiff.porting.source_files import find_sources
from apidiff.porting.tree_scan import scan_tree
from tests.bench.measure import Measure
from tests.bench.port_gaps import Gaps

_ROOT = "mindspore"
_PARTS = {"mint", "nn", "ops"}
_PRECISION, _RECALL = 0.95, 0.93
# Names that MindSpore gives the same object, or of which one does nothing but call the other.
_ALIASES = {
    "mindspore.bool_": "mindspore.bool",
    "mindspore.long": "mindspore.int64",
    "mindspore.int": "mindspore.int32",
    "mindspore.from_numpy": "mindspore.Tensor.from_numpy",
}
Scope = tuple[str, ...]


class Agreement(NamedTuple):
    """How many names are in both, in the port alone, and in the one by hand alone."""

    both: int
    ported: int
    by_hand: int

    @property
    def precision(self) -> float:
        return self.both / (self.both + self.ported)

    @property
    def recall(self) -> float:
        return self.both / (self.both + self.by_hand)


def measure_port(tell: Callable[[str], None]) -> list[Measure]:
    """What is missing of both figures, against what may be missing; [] where the folders are not named."""
    folders = [os.environ.get(f"APIDIFF_PORT_{name}") for name in ("SOURCES", "BY_HAND", "PAIRS")]
    if not all(folders):
        tell("APIDIFF_PORT_SOURCES, APIDIFF_PORT_BY_HAND and APIDIFF_PORT_PAIRS are not set: nothing is compared")
        return []
    sources, by_hand, pairs = (Path(str(folder)) for folder in folders)
    paths = [line.strip() for line in pairs.read_text().splitlines() if line.strip()]
    gaps = Gaps()
    strict, fair, problems, unknown = compare_ports(sources, by_hand / "mindone", paths, gaps)
    tell(f"by the letter: precision {strict.precision:.4f}, recall {strict.recall:.4f}")
    tell(f"equally right names as one: precision {fair.precision:.4f}, recall {fair.recall:.4f}")
    for line in gaps.lines():
        tell(line)
    ported, others = gaps.without_cause()
    rest = Agreement(fair.both, fair.ported - ported, fair.by_hand - others)
    tell(f"without what no rule can give (marked -): precision {rest.precision:.4f}, recall {rest.recall:.4f}")
    tell(f"files that were not ported: {problems}; names that no signature or run knows: {sorted(unknown)}")
    return [
        Measure("wrong names in ports", "allowed", 1 - fair.precision, 1 - _PRECISION, 1.0),
        Measure("missing names in ports", "allowed", 1 - fair.recall, 1 - _RECALL, 1.0),
        Measure("files that were not ported, and names that do not exist", "one", problems + len(unknown), 1, 0.0),
    ]


def compare_ports(
    sources: Path, by_hand: Path, paths: Collection[str], gaps: Gaps
) -> tuple[Agreement, Agreement, int, set[str]]:
    """Port the files and compare: by the letter, with equally right names as one; problems; names that nobody knows.

    ``gaps`` gets the names that only one side has.
    """
    index = open_index()
    release = index.releases[_ROOT][0] if not index.run.get(_ROOT) else index.run[_ROOT][0]
    judge = Judge.of_index(index, release, None)
    porter = Porter(judge, index.source_names, PortOptions(unsafe=True))
    files, _ = find_sources([sources / path for path in paths])
    listed = _listed_sources()
    equal, known = _equal_names(listed), _known_names(release)
    strict, fair, problems, unknown = [0, 0, 0], [0, 0, 0], 0, set()
    for file in port_files(scan_tree(files, index.source_names, ported=True), porter):
        if not isinstance(file, PortedFile):
            problems += 1
            continue
        ported = ast.parse(file.ported.text)
        hand = ast.parse((by_hand / file.path.relative_to(sources)).read_text())
        mine, theirs = names_by_scope(ported), names_by_scope(hand)
        unknown |= {name for names in mine.values() for name in names if not _is_known(name, known)}
        for scope in mine.keys() & theirs.keys():
            _count(strict, mine[scope], theirs[scope], lambda first, second: first == second)
        mine, theirs = names_by_scope(ported, alike=True), names_by_scope(hand, alike=True)
        before, after = words_by_scope(ast.parse(file.text)), words_by_scope(hand)
        for scope in mine.keys() & theirs.keys():
            ours, others = _count(fair, mine[scope], theirs[scope], equal)
            gaps.add(ours, others, before.get(scope, set()), after.get(scope, set()), listed)
    return Agreement(*strict), Agreement(*fair), problems, unknown


def _count(
    counts: list[int], mine: Collection[str], theirs: Collection[str], equal: Callable[[str, str], bool]
) -> tuple[list[str], list[str]]:
    """Count the names of a scope that are in both, in the port alone, in the one by hand alone; return the latter two."""
    only = []
    left = [name for name in theirs if name not in mine]
    for name in mine:
        if name in theirs:
            counts[0] += 1
        elif (other := next((one for one in left if equal(name, one)), None)) is not None:
            left.remove(other)
            counts[0] += 1
        else:
            only.append(name)
    counts[1] += len(only)
    counts[2] += len(left)
    return only, left


def names_by_scope(tree: ast.Module, *, alike: bool = False) -> dict[Scope, set[str]]:
    """The full names of MindSpore that each function and class of a file uses; ``forward`` is called ``construct``.

    ``alike``: a call of ``mindspore.Tensor`` counts as one of ``mindspore.tensor``, which hands its arguments on to it.
    """
    bound = dict(_bound(tree))
    found: dict[Scope, set[str]] = defaultdict(set)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)} if alike else set()
    parts: set[int] = set()  # owners of names that were counted
    for scope, node in _nodes(tree, ()):
        found[scope]
        if not isinstance(node, ast.Attribute | ast.Name):
            continue
        if isinstance(node, ast.Attribute) and (id(node) in parts or _full(node, bound) is not None):
            parts.add(id(node.value))
        if id(node) not in parts and (name := _full(node, bound)) is not None:
            found[scope].add("mindspore.tensor" if name == "mindspore.Tensor" and id(node) in called else name)
    return found


def words_by_scope(tree: ast.Module) -> dict[Scope, set[str]]:
    """All names and attributes that each function and class of a file uses."""
    found: dict[Scope, set[str]] = defaultdict(set)
    for scope, node in _nodes(tree, ()):
        if isinstance(node, ast.Name):
            found[scope].add(node.id)
        elif isinstance(node, ast.Attribute):
            found[scope].add(node.attr)
    return found


def _bound(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] == _ROOT:
                    yield (alias.asname, alias.name) if alias.asname else (_ROOT, _ROOT)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == _ROOT and not node.level:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _nodes(node: ast.AST, scope: Scope) -> Iterator[tuple[Scope, ast.AST]]:
    """All nodes with the functions and classes that they stand in."""
    yield scope, node
    for child in ast.iter_child_nodes(node):
        inner = scope
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = (*scope, "construct" if child.name == "forward" else child.name)
        yield from _nodes(child, inner)


def _full(node: ast.expr, bound: Mapping[str, str]) -> str | None:
    if isinstance(node, ast.Name):
        return bound.get(node.id)
    owner = _full(node.value, bound) if isinstance(node, ast.Attribute) else None
    return f"{owner}.{node.attr}" if owner is not None and isinstance(node, ast.Attribute) else None


def _listed_sources() -> dict[str, set[str]]:
    """The sources that the database or upstream's tables list for each target."""
    data = load()
    sources: dict[str, set[str]] = defaultdict(set)
    for mapping in data.mappings.values():
        for target in mapping.targets:
            sources[target.api.name].add(mapping.source.name)
    for path in Path(os.environ.get("APIDIFF_PORT_TABLES", "/nowhere")).glob("*.csv"):
        with path.open(newline="", encoding="utf-8") as content:
            for row in csv.DictReader(content):
                sources[row["mindspore_api"]].add(row["torch_api"])
    for source, target in data.rules.stand_ins.items():
        sources[target].add(source)
    return sources


def _equal_names(sources: Mapping[str, set[str]]) -> Callable[[str, str], bool]:
    """Whether two names are equally right: one source lists both, or they mean one thing."""

    def equal(first: str, second: str) -> bool:
        parts = first.split("."), second.split(".")
        if parts[0][-1] == parts[1][-1] and {parts[0][1], parts[1][1]} <= _PARTS:
            return True
        if _ALIASES.get(first, first) == _ALIASES.get(second, second):
            return True
        return bool(sources.get(first, set()) & sources.get(second, set()))

    return equal


def _known_names(release: str) -> set[str]:
    """The names of MindSpore that its signatures hold, and those that code in the records was run with."""
    data = load()
    file = data.signatures[_ROOT, release]
    known = {*file.apis, *file.unreadable, *data.rules.stand_ins.values()}
    for mapping in data.mappings.values():
        known |= {target.api.name for target in mapping.targets if target.api.name in file}
        for sample in mapping.samples.values():
            for code in (sample.code or {}).values():
                for names in names_by_scope(ast.parse(f"import {_ROOT}\n{code}")).values():
                    known |= names
    return known


def _is_known(name: str, known: Collection[str]) -> bool:
    """Whether a name, or what it is a member of, is known."""
    parts = name.split(".")
    return any(".".join(parts[:size]) in known for size in range(2, len(parts) + 1)) or len(parts) == 1
