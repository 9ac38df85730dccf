"""Where the indices that a call returns are passed on as an index."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from apidiff.porting.tree_scan import ScannedFile

Scan = Callable[..., list[ScannedFile]]
T = "import torch\nx, w = torch.ones(3), torch.ones(3)\n"

CASES = [
    ("order = x.sort()[1]\nw.gather(0, order)", 4),
    ("w[x.sort(dim=-1)[1]]", 3),
    ("values, order = torch.sort(x)\nprint(values)\nw[order]", 5),
    ("found = x.topk(2)\nw[:, found.indices]", 4),
    ("found = x.max(0)\nw[found[1]]", 4),
    ("order = torch.argsort(x)\nlast = order[-2:].unsqueeze(0)\ntorch.gather(w, dim=-1, index=last)", 5),
    ("def f():\n    order = x.argsort()\n    return w[order]", 5),
    ("x.sort()[1]", None),
    ("w[x.sort()[0]]", None),
    ("values, order = torch.sort(x)\nw[values]", None),
    ("order = x.sort()[1]\norder = 0\nw[order]", None),
    ("order = x.sort()[1]\ndef f(order):\n    return w[order]", None),
    ("order = x.sort()[1]\nprint(order)", None),
]


@pytest.mark.parametrize(("code", "line"), CASES, ids=[row[0] for row in CASES])
def test_indices_that_are_passed_on(scan: Scan, code: str, line: int | None) -> None:
    [file] = scan({"a.py": T + code + "\n"})
    told = [one.index.line for one in file.references if one.index is not None]
    assert told == ([line] if line is not None else [])
