"""Reads the Python code in a file: a module, the cells of a notebook, the fences of a Markdown page. It is not run."""

from __future__ import annotations

import ast
import codecs
import io
import json
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath

import msgspec

from apidiff.database.regular_files import read_regular
from apidiff.model.python_tree import python_tree

NOTEBOOK, MARKDOWN, PYTHON = ".ipynb", ".md", ".py"
SUFFIXES = {".py": PYTHON, ".pyi": PYTHON, ".pyw": PYTHON, ".ipynb": NOTEBOOK, ".md": MARKDOWN, ".markdown": MARKDOWN}
_LARGEST = 64 * 2**20  # bytes
_LARGEST_NOTEBOOK = 32 * 2**20  # bytes: lists in lists take fifty times their room in memory
_LARGEST_CODE = 2 * 2**20  # characters
# Words, signs and ends of lines: the syntax of each and what is found in it may take 2 kB. PyTorch's longest file, of 28,000
# lines, has 300,000.
_MOST_TOKENS = 500_000
_TOKEN = re.compile(r"\w+|[^\w\s]|\n")
TOO_LARGE = {"large", "many_tokens"}
"""The codes of what is too large to be read."""
_OF_HOSTS = {"idna", "punycode"}
# What a part took is not given back (`*+`): a line of blanks and a backtick at its end would take for ever.
_FENCE = re.compile(
    r"^(?P<front>[ \t>]*+(?:(?P<item>[-*+]|[0-9]{1,9}+[.)])[ \t][ \t>]*+)*+)"
    r"(?P<mark>`{3,}+|~{3,}+)[ \t]*+(?P<info>[^`\n]*+)$"
)
_LANGUAGE = re.compile(
    r"^(?:\{(?:code|code-block|code-cell|sourcecode)[^}]*\}\s*)?\.?\{?\.?(?:python3?|py|pycon|ipython3?)\b",
    re.IGNORECASE,
)
HALF = re.compile("[\ud800-\udfff]")
"""Half of a character, which stands in no file."""
_PROMPT = re.compile(r"\s*>>> ?")
_CONTINUED = re.compile(r"\s*\.\.\. ?")
_MAGIC = re.compile(r"^(\s*)([!%?]|\w[\w.]*\?\??\s*$)")
# What a magic or the shell gives is bound to names: these stay bound.
_ASSIGNED = re.compile(r"^(\s*+\w++(?:\s*+,\s*+\w++)*+\s*+=\s*+)(?:!|%\w)")
# Cell magics whose cells are not run by this Python.
_OTHER_LANGUAGES = re.compile(
    r"%%(?:!|(?:bash|sh|cmd|script|system|sx|perl|ruby|javascript|js|html|svg|latex|markdown|writefile|file)\b)",
    re.IGNORECASE,
)


class UnreadableSource(Exception):
    """A file whose code cannot be read. ``code``: the key of the message; ``line``: 0 where it is about none; ``detail``: why.

    ``block``: the code that does not parse.
    """

    def __init__(self, code: str, line: int = 0, detail: str = "", block: Block | None = None) -> None:
        super().__init__(code, line, detail)
        self.code, self.line, self.detail, self.block = code, line, detail, block


class Block(msgspec.Struct, frozen=True):
    """A piece of code.

    ``first``: the line of the file, or of the cell, on which it begins, from 1. ``cell``: of a notebook, from 1. ``shifts``:
    characters that were cut from the front of each line. ``typed``: whether somebody typed it at a prompt (``>>>``).
    ``unread``: lines that IPython reads, which are not in ``text``, but may name what the code binds.
    """

    text: str
    first: int = 1
    cell: int | None = None
    shifts: tuple[int, ...] = ()
    typed: bool = False
    unread: tuple[str, ...] = ()


class Parsed(msgspec.Struct, frozen=True):
    """A block that is Python, with its syntax."""

    block: Block
    tree: ast.Module


def kind_of(path: PurePath) -> str:
    """Whether a file is a module, a notebook or a page of Markdown, by its name."""
    return SUFFIXES.get(path.suffix.lower(), PYTHON)


def read_content(path: Path) -> bytes:
    """Read the bytes of ``path``. Raises UnreadableSource, also for a pipe or a device, which need not end."""
    try:
        content = read_regular(path, _LARGEST + 1)
    except OSError as error:
        raise UnreadableSource("unreadable", detail=error.strerror or str(error)) from error
    _refuse_large(len(content), _LARGEST)
    return content


def _refuse_large(size: int, most: int) -> None:
    if size > most:
        raise UnreadableSource("large", detail=f"{most // 2**20} MiB")


def refuse_much(blocks: Sequence[Block]) -> None:
    """Raise UnreadableSource for code that is too large to be parsed, which is told before: its syntax fills the memory."""
    length = sum(len(block.text) for block in blocks)
    _refuse_large(length, _LARGEST_CODE)
    if length > _MOST_TOKENS and sum(1 for block in blocks for _ in _TOKEN.finditer(block.text)) > _MOST_TOKENS:
        raise UnreadableSource("many_tokens", detail=f"{_MOST_TOKENS:,}")


