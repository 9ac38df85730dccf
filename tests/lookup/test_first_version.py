"""Answers are for the newest release that was run until another is asked for."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from docutils.utils import new_document
from entry_fixture import SOURCE, content

from apidiff.lookup.build import index_of
from apidiff.lookup.lookup import lookup
from apidiff.model.ranges import first_shown
from apidiff.sphinxext.nodes import block
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.versions import Releases, carried

KNOWN = ["2.11.0", "2.10.0", "2.9.0"]


@pytest.mark.parametrize(
    ("run", "first"), [(["2.9.0"], "2.9.0"), (["2.9.0", "2.10.0"], "2.10.0"), ([], "2.11.0"), (["1.0"], "2.11.0")]
)
def test_the_newest_that_was_run(tmp_path: Path, run: list[str], first: str) -> None:
    assert first_shown(KNOWN, run) == first
    assert Releases(known={"mindspore": KNOWN}, run={"mindspore": run}).first("mindspore") == first
    index = index_of(content(tmp_path).entries, {}, {"mindspore": KNOWN}, run={"mindspore": run})
    assert lookup(index, SOURCE).asked.mindspore == first
    assert lookup(index, SOURCE, "2.11").asked.mindspore == "2.11.0"  # a newer one can be asked for


def test_pages_hide_what_is_not_of_that_release(tmp_path: Path) -> None:
    releases = msgspec.structs.replace(content(tmp_path).releases, run={"mindspore": ["2.8.0"]})
    make = PageBuilder("en", new_document("test"), "mappings/x", releases)
    assert carried(make.only(block(), mindspore=["2.10.0"]))["hidden"] == "hidden"
    assert "hidden" not in carried(make.only(block(), mindspore=["2.8.0", "2.7.1"]))
    assert make.chosen("mindspore")[0].astext() == "2.8.0"
