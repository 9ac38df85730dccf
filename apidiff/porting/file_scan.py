"""Scans one file: every place that names an API of PyTorch, with what is passed there. What a process sends to another."""

from __future__ import annotations

import ast
import hashlib
import re
from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType

import msgspec

from apidiff.porting.bindings import ModuleFacts
from apidiff.porting.call_forms import CallForm, behind_object, form_of
from apidiff.porting.held_names import either_base_lines
from apidiff.porting.index_uses import PAIRS, SINGLE, index_uses
from apidiff.porting.name_walk import walk
from apidiff.porting.source_files import Problem, SourceFile
from apidiff.porting.source_text import PYTHON, Block, Parsed, UnreadableSource, kind_of, parse_code, read_content
from apidiff.porting.torch_names import TorchNames
from apidiff.porting.tree_modules import TreeModules
from apidiff.porting.uses import NotFollowed, Place, Use

_INDICES = PAIRS | SINGLE
_IGNORED = re.compile(r"\bapidiff:\s*ignore(?:\[([^\[\]]*)\]|(?![A-Za-z0-9_\[]|-[A-Za-z0-9]))")


class Span(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A place in a file: lines and columns from 1, columns in characters, the end column the first one after it.

    ``cell``: of a notebook, in which the lines are counted then.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    cell: int | None = None


class Reference(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A place that names an API. ``role``: call, name or import. ``possible``: a method of something unknown.

    ``index``: where the indices that the call returns are passed on as an index. ``unbound``: a member looked up on its class.
    ``owner``: of `forward` on a class of the tree: that, as a path, then the classes of PyTorch that it inherits from.
    ``among``: of `forward` on what may be of one of several classes: for each that is a layer what ``owner`` would be.
    ``imported``: whether a name of another file leads to it that nothing but imports binds, there and wherever it comes from.
    ``divided``: whether the names that stand there may lead to another API too, or to none, by another branch.
    """

    name: str
    span: Span
    role: str
    form: CallForm | None
    possible: bool = False
    index: Span | None = None
    unbound: bool = False
    owner: tuple[str, ...] = ()
    imported: bool = False
    among: tuple[tuple[str, ...], ...] = ()
    divided: bool = False


class OpenReference(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A place whose meaning another file decides: ``value`` followed by ``names``; ``spans``: to the end of each part."""

    value: str
    names: list[str]
    spans: list[Span]
    role: str
    form: CallForm | None


class FileNames(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What one file holds.

    ``ignored``: line → the names that a comment there tells to pass over, none for all. ``either_bases``: the lines of bases that
    a port leaves, since they may be of PyTorch or another thing; where code is ported.
    """

    path: str
    references: list[Reference]
    open: list[OpenReference]
    facts: ModuleFacts | None
    problems: list[Problem]
    ignored: dict[int, frozenset[str]]
    digest: str = ""
    either_bases: frozenset[int] = frozenset()


def scan_file(
    file: SourceFile,
    names: TorchNames,
    tree: TreeModules,
    starred: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> FileNames:
    """Read and scan ``file``. ``tree``: the modules of the scanned tree; ``starred``: as `walk` takes it."""
    path = Path(file.path)
    try:
        content = read_content(path)
    except UnreadableSource as error:
        return FileNames(file.path, [], [], None, [_problem(file.path, error)], {})
    digest = content_digest(content)
    try:
        parsed, failed = parse_code(content, kind_of(path))
    except UnreadableSource as error:
        return FileNames(file.path, [], [], None, [_problem(file.path, error)], {}, digest)
    return scan_parsed(file, parsed, failed, names, tree, digest, starred)


def scan_parsed(
    file: SourceFile,
    parsed: list[Parsed],
    failed: list[UnreadableSource],
    names: TorchNames,
    tree: TreeModules,
    digest: str = "",
    starred: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> FileNames:
    """Scan the code of ``file``, which was read. ``failed``: the parts of it that do not parse; ``starred``: as of `walk`."""
    places = _Places(parsed)
    try:
        found = walk(
            [part.tree for part in parsed],
            file,
            names,
            tree,
            assume=file.module.startswith("<") or kind_of(Path(file.path)) != PYTHON,
            starred=starred,
            size=sum(len(part.block.text) for part in parsed),
        )
        is_ported = names.follows_ported and len(parsed) == 1 and bool(found.facts.classes)
        divided = {use.place[2:]: use.name for use in found.uses if use.divided}
        either_bases = frozenset[int]()
        if is_ported:
            either_bases = either_base_lines(parsed[0].block.text, parsed[0].tree, divided)
    except RecursionError:
        return FileNames(file.path, [], [], None, [Problem(file.path, "nested")], {})
    except NotFollowed as error:
        at = places.span(error.place)
        problem = Problem(file.path, error.code, at.line, f"{error.most:,}", at.cell)
        return FileNames(file.path, [], [], None, [problem], {})
    ends = {use.place[2:] for use in found.uses if use.role == "call" and use.name.rpartition(".")[2] in _INDICES}
    passed_on = index_uses([part.tree for part in parsed], ends) if ends else {}
    references = [
        Reference(
            use.name,
            places.span(use.place),
            use.role,
            _form(use),
            use.possible,
            unbound=use.unbound,
            divided=use.divided,
        )
        for use in found.uses
    ]
    if passed_on:
        for number, use in enumerate(found.uses):
            if use.role == "call" and (place := passed_on.get(use.place[2:])) is not None:
                references[number] = msgspec.structs.replace(references[number], index=places.span(place))
    waiting = [
        OpenReference(one.value, one.names, [places.span(place) for place in one.places], one.role, form_of(one.passed))
        for one in found.pending
    ]
    problems = [_problem(file.path, error) for error in failed]
    return FileNames(file.path, references, waiting, found.facts, problems, _ignored(parsed), digest, either_bases)


def _form(use: Use) -> CallForm | None:
    form = form_of(use.passed)
    return behind_object(form, use.name) if use.unbound else form


def content_digest(content: bytes) -> str:
    """What tells whether a file has other bytes than those that were scanned."""
    return hashlib.blake2b(content, digest_size=12).hexdigest()


def _problem(path: str, error: UnreadableSource) -> Problem:
    cell = error.block.cell if error.block is not None else None
    return Problem(path, error.code, error.line, error.detail, cell)


class _Places:
    """Turns places of the syntax tree into spans of the file. The blocks are laid one below the other for that."""

    def __init__(self, parsed: list[Parsed]) -> None:
        self._blocks = [part.block for part in parsed]
        self._lines: list[list[str] | None] = [None] * len(parsed)
        self._ends: dict[tuple[int, int], list[int]] = {}  # block and line → the byte after each character
        self._starts: list[int] = []
        at = 0
        for part in parsed:
            self._starts.append(at)
            if at:
                ast.increment_lineno(part.tree, at)
            if len(parsed) > 1:
                at += part.block.text.count("\n") + 1
        # The whole of a file, in which a byte is a character: places are what Python tells.
        block = parsed[0].block if len(parsed) == 1 else None
        self._simple = block is not None and block.text.isascii() and block == Block(block.text)

    def span(self, place: Place) -> Span:
        """The span of a place."""
        line, column, end_line, end_column = place
        if self._simple:
            return Span(line, column + 1, end_line, end_column + 1)
        number = bisect_right(self._starts, line - 1) - 1
        return Span(
            *self._point(number, line, column), *self._point(number, end_line, end_column), self._blocks[number].cell
        )

    def _point(self, number: int, line: int, column: int) -> tuple[int, int]:
        block = self._blocks[number]
        lines = self._lines[number]
        if lines is None:
            lines = self._lines[number] = block.text.split("\n")
        local = line - self._starts[number] - 1
        text = lines[local] if local < len(lines) else ""
        if not text.isascii():
            key = number, local
            if key not in self._ends:
                self._ends[key] = list(accumulate(len(one.encode()) for one in text))
            column = bisect_right(self._ends[key], column)
        shift = block.shifts[local] if local < len(block.shifts) else 0
        return block.first + local, column + shift + 1


def _ignored(parsed: list[Parsed]) -> dict[int, frozenset[str]]:
    """The lines whose comment tells to pass over what is found there, with the names that it lists."""
    found: dict[int, frozenset[str]] = {}
    for part in parsed:
        if "apidiff" not in part.block.text:
            continue
        for number, line in enumerate(part.block.text.split("\n")):
            comment = line.find("#")  # searched once: a line may hold 100,000 of them
            if comment >= 0 and "apidiff" in line and (match := _IGNORED.search(line, comment)):
                names = (name.strip() for name in (match[1] or "").split(","))
                found[part.block.first + number] = frozenset(name for name in names if name)
    return found
