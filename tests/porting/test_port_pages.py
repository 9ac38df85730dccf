"""Porting notebooks and Markdown pages: their code changes, every other byte stays."""

from __future__ import annotations

import ast
import codecs
import contextlib
import json
import re
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from apidiff.lookup.cache import open_index
from apidiff.model.source_names import SourceNames
from apidiff.porting.changes import PortOptions
from apidiff.porting.judgement import Judge
from apidiff.porting.notebook_cells import replace_sources
from apidiff.porting.port_files import PortedFile, port_files
from apidiff.porting.port_pages import port_page
from apidiff.porting.port_text import Porter
from apidiff.porting.source_files import Problem, find_sources
from apidiff.porting.source_text import MARKDOWN, NOTEBOOK, UnreadableSource, parse_code, parse_text
from apidiff.porting.text_scan import scan_text
from apidiff.porting.torch_names import TorchNames, read_result_types
from apidiff.porting.tree_scan import scan_tree
from apidiff.writers.scan.words import problem_text

Port = Callable[[str, str], str]
PortFile = Callable[[str, bytes], bytes | Problem]


@pytest.fixture(scope="module")
def port(porter: Porter) -> Port:
    return lambda text, kind: port_page(text, kind, porter).text


@pytest.fixture(scope="module")
def unsafe() -> Port:
    index = open_index()
    porter = Porter(Judge.of_index(index, "2.10.0", None), index.source_names, PortOptions(unsafe=True))
    return lambda text, kind: port_page(text, kind, porter).text


@pytest.fixture(scope="module")
def porter() -> Porter:
    index = open_index()
    return Porter(Judge.of_index(index, "2.10.0", None), index.source_names)


@pytest.fixture
def port_file(porter: Porter, tmp_path: Path) -> PortFile:
    """Port one file by its name and its bytes: its bytes then, or why it stays."""

    def ported(name: str, content: bytes) -> bytes | Problem:
        (tmp_path / name).write_bytes(content)
        scanned = scan_tree(find_sources([tmp_path])[0], open_index().source_names, jobs=1, ported=True)
        [found] = port_files(scanned, porter)
        return found.after if isinstance(found, PortedFile) else found

    return ported


def _code(source: object, **more: object) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "metadata": {"tags": ["é"]},
        "outputs": [{"text": ["torch.abs"]}],
        "source": source,
    } | more


NOTEBOOK_CELLS = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["`torch.abs`\n"]},
        _code(["%matplotlib inline\n", "import torch\n"], execution_count=3),
        _code("x = torch.cat([a, b], dim=1)\n!pip list\nprint('é', x)"),
        _code(["print( 'é' )"]),
        _code(["def half(:"]),
        _code(["# ünï\n", "y = torch.cat([x, x], dim=1)\n", "y"]),
    ],
    "metadata": {"source": ["import torch"], "cells": "torch"},
    "nbformat": 4,
}


@pytest.mark.parametrize(
    "layout", [{"indent": 1, "ensure_ascii": False}, {"indent": 4}, {"separators": (",", ":")}], ids=str
)
def test_cells_are_ported_and_the_rest_of_a_notebook_stays(port: Port, layout: dict[str, Any]) -> None:
    """The result is what the same JSON with the new sources is: metadata, outputs, magics and layout are as before."""
    wanted = json.loads(json.dumps(NOTEBOOK_CELLS))
    wanted["cells"][1]["source"][1] = "from mindspore import mint\n"
    wanted["cells"][2]["source"] = "x = mint.cat([a, b], dim=1)\n!pip list\nprint('é', x)"
    wanted["cells"][5]["source"][1] = "y = mint.cat([x, x], dim=1)\n"
    ported = port(json.dumps(NOTEBOOK_CELLS, **layout), NOTEBOOK)
    assert ported == json.dumps(wanted, **layout)
    assert port(ported, NOTEBOOK) == ported


