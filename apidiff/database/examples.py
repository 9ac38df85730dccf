"""Reads the example scripts under ``executable_examples/`` as text: what to run, what every rank prints, the code.

A recipe (``mindspore_recipe.py``) is an example too: the MindSpore code that does what the source API does.
The scripts are never imported here: they need a framework. Their docstring holds a block after a line ``Command:`` and
a block after a line ``Output (gloo):`` (the word in parentheses names the backend or device it was printed on).
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from apidiff.database.regular_files import read_text
from apidiff.errors import Damage, DataError
from apidiff.folder_walk import visible_files
from apidiff.model.claim import EXAMPLE_WORLD_SIZE
from apidiff.model.claim_probes import Examples
from apidiff.model.python_tree import python_tree
from apidiff.model.vocabulary import Framework

WORLD_SIZE = EXAMPLE_WORLD_SIZE
"""The number of ranks that commands start and outputs are written for."""

_SCRIPT = re.compile(r"(?P<framework>.+)_(?P<kind>example|recipe)\.py")
_ORDER = ("torch_example.py", "mindspore_example.py")  # recipes after these
_LONGEST = 50_000  # characters of a script; the longest has a tenth of that
_SECTION = re.compile(r"(?P<name>Command|Output) ?(?:\((?P<where>[\w ,.-]+)\))?:")


@dataclass(frozen=True)
class Example:
    """A script that a reader can run.

    ``api``: the source API it belongs to; ``path``: below ``executable_examples/``; ``command``: starts it on
    WORLD_SIZE ranks from the root of a checkout; ``expected``: the lines printed, sorted by rank; ``where``: the
    backend or device they were printed on; ``code``: the whole file; ``snippet``: the body of its function ``example``;
    ``kind``: 'example', or 'recipe' where it composes what the API does.
    """

    framework: str
    kind: str
    api: str
    path: str
    command: str
    expected: tuple[str, ...]
    where: str
    code: str
    snippet: str

    def expected_of(self, rank: int) -> list[str]:
        """The lines that ``rank`` prints, in order."""
        return [line for line in self.expected if line.startswith(f"rank {rank}: ")]


def shown_by_path(examples: Iterable[Example]) -> Examples:
    """The text of each example and the lines that it shows, by its path: what runs and verdicts need of it."""
    return {example.path: (example.code, example.expected) for example in examples}


def load_examples(folder: Path) -> list[Example]:
    """The examples below ``folder`` by API, torch first; none where the folder is not there.

    Raises DataError for a script that cannot be parsed, that lacks a section or prints a line without a rank.
    """
    return [load_example(path) for path in _paths(folder)]


def readable_examples(folder: Path) -> list[Example]:
    """As `load_examples`, without those of which it raises: mappings that name one are passed over and told with it."""
    found: list[Example] = []
    for path in _paths(folder):
        with suppress(DataError):
            found.append(load_example(path))
    return found


def _paths(folder: Path) -> list[Path]:
    paths = [*visible_files(folder, "*/*_example.py"), *visible_files(folder, "*/*_recipe.py")]
    return sorted(paths, key=_place)


def _place(path: Path) -> tuple[str, int, str]:
    return path.parent.name, _ORDER.index(path.name) if path.name in _ORDER else len(_ORDER), path.name


def load_example(path: Path) -> Example:
    """The example in a file. Raises what `load_examples` does."""
    name = _SCRIPT.fullmatch(path.name)
    known = [framework.value for framework in Framework]
    if name is None or name["framework"] not in known:
        names = " or ".join([*(f"{framework}_example.py" for framework in known), "mindspore_recipe.py"])
        raise DataError(path, None, "the file name names no known framework", f"Call it {names}.")
    try:
        code = read_text(path)
        if len(code) > _LONGEST:
            found = f"has more than {_LONGEST} characters"
            raise DataError(path, None, found, "Show one thing in it.", Damage.SIZE)
        tree = python_tree(code)
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(path, None, f"cannot be read ({error})", "Check that it is a readable UTF-8 file.") from error
    except SyntaxError as error:
        raise DataError(path, error.lineno, f"is not Python ({error.msg})", "Mend the syntax.") from error
    except (ValueError, RecursionError, MemoryError) as error:  # of a zero byte, of deep nesting
        raise DataError(path, None, f"is not Python ({error})", "Mend the syntax.") from error
    sections = _sections(ast.get_docstring(tree) or "")
    for wanted in ("Command", "Output"):
        if not sections.get(wanted, ("", []))[1]:
            found = f"the docstring shows nothing after '{wanted}:'"
            raise DataError(path, 1, found, f"Add a line '{wanted}:' and an indented block.")
    where, expected = sections["Output"]
    ranks = {f"rank {rank}" for rank in range(WORLD_SIZE)}
    for line in expected:
        if line.partition(":")[0] not in ranks:
            found = f"the output line {line!r} does not start with 'rank R:', R from 0 to {WORLD_SIZE - 1}"
            raise DataError(path, _line_of(code, line), found, "Put its rank in front of every line.")
    return Example(
        framework=name["framework"],
        kind=name["kind"],
        api=path.parent.name,
        path=f"{path.parent.name}/{path.name}",
        command=" ".join(" ".join(sections["Command"][1]).split()),
        expected=tuple(expected),
        where=where,
        code=code,
        snippet=_snippet(path, tree, code),
    )


def _sections(docstring: str) -> dict[str, tuple[str, list[str]]]:
    """The word in parentheses and the lines of each section; a section ends with its indented block."""
    found: dict[str, tuple[str, list[str]]] = {}
    current: list[str] | None = None
    for line in docstring.splitlines():
        if match := _SECTION.fullmatch(line):
            current = []
            found[match["name"]] = (match["where"] or "", current)
        elif current is not None and line.startswith("    "):
            current.append(line.strip())
        elif line.strip():
            current = None
    return found


def _snippet(path: Path, tree: ast.Module, code: str) -> str:
    function = next((node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "example"), None)
    if function is None:
        found = "there is no function example(rank, world_size)"
        raise DataError(path, None, found, "Put the calls into a function of that name.")
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    if not body:
        raise DataError(path, function.lineno, "the function example is empty", "Put the calls into it.")
    first = min(node.lineno for node in [body[0], *getattr(body[0], "decorator_list", [])])
    lines = _lines(code)[first - 1 : body[-1].end_lineno]
    if lines[0][: body[0].col_offset].strip():
        found = "the first call of the function example stands on a line with other code"
        raise DataError(path, first, found, "Begin a line with it.")
    return textwrap.dedent("\n".join(lines))


def _line_of(code: str, text: str) -> int | None:
    return next((number for number, line in enumerate(_lines(code), 1) if line.strip() == text), None)


def _lines(code: str) -> list[str]:
    """The lines as Python counts them: `splitlines` ends a line at a form feed, too."""
    return re.split(r"\r\n?|\n", code)
