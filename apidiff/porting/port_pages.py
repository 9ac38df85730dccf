"""Ports the code in notebooks and Markdown pages: its blocks as one program. What is no code, and code without edits, stays.

Blocks that a prompt begins (``>>>``) and those that do not parse are left as they are. What they need stays imported.
"""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import msgspec

from apidiff.porting.changed_lines import edited_lines
from apidiff.porting.changes import Ported
from apidiff.porting.code_text import WIDEST, Edit, apply_edits
from apidiff.porting.notebook_cells import replace_sources
from apidiff.porting.port_text import Porter
from apidiff.porting.source_text import (
    NOTEBOOK,
    TOO_LARGE,
    Block,
    Parsed,
    UnreadableSource,
    cell_source,
    notebook_cells,
    parse_blocks,
)
from apidiff.porting.text_scan import SNIPPET
from apidiff.porting.used_names import bound_name

_LINE_END = re.compile(r"\r\n|\r|\n")
_LAST_END = re.compile(r"(?:\r\n|\r|\n)\Z")
_WORD = re.compile(r"\w+")
# A line for the shell names Python's variables in braces or behind a dollar sign: `!pip install torch` names none.
_SHELL = re.compile(
    r"\s*+(?:[\w\s,]++=\s*+)?(?:!|%(?:pip|conda|mamba|micromamba|uv|cd|env|set_env|sx|system|load_ext)\b)"
)
_EXPANDED = re.compile(r"\{[^{}]*\}|\$\w+")


class _Piece(msgspec.Struct, frozen=True):
    """A block with the lines of the page or the cell that it was read from."""

    block: Block
    lines: list[str]

    @property
    def stays(self) -> bool:
        """Whether it holds nothing to port: nothing, or what somebody typed at a prompt with what came back."""
        return not self.block.text.strip() or self.block.typed


def port_page(text: str, kind: str, porter: Porter) -> Ported:
    """Port the code in ``text``, a notebook or a page of Markdown. Raises UnreadableSource where the result is neither."""
    blocks, needed = _read(text, kind)
    pieces = list(_pieces(text, kind, blocks))
    code = [piece.block.text for piece in pieces if not piece.stays]
    try:
        ported = porter.port_text("\n".join(code), SNIPPET, needed)
    except UnreadableSource as error:
        if error.code != "broken_line":  # which is one of all blocks together
            raise
        raise UnreadableSource("broken", detail=error.detail) from error
    edits = _edits_of_blocks(code, ported.edits)
    written = [(piece, [] if piece.stays else _below_magic(piece, next(edits))) for piece in pieces]
    after = [apply_edits(piece.block.text.encode(), own).decode() for piece, own in written]
    changed = [(piece, own, new) for (piece, own), new in zip(written, after, strict=True) if new != piece.block.text]
    if kind == NOTEBOOK:
        page = replace_sources(
            text, {(piece.block.cell or 1) - 1: _source(piece, own, new) for piece, own, new in changed}
        )
    else:
        lines = _lines_of(text)
        for piece, own, new in changed:
            start = piece.block.first - 1
            # All in the place of the first line: what follows keeps its number.
            lines[start : start + len(piece.lines)] = [
                "".join(_rewritten(piece, own, new)),
                *[""] * (len(piece.lines) - 1),
            ]
        page = "".join(lines)
    if _read_back(page, kind) != [code if code.strip() else "" for code in after]:
        raise UnreadableSource("broken", detail="its code would not be read back as it was written")
    return msgspec.structs.replace(ported, text=page)


def _read(text: str, kind: str) -> tuple[list[Block], set[str]]:
    """The blocks of a page that are Python, and the names that what is left as it is may look up. Raises UnreadableSource.

    Left are what IPython reads, what does not parse, and sessions. Names that a session binds itself are none for it and those
    below. No block's syntax is kept: that of all together follows.
    """
    blocks, needed, bound = list[Block](), set[str](), set[str]()
    for part in parse_blocks(text.encode(), kind):
        if part.block is None:
            continue
        lines = list(part.block.unread)
        if isinstance(part, Parsed):
            blocks.append(part.block)
            if part.block.typed:
                needed |= _names_of_session(part.tree, bound)
        else:
            lines += part.block.text.split("\n")
        for line in lines:
            words = _EXPANDED.findall(line) if _SHELL.match(line) else [line]
            needed.update(word for some in words for word in _WORD.findall(some))
    return blocks, needed


def _read_back(page: str, kind: str) -> list[str]:
    """The code of the blocks of a ported page that are Python; of blanks alone, none, which an emptied block keeps.

    Raises UnreadableSource, with a code that is a port's.
    """
    try:
        texts = [part.block.text for part in parse_blocks(page.encode(), kind) if isinstance(part, Parsed)]
        return [text if text.strip() else "" for text in texts]
    except UnreadableSource as error:
        code = f"ported_{error.code}" if error.code in TOO_LARGE else "broken"
        raise UnreadableSource(code, detail=error.detail) from error