def test_lines_are_added_to_a_cell_as_its_lines_stand(port: Port) -> None:
    cells = {"cells": [_code(["import torch\n", "torch.save(x, 'a')"])]}
    ported = json.loads(port(json.dumps(cells, indent=2), NOTEBOOK))["cells"][0]["source"]
    assert [line.partition(":")[0] for line in ported] == ["import torch\n", "# apidiff manual", "torch.save(x, 'a')"]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_lines_of_a_cell_keep_their_ends(port: Port, end: str) -> None:
    lines = [f"import torch{end}", f"x = torch.cat([a, b], dim=1){end}", "print(x)"]
    ported = json.loads(port(json.dumps({"cells": [_code(lines)]}), NOTEBOOK))["cells"][0]["source"]
    assert ported == [f"from mindspore import mint{end}", f"x = mint.cat([a, b], dim=1){end}", "print(x)"]


# Code whose lines end in more than one way, and how it is ported; the last line has no end.
MIXED_ENDS = [
    (
        "import os\rimport torch\nx = torch.cat(a, dim=1)",
        "import os\rfrom mindspore import mint\nx = mint.cat(a, dim=1)",
    ),
    ("import torch\r\nx = torch.cat(a, dim=1)\nx", "from mindspore import mint\r\nx = mint.cat(a, dim=1)\nx"),
    ("import torch\nx = torch.cat(a,\r\n dim=1)\rx", "from mindspore import mint\nx = mint.cat(a,\r\n dim=1)\rx"),
    # Lines that are new end as the first one does.
    ("import torch\r\nx\ntorch.save(x)\nx", "import torch\r\nx\n# apidiff manual\r\ntorch.save(x)\nx"),
    (
        "x\rimport torch\nx = torch.cat(a, dim=1)\ntorch.y",
        "x\rimport torch\nfrom mindspore import mint\rx = mint.cat(a, dim=1)\ntorch.y",
    ),
]


@pytest.mark.parametrize(("before", "after"), MIXED_ENDS)
def test_each_line_keeps_its_end(port: Port, before: str, after: str) -> None:
    def short(text: str) -> str:
        return re.sub(r"(# apidiff manual)[^\r\n]*", r"\1", text)

    assert [short(cell) for cell in _ported_cells(port, [before])] == [after]
    assert short(port(f"```python\n{before}\n```\n", MARKDOWN)) == f"```python\n{after}\n```\n"


