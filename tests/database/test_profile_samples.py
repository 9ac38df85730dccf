"""Samples of profiles: what a record takes over, and how a method is called with them."""

from __future__ import annotations

from typing import Any

import pytest

from apidiff.database import Data
from apidiff.database.checks.subject import Subject


@pytest.fixture(scope="module")
def data(database: Data) -> Data:
    return database


def test_a_function_and_a_method_share_samples(data: Data) -> None:
    function, method = (data.mappings[name].samples["plain"] for name in ("torch.exp", "torch.Tensor.exp"))
    assert function.receiver is None
    assert method.receiver == (function.args or {})["input"]
    assert method.args == {}


def test_placeholders_of_samples_are_filled(data: Data) -> None:
    def given(name: str) -> dict[str, Any]:
        return data.mappings[name].samples["plain"].args or {}

    assert list(given("torch.pow")) == ["input", "exponent"]
    assert list(given("torch.div")) == ["input", "other"]
    assert (data.mappings["torch.bool"].samples["plain"].code or {}) == {
        "torch": "tensor.to(torch.bool)",
        "mindspore": "tensor.to(mindspore.bool_)",
    }


def test_samples_of_a_record_follow_those_of_its_profile(data: Data) -> None:
    names = list(data.mappings["torch.div"].samples)
    assert (names[0], names[-1]) == ("plain", "by-zero")


@pytest.mark.parametrize(
    ("sample", "file"), [("by-zero", "mappings/torch/div.yaml"), ("plain", "profiles/everyday.yaml")]
)
def test_an_error_names_the_line_of_a_sample(data: Data, sample: str, file: str) -> None:
    error = Subject(data, data.mappings["torch.div"]).error(("samples", sample), "found", "remedy")
    assert error.path == data.root / file
    assert error.line is not None
    assert error.path.read_text().splitlines()[error.line - 1].strip().startswith(f"{sample}:")