def parse_code(content: bytes, kind: str) -> tuple[list[Parsed], list[UnreadableSource]]:
    """Parse ``content``, a module, a notebook or a page of Markdown; of the last two each block that does not parse is told.

    Raises UnreadableSource where nothing can be read.
    """
    if kind == NOTEBOOK:
        return _divided(_parsed_each(list(_cells(content))))
    return parse_text(decoded(content, python=kind == PYTHON), kind)


def parse_text(text: str, kind: str) -> tuple[list[Parsed], list[UnreadableSource]]:
    """Parse ``text``, a module or a page of Markdown, whose lines end in a line feed. Raises UnreadableSource."""
    if kind == MARKDOWN:
        return _divided(_parsed_each(list(_fences(text))))
    block = Block(text)
    refuse_much([block])
    return [Parsed(block, _parse(block))], []


def parse_blocks(content: bytes, kind: str) -> Iterator[Parsed | UnreadableSource]:
    """Parse the blocks of ``content``, a notebook or a page of Markdown, one after the other: each has its syntax, or why not.

    Raises UnreadableSource where nothing can be read.
    """
    return _parsed_each(list(_cells(content) if kind == NOTEBOOK else _fences(decoded(content, python=False))))


def decoded(content: bytes, *, python: bool) -> str:
    """Decode source text as Python does, lines ended by a line feed. Raises UnreadableSource."""
    if b"\0" in content:
        raise UnreadableSource("binary")
    try:
        text = content.decode(encoding_of(content) if python else "utf-8-sig")
    except (SyntaxError, UnicodeError, LookupError) as error:
        raise UnreadableSource("encoding", detail=str(error)) from error
    return _with_line_feeds(text)


def encoding_of(content: bytes) -> str:
    """The encoding that Python source names. Raises SyntaxError for one that is not known, or is one of names of hosts.

    Python takes hours to decode a few MB of those, and nobody writes code in them.
    """
    encoding = tokenize.detect_encoding(io.BytesIO(content).readline)[0]
    if codecs.lookup(encoding).name in _OF_HOSTS:
        raise SyntaxError(f"{encoding} is no encoding of source")
    return encoding


def _with_line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _parse(block: Block) -> ast.Module:
    """Raises UnreadableSource for what is no Python."""
    try:
        return python_tree(block.text)
    except SyntaxError as error:
        raise UnreadableSource("syntax", block.first - 1 + (error.lineno or 1), error.msg, block) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise UnreadableSource("nested", block.first, str(error), block) from error


def _parsed_each(blocks: Sequence[Block]) -> Iterator[Parsed | UnreadableSource]:
    """Each block with its syntax, or why it has none. What is yielded is not kept. Raises UnreadableSource at once."""
    refuse_much(blocks)
    return map(_parsed_block, blocks)


def _divided(parts: Iterable[Parsed | UnreadableSource]) -> tuple[list[Parsed], list[UnreadableSource]]:
    parsed, failed = [], []
    for part in parts:
        if isinstance(part, Parsed):
            parsed.append(part)
        else:
            failed.append(part)
    return parsed, failed


def _parsed_block(block: Block) -> Parsed | UnreadableSource:
    """``block`` with its syntax, without prompts where it has some; why it does not parse."""
    found = _parsed_somehow(block)
    # What begins with a prompt never parses as it stands; a prompt in a string, as of a docstring, is none.
    if isinstance(found, UnreadableSource) and (session := without_prompts(block)) is not None:
        found = _parsed_somehow(session)
    return found


def _parsed_somehow(block: Block) -> Parsed | UnreadableSource:
    """``block`` with its syntax, as it stands or else without magics; why it does not parse."""
    try:
        return Parsed(block, _parse(block))
    except UnreadableSource as error:
        plain = _without_magics(block)
        try:
            return Parsed(plain, _parse(plain))
        except UnreadableSource as other:  # that is about another line than those of IPython
            return other if plain.unread != block.unread else error


def _without_magics(block: Block) -> Block:
    """``block`` with the lines that IPython, not Python, reads taken out; behind a backslash they go on."""
    lines, unread = list[str](), list[list[str]]()
    goes_on = False
    for line in block.text.split("\n"):
        found = None if goes_on else _MAGIC.match(line) or _ASSIGNED.match(line)
        if goes_on:
            unread[-1].append(line)
            lines.append("")
        elif found is None:
            lines.append(line)
        else:
            unread.append([line])
            lines.append(f"{found[1]}''" if found.re is _ASSIGNED else f"{found[1]}pass")
        goes_on = (goes_on or found is not None) and line.endswith("\\")
    whole = map("\n".join, unread)  # joined once: each may go on for thousands of lines
    return msgspec.structs.replace(block, text="\n".join(lines), unread=(*block.unread, *whole))