PAGE = """# torch.cat

```python
import torch
x = torch.cat([a, b], dim=1)
```

- indented:

  ```python
  if x:
      torch.save(x, "a")
  ```

> ```py
> y = torch.cat([x, x], dim=1)
> ```

```python
>>> import torch
>>> torch.cat([a, b])
```

    torch.cat
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_fences_are_ported_and_the_rest_of_a_page_stays(port: Port, end: str) -> None:
    """Indents and quotation marks before code stay, and stand before what is added; sessions at a prompt stay."""
    ported = port(PAGE.replace("\n", end), MARKDOWN)
    comment = next(line for line in ported.split(end) if "apidiff manual" in line)
    assert comment.startswith("      # apidiff manual: torch.save")
    wanted = (
        PAGE.replace("import torch\nx = torch", "import torch\nfrom mindspore import mint\nx = mint")
        .replace("      torch.save", f"{comment}\n      torch.save")
        .replace("> y = torch", "> y = mint")
    )
    assert ported == wanted.replace("\n", end)


CALL, PORTED = "y = torch.cat([a], dim=1)", "y = mint.cat([a], dim=1)"
MINT = "from mindspore import mint"

ELLIPSES = [  # code in which `...` is no prompt, nor `>>>` in a string, and how it is ported
    (f"import torch\n...\n{CALL}", f"{MINT}\n...\n{PORTED}"),
    (f"import torch\ndef f(a):\n    ...\n{CALL}", f"{MINT}\ndef f(a):\n    ...\n{PORTED}"),
    (
        f'import torch\ndef f(a):\n    """Text.\n\n    >>> f(1)\n    ...\n    """\n    {CALL}',
        f'{MINT}\ndef f(a):\n    """Text.\n\n    >>> f(1)\n    ...\n    """\n    {PORTED}',
    ),
]


@pytest.mark.parametrize(("before", "after"), ELLIPSES)
def test_an_ellipsis_is_no_prompt(port: Port, before: str, after: str) -> None:
    assert _ported_cells(port, [before]) == [after]
    assert port(f"```python\n{before}\n```\n", MARKDOWN) == f"```python\n{after}\n```\n"


# What stands before a fence on the line of an item, and before the lines that follow.
ITEMS = [
    ("- ", "  "),
    ("1. ", "   "),
    ("10)  ", "     "),
    ("*\t", "\t"),
    ("> + ", ">   "),
    ("- > ", "  > "),
    ("- - ", "    "),
    ("  3. ", "\t"),
    ("- ", ""),
]


@pytest.mark.parametrize(("front", "indent"), ITEMS)
@pytest.mark.parametrize("mark", ["```", "~~~"])
def test_what_is_added_to_the_fence_of_an_item_is_indented_as_its_lines(
    port: Port, front: str, indent: str, mark: str
) -> None:
    def page(*lines: str) -> str:
        code = "".join(f"{indent}{line}\n" if line else "\n" for line in lines)
        return f"{front}{mark}python\n{code}{indent}{mark}\n{front}text\n\n{mark}py\n{PORTED}\n{mark}\n"

    written = port(page("import torch", "", "if x:", f" {CALL}", " torch.save(y)"), MARKDOWN)
    comment = next(line for line in written.split("\n") if "apidiff manual" in line).removeprefix(indent)
    assert comment.startswith(" # apidiff manual: torch.save")
    assert written == page("import torch", MINT, "", "if x:", f" {PORTED}", comment, " torch.save(y)")


def test_a_fence_that_is_emptied_keeps_the_blanks_before_its_code(port: Port) -> None:
    assert port(f"```py\n{CALL}\n```\n```py\n  import torch\n```\n", MARKDOWN) == (
        f"```py\n{MINT}\n{PORTED}\n```\n```py\n  \n```\n"
    )


def test_what_is_imported_stands_behind_the_magic_of_a_cell(port: Port) -> None:
    kept = "import torch.distributed as dist"
    assert _ported_cells(port, [kept, f"%%time\n{CALL}"]) == [kept, f"%%time\n{MINT}\n{PORTED}"]


LAST_LINES = [  # cells whose last lines are taken out, and how they are ported
    (["import torch\nimport torch.nn as nn", "nn.ReLU()(torch.abs(y))"], [MINT, "mint.nn.ReLU()(mint.abs(y))"]),
    (["import torch.nn as nn", "import torch", "nn.ReLU()(torch.abs(y))"], [MINT, "", "mint.nn.ReLU()(mint.abs(y))"]),
    (
        ["import torch\nx = 1\nimport torch.nn as nn", "nn.ReLU()(torch.abs(y))"],
        [f"{MINT}\nx = 1", "mint.nn.ReLU()(mint.abs(y))"],
    ),
    (["x = 1\nimport torch", CALL], [f"x = 1\n{MINT}", PORTED]),
    (
        ["import torch\nx = 1\nimport torch\nimport torch.nn as nn", "nn.ReLU()(torch.abs(y))"],
        [f"{MINT}\nx = 1\n", "mint.nn.ReLU()(mint.abs(y))"],
    ),
]


@pytest.mark.parametrize(("before", "after"), LAST_LINES)
def test_the_last_line_of_a_cell_is_taken_out(port: Port, before: list[str], after: list[str]) -> None:
    assert _ported_cells(port, before) == after
    page, wanted = ("".join(f"```py\n{cell}\n```\n" for cell in cells) for cells in (before, after))
    assert port(page, MARKDOWN) == wanted


SESSIONS = [  # what stands at a prompt, and what was typed there
    (">>> a\n... b", "a\nb"),
    (">>> a\n...\nb", "a\n\n"),
    (">>> a\n1\n...\n>>> b", "a\n\n\nb"),
    ("c\n  >>> if a:\n  ...     b\n  1", "\nif a:\n    b\n"),
    (">>> %timeit a\n>>> b", "pass\nb"),
]


@pytest.mark.parametrize(("text", "typed"), SESSIONS)
def test_a_session_is_what_was_typed(text: str, typed: str) -> None:
    (found,), failed = parse_text(f"```python\n{text}\n```\n", MARKDOWN)
    assert (found.block.text, found.block.typed, failed) == (typed, True, [])


def _ported_cells(port: Port, cells: list[str]) -> list[str]:
    notebook = json.dumps({"cells": [_code(cell) for cell in cells]})
    return [cell["source"] for cell in json.loads(port(notebook, NOTEBOOK))["cells"]]


LEFT = [  # a cell whose code is not ported, and whether it needs the import
    ("%timeit torch.cat([a], dim=1)", True),
    ("torch.cat?", True),
    ("?torch.cat", True),
    ("if a:\n    %time y = torch.no_such", True),
    ("%%timeit y = torch.no_such\ny", True),
    ("%%prun\ntorch.no_such", True),
    ("y = %time torch.no_such", True),
    ("half(torch", True),
    ("!ls {torch.no_such} a", True),
    ("!ls $torch", True),
    (">>> torch.cat([a], dim=1)", True),
    (">>> import torch\n>>> torch.cat([a], dim=1)", False),
    ("!ls", False),
    ("!pip install torch", False),
    ("%pip install torch", False),
    ("files = !pip install torch", False),
    ("files = %pip install torch", False),
    ("a, b = !python {torch.x}", True),
    ("!pip install \\\n  torch \\\n  numpy", False),
    ("!python \\\n  {torch.x}", True),
    ("%%bash\npip install torch", False),
    ("%%writefile torch.py\nimport torch", False),
    ("%matplotlib inline", False),
]


@pytest.mark.parametrize(("cell", "needed"), LEFT)
def test_an_import_stays_that_code_needs_which_is_left(port: Port, cell: str, needed: bool) -> None:
    kept = "import torch\n" if needed else ""
    assert _ported_cells(port, [f"import torch\n{CALL}", cell]) == [f"{kept}{MINT}\n{PORTED}", cell]


@pytest.mark.parametrize(
    ("block", "needed"),
    [
        (">>> torch.cat([a], dim=1)\ntensor(1)", True),
        (">>> import torch\n>>> x\ntorch", False),
        ("half(torch", True),
    ],
)
def test_an_import_stays_that_a_fence_needs_which_is_left(port: Port, block: str, needed: bool) -> None:
    page = f"```python\nimport torch\n{CALL}\n```\n```py\n{block}\n```\n```bash\ntorch\n```\n"
    kept = "import torch\n" if needed else ""
    assert port(page, MARKDOWN) == page.replace(f"import torch\n{CALL}", f"{kept}{MINT}\n{PORTED}")


HEADINGS = [  # which name an encoding in a module; a page is UTF-8, whatever it speaks of
    "# File coding: latin-1 or utf-8",
    "\n# File coding: latin-1 or utf-8",
    "# Source files and their encoding: gbk",
    "# Notes on coding: unicode",
    "\n# coding: idna",
]


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8], ids=["", "mark"])
@pytest.mark.parametrize("heading", HEADINGS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_heading_of_a_page_names_no_encoding(port_file: PortFile, heading: str, mark: bytes, end: str) -> None:
    page = f"{heading}\n\n中文说明，café。\n\n```python\nimport torch\n{CALL} # 注释\n```\n\né\n".replace("\n", end)
    wanted = page.replace("import torch", MINT).replace(CALL, PORTED)
    assert port_file("page.md", mark + page.encode()) == mark + wanted.encode()


def test_a_page_that_was_read_otherwise_is_not_written(port_file: PortFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "apidiff.porting.port_files._decoded", lambda content, **_: (content.decode("latin-1"), "utf-8", b"")
    )
    found = port_file("page.md", f"é\n```python\nimport torch\n{CALL}\n```\n".encode())
    assert isinstance(found, Problem)
    assert found.code == "not_encoded"


NOTEBOOKS = [  # what stands around the cells
    ('{"cells": [{}]}', b""),
    (' {"cells": [{}]}', codecs.BOM_UTF8),
    ('{"worksheets": null, "cells": [{}]}', b""),
    ('{"cells": [{}], "worksheets": []}', codecs.BOM_UTF8),
    ('{"worksheets": {}, "cells": [{}]}', b""),
    ('{"worksheets": [null, {"cells": []}], "cells": [{}]}', b""),
    ('{"cells": [1], "worksheets": [{"a": 1}, {"cells": [{}]}]}', codecs.BOM_UTF8),
]


@pytest.mark.parametrize(("around", "mark"), NOTEBOOKS)
def test_cells_are_found_in_what_stands_around_them(port_file: PortFile, around: str, mark: bytes) -> None:
    before, after = (json.dumps(_code(f"{first}\n{call}")) for first, call in (("import torch", CALL), (MINT, PORTED)))
    at = around.rindex("{}")
    wanted = around[:at] + after + around[at + 2 :]
    content = around[:at] + before + around[at + 2 :]
    assert port_file("a.ipynb", mark + content.encode()) == mark + wanted.encode()


# A source as JSON has it, and how it is written when it is ported: what is not edited stays as it was spelled.
SPELLED = [
    (
        r'"import torch\nx = torch.cat(a, dim=1) # \/\u00E9\ud83d\uDE00"',
        r'"{MINT}\nx = mint.cat(a, dim=1) # \/\u00E9\ud83d\uDE00"',
    ),
    (r'["import torch\n", "x = torch.cat(a, dim=1) # \/\u00E9"]', r'["{MINT}\n", "x = mint.cat(a, dim=1) # \/\u00E9"]'),
    (
        r'"import torch\n# \u0020\/ \\n\\\n\n \nx = torch.cat(a, dim=1)"',
        r'"{MINT}\n# \u0020\/ \\n\\\n\n \nx = mint.cat(a, dim=1)"',
    ),
    (
        r'["import torch\n", "s = \"a\u2028b\u0085c\"\n", "x = torch.cat(a, dim=1)"]',
        r'["{MINT}\n", "s = \"a\u2028b\u0085c\"\n", "x = mint.cat(a, dim=1)"]',
    ),
    (r'"import torch\u000ax = torch.cat(a, dim=1)\u000ax"', r'"{MINT}\u000ax = mint.cat(a, dim=1)\u000ax"'),
    (  # parted as `splitlines` does
        r'["import torch\n", "\f", "\n", "# a \u2028", " b\n", "x = torch.cat(a, dim=1)\n"]',
        r'["{MINT}\n", "\f", "\n", "# a \u2028", " b\n", "x = mint.cat(a, dim=1)\n"]',
    ),
    (  # at line feeds alone
        r'["import torch\n", "y\rx = torch.cat(a, dim=1)\n", "# \u2028\n", "x"]',
        r'["{MINT}\n", "y\rx = mint.cat(a, dim=1)\n", "# \u2028\n", "x"]',
    ),
    (r'["import torch\nx = torch.cat(a, dim=1)\nx"]', r'["{MINT}\nx = mint.cat(a, dim=1)\nx"]'),
    (
        r'["", "import torch\n", "a\nb", "c\n", "", "d\nx = torch.cat(a, dim=1)\n", ""]',
        r'["", "{MINT}\n", "a\nb", "c\n", "", "d\nx = mint.cat(a, dim=1)\n", ""]',
    ),
    (
        r'["# c\n# \u2028", "\n", "a = torch.cat(b, dim=1)\n", "import torch\nb\n"]',
        r'["# c\n# \u2028", "\n", "{MINT}\n", "a = mint.cat(b, dim=1)\nb\n"]',
    ),
]

# Items of a list, a source that comes in their place, and how that is parted; no list that an editor writes is like these.
ODD_LISTS = [
    (["a\nb\n", "c\n"], "new\na\nb\nc\n", ["new\n", "a\nb\n", "c\n"]),
    (["a\nb\n", "c\n"], "a\nb\nc\nnew\nmore", ["a\nb\n", "c\n", "new\n", "more"]),
    (["a\nb\n", "c\n"], "a\nnew\nb\nc\n", ["a\nnew\nb\n", "c\n"]),
    (["a\nb\n", "c\n"], "a\nnew\nmore\nb\nc\n", ["a\nnew\n", "more\nb\n", "c\n"]),
    (["a\nb\n", "c\n"], "b\nc\n", ["b\n", "c\n"]),
    (["a\nb\n", "c\n"], "a\nb\n", ["a\nb\n"]),
    (["a\n", "b\n", ""], "b\n", ["b\n", ""]),
    (["a\n", "", "b\n"], "x\nb\n", ["x\n", "", "b\n"]),
    (["a", "b\n", "c"], "ab\nd", ["a", "b\n", "d"]),
    (["a\nb\n", "c"], "", [""]),
]


@pytest.mark.parametrize(("items", "source", "parted"), ODD_LISTS)
def test_items_that_no_edit_touches_stay(items: list[str], source: str, parted: list[str]) -> None:
    written = replace_sources(json.dumps({"cells": [_code(items)]}), {0: source})
    assert json.loads(written) == {"cells": [_code(parted)]}


@pytest.mark.parametrize(("before", "after"), SPELLED)
def test_a_source_is_spelled_as_it_was(port: Port, before: str, after: str) -> None:
    notebook = '{"cells": [{"cell_type": "code", "source": %s}]}'
    assert port(notebook % before, NOTEBOOK) == notebook % after.replace("{MINT}", MINT)


@pytest.mark.parametrize("value", ["NaN", "[Infinity, -Infinity]", r'"\ud83d"', "1e999"])
def test_what_python_writes_and_json_has_not_stays(port: Port, value: str) -> None:
    notebook = f'{{"metadata": {{"a": {value}}}, "cells": [{{"cell_type": "code", "source": %s}}]}}'
    before, after = json.dumps(f"import torch\n{CALL}"), json.dumps(f"{MINT}\n{PORTED}")
    assert port(notebook % before, NOTEBOOK) == notebook % after


MUCH = json.dumps({"cell_type": "code", "source": "a\n" * 2**18})
SOURCE = json.dumps(f"import torch\n{CALL}\n")
TWO_SOURCES = [
    f'"{first}": {value}, "source": {SOURCE}' for first in ("source", r"s\u006furce") for value in ("[]", "5", '""')
]
# text, what is said of it
NO_NOTEBOOKS = [
    ('{"cells": [', "Input data was truncated"),
    (f'{{"cells": [{",".join([MUCH] * 5)}]}}', "2 MiB"),
    (f'{{"cells": [{",".join([MUCH] * 2)}]}}', "500,000"),
    (f'{{"cells": {"[" * 2**25}', "32 MiB"),
    *((f'{{"cells": [{{"cell_type": "code", {two}}}]}}', "a cell has two sources") for two in TWO_SOURCES),
]


@pytest.mark.parametrize(
    ("text", "said"), NO_NOTEBOOKS, ids=["broken", "much code", "many tokens", "too large", *TWO_SOURCES]
)
def test_what_is_no_notebook_is_refused(port: Port, text: str, said: str) -> None:
    with pytest.raises(UnreadableSource) as caught:
        port(text, NOTEBOOK)
    assert said in caught.value.detail


@pytest.mark.parametrize("source", [{}, {"a": 1}, -1, 1.5, None, True, ["x\n", [1]], [{"a": 1}], [None], "\ud83d"])
def test_a_source_that_is_no_text_is_refused(port: Port, source: object) -> None:
    """As code it would be ported, or an import put before it."""
    notebook = {"cells": [{"cell_type": "code", "source": source}, _code("x = torch.cat(a, dim=1)\n")]}
    with pytest.raises(UnreadableSource) as caught:
        port(json.dumps(notebook), NOTEBOOK)
    assert caught.value.detail == "the source of a cell is no text"


def test_a_notebook_nested_at_the_limit_is_ported_or_told(port: Port) -> None:
    """What reads the notebook first and what looks for its sources end at different depths."""
    notebook = json.dumps({"cells": [_code("import torch\nx = torch.cat(a, dim=1)\n")]})
    for depth in range(600, 1000, 2):
        with contextlib.suppress(UnreadableSource):
            port(f'{notebook[:-1]}, "metadata": {"[" * depth}{"]" * depth}}}', NOTEBOOK)


LONG_CODE = "class A(torch.nn.Module):\n    def forward(self): pass\n" + "x = torch.cat([a, b], dim=1)\n" * 1_000
KINDS = {
    "page.md": f"```python\nimport torch\n```\n```python\n{LONG_CODE}```\n",
    "notebook.ipynb": json.dumps({"cells": [_code("import torch\n"), _code(LONG_CODE)]}),
    "module.py": f"if a:\n    import torch\n{LONG_CODE}",
}


@pytest.mark.parametrize("name", KINDS)
def test_the_syntax_of_no_text_stands_in_memory_twice(
    port_file: PortFile, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Of 1 MB of code it may take 0.9 GB, and a page had three of them at once."""
    alive: weakref.WeakSet[ast.AST] = weakref.WeakSet()
    at_once = []

    def parse(text: str, **more: Any) -> ast.AST:
        is_whole = len(text) > 10_000
        if is_whole:
            at_once.append(len(alive))
        tree = compile(text, "<text>", more.get("mode", "exec"), ast.PyCF_ONLY_AST, dont_inherit=True)
        if is_whole:
            alive.add(tree)
        return tree

    with monkeypatch.context() as patched:  # what tells of a test that fails parses as well
        patched.setattr(ast, "parse", parse)
        ported = port_file(name, KINDS[name].encode())
    assert b"mint.cat" in ported
    assert len(at_once) > 2
    assert set(at_once) == {0}