def _pieces(text: str, kind: str, blocks: Iterable[Block]) -> Iterator[_Piece]:
    """The blocks of a page with their lines. Raises UnreadableSource."""
    if kind == NOTEBOOK:
        cells = notebook_cells(text.encode())
        for block in blocks:
            yield _Piece(block, _lines_of(cell_source(cells[(block.cell or 1) - 1])))
    else:
        lines = _lines_of(text)
        for block in blocks:
            yield _Piece(block, lines[block.first - 1 : block.first - 1 + len(block.shifts)])


def _names_of_session(tree: ast.Module, bound: set[str]) -> set[str]:
    """The names that a session looks up; those that it binds are added to ``bound``, and left out."""
    nodes = list(ast.walk(tree))
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            bound.update(bound_name(node, alias) for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
    return {node.id for node in nodes if isinstance(node, ast.Name) and node.id not in bound}


def _edits_of_blocks(code: Sequence[str], edits: Sequence[Edit]) -> Iterator[list[Edit]]:
    """The edits of each block. They count bytes of all blocks with a line end between, and then those of their own.

    One that takes the last line of a block out takes the line end before it, where that is there, not that between. Raises
    UnreadableSource.
    """
    waiting = deque(sorted(edits, key=lambda edit: (edit.start, edit.end)))
    start = 0
    for text in code:
        end = start + len(text.encode())
        own = list[Edit]()
        while waiting and waiting[0].start <= end:
            edit = waiting.popleft()
            begin, until = edit.start - start, edit.end - start
            if edit.end == end + 1 and not edit.text:
                begin, until = begin - 1 if begin > (own[-1].end if own else 0) else begin, until - 1
            if begin < 0 or start + until > end:
                raise UnreadableSource("broken", detail="an edit would reach over two blocks of code")
            own.append(Edit(begin, until, edit.text))
        yield own
        start = end + 1


def _below_magic(piece: _Piece, edits: list[Edit]) -> list[Edit]:
    """``edits``, of which none is in front of the magic of a cell (``%%time``): that is its first line, or is none."""
    if not (piece.lines[0].lstrip(" \t>").startswith("%%") and piece.block.text.startswith("\n")):
        return edits
    return [Edit(1, 1, edit.text) if edit.end == 0 else edit for edit in edits]


def _source(piece: _Piece, edits: Sequence[Edit], after: str) -> str:
    """The source of a cell for the code ``after``. It ends with a line end only where that does: its last line may be gone."""
    source = "".join(_rewritten(piece, edits, after))
    return source if after.endswith("\n") else _LAST_END.sub("", source)


def _rewritten(piece: _Piece, edits: Sequence[Edit], after: str) -> Iterator[str]:
    """The lines of the page for the code ``after``, which ``edits`` make.

    They are those of before where the code is the same, and begin with what stood in front of it.
    """
    block, lines = piece.block, piece.lines
    old, new = block.text.split("\n"), after.split("\n")
    ends = list(_ends_after(block.text.encode(), edits, lines))
    first = next((number for number, line in enumerate(old) if line.strip()), 0)
    at = 0
    for start, stop, begin, until in edited_lines(block.text.encode(), edits, old, new):
        yield from lines[at:start]
        for number in range(begin, until):
            own = min(start + number - begin, max(start, stop - 1), len(old) - 1)
            like = own if old[own].strip() else first
            front = lines[like][: block.shifts[like]] if new[number] or like == own else ""
            is_repeated = like != own or number - begin >= stop - start
            if is_repeated and len(front) > WIDEST:
                raise UnreadableSource("wide", detail=str(WIDEST))
            yield front + new[number] + ends[number]
        at = stop
    yield from lines[at:]


def _ends_after(data: bytes, edits: Iterable[Edit], lines: Iterable[str]) -> Iterator[str]:
    """The end of each line that ``edits`` of ``data`` leave or make: each line keeps its own, a new one has the first there is.

    ``lines``: those of the page, one for each of ``data``.
    """
    own = [found[0] if (found := _LINE_END.search(line)) else "" for line in lines]
    new = next(filter(None, own), "\n")
    at = line = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        begin = line + data.count(b"\n", at, edit.start)
        stop = begin + data.count(b"\n", edit.start, edit.end)
        made = edit.text.count("\n")
        yield from own[line : min(stop, begin + made)]
        yield from [new] * (begin + made - stop)
        at, line = edit.end, stop
    yield from own[line:]


def _lines_of(text: str) -> list[str]:
    """The lines with their ends; the last may have none."""
    ends = [0, *(found.end() for found in _LINE_END.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(ends)]
