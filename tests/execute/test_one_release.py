"""Ranks that run other releases, or other code, than rank 0: refused when they start, before anything is measured."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path

import msgspec
import numpy as np
import pytest

from apidiff.database.backends import Backend
from apidiff.execute.one_release import Started, code_digest, mixture
from apidiff.execute.world import StartError, World

SAME = {"mindspore": "2.10.0", "numpy": "2.2.6", "Python": "3.11.9", "apidiff's code": "0d0ff5948403"}

# (what each rank runs beside or instead of that, the words that tell of it; None where all run the same)
RUNS: list[tuple[list[dict[str, str]], str | None]] = [
    ([{}], None),
    ([{}, {}, {}], None),
    ([{}, {"mindspore": "2.9.0"}], "rank 1 runs mindspore 2.9.0, rank 0 2.10.0: install one release of each on every"),
    ([{"torch": "2.13.0+cpu"}, {"torch": "2.13.0+cu130"}], "rank 1 runs torch 2.13.0+cu130, rank 0 2.13.0+cpu: "),
    ([{}, {}, {"numpy": "1.26.4"}, {}], "rank 2 runs numpy 1.26.4, rank 0 2.2.6: "),
    ([{}, {"Python": "3.12.0"}, {"numpy": "1.26.4"}], "rank 1 runs Python 3.12.0, rank 0 3.11.9: "),
    ([{}, {"apidiff's code": "ff"}], "rank 1 runs apidiff's code ff, rank 0 0d0ff5948403: "),
    (
        [{}, {"mindspore": "2.9.0", "Python": "3.12.0"}],
        "rank 1 runs mindspore 2.9.0, rank 0 2.10.0; Python 3.12.0, rank 0 3.11.9: ",
    ),
    ([{}, {"torch_npu": "2.6.0"}], "rank 1 runs torch_npu 2.6.0, rank 0 of no known version: "),
]


@pytest.mark.parametrize(("ranks", "words"), RUNS)
def test_ranks_that_do_not_run_the_same(ranks: list[dict[str, str]], words: str | None) -> None:
    started = {rank: Started(rank, len(ranks), "2.10.0", SAME | runs) for rank, runs in enumerate(ranks)}
    found = mixture(dict(reversed(started.items())))  # answers come in any order
    assert (found is None) if words is None else (found is not None and found.startswith(words))


def test_a_rank_of_an_older_apidiff_tells_nothing_and_is_refused() -> None:
    older = msgspec.json.decode(b'{"rank":1,"world_size":2,"version":"2.10.0"}', type=Started)
    found = mixture({0: Started(0, 2, "2.10.0", SAME), 1: older})
    assert found is not None
    assert "apidiff's code of no known version, rank 0 0d0ff5948403" in found


def _other_on_rank_1(folder: Path, change: str) -> None:
    """Has Python, where it starts as rank 1, take part of what it runs for another release."""
    (folder / "sitecustomize.py").write_text(f"import os\nif os.environ.get('RANK') == '1':\n    {change}\n")


# (what is another one on rank 1, what the start then says of it)
OTHERS = [
    (
        "import platform; platform.python_version = lambda: '3.99.0'",
        f"rank 1 runs Python 3.99.0, rank 0 {platform.python_version()}: ",
    ),
    (
        "import numpy; numpy.__version__ = '1.0.0'",
        f"rank 1 runs numpy 1.0.0, rank 0 {np.__version__}: ",
    ),
    (
        "import apidiff.execute.one_release as one; one.code_digest = lambda: 'ff'",
        f"rank 1 runs apidiff's code ff, rank 0 {code_digest()}: ",
    ),
]


@pytest.mark.parametrize(("change", "words"), OTHERS)
def test_a_world_whose_ranks_run_others_does_not_start(
    change: str, words: str, gloo: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _other_on_rank_1(tmp_path, change)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]]))
    with pytest.raises(StartError, match=re.escape(f"gloo (torch): {words}")), World(gloo, 2, tmp_path / "logs"):
        pass
    assert list((tmp_path / "logs").iterdir()) == []
