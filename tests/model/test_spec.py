"""Probes: what ``like``, ``set``, ``drop`` and ``on_rank`` come to, and when two are the same call."""

from __future__ import annotations

import msgspec
import pytest

from apidiff.model import Api, Claim, Input
from apidiff.model.spec import SpecError, digest, resolve, root_rank


def api(**probes: dict) -> Api:
    return msgspec.convert({"name": "torch.distributed.x", "root": "dst", "probes": probes}, Api)


BASE = {"set": {"tensor": {"shape": [3]}, "dst": 1}}


def test_like_is_followed_to_its_end() -> None:
    one = api(a=BASE, b={"like": "a", "set": {"async_op": True}}, c={"like": "b", "drop": ["dst"]})
    arguments, _ = resolve(one, "c")
    assert list(arguments) == ["tensor", "async_op"]
    assert (root_rank(one, "b"), root_rank(one, "c")) == (1, None)


@pytest.mark.parametrize(
    "probes", [{"a": {"like": "a"}}, {"a": {"like": "b"}, "b": {"like": "a"}}, {"a": {"like": "z"}}]
)
def test_like_that_leads_nowhere(probes: dict) -> None:
    with pytest.raises(SpecError):
        resolve(api(**probes), "a")


@pytest.mark.parametrize(
    "change",
    [
        {"set": {"dst": 0}},
        {"set": {"tensor": {"shape": [4]}}},
        {"on_rank": {"1": {"dst": 2}}},
        {"inplace_switch": False},
        {"drop": ["dst"]},
    ],
)
def test_digest_follows_what_is_called(change: dict) -> None:
    one = api(a=BASE, b={"like": "a", **change})
    assert digest(one, "a") != digest(one, "b")


def test_digest_ignores_how_it_is_written() -> None:
    one = api(a=BASE, b={"like": "a"}, c={"like": "a", "world_sizes": [3]})
    assert len({digest(one, name) for name in "abc"}) == 1


@pytest.mark.parametrize("keys", [{}, {"shape": [1], "list": []}, {"group": [], "tuple": [1]}])
def test_an_input_is_exactly_one_thing(keys: dict) -> None:
    with pytest.raises(msgspec.ValidationError, match="exactly one of"):
        msgspec.convert(keys, Input)


@pytest.mark.parametrize("keys", [{}, {"raises": {}, "completes": {}}])
def test_a_claim_has_exactly_one_kind(keys: dict) -> None:
    with pytest.raises(msgspec.ValidationError, match="exactly one kind key"):
        msgspec.convert({"id": "it", **keys}, Claim)
