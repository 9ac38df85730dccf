"""Where imports come and go when code is ported, whatever stands around them: each row is a piece, and how it is ported."""

from __future__ import annotations

import ast
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from apidiff.lookup.cache import open_index
from apidiff.porting import code_text, held_names
from apidiff.porting.code_text import CodeText, Edit, apply_edits
from apidiff.porting.code_tokens import CodeTokens
from apidiff.porting.import_edits import Imports, marked
from apidiff.porting.judgement import Judge
from apidiff.porting.port_files import PortedFile, port_files
from apidiff.porting.port_text import Porter
from apidiff.porting.source_files import find_sources
from apidiff.porting.text_scan import SNIPPET
from apidiff.porting.tree_scan import scan_tree
from apidiff.porting.used_names import UsedNames

Port = Callable[..., str]


@pytest.fixture(scope="module")
def port() -> Port:
    index = open_index()
    porter = Porter(Judge.of_index(index, "2.10.0", None), index.source_names)

    def ported(text: str, path: str = "text.py") -> str:
        found = porter.port_text(text, path).text
        ast.parse(found)
        return found

    return ported


CALL, PORTED = "y = torch.cat([a], dim=1)", "y = mint.cat([a], dim=1)"
MINT = "from mindspore import mint"

PLACES = [
    (  # a statement that begins on the line of an import and goes on is not cut
        f'import torch; s = """a\nb"""\n{CALL}\ntorch.no_such\n',
        f'import torch; s = """a\nb"""\n{MINT}\n{PORTED}\ntorch.no_such\n',
    ),
    (
        f"import torch; s = [\n1]; s = {{\n}}  # c\n\n{CALL}\ntorch.no_such\n",
        f"import torch; s = [\n1]; s = {{\n}}  # c\n{MINT}\n\n{PORTED}\ntorch.no_such\n",
    ),
    (  # nor one that ends on it, where the line itself uses what comes
        f'import torch; s = """a\nb"""; {CALL}; torch.no_such\n',
        f'{MINT}\nimport torch; s = """a\nb"""; {PORTED}; torch.no_such\n',
    ),
    (
        f'import os\n# c\ns = """a\nb"""; import torch; {CALL}; torch.no_such\n',
        f'import os\n# c\n{MINT}\ns = """a\nb"""; import torch; {PORTED}; torch.no_such\n',
    ),
    (  # what has to be the first of a file stays so
        f"from __future__ import annotations; import torch; {CALL}; torch.no_such\n",
        f"from __future__ import annotations; import torch; {MINT}; {PORTED}; torch.no_such\n",
    ),
    (
        f'"""Text."""; import torch; k = torch.int8; {CALL}; torch.no_such\n',
        f'"""Text."""; import torch; import mindspore; {MINT}; k = mindspore.int8; {PORTED}; torch.no_such\n',
    ),
    (  # lines that go on behind a backslash
        f"import torch; \\\n{CALL}; torch.no_such\n",
        f"{MINT}\nimport torch; \\\n{PORTED}; torch.no_such\n",
    ),
    (
        f"import torch.nn\nx = 1; \\\nimport torch\ndef f(): {CALL}\n",
        f"{MINT}\nx = 1; \\\npass\ndef f(): {PORTED}\n",
    ),
]


@pytest.mark.parametrize(("before", "after"), PLACES)
def test_an_import_cuts_no_statement(port: Port, before: str, after: str) -> None:
    assert port(before) == after


SNIPPETS = [
    ("@\\\n(  # @\n a)\ndef f(): CALL\n", "MINT\n@\\\n(  # @\n a)\ndef f(): PORTED\n"),
    ("# c\n\n# @c\n@a\n@b\nclass A: CALL\n", "# c\n\n# @c\nMINT\n@a\n@b\nclass A: PORTED\n"),
    ("# c\n\\\nasync def f(): CALL\n", "# c\nMINT\n\\\nasync def f(): PORTED\n"),
    ('"""Text."""; CALL\n', '"""Text."""; MINT; PORTED\n'),
    ("CALL", "MINT\nPORTED"),
]


