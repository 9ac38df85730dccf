"""Samples of profiles: what a record takes over, and how a method is called with them."""

from __future__ import annotations

from typing import Any

import pytest

from apidiff.database import Data


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