def without_prompts(block: Block) -> Block | None:
    """What somebody typed at a prompt, without what came back, as `doctest` reads it; None where there is no prompt.

    A line with ``...`` goes on with the line above, where that was typed; else it is an ellipsis.
    """
    kept, shifts = block.text.split("\n"), list(block.shifts)
    typed = False
    if not any(_PROMPT.match(line) for line in kept):
        return None
    for at, line in enumerate(kept):
        found = _PROMPT.match(line) or (_CONTINUED.match(line) if typed else None)
        typed = found is not None
        kept[at] = line[found.end() :] if found else ""
        shifts[at] += found.end() if found else 0
    _dedent(kept, shifts)
    return msgspec.structs.replace(block, text="\n".join(kept), shifts=tuple(shifts), typed=True)


def _cells(content: bytes) -> Iterator[Block]:
    """The code cells of a notebook. Raises UnreadableSource."""
    for number, cell in enumerate(notebook_cells(content), start=1):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            yield _plain(_with_line_feeds(cell_source(cell)).split("\n"), 1, number)


def notebook_cells(content: bytes) -> list[object]:
    """The cells of a notebook of format 3 or 4, which a mark of UTF-8 may stand before. Raises UnreadableSource."""
    _refuse_large(len(content), _LARGEST_NOTEBOOK)
    try:
        notebook = _json(content.removeprefix(codecs.BOM_UTF8))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableSource("notebook", detail=str(error)) from error
    sheets = _list(notebook.get("worksheets")) if isinstance(notebook, dict) else []
    cells = _cells_of(sheets) or _cells_of([notebook])
    if not cells:
        raise UnreadableSource("no_cells")
    return cells


def _cells_of(sheets: list[object]) -> list[object]:
    return [cell for sheet in sheets if isinstance(sheet, dict) for cell in _list(sheet.get("cells"))]


def _json(content: bytes) -> object:
    """What the JSON says, also with what Python writes and JSON has not: NaN, infinities, halves of a character."""
    try:
        return msgspec.json.decode(content)
    except msgspec.DecodeError as error:
        try:
            return json.loads(content.decode())
        except ValueError:
            raise error from None


def cell_source(cell: object) -> str:
    """The source of a cell of a notebook, which may be written as lines. Raises UnreadableSource where it is no text."""
    source = cell.get("source", cell.get("input", "")) if isinstance(cell, dict) else ""
    lines = source if isinstance(source, list) else [source]
    texts = [line for line in lines if isinstance(line, str)]
    if len(texts) < len(lines) or any(map(HALF.search, texts)):
        raise UnreadableSource("notebook", detail="the source of a cell is no text")
    return "".join(texts)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _fences(text: str) -> Iterator[Block]:
    """The fenced blocks of Python in a page of Markdown."""
    mark, cut, first, lines = "", 0, 0, list[str]()
    wanted = False
    for number, line in enumerate([*text.split("\n"), None], start=1):
        if mark:
            end = line is None or (line.strip(" \t>").startswith(mark) and not line.strip(" \t>" + mark[0]))
            if not end:
                lines.append(str(line))
                continue
            if wanted and lines:
                yield _plain(lines, first, None, cut)
            mark = ""
        elif line is not None and (found := _FENCE.match(line)):
            mark, front = found["mark"], found["front"]
            # A tab may stand for the width of an item's marker: `_dedent` cuts the blanks that all of its lines have.
            cut = len(front) if found["item"] is None else front.rfind(">") + 1
            wanted = bool(_LANGUAGE.match(found["info"].strip()))
            first, lines = number + 1, []


def _plain(lines: list[str], first: int, cell: int | None, cut: int = 0) -> Block:
    """Code as Python reads it: without what a fence's indent or the magic of a cell adds."""
    shifts = [min(cut, len(line) - len(line.lstrip(" \t>"))) for line in lines]
    kept = [line[shift:] for line, shift in zip(lines, shifts, strict=True)]
    unread: list[str] = []
    if lines and lines[0].startswith("%%"):  # a cell magic: of another language, unless it times or captures
        if lines[0].startswith(("%%time", "%%capture")):
            kept, unread = ["", *kept[1:]], lines[:1]
        else:
            kept, unread = [""] * len(lines), [] if _OTHER_LANGUAGES.match(lines[0]) else lines
    _dedent(kept, shifts)
    return Block("\n".join(kept), first, cell, tuple(shifts), unread=tuple(unread))


def _dedent(kept: list[str], shifts: list[int]) -> None:
    """Take away the blanks that all lines begin with, in place."""
    common = min((len(line) - len(line.lstrip()) for line in kept if line.strip()), default=0)
    for at in range(len(kept)):
        if common:
            kept[at], shifts[at] = kept[at][common:], shifts[at] + common
