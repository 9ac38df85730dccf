"""Ported code runs: snippets made of the database's samples, whose port is labelled verified, give what they gave in PyTorch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from ported_snippets import DEVICE, Snippet, chosen, compare, snippets

from apidiff.database import Data
from apidiff.lookup.cache import open_index
from apidiff.porting.judgement import Judge
from apidiff.porting.port_text import Porter

_COUNT = 200
_PARTS = 16
_ENOUGH = 0.95


@pytest.fixture(scope="module")
def verified(database: Data) -> list[Snippet]:
    """The snippets, each of whose edits is labelled verified, one of each mapping before the second of any."""
    index = open_index()
    judge = Judge(index.call_facts, index.source_names.apis, "2.10.0", index.releases["mindspore"], DEVICE)
    found = [snippet for snippet in snippets(database, Porter(judge, index.source_names)) if snippet.is_verified]
    return chosen(found, len(found))


@pytest.mark.turning(days=_PARTS, group="compared")
def test_of_two_hundred_nearly_all_agree(verified: list[Snippet], tmp_path: Path) -> None:
    first = verified[:_COUNT]
    assert len(first) == _COUNT
    assert len({snippet.mapping for snippet in first}) > 150
    assert sum(snippet.ported.count("made") > 0 for snippet in first) > 190
    compared = compare(first, tmp_path)
    unlike = "\n".join(str(one) for one in compared if not one.agrees)
    assert sum(one.agrees for one in compared) >= _ENOUGH * _COUNT, unlike
    assert not [str(one) for one in compared if one.silent]


@pytest.mark.turning(days=_PARTS, group="compared")
@pytest.mark.parametrize("part", range(_PARTS))
def test_none_differs_silently(verified: list[Snippet], tmp_path: Path, part: int) -> None:
    compared = compare(verified[part::_PARTS], tmp_path)
    assert compared
    assert not [str(one) for one in compared if one.silent]


def test_a_wrong_port_is_noticed(verified: list[Snippet], tmp_path: Path) -> None:
    snippet = next(one for one in verified if "mint.add(" in one.ported.text)
    wrong = type(snippet.ported)(snippet.ported.text.replace("mint.add(", "mint.sub("), snippet.ported.changes, [])
    compared = compare([snippet, snippet._replace(ported=wrong)], tmp_path)
    assert [bool(one.silent) for one in compared] == [False, True]


def test_a_stand_in_is_the_class_of_what_takes_the_place_of_its_objects(database: Data) -> None:
    assert database.rules.stand_ins == {"torch.dtype": "mindspore.Type"}
    code = "import mindspore as ms; print(all(isinstance(t, ms.Type) for t in (ms.float32, ms.int64, ms.bool_, ms.bfloat16)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["True"]
