"""Ports a piece of code: every edit that the rules of the database make in it, with its label, and comments for what is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import chain, islice

import msgspec

from apidiff.model.python_tree import python_tree
from apidiff.model.source_names import SourceNames
from apidiff.porting.changes import Change, Ported, PortOptions, Repair, without_overlaps
from apidiff.porting.code_anchors import CodeAnchors
from apidiff.porting.code_text import CodeText, Edit, apply_edits
from apidiff.porting.edited_statements import EditedStatements
from apidiff.porting.file_scan import Reference
from apidiff.porting.import_edits import Imports
from apidiff.porting.judgement import Judge, Label
from apidiff.porting.layer_changes import depend_on_layers, of_layers
from apidiff.porting.port_comments import PortComments
from apidiff.porting.reference_changes import ReferenceChanges
from apidiff.porting.source_text import Block, UnreadableSource, refuse_much
from apidiff.porting.text_scan import scan_text
from apidiff.porting.torch_names import TorchNames, read_result_types
from apidiff.porting.tree_scan import ScannedFile
from apidiff.porting.used_names import UsedNames

_MOST_REPAIRS = 20  # at once: an editor may ask for all of the text
_MOST_TRIED = 500  # edits of one text of which it is kept whether they give Python
_MOST_KEPT = 2**20  # characters of all texts whose ports are kept
_MOST_PARSED = 2**20  # bytes for the repairs of one answer: a statement may be most of the text, and is parsed for each

_Key = tuple[Edit, ...]  # what tells a change: its edits


class Porter:
    """Ports code for one release and device; made once and used for many texts.

    Args:
        judge: judges references for the release and the device.
        names: what the database calls APIs.
        options: how to port.
    """

    def __init__(self, judge: Judge, names: SourceNames, options: PortOptions | None = None) -> None:
        self.judge, self.options = judge, options or PortOptions()
        self.names = TorchNames(names, read_result_types(), ported=True)
        # By path the text that repairs were asked for last, and its port: an editor asks again wherever the cursor goes.
        self._asked: dict[str, tuple[str, _Port]] = {}

    def port_text(self, text: str, path: str = "text.py", needed: Iterable[str] = ()) -> Ported:
        """Port a piece of Python code by itself. Raises UnreadableSource for what is no Python.

        ``path``: what to call it; ``needed``: names that what stands around it needs.
        """
        with _depth_told():
            scanned = msgspec.structs.replace(scan_text(text, path, self.names), asked=frozenset(needed))
        if scanned.names.problems:
            problem = scanned.names.problems[0]
            raise UnreadableSource(problem.code, problem.line, problem.detail)
        return self.port_scanned(text, scanned)

    def repairs(self, text: str, path: str, first: tuple[int, int], last: tuple[int, int]) -> list[Repair]:
        """The first changes that can be made between two places, by line and column from 1. Raises UnreadableSource."""
        with _depth_told():
            known = self._asked.pop(path, None)
            if known is None or known[0] != text:
                known = None  # before the next is made: the syntax of each may take half a GB
                while self._asked and sum(len(one) for one, _ in self._asked.values()) + len(text) > _MOST_KEPT:
                    del self._asked[next(iter(self._asked))]
                known = text, self._port(text, scan_text(text, path, self.names))
            self._asked[path] = known
            return known[1].repairs(first, last)

    def writes(self, reference: Reference) -> bool:
        """Whether a reference is likely to be written with a target: places that no rule writes are seen with their code."""
        if reference.divided:
            return False
        label = self.judge.judge(reference.name, reference.role, reference.form).label
        return label is Label.VERIFIED or (self.options.unsafe and label is Label.UNSAFE)

    def port_scanned(self, text: str, scanned: ScannedFile, encoding: str = "utf-8") -> Ported:
        """Port code that was scanned, with ``ported=True``, along with the files around it. Raises UnreadableSource.

        ``encoding``: of the file, in which the comments can be written.
        """
        with _depth_told():
            changes, edits = self._port(text, scanned, encoding).changes()
            # By now the syntax of the text is gone, so that it does not stand in memory beside that of the ported one.
            return Ported(_written(text.encode(), edits), changes, edits)

    def _port(self, text: str, scanned: ScannedFile, encoding: str = "utf-8") -> _Port:
        try:
            code = CodeText(text)
        except SyntaxError as error:
            raise UnreadableSource("syntax", error.lineno or 1, error.msg) from error
        except (ValueError, RecursionError, MemoryError) as error:
            raise UnreadableSource("nested", 1, str(error)) from error
        return _Port(code, scanned, self.judge, self.options, encoding)


@contextmanager
def _depth_told() -> Iterator[None]:
    """Raise UnreadableSource for code that parses, but is deeper than what goes through it: the rest of a tree is ported."""
    try:
        yield
    except RecursionError as error:
        raise UnreadableSource("nested", detail=str(error)) from error


class _Port:
    """The port of one text."""

    def __init__(self, code: CodeText, scanned: ScannedFile, judge: Judge, options: PortOptions, encoding: str) -> None:
        self._code, self._scanned, self._judge, self._options = code, scanned, judge, options
        self._anchors = CodeAnchors(code)
        self._changes = ReferenceChanges(code, self._anchors, scanned, judge, options)
        self._comments = PortComments(code, self._anchors, options, encoding)
        self._given_python: dict[_Key, tuple[bool, int]] = {}

    def changes(self) -> tuple[list[Change], list[Edit]]:
        """The changes, and the edits of all of them in their order."""
        changes = self._all
        made = list(dict.fromkeys(edit for one in changes if one.state == "made" for edit in one.edits))
        imports = Imports(self._names, made, self._scanned.collisions)
        made = [Edit(edit.start, edit.end, imports.spelled(edit.text)) for edit in made]
        edits = _ordered(imports.edits(), self._comments.edits(changes), made)
        spelled = [
            msgspec.structs.replace(
                one, edits=[Edit(edit.start, edit.end, imports.spelled(edit.text)) for edit in one.edits]
            )
            for one in changes
        ]
        return spelled, edits

    @cached_property
    def _names(self) -> UsedNames:
        return UsedNames(self._code, needed=self._scanned.asked, kept=self._scanned.names.ignored)

    def repairs(self, first: tuple[int, int], last: tuple[int, int]) -> list[Repair]:
        """The first changes that can be made between two places, without those that would not give Python.

        Fewer where the statements that they are in are long; the first is always looked at.
        """
        found = []
        parsed = 0  # bytes
        for change, group in islice(self._groups(first, last), _MOST_REPAIRS):
            made = [one for one in group if one.state == "made"]
            own = list(dict.fromkeys(edit for one in made for edit in one.edits))
            imports = Imports(self._names, own, self._scanned.collisions)
            own = [Edit(edit.start, edit.end, imports.spelled(edit.text)) for edit in own]
            edits = _ordered(imports.edits(), self._comments.edits(group), own)
            size = self._statements.size(edits)
            if parsed and parsed + size > _MOST_PARSED:
                break
            is_python, more = self._gives_python(edits)
            parsed += size + more
            if is_python:
                found.append(Repair(_like_worst(change, made), edits, [one for one in made if one is not change]))
        return found

    def _groups(self, first: tuple[int, int], last: tuple[int, int]) -> Iterator[tuple[Change, list[Change]]]:
        """The changes that are made between two places, each with all that are right with it only: itself, or those of layers."""
        changes, layers = self._all, self._layers
        groups = _by_edits(layers)
        if any(_is_between(change, first, last) for change in layers):
            groups |= _by_edits(self._proven_layers)
        offered = set[_Key]()
        for change in changes:
            key = tuple(change.edits)
            if _is_between(change, first, last) and key not in offered:
                group = groups.get(key, [change])
                offered.update(own for own in groups if groups[own] is group)
                yield change, group

    @cached_property
    def _all(self) -> list[Change]:
        return without_overlaps(self._changes.all())

    @cached_property
    def _layers(self) -> list[Change]:
        return of_layers(self._code, self._scanned, self._all)

    @cached_property
    def _proven_layers(self) -> list[Change]:
        """The changes of layers that are right without those that have conditions; none where some would not be found again."""
        if not self._options.unsafe:
            return self._layers
        if depend_on_layers(self._scanned.layers.values()):
            return []
        options = msgspec.structs.replace(self._options, unsafe=False)
        proven = ReferenceChanges(self._code, self._anchors, self._scanned, self._judge, options)
        return of_layers(self._code, self._scanned, without_overlaps(proven.all()))

    def _gives_python(self, edits: list[Edit]) -> tuple[bool, int]:
        """Whether the text is Python with the edits made, and how many bytes beside their statements had to be parsed for that.

        It is kept: an editor asks for the same again and again.
        """
        key = tuple(edits)
        if key not in self._given_python:
            if len(self._given_python) >= _MOST_TRIED:
                self._given_python.clear()
            is_plain = self._statements.give_python(edits)
            self._given_python[key] = (True, 0) if is_plain else (self._is_written(edits), len(self._code.data))
        return self._given_python[key]

    def _is_written(self, edits: Sequence[Edit]) -> bool:
        """Whether the text is Python with the edits made."""
        try:
            _written(self._code.data, edits)
        except UnreadableSource:
            return False
        return True

    @cached_property
    def _statements(self) -> EditedStatements:
        return EditedStatements(self._code, self._anchors)


def _is_between(change: Change, first: tuple[int, int], last: tuple[int, int]) -> bool:
    """Whether a change is made between two places."""
    place, end = (change.line, change.column), (change.end_line, change.end_column)
    return change.state == "made" and place <= last and first <= end


def _by_edits(group: list[Change]) -> dict[_Key, list[Change]]:
    """The group of each of its changes that is made."""
    return {tuple(one.edits): group for one in group if one.state == "made"}


def _like_worst(change: Change, made: Iterable[Change]) -> Change:
    """A change on the condition of one that is made with it, where it has none."""
    if change.label != Label.VERIFIED.value:
        return change
    worst = next((one for one in made if one.label != Label.VERIFIED.value), change)
    return msgspec.structs.replace(change, label=worst.label, why=worst.why)


def _written(data: bytes, edits: Sequence[Edit]) -> str:
    """The text with the edits made. Raises UnreadableSource where it is no Python then, or too large to be read again."""
    try:
        text = apply_edits(data, edits).decode()
        if edits:
            _refuse_grown(text)
        python_tree(text)
    except SyntaxError as error:
        raise UnreadableSource("broken_line", _line_before(data, edits, error.lineno or 1), error.msg) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise UnreadableSource("broken", detail=str(error)) from error
    return text


def _refuse_grown(text: str) -> None:
    try:
        refuse_much([Block(text.replace("\r\n", "\n"))])  # as it is read
    except UnreadableSource as error:
        raise UnreadableSource(f"ported_{error.code}", detail=error.detail) from error


def _line_before(data: bytes, edits: Sequence[Edit], line: int) -> int:
    """The line of the text that is ``line`` with the edits, which are in order, made."""
    at, here, more, last = 0, 1, 0, 1  # `here`: the line of a byte `at` which an edit begins
    for edit in edits:
        here += data.count(b"\n", at, edit.start)
        at = edit.start
        if here + more >= line:
            break
        more += edit.text.count("\n") - data.count(b"\n", edit.start, edit.end)
        last = here
    return max(line - more, last)


def _ordered(*groups: Iterable[Edit]) -> list[Edit]:
    """Edits in their order in the text; of those that put text in at one place, those of the first group come first."""
    return sorted(chain.from_iterable(groups), key=lambda edit: (edit.start, edit.end))