@pytest.mark.parametrize(("before", "after"), SNIPPETS)
def test_an_import_stands_above_the_first_statement_of_a_snippet(port: Port, before: str, after: str) -> None:
    wanted = after.replace("MINT", MINT).replace("PORTED", PORTED)
    assert port(before.replace("CALL", CALL), SNIPPET) == wanted


METHODS = [  # how `forward` is written where it is defined and called
    ("def forward(self, x): return self.forward(x)", "def construct(self, x): return self.construct(x)"),
    ("def forward(self, x): return self.ｆorward(x)", "def construct(self, x): return self.construct(x)"),
    ("def 𝐟𝐨𝐫𝐰𝐚𝐫𝐝(self, x): return super().𝐟𝐨𝐫𝐰𝐚𝐫𝐝(x)", "def construct(self, x): return super().construct(x)"),
    ("def \\\n  forward(self, x): return self. forward(x)", "def \\\n  construct(self, x): return self. construct(x)"),
    ("async \\\n def\\\n ｆorward(self, x): ...", "async \\\n def\\\n construct(self, x): ..."),
    (
        "def call(self, x): return nn.Linear(2, 3).ｆorward(x)",
        "def call(self, x): return mint.nn.Linear(2, 3).construct(x)",
    ),
]


@pytest.mark.parametrize(("before", "after"), METHODS)
def test_forward_is_renamed_however_it_is_written(port: Port, before: str, after: str) -> None:
    found = port(f"import torch.nn as nn\n\nclass A(nn.Module):\n    {before}\n")
    assert found.endswith(f"class A(nn.Cell):\n    {after}\n")


NAMES = [  # names of an import with comments between: those that go, go with their commas
    ("keep,  # a\n    cat,  # b\n)", "keep,  # a\n    # b\n)"),
    ("keep,  # a\n    cat  # b\n)", "keep,  # a\n      # b\n)"),
    ("keep,  # a\n    cat,\n    int8 as i,\n)", "keep,  # a\n)"),
    ("keep,  # a\n    cat)", "keep,  # a\n    )"),
    ("cat,  # a\n    keep,  # b\n    int8 as i,\n)", "# a\n    keep,  # b\n)"),
    ("# a\n    cat, keep, int8 as i  # b, c\n    , # d\n)", "# a\n    keep  # b, c\n    , # d\n)"),
    ("keep, # b\n    int8 \\\n as \\\n i, cat, more)", "keep, # b\n    more)"),
]


@pytest.mark.parametrize(("before", "after"), NAMES)
def test_names_leave_an_import_with_their_commas(port: Port, before: str, after: str) -> None:
    found = port(f"from torch import (\n    {before}\nz = keep(more, i, cat([a], dim=1))\n")
    assert found.startswith(f"from torch import (\n    {after}\n")


COMMENTS = [  # those of an import that goes, or of which names go, and where they stand then
    (
        "from torch import (cat,  # noqa: F401  public\n                   add,  # a\n                   )  # b\nCALL\nadd\n",
        "# noqa: F401  public\n# a\nMINT  # b\nPORTED\nmint.add\n",
    ),
    (
        "from torch import cat\nfrom torch import int8 as i  # a\nCALL\nz = i\n",
        "ROOT\nMINT\n# a\nPORTED\nz = mindspore.int8\n",
    ),
    ("from torch import cat  # a\nCALL\n", "MINT  # a\nPORTED\n"),
    (
        "def f():\n    # a\n    from torch import (  # b\n        cat  # c\n    )\t# d\n    CALL\n",
        "MINT\ndef f():\n    # a\n    # b\n    # c\n    # d\n    PORTED\n",
    ),
    ("if a:\n    from torch import (cat  # a\n    )  # b\nCALL\n", "MINT\nif a:\n    # a\n    pass  # b\nPORTED\n"),
    ("if a:\n    from torch import cat; b = 1  # a\nCALL\n", "MINT\nif a:\n    pass; b = 1  # a\nPORTED\n"),
    (  # of a statement that stays
        "from torch import (cat # a\n    , # b\n    keep # c\n)\nCALL\nkeep\n",
        "# a\nfrom torch import (# b\n    keep # c\n)\nMINT\nPORTED\nkeep\n",
    ),
    (
        "from torch import (keep,  # a\n    cat,  # b\n    int8  # c\n)\nCALL\nkeep, int8\n",
        "# b\nfrom torch import (keep,  # a\n      # c\n)\nROOT\nMINT\nPORTED\nkeep, mindspore.int8\n",
    ),
    (  # no line can take them: the import stays
        "if a: from torch import (cat,  # a\n)\nCALL\n",
        "MINT\nif a: from torch import (cat,  # a\n)\nPORTED\n",
    ),
    (
        "x = 1; \\\nfrom torch import (cat,  # a\n)\nCALL\n",
        "x = 1; \\\nfrom torch import (cat,  # a\n)\nMINT\nPORTED\n",
    ),
]


