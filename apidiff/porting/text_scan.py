"""Scans text that lies in no file, or is being typed: the document of an editor, a snippet."""

from __future__ import annotations

from pathlib import PurePath

from apidiff.porting.file_scan import FileNames, scan_parsed
from apidiff.porting.source_files import Problem, SourceFile
from apidiff.porting.source_text import HALF, NOTEBOOK, PYTHON, UnreadableSource, kind_of, parse_code, parse_text
from apidiff.porting.torch_names import TorchNames
from apidiff.porting.tree_modules import TreeModules
from apidiff.porting.tree_scan import ScannedFile, link_names

SNIPPET = "<snippet>"
_REPAIRS = 8  # lines that may be half typed
LONGEST_LINE = 100_000  # characters: one of five million, as "1+1+…", takes Python's parser half a minute


def scan_text(text: str, path: str, names: TorchNames, *, half_typed: bool = False) -> ScannedFile:
    """Scan ``text`` by itself; what it imports from other files is not followed.

    Args:
        text: the code.
        path: what to call it; the suffix says whether it is a module, a notebook or a page of Markdown. Names that a `SNIPPET`
            does not bind are taken for what everyone calls modules: ``F.relu``.
        names: what names of PyTorch mean.
        half_typed: whether lines that do not parse, or are longer than `LONGEST_LINE`, are passed over, so that the rest is
            scanned; half of a character, which an editor may send and Python does not read, stands for any.
    """
    kind = kind_of(PurePath(path))
    module = PurePath(path).stem if kind == PYTHON and path != SNIPPET else f"<{path}>"
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if half_typed:
        text = HALF.sub("\ufffd", text)  # places stay: a column in each unit that editors count
    passed_over: set[int] = set()
    repairs = 0  # a line may be passed over twice, so lines are not what is counted
    first: list[Problem] = []
    long: list[Problem] = []
    if half_typed and kind != NOTEBOOK:  # of a notebook, which is JSON, one line may be all there is
        for number in long_lines(text):
            long.append(Problem(path, "long_line", number, f"{LONGEST_LINE:,}"))
            text = _without_line(text, number - 1, passed_over)
    while True:
        try:
            parsed, failed = (
                parse_code(text.encode(errors="replace"), kind) if kind == NOTEBOOK else parse_text(text, kind)
            )
        except UnreadableSource as error:
            first = first or [Problem(path, error.code, error.line, error.detail)]
            if half_typed and error.code == "syntax" and repairs < _REPAIRS:
                repairs += 1
                text = _without_line(text, error.line - 1, passed_over)
                continue
            return ScannedFile(FileNames(path, [], [], None, [*long, *first], {}), [])
        file = SourceFile(path, module, False)
        names_found = scan_parsed(file, parsed, failed, names, TreeModules([file]))
        names_found.problems[:0] = [*long, *first]
        return link_names([names_found], names)[0]


def long_lines(text: str) -> list[int]:
    """The numbers of lines that are too long to be parsed while somebody types, from 1."""
    if len(text) <= LONGEST_LINE:
        return []
    return [number for number, line in enumerate(text.split("\n"), 1) if len(line) > LONGEST_LINE]


def _without_line(text: str, line: int, passed_over: set[int]) -> str:
    """``text`` with a line that does not parse replaced, or the nearest above it that has not been."""
    lines = text.split("\n")
    line = min(line, len(lines) - 1)
    while line > 0 and (line in passed_over or not lines[line].strip()):
        line -= 1
    passed_over.add(line)
    indent = _indent(lines[line])
    below = next((later for later in lines[line + 1 :] if later.strip()), "")
    # What heads a block keeps heading it.
    lines[line] = " " * indent + ("if 1:" if _indent(below) > indent else "pass")
    return "\n".join(lines)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
