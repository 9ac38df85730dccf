"""Tries edits by parsing the statements that hold them: the rest of a long text need not be parsed for each of many edits."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from apidiff.model.python_tree import NO_PYTHON, python_tree
from apidiff.porting.code_anchors import CodeAnchors
from apidiff.porting.code_text import CodeText, Edit, apply_edits

_Part = tuple[int, int]  # the bytes of statements, with whole lines
_BEFORE = re.compile(rb"[ \t\f@]*")
_INDENT = re.compile(rb"[ \t\f]*")


class EditedStatements:
    """The statements of one text by their lines, those in others too."""

    def __init__(self, code: CodeText, anchors: CodeAnchors) -> None:
        self._code, self._anchors = code, anchors
        self._whole: _Part = (0, len(code.data))
        # Where a part begins: where it ends, and the part around it.
        self._around: dict[int, tuple[int, _Part]] = {0: (len(code.data), self._whole)}
        waiting: list[tuple[ast.AST, _Part]] = [(code.tree, self._whole)]
        while waiting:
            node, part = waiting.pop()
            for block in _blocks(node):
                waiting += self._parts_of(block, part, is_top=node is code.tree)
        self._starts = sorted(self._around)

    def _parts_of(self, block: Sequence[ast.stmt], around: _Part, *, is_top: bool) -> Iterator[tuple[ast.stmt, _Part]]:
        """The statements of a block with the part in which each stands; several may stand in one."""
        code = self._code
        begun = [self._begin(statement) for statement in block]
        if is_top:
            starts, end = {0, *begun}, around[1]
        else:
            starts = {start for statement, start in zip(block, begun, strict=True) if self._is_first(statement, start)}
            end = code.line_end(block[-1].end_lineno or block[-1].lineno)
        parts = dict(pairwise([*sorted(starts), end]))
        self._around.update({start: (stop, around) for start, stop in parts.items()})
        for statement, start in zip(block, begun, strict=True):
            yield statement, (start, parts[start]) if start in parts else around

    def _begin(self, statement: ast.stmt) -> int:
        """The byte at which the line begins on which a statement does."""
        return self._code.line_start(self._anchors.anchor(_head(statement).lineno))

    def _is_first(self, statement: ast.stmt, start: int) -> bool:
        """Whether nothing stands before a statement on the line that begins at a byte; what begins with `elif` is none."""
        code = self._code
        before = _BEFORE.match(code.data, start)
        begins = before is not None and before.end() >= code.start(_head(statement))
        return begins and not code.data.startswith(b"elif", code.start(statement))

    def size(self, edits: Sequence[Edit]) -> int:
        """How many bytes the statements have that edits are in."""
        return sum(end - start for (start, end), _ in self._parts(edits))

    def give_python(self, edits: Sequence[Edit]) -> bool:
        """Whether the statements that edits are in are Python with them made; False where only the whole text tells."""
        try:
            return all(self._is_python(part, own) for part, own in self._parts(edits))
        except NO_PYTHON:
            return False

    def _is_python(self, part: _Part, edits: Sequence[Edit]) -> bool:
        data, (start, end) = self._code.data, part
        shifted = [Edit(edit.start - start, edit.end - start, edit.text) for edit in edits]
        text = apply_edits(data[start:end], shifted).decode()
        if end < len(data) and text and not text.endswith(("\n", "\r")):  # what follows would go on in its last line
            return False
        found = _INDENT.match(data, start)
        indent = found[0].decode() if found is not None else ""
        if not indent:
            python_tree(text)
            return True
        # Behind a statement that shows how far the block is indented, and in what has no `else`; something has to be left.
        block = python_tree(f"class _:\n{indent}pass\n{text}").body
        return len(block) == 1 and isinstance(block[0], ast.ClassDef) and len(block[0].body) > (start < end)

    def _parts(self, edits: Sequence[Edit]) -> Iterator[tuple[_Part, list[Edit]]]:
        """Parts that do not overlap, with the edits in them."""
        parts = [self._part(edit) for edit in edits]
        part, own = (0, 0), list[int]()
        for number in sorted(range(len(edits)), key=lambda at: (parts[at][0], -parts[at][1])):
            if own and parts[number][0] >= part[1]:
                yield part, [edits[at] for at in sorted(own)]
                own = []
            part = part if own else parts[number]
            own.append(number)
        if own:
            yield part, [edits[at] for at in sorted(own)]

    def _part(self, edit: Edit) -> _Part:
        """The smallest part that holds an edit, else the text; lines put in where a part begins are one by themselves."""
        if edit.start == edit.end and edit.start in self._around and edit.text.endswith(("\n", "\r")):
            return edit.start, edit.end
        start = self._starts[bisect_right(self._starts, edit.start) - 1]
        stop, around = self._around[start]
        while not (edit.start < stop and edit.end <= stop) and around != self._whole:
            start = around[0]
            stop, around = self._around[start]
        return (start, stop) if edit.start < stop and edit.end <= stop else self._whole


def _head(statement: ast.stmt) -> ast.expr | ast.stmt:
    """What a statement begins with: its first decorator, else itself."""
    marks: list[ast.expr] = getattr(statement, "decorator_list", [])
    return marks[0] if marks else statement


def _blocks(node: ast.AST) -> Iterator[Sequence[ast.stmt]]:
    """The blocks of statements that stand in a node."""
    for _, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield value
        elif isinstance(value, list) and value and isinstance(value[0], ast.ExceptHandler | ast.match_case):
            for part in value:
                yield part.body
