"""Edits the imports of a ported file: those of PyTorch that nothing needs any more go, those of MindSpore come."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence, Set

from apidiff.porting.code_text import WIDEST, Edit
from apidiff.porting.used_names import DECORATED, TorchImport, UsedNames, begins_line, bound_name

_ROOT = "mindspore"
_SHORT = "ms"  # the name that everyone gives it, where its own is taken
_PARTS = ("mint", "nn", "ops")  # modules of MindSpore that code names by themselves
ADDED = {_ROOT: _ROOT, _SHORT: _ROOT, **{part: f"{_ROOT}.{part}" for part in _PARTS}}  # names, with what they stand for
MARK = "\0"  # around a full name in an edit, until it is known how it is spelled
_WORD = re.compile(r"\w+")
_MARKED = re.compile(f"{MARK}([^{MARK}]+){MARK}")
_BLANKS = re.compile(rb"\s*")
# What may stand behind a statement up to the end of its line; a line end behind a backslash is none.
_LINE_REST = re.compile(rb"(?:[ \t\f;]|\\(?:\r\n|\r|\n))*(?:#[^\r\n]*)?(?:\r\n|\r|\n)")
# What may stand between statements: comments, continued lines, line ends and the mark of a decorator.
_BETWEEN = re.compile(rb"#[^\r\n]*|\\(?:\r\n|\r|\n)|(\r\n|\r|\n)|@")


def marked(name: str) -> str:
    """A full name of MindSpore in an edit, to be spelled by `Imports.spelled`."""
    return f"{MARK}{name}{MARK}"


class Imports:
    """The imports of one file, after the other ``edits`` of it are known.

    Args:
        names: those of the file.
        edits: what else is edited.
        collisions: names of `ADDED` that star imports bind to another thing, here or where all names are taken from here.
    """

    def __init__(self, names: UsedNames, edits: Iterable[Edit], collisions: Set[str] = frozenset()) -> None:
        edits = list(edits)
        code = self._code = names.code
        self._names, self._imports = names, names.imports
        # Where the first name of MindSpore will stand: it is imported before.
        self._first_use = min((edit.start for edit in edits if MARK in edit.text), default=len(code.data))
        self._needed: set[str] = set()
        covered = _merged((edit.start, edit.end) for edit in edits if edit.end > edit.start)
        moved = {word for edit in edits for word in _WORD.findall(_MARKED.sub("", edit.text))}
        free, self._removed = names.unused(covered, moved)
        if self._removed:  # what is imported and not used goes with the rest
            plain = (one.statement for one in self._imports if isinstance(one.statement, ast.Import))
            self._removed |= {
                name for node in plain for alias in node.names if (name := bound_name(node, alias)) in free
            }
        uses = [(found[1], edit.start) for edit in edits for found in _MARKED.finditer(edit.text)]
        self._taken = names.stored | self._bound_imports(uses) | collisions
        self._root = self._root_name(names.stored)
        self._first_uses: dict[str, int] = {}
        for full, place in uses:
            name = self._looked_up(full)
            self._first_uses[name] = min(place, self._first_uses.get(name, place))

    def _root_name(self, stored: Collection[str]) -> str:
        """The name that MindSpore is looked up by: its own or, where that is another thing's, a short one that is free."""
        if _ROOT not in self._taken:
            return _ROOT
        for statement in self._code.tree.body:
            for alias in statement.names if isinstance(statement, ast.Import) else ():
                bound = alias.asname
                if alias.name == _ROOT and bound is not None and bound not in stored:
                    self._present[bound] = self._code.end(statement)
                    return bound
        name = _SHORT
        while name in self._taken:
            name += "_"
        return name

    def _bound_imports(self, uses: Sequence[tuple[str, int]]) -> set[str]:
        """The names that imports bind to something else than MindSpore's modules of that name, or not before all uses.

        Those at the top that bind them are noted in ``_present``: after which byte a name is bound.
        """
        code, tree = self._code, self._code.tree
        self._present: dict[str, int] = {}
        others: set[str] = set()
        unbound: dict[str, list[tuple[int, int]]] = {}  # where functions have a variable of that name without a value
        removable = {id(one.statement) for one in self._imports if one.removable}
        for node, scope, direct in self._names.every_import:
            module = f"{'.' * node.level}{node.module or ''}" if isinstance(node, ast.ImportFrom) else None
            for alias in node.names:
                bound = bound_name(node, alias)
                full = f"{module}.{alias.name}" if module is not None else alias.name if alias.asname else bound
                if full == (bound if bound == _ROOT else f"{_ROOT}.{bound}"):
                    end = code.end(node)
                    if scope is tree and direct:
                        self._present[bound] = min(end, self._present.get(bound, end))
                    elif isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
                        last = end if direct else code.end(scope)
                        unbound.setdefault(bound, []).append((code.start(scope), last))
                elif not (id(node) in removable and bound in self._removed):
                    others.add(bound)
        places: dict[str, list[int]] = {}  # of uses, by the part of MindSpore that their names begin with
        for name, place in uses:
            root, _, rest = name.partition(".")
            if root == _ROOT and "." in rest:
                places.setdefault(rest.partition(".")[0], []).append(place)
        for bound in unbound.keys() & places.keys():
            merged = _merged(unbound[bound])
            starts = [start for start, _ in merged]
            if any(_is_covered(place, starts, merged) for place in places[bound]):
                others.add(bound)
        return others

    def spelled(self, text: str) -> str:
        """``text`` with its marked names as this file spells them."""
        return _MARKED.sub(lambda found: self._spelled(found[1]), text)

    def _spelled(self, name: str) -> str:
        first = self._looked_up(name)
        self._needed.add(first)
        inner = name.partition(".")[2]
        return f"{first}.{inner}" if first == self._root else inner

    def _looked_up(self, name: str) -> str:
        """What a full name begins with as this file spells it: one of MindSpore's modules, where its name is free."""
        parts = name.split(".")
        return parts[1] if len(parts) > 2 and parts[1] in _PARTS and parts[1] not in self._taken else self._root

    def edits(self) -> list[Edit]:
        """The edits of imports, once all names have been spelled."""
        edits: list[Edit] = []
        lines = self._lines()
        last: TorchImport | None = None
        whole = {
            id(one.statement) for one in self._imports if all(self._goes(one, alias) for alias in one.statement.names)
        }
        for one in self._imports:
            kept = [alias for alias in one.statement.names if not self._goes(one, alias)]
            before = self._code.end(one.statement) <= self._first_use
            if one.top and before:
                last = one
            if len(kept) == len(one.statement.names):
                continue
            if kept:
                own = self._shortened(one.statement, kept)
            elif one.top and before and lines:
                own = [Edit(self._code.start(one.statement), self._code.end(one.statement), lines)]
                lines = ""
            else:
                first = one.block[0] is one.statement
                emptied = first and all(id(statement) in whole for statement in one.block)
                own = [self._taken_out(one, emptied=emptied)]
            edits += [*self._lost_comments(one.statement, own), *own]
        if lines:
            edits.append(self._inserted(lines, last))
        return edits

    def _goes(self, one: TorchImport, alias: ast.alias) -> bool:
        if isinstance(one.statement, ast.Import) and alias.name.partition(".")[0] != "torch":
            return False
        return one.removable and alias.name != "*" and bound_name(one.statement, alias) in self._removed

    def _lines(self) -> str:
        size = len(self._code.data)
        needed = {name for name in self._needed if self._present.get(name, size) > self._first_uses.get(name, size)}
        end = self._code.newline()
        own = f"import {_ROOT}" if self._root == _ROOT else f"import {_ROOT} as {self._root}"
        lines = [own] if self._root in needed else []
        parts = [name for name in _PARTS if name in needed]
        if parts:
            lines.append(f"from {_ROOT} import {', '.join(parts)}")
        return end.join(lines)

    def _shortened(self, statement: ast.Import | ast.ImportFrom, kept: list[ast.alias]) -> list[Edit]:
        """The edits that take names out of a statement."""
        code = self._code
        first, last = statement.names[0], statement.names[-1]
        names = ", ".join(f"{one.name} as {one.asname}" if one.asname else one.name for one in kept)
        if "#" in code.text(code.start(first), code.end(last)):
            staying = set(kept)
            _, slots = code.slots(code.start(statement), code.end(statement))
            return code.without(slots, [at for at, one in enumerate(statement.names) if one not in staying])
        return [Edit(code.start(first), code.end(last), names)]

    def _taken_out(self, one: TorchImport, *, emptied: bool) -> Edit:
        """The edit that takes a whole statement out, with its line where nothing else is on it; a comment stays there."""
        code, node = self._code, one.statement
        start, end = code.start(node), code.end(node)
        line_start, line_end = code.line_start(node.lineno), code.line_end(node.end_lineno or node.lineno)
        blanks = _BLANKS.match(code.data, end, line_end)
        rest = blanks.end() if blanks is not None else end
        if emptied or not begins_line(code, node) or code.data[rest : min(rest + 1, line_end)] not in {b"", b"#"}:
            return Edit(start, end, "pass")
        return Edit(start, rest, "") if rest < line_end else Edit(line_start, line_end, "")

    def _lost_comments(self, statement: ast.stmt, edits: Iterable[Edit]) -> Iterator[Edit]:
        """The edit that writes above a statement the comments in it that ``edits`` take away, if there are any."""
        code = self._code
        start, end = code.start(statement), code.end(statement)
        if code.comments(start, end):
            places = ((max(start, edit.start), min(end, edit.end)) for edit in edits)
            lost = dict.fromkeys(comment for place in places for comment in code.comments(*place))
            if lost:
                line = code.line_start(statement.lineno)
                indent = code.text(line, start)[:WIDEST]
                yield Edit(line, line, "".join(f"{indent}{comment}{code.newline()}" for comment in lost))

    def _inserted(self, lines: str, last: TorchImport | None) -> Edit:
        """The edit that puts imports behind the last one of PyTorch, else behind all at the top."""
        code = self._code
        body = code.tree.body
        node: ast.stmt | None = last.statement if last is not None else None
        if node is None:
            for statement in body:
                if code.end(statement) > self._first_use:
                    break
                is_head = _is_text(statement) and statement is body[0]
                if is_head or isinstance(statement, ast.Import | ast.ImportFrom):
                    node = statement
                elif not isinstance(statement, ast.If | ast.Try):
                    break
        end = code.newline()
        if node is None:
            start = self._line_before(0)
            return Edit(start, start, f"{lines}{end}")
        number = first = next(at for at, statement in enumerate(body) if statement is node)
        place = None
        while place is None and number < len(body):  # the next line that no statement goes on in
            place = self._line_behind(body[number])
            number += 1
        if place is not None and place <= self._first_use:
            return Edit(place, place, f"{lines}{end}")
        while first and self._line_behind(body[first - 1]) is None:
            first -= 1
        if (first == 0 and _is_text(body[0])) or _is_future(body[first]):  # these have to stay in front
            start = code.end(node)
            return Edit(start, start, f"; {'; '.join(lines.split(end))}")
        start = self._line_before(first)
        return Edit(start, start, f"{lines}{end}")

    def _line_behind(self, statement: ast.stmt) -> int | None:
        """Where the line behind a statement at the top begins; None where another statement stands on its last line."""
        found = _LINE_REST.match(self._code.data, self._code.end(statement))
        return found.end() if found is not None else None

    def _line_before(self, number: int) -> int:
        """Where the line begins on which a statement at the top does, which is the first of its line."""
        code, body = self._code, self._code.tree.body
        if not body:
            return 0
        start = code.end(body[number - 1]) if number else 0
        statement = body[number]
        marks = statement.decorator_list if isinstance(statement, DECORATED) else []
        place = start
        for found in _BETWEEN.finditer(code.data, start, code.start(marks[0] if marks else statement)):
            if found[0] == b"@":
                break
            place = found.end() if found[1] else place
        return place


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges in their order; those that overlap as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _is_covered(place: int, starts: list[int], covered: list[tuple[int, int]]) -> bool:
    at = bisect_right(starts, place) - 1
    return at >= 0 and covered[at][0] <= place < covered[at][1]