@pytest.mark.parametrize("fences", [1, 4_000])
def test_a_page_that_repeats_its_lines_is_ported_in_seconds(port: Port, fences: int) -> None:
    """To look for the lines that changed by comparing each with all like it took minutes."""
    code = "x = torch.cat([a, b], dim=1)\npass\n" * (4_000 // fences)
    page = "```python\nimport torch\n```\n" + f"```python\n{code}```\n" * fences
    begun = time.monotonic()
    ported = port(page, MARKDOWN)
    assert time.monotonic() - begun < 50
    assert ported == page.replace("torch.cat", "mint.cat").replace("import torch", "from mindspore import mint")


ALMOST_ITEMS = [f"{'- ' * 8_000}``", f"-{' ' * 16_000}``", f"{'1. > ' * 3_000}```{' ' * 2_000}`", "1" * 16_000]


@pytest.mark.parametrize(
    "line", [f"```{' ' * 16_000}`", f"{'~' * 16_000}`", f"{'~' * 2_000}{' ' * 2_000}`", *ALMOST_ITEMS]
)
def test_a_line_that_almost_begins_a_fence_is_looked_through_once(line: str) -> None:
    begun = time.process_time()
    assert parse_text(f"{line}\n" * 3, MARKDOWN) == ([], [])
    assert time.process_time() - begun < 0.5


def test_a_notebook_of_many_cells_is_written_at_once() -> None:
    """It was copied whole for each cell."""
    text = json.dumps({"cells": [_code("a")] * 30_000, "metadata": "x" * 4_000_000})
    begun = time.monotonic()
    written = replace_sources(text, dict.fromkeys(range(30_000), "b"))
    assert time.monotonic() - begun < 10
    assert written == text.replace('"source": "a"', '"source": "b"')


@pytest.mark.parametrize(
    ("code", "unread"),
    [
        ("x = 1\n!ls\n%cd a", ("!ls", "%cd a")),
        ("!ls \\\n  a \\\n  b\nx = 1\ny = !ls \\\n  c", ("!ls \\\n  a \\\n  b", "y = !ls \\\n  c")),
        ("%%time\n!ls \\\n  a", ("%%time", "!ls \\\n  a")),
        ("!ls \\", ("!ls \\",)),
    ],
)
def test_what_ipython_reads_is_kept_apart_with_the_lines_that_it_goes_on_to(code: str, unread: tuple[str, ...]) -> None:
    [[parsed], failed] = parse_code(json.dumps({"cells": [_code(code)]}).encode(), NOTEBOOK)
    assert (parsed.block.unread, failed) == (unread, [])


READ_BY_IPYTHON = [
    "x = 1\ny = !ls",
    "files = %sql select 1",
    "a, b = !ls \\\n  -l",
    "if q:\n    y = %who_ls",
    "!pip install a && \\\n  ls in: \\\n  b",
    "%timeit \\\n  f(:",
    "!ls \\\n  -l \\\n  in: \\\n  b\n%cd in:\ny = !ls \\\n  in:",
]


@pytest.mark.parametrize("lines", READ_BY_IPYTHON)
def test_lines_that_ipython_reads_hide_no_cell(port: Port, lines: str) -> None:
    cell = f"{lines}\nz = torch.cat([x, x], dim=1)"
    ported = json.loads(port(json.dumps({"cells": [_code("import torch"), _code(cell)]}), NOTEBOOK))
    assert ported["cells"][1]["source"] == f"{lines}\nz = mint.cat([x, x], dim=1)"


def test_a_cell_that_is_no_python_is_named(source_names: SourceNames) -> None:
    """The line is that of what is wrong, not of what IPython reads."""
    cells = [
        {"cell_type": "markdown", "source": ""},
        _code("y = !ls\nx = 1\nfor x in:"),
        _code("a\n" + "-" * 99_999 + "1"),
    ]
    names = TorchNames(source_names, read_result_types())
    problems = scan_text(json.dumps({"cells": cells}), "a.ipynb", names).names.problems
    told = [problem_text(one, "en") for one in problems]
    assert told[0].startswith("a.ipynb: cell 2, line 3: not parsed as Python (")
    assert told[1].startswith("a.ipynb: cell 3")
    page = "text\n\n```python\nx = 1\nfor x in:\n```\n"
    assert problem_text(scan_text(page, "a.md", names).names.problems[0], "en").startswith("a.md:5: not parsed")


def test_white_space_between_lines_of_a_source_is_not_repeated_for_each(port: Port) -> None:
    """250,000 blanks before the second of 6,000 lines took 3 GB."""
    lines = ["import torch.nn.functional as F\\n", *["F.softmax(x)\\n"] * 300]
    listed = f'["{lines[0]}",{" " * 10_000}{",".join(chr(34) + line + chr(34) for line in lines[1:])}]'
    ported = port(f'{{"cells": [{{"cell_type": "code", "source": {listed}}}]}}', NOTEBOOK)
    assert len(ported) < 100_000
    assert "mindspore" in "".join(json.loads(ported)["cells"][0]["source"])


@pytest.mark.parametrize(("blanks", "is_ported"), [(200, True), (201, False)])
def test_blanks_before_code_are_not_repeated_without_end(port: Port, blanks: int, is_ported: bool) -> None:
    """500,000 before a line that names 1,900 APIs were written before the comment on each: 937 MB, and 7 GB of memory."""
    front = " " * blanks
    page = f"```python\n{front}import torch; torch.no_such(1); torch.cuda.ipc_collect(); torch.cat([a])\n```\n"
    if is_ported:
        lines = port(page, MARKDOWN).split("\n")[1:-2]
        assert len(lines) > 1
        assert all(line.startswith(front) and line[blanks] != " " for line in lines)
    else:
        with pytest.raises(UnreadableSource) as caught:
            port(page, MARKDOWN)
        assert (caught.value.code, caught.value.detail) == ("wide", "200")


def test_wide_code_to_which_no_line_is_added_is_ported(port: Port) -> None:
    page = f"```python\n{' ' * 300}import torch\n{' ' * 300}x = torch.cat([a, b], dim=1)\n```\n"
    ported = page.replace("torch.cat", "mint.cat").replace("import torch", "from mindspore import mint")
    assert port(page, MARKDOWN) == ported


@pytest.mark.parametrize("kind", [MARKDOWN, NOTEBOOK])
def test_blank_lines_of_wide_code_that_is_written_anew_stay_blank(unsafe: Port, kind: str) -> None:
    """Each had the indent of the code before it: of 20,000 in 220,000 blanks 4.4 GB."""
    front, blank_lines = " " * 300, "\n" * 9
    code = f"{front}import torch\n{front}x = torch.ones(2)\n{front}y = x.norm(dim=0, p=({blank_lines}{front}2))\n"
    page = f"```python\n{code}```\n" if kind == MARKDOWN else json.dumps({"cells": [_code(code)]})
    with pytest.raises(UnreadableSource) as caught:  # the comment on it
        unsafe(page, kind)
    assert caught.value.code == "wide"
    written = unsafe(page.replace(front, " " * 10), kind)
    written = written if kind == MARKDOWN else json.loads(written)["cells"][0]["source"]
    assert len(re.findall("^ +$", written, re.MULTILINE)) <= 1
