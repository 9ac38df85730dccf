"""Tensor methods are found as often, and as rightly, as labels that a person gave say they should be."""

from __future__ import annotations

import pytest
from measured_names import LABELLED_VERSION, tensor_methods, torch_folder

from apidiff.model.source_names import SourceNames


def test_methods_of_tensors(source_names: SourceNames, capsys: pytest.CaptureFixture[str]) -> None:
    folder = torch_folder()
    if folder is None:
        pytest.skip(f"torch {LABELLED_VERSION} is not installed")
    found = tensor_methods(folder, source_names)
    with capsys.disabled():
        print(f"\ntensor methods: {found}")
    assert found.wanted == 496
    assert found.recall >= 0.85, found.missed
    assert found.precision >= 0.95, found.wrong