@pytest.mark.parametrize(("before", "after"), COMMENTS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_comments_of_an_import_are_kept(port: Port, before: str, after: str, end: str) -> None:
    text = before.replace("CALL", "y = cat([a], dim=1)").replace("\n", end)
    wanted = after.replace("MINT", MINT).replace("ROOT", "import mindspore").replace("PORTED", PORTED)
    assert port(text) == wanted.replace("\n", end)


def test_an_import_with_many_comments_is_split_into_tokens_once(port: Port, monkeypatch: pytest.MonkeyPatch) -> None:
    pieces: list[CodeTokens] = []

    def counted(text: str, start: int) -> CodeTokens:
        pieces.append(CodeTokens(text, start))
        return pieces[-1]

    monkeypatch.setattr(code_text, "CodeTokens", counted)
    names = "".join(f"    int8 as n{number} # c{number}\n    ,\n" for number in range(500))
    found = port(f"from torch import (\n{names}    keep)\n{', '.join(f'n{number}' for number in range(500))}\nkeep\n")
    comments = "".join(f"# c{number}\n" for number in range(500))
    assert found.startswith(f"{comments}from torch import (\n")
    assert len(pieces) == 1


def test_many_names_leave_an_import_at_once() -> None:
    names = [f"name{number}" for number in range(40_000)]
    used = ", ".join(names[20_000:])
    head = f"from torch import (\n    {', '.join(names)},  # c\n    keep)\n"
    code = CodeText(f"{head}{used}\n{', '.join(names[:20_000])}\nkeep\n")
    began = time.process_time()
    edits = Imports(UsedNames(code), [Edit(len(head), len(head) + len(used), "None")]).edits()
    assert time.process_time() - began < 10
    assert len(apply_edits(code.data, edits)) < len(code.data) * 3 / 4


BOUND = [  # imports of MindSpore that bind nothing where it is used
    ("def f():\n    MINT\nCALL\n", "def f():\n    MINT\nPORTED\n", "mint"),
    ("class A:\n    MINT\nCALL\n", "class A:\n    MINT\nPORTED\n", "mint"),
    (
        "if False:\n    import mindspore.mint as mint\nCALL\n",
        "if False:\n    import mindspore.mint as mint\nPORTED\n",
        "mint",
    ),
    ("try:\n    MINT\nexcept ImportError: ...\nCALL\n", "try:\n    MINT\nexcept ImportError: ...\nPORTED\n", "mint"),
    ("while x:\n    MINT\nCALL\n", "while x:\n    MINT\nPORTED\n", "mint"),
    ("CALL\nMINT\n", "PORTED\nMINT\n", "mint"),
    ("def f(): CALL\nMINT\n", "def f(): PORTED\nMINT\n", "mint"),
    ("def f():\n    MINT\n    CALL\n", "def f():\n    MINT\n    PORTED\n", "mint"),
    # A function that binds the name has no value of it before.
    ("def f():\n    CALL\n    MINT\n", "def f():\n    FULL\n    MINT\n", "mindspore"),
    ("def f():\n    if x:\n        MINT\n    CALL\n", "def f():\n    if x:\n        MINT\n    FULL\n", "mindspore"),
    ("def f():\n  def g(): MINT\n  CALL\n  MINT\n", "def f():\n  def g(): MINT\n  FULL\n  MINT\n", "mindspore"),
    ("class A:\n    CALL\n    MINT\n", "class A:\n    PORTED\n    MINT\n", "mint"),
    # Modules of that name, but others.
    (
        "def f():\n    from .mindspore import mint\nCALL\n",
        "def f():\n    from .mindspore import mint\nFULL\n",
        "mindspore",
    ),
    ("from mindspore.mint import nn as mint\nCALL\n", "from mindspore.mint import nn as mint\nFULL\n", "mindspore"),
]


@pytest.mark.parametrize(("before", "after", "needed"), BOUND)
def test_what_is_used_is_bound(port: Port, before: str, after: str, needed: str) -> None:
    new = MINT if needed == "mint" else "import mindspore"
    wanted = (
        after.replace("MINT", MINT).replace("PORTED", PORTED).replace("FULL", PORTED.replace("mint", "mindspore.mint"))
    )
    assert port(f"import torch\n{before.replace('MINT', MINT).replace('CALL', CALL)}") == f"{new}\n{wanted}"


def test_what_is_bound_before_is_not_imported_again(port: Port) -> None:
    text = f"import torch\n{MINT}\nx = 1\nimport mindspore\n{CALL}\ny = torch.float32\n"
    assert port(text) == f"{MINT}\nx = 1\nimport mindspore\n{PORTED}\ny = mindspore.float32\n"


NEEDED = [  # what else needs an import, and whether it does
    ("del torch", True),
    ("torch = None", True),
    ("for torch in []: ...", True),
    ("def f():\n    global torch", True),
    ('def f(x: "torch.Tensor"): ...', True),
    ("def f(x: \"list['torch.Tensor'] | None\"): ...", True),
    ('__all__ = ["f", "torch"]', True),
    ('__all__: list[str] = ["torch"]', True),
    ('__all__ += ["torch"]', True),
    ('globals()["torch"]', True),
    ('exec("""\n    if x:\n        torch.save(x)\n""")', True),
    ('print("expects a torch tensor, \\\\d")', False),
    ('f"""{x} with torch"""', False),
    ('print("PyTorch", "torchvision")', False),
    ('def f():\n    """torch"""', False),
    ('"torch"', False),
    ("z = x.torch", False),
    ('def f():\n    """\n    >>> f() == torch.ones(3)\n    """', True),  # what doctest runs
    ('def f():\n    """\n    >>> for x in y:\n    ...     torch.ones(x)\n    """', True),
    ('"""\n>>> from torch import nn\n>>> torch.ones(3)\n"""', True),
    ('"""\n>>> no Python of torch\n"""', True),
    ('__test__ = {"f": """\n>>> torch.ones(3)\n"""}', True),
    ('"""\n>>> x\ntorch.ones(3)\n"""', False),  # what comes back, prose, comments and what a doctest imports itself
    ('"""\nIn torch, and so on:\n... torch\n"""', False),
    ('"""\n>>> x  # like torch\n"""', False),
    ('"""\n>>> import torch\n>>> torch.ones(3)\n"""', False),
]


@pytest.mark.parametrize(("text", "needed"), NEEDED)
def test_an_import_stays_that_something_else_needs(port: Port, text: str, needed: bool) -> None:
    found = port(f"import torch\n{CALL}\n{text}\n")
    kept = "import torch\n" if needed else ""
    assert found == f"{kept}{MINT}\n{PORTED}\n{text}\n"


IGNORED = [  # imports beside which a comment tells to pass over what is there, and what becomes of them
    ("import torch  # apidiff: ignore\nCALL\n", "import torch  # apidiff: ignore\nMINT\nPORTED\n"),
    (
        "from torch import (\n    cat,  # apidiff: ignore\n)\ny = cat([a], dim=1)\n",
        "from torch import (\n    cat,  # apidiff: ignore\n)\nMINT\nPORTED\n",
    ),
    (
        "import torch.nn as nn  # apidiff: ignore\nimport torch\nCALL\n",
        "import torch.nn as nn  # apidiff: ignore\nMINT\nPORTED\n",
    ),
    ("# apidiff: ignore\nimport torch\nCALL\n", "# apidiff: ignore\nMINT\nPORTED\n"),
]


@pytest.mark.parametrize(("before", "after"), IGNORED)
def test_an_import_stays_that_a_comment_keeps(port: Port, before: str, after: str) -> None:
    wanted = after.replace("MINT", MINT).replace("PORTED", PORTED)
    assert port(before.replace("CALL", CALL)) == wanted


CAPTURED = [  # what binds the name of MindSpore's module without storing it
    "match x:\n    case (mint, other):\n        CALL\n",
    "match x:\n    case [1, *mint]:\n        CALL\n",
    'match x:\n    case {"a": 1, **mint}:\n        CALL\n',
    "match x:\n    case int() as mint:\n        CALL\n",
]
TYPE_PARAMETERS = ["def f[mint](a):\n    CALL\n", "class A[**mint]:\n    CALL\n", "def f[*mint](a):\n    CALL\n"]


@pytest.mark.parametrize("code", [*CAPTURED, *(TYPE_PARAMETERS if sys.version_info >= (3, 12) else [])])
def test_what_a_pattern_captures_is_no_module(port: Port, code: str) -> None:
    wanted = code.replace("CALL", PORTED.replace("mint.", "mindspore.mint."))
    assert port(f"import torch\n{code.replace('CALL', CALL)}") == f"import mindspore\n{wanted}"


def test_an_import_stays_where_a_pattern_binds_its_name(port: Port) -> None:
    code = "match x:\n    case torch:\n        pass\n"
    assert port(f"import torch\n{CALL}\n{code}") == f"import torch\n{MINT}\n{PORTED}\n{code}"


ASKED = [  # what other files of the tree take from a module, and whether its import is needed for that
    ({"user.py": "from common import torch\ntorch.cat([a], dim=1)\n"}, True),
    ({"user.py": "def f():\n    from common import torch as t\n    return t.no_such\n"}, True),
    ({"user.py": "import common\ncommon.torch.no_such\n"}, True),
    ({"user.py": "import common as c\ndef f(): return c.torch.cat([a], dim=1)\n"}, True),
    ({"user.py": "from common import *\ntorch.no_such\n"}, True),
    ({"user.py": "from other import torch\n", "other.py": "from common import *\n"}, True),
    ({"user.py": "from other import common\ncommon.torch.no_such\n", "other.py": "import common\n"}, True),
    ({"page.md": "```python\nfrom common import *\ntorch.no_such\n```\n"}, True),
    ({"page.md": "```python\nfrom common import torch\n```\n"}, True),
    ({"user.py": "from common import *\nprint(y)\n"}, False),
    ({"user.py": "from common import *\nimport torch\ntorch.no_such\n"}, False),
    ({"user.py": "from common import y\nprint(y.torch)\n"}, False),
    ({"user.py": "import common\ncommon.y.torch\nimport torch\ntorch.no_such\n"}, False),
]


@pytest.mark.parametrize(("others", "needed"), ASKED)
def test_an_import_stays_that_another_file_takes(tmp_path: Path, others: dict[str, str], needed: bool) -> None:
    index = open_index()
    for name, text in {"common.py": f"import torch\n{CALL}\n", **others}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    scanned = scan_tree(find_sources([tmp_path])[0], index.source_names, ported=True)
    ported = port_files(scanned, Porter(Judge.of_index(index, "2.10.0", None), index.source_names))
    texts = {one.path.name: one.ported.text for one in ported if isinstance(one, PortedFile)}
    kept = "import torch\n" if needed else ""
    assert texts["common.py"] == f"{kept}{MINT}\n{PORTED}\n"


WRITTEN = [  # what a port writes otherwise asks no other file for a name; an import stays, and asks
    ("from common import *\ntorch.cat([a], dim=1)\n", False),
    ("from common import *\ntorch.cat([a], dim=1)\ntorch.no_such\n", True),
    ("import common\ncommon.torch.cat([a], dim=1)\n", False),
    ("from common import torch\ntorch.cat([a], dim=1)\n", True),
]


@pytest.mark.parametrize(("user", "needed"), WRITTEN)
def test_an_import_goes_where_what_others_take_is_written_otherwise(tmp_path: Path, user: str, needed: bool) -> None:
    index = open_index()
    (tmp_path / "common.py").write_text(f"import torch\n{CALL}\n")
    (tmp_path / "user.py").write_text(user)
    porter = Porter(Judge.of_index(index, "2.10.0", None), index.source_names)
    scanned = scan_tree(find_sources([tmp_path])[0], index.source_names, ported=True, writes=porter.writes)
    texts = {one.path.name: one.ported.text for one in port_files(scanned, porter) if isinstance(one, PortedFile)}
    kept = "import torch\n" if needed else ""
    assert texts["common.py"] == f"{kept}{MINT}\n{PORTED}\n"
    assert "mint.cat" in texts["user.py"]


def test_what_a_relative_import_takes_stays(tmp_path: Path) -> None:
    index = open_index()
    package = tmp_path / "pack"
    package.mkdir()
    for name, text in {
        "__init__.py": "from .common import torch\n",
        "common.py": f"import torch\n{CALL}\n",
        "user.py": "from . import torch\ntorch.no_such\n",
    }.items():
        (package / name).write_text(text)
    scanned = scan_tree(find_sources([tmp_path])[0], index.source_names, ported=True)
    asked = {Path(one.names.path).name: one.asked for one in scanned}
    assert asked == {"__init__.py": {"torch"}, "common.py": {"torch"}, "user.py": frozenset()}


def test_modules_that_import_all_of_each_other_are_gone_through_once(tmp_path: Path) -> None:
    for number in range(300):
        text = "".join(f"from m{other} import *\n" for other in range(0, 300, 3)) + "print(torch)\n"
        text += "import torch\n" if number == 297 else ""
        (tmp_path / f"m{number}.py").write_text(text)
    began = time.process_time()
    scanned = scan_tree(find_sources([tmp_path])[0], open_index().source_names, jobs=1, ported=True)
    assert time.process_time() - began < 10
    asked = {Path(one.names.path).stem: one.asked for one in scanned if one.asked}
    assert asked == {"m297": {"torch"}}


def test_imports_are_gone_through_once_for_all_names_that_may_be_another_thing(
    port: Port, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["cat", "std", "sort", "sum", "mean"]
    text = "".join(f"from torch import {name}\nif c: {name} = g\n{name}(a)\n" for name in names)
    seen, imported = [], held_names._imported

    def counted(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
        seen.append(node.lineno)
        return imported(node)

    monkeypatch.setattr(held_names, "_imported", counted)
    assert port(text).count("# apidiff manual: ") == len(names)
    assert seen == [1, 4, 7, 10, 13]


def test_an_import_of_a_class_stays_an_attribute_of_it(port: Port) -> None:
    text = f"class A:\n    if True:\n        import torch\n    {CALL}\n    def f(self):\n        import torch\n        {CALL}\n"
    kept = text.replace(CALL, PORTED).replace("def f(self):\n        import torch\n", "def f(self):\n")
    assert port(f"import torch\n{text}print(A.torch)\n") == f"{MINT}\n{kept}print(A.torch)\n"


def test_an_import_stays_for_what_an_edit_moves() -> None:
    text = "import torch\ny = torch.cat(torch.no_such(a))\n"
    code = CodeText(text)
    moved = Edit(text.index("torch.cat"), len(text) - 1, f"{marked('mindspore.mint.cat')}(b, torch.no_such(a))")
    imports = Imports(UsedNames(code), [moved])
    spelled = Edit(moved.start, moved.end, imports.spelled(moved.text))
    after = apply_edits(code.data, [*imports.edits(), spelled]).decode()
    assert after == f"import torch\n{MINT}\ny = mint.cat(b, torch.no_such(a))\n"


TAKEN = [  # the name of MindSpore is another thing's here
    "def mindspore(): ...\n",
    "def f(mindspore): ...\n",
    "import other as mindspore\n",
    "class mindspore: ...\nms = 1\n",
]


@pytest.mark.parametrize("other", TAKEN)
def test_mindspore_is_looked_up_by_another_name_where_its_own_is_taken(port: Port, other: str) -> None:
    text = f"import torch\nmint = 1\n{other}{CALL}\n"
    name = "ms_" if "ms =" in other else "ms"
    ported = text.replace("import torch", f"import mindspore as {name}").replace("torch.cat", f"{name}.mint.cat")
    assert port(text) == ported
    more = "import torch\nz = torch.cat([a], dim=1)\n"
    assert port(ported + more) == f"{ported}z = {name}.mint.cat([a], dim=1)\n"  # by the name that is there
    assert port(f"import torch\n{other}{CALL}\n") == f"{MINT}\n{other}{PORTED}\n"
