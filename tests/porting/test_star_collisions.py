"""The imports that a port adds bind no name that star imports make another thing: each row is a tree, and how it is ported."""

from __future__ import annotations

from pathlib import Path

import pytest

from apidiff.lookup.cache import open_index
from apidiff.porting.judgement import Judge
from apidiff.porting.port_files import PortedFile, port_files
from apidiff.porting.port_text import Porter
from apidiff.porting.source_files import find_sources
from apidiff.porting.tree_scan import scan_tree

Files = dict[str, str]

LAYER, CELL = "from torch import nn\nclass A(nn.Module): ...\n", "from mindspore import nn\nclass A(nn.Cell): ...\n"
USES = "import torch\nclass B(torch.nn.Module): ...\ny = torch.ones(2)\n"
PLAIN = "from mindspore import mint, nn\nclass B(nn.Cell): ...\ny = mint.ones(2)\n"
FULL = "import mindspore\nclass B(mindspore.nn.Cell): ...\ny = mindspore.mint.ones(2)\n"
FULL_NN = "import mindspore\nfrom mindspore import mint\nclass B(mindspore.nn.Cell): ...\ny = mint.ones(2)\n"
STAYS = "from torch import nn\nz = nn.no_such\n"

COLLIDING: list[tuple[Files, Files]] = [
    (  # what a star import gives
        {"a.py": "from torch import nn\nfrom b import *\nclass A(nn.Module): ...\n", "b.py": STAYS},
        {"a.py": "import mindspore\nfrom b import *\nclass A(mindspore.nn.Cell): ...\n"},
    ),
    (
        {"a.py": f"from b import *\n{USES}", "b.py": "from c import *\n", "c.py": "class nn: ...\nmint = 3\n"},
        {"a.py": f"from b import *\n{FULL}"},
    ),
    ({"a.py": f"from b import *\n{USES}", "b.py": "mindspore = nn = 3\n"}, {"a.py": "import mindspore as ms\n"}),
    # what it would take from those that import all names
    ({"a.py": "mint = nn = 3\nfrom b import *\nprint(mint)\n", "b.py": USES}, {"b.py": FULL}),
    ({"a.py": "import c as nn\nfrom b import *\nnn.relu(1)\n", "b.py": USES, "c.py": ""}, {"b.py": FULL_NN}),
    ({"a.py": "from d import *\nfrom b import *\nnn\n", "b.py": USES, "d.py": "nn = 3\n"}, {"b.py": FULL_NN}),
    ({"a.py": "nn = 3\nfrom b import *\n", "b.py": "from c import *\n", "c.py": USES}, {"c.py": FULL_NN}),
    ({"a.py": f"from b import *\n{STAYS}", "b.py": USES}, {"b.py": FULL_NN}),
]


def _ported(folder: Path, files: Files) -> Files:
    for name, text in files.items():
        (folder / name).write_text(text)
    index = open_index()
    porter = Porter(Judge.of_index(index, "2.10.0", None), index.source_names)
    scanned = scan_tree(find_sources([folder])[0], index.source_names, jobs=1, ported=True, writes=porter.writes)
    return {one.path.name: one.after.decode() for one in port_files(scanned, porter) if isinstance(one, PortedFile)}


@pytest.mark.parametrize(("files", "wanted"), COLLIDING)
def test_names_that_star_imports_make_another_thing_are_not_bound(tmp_path: Path, files: Files, wanted: Files) -> None:
    found = _ported(tmp_path, files)
    for name, text in wanted.items():
        assert text in found[name]


FREE: list[tuple[Files, Files]] = [  # what star imports give is what the port binds, or they give nothing by that name
    ({"a.py": "from b import *\nfrom c import *\n", "b.py": LAYER, "c.py": USES}, {"b.py": CELL, "c.py": PLAIN}),
    ({"a.py": f"from b import *\n{LAYER}", "b.py": LAYER}, {"b.py": CELL}),
    ({"a.py": f"from b import *\n{USES}", "b.py": "from mindspore import mint, nn\n"}, {"a.py": PLAIN}),
    ({"a.py": f"from b import *\n{USES}", "b.py": f"__all__ = ['z']\n{STAYS}"}, {"a.py": PLAIN}),
    ({"a.py": "nn = 3\nfrom b import *\n", "b.py": f"__all__ = ['y']\n{USES}"}, {"b.py": PLAIN}),
    ({"a.py": "nn = 3\nimport b\n", "b.py": USES}, {"b.py": PLAIN}),
]


@pytest.mark.parametrize(("files", "wanted"), FREE)
def test_names_are_bound_where_no_star_import_makes_them_another_thing(
    tmp_path: Path, files: Files, wanted: Files
) -> None:
    found = _ported(tmp_path, files)
    for name, text in wanted.items():
        assert text in found[name]
