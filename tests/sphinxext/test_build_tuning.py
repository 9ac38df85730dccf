"""A build's settings are put back, and kept code blocks are those that Sphinx makes."""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest
from small_site import Site
from sphinx.highlighting import PygmentsBridge

from apidiff.sphinxext.build_tuning import _Bridge

CODE = "import torch\n\ntorch.distributed.reduce(tensor, dst=0)  # <b>"


def test_settings_are_put_back(make_site: Callable[..., Site]) -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    make_site().build()
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == frozen


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("language", ["python", "bash", "text"])
def test_blocks_are_those_of_sphinx(language: str, force: bool) -> None:
    plain = PygmentsBridge("html", "sphinx")
    kept = _Bridge(PygmentsBridge("html", "sphinx"))
    expected = plain.highlight_block(CODE, language, force=force, linenos=False)
    for _ in range(2):
        assert kept.highlight_block(CODE, language, opts={}, force=force, location=object(), linenos=False) == expected
    numbered = plain.highlight_block(CODE, language, force=force, linenos="inline")
    assert kept.highlight_block(CODE, language, force=force, linenos="inline") == numbered
    marked = plain.highlight_block(CODE, language, force=force, hl_lines=[1])
    assert kept.highlight_block(CODE, language, force=force, hl_lines=[1]) == marked
